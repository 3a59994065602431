"""Modules that go with an export: they run inside of another tool, and score with Isovist's own parser."""
