"""Audits of tasks: what can be answered without the claimed skill."""
