"""Percept-V: basic visual perception in domains of twenty sizes (arXiv 2508.21143).

A domain is a task and a size is a level. Where the size is the answer (counting circles, differences, ...), the answer is
the same for all items of a level; nothing but the picture tells the level. Differences from the authors' release are
named in each module.
"""
