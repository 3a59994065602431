"""DORI, arXiv 2505.21649: which way objects face, and how they were turned."""
