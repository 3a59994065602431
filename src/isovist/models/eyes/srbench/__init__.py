"""Eyes for SRBench."""
