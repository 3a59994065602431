"""Modules that accompany an export: they run inside another tool and score with the parser of Isovist."""
