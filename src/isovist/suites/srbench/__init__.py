"""SRBench: spatial reasoning of vision-language models (arXiv 2503.19707)."""
