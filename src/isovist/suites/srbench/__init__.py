"""SRBench: spatial visualization and mental rotation (arXiv 2503.19707).

Where a task departs from the authors' generators, its module says so.
"""
