"""Importer of any visual question answering set: a TOML mapping states what its columns hold."""
