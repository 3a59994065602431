"""Percept-V: basic visual perception tasks in twenty problem sizes (arXiv 2508.21143).

A domain is a task and a size is a level. Where the size sets the number to count, the answer varies within two of the size. Each module
lists its differences from the authors' release.
"""
