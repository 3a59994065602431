"""SRBench: paper folding, mental rotation and mazes (arXiv 2503.19707)."""
