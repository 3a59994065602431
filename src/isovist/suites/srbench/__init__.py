"""SRBench: paper folding, mental rotation and navigation (arXiv 2503.19707), generated afresh, with keys derived twice.

Differences from the authors' generators are named in each module.
"""
