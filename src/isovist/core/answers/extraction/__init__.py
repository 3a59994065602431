"""Answer extraction: from the text of a response to one final value."""
