"""A place where people take the test: consent, practice, one question at a time, and their answers as runs beside those of models."""
