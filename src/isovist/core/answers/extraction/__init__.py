"""From a model's response to a value."""
