"""Audits of a task: what can be guessed without seeing."""
