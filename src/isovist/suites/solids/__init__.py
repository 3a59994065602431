"""Solids: a body from flat drawings, and the parts of it that are not seen."""
