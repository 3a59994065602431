"""Pixel solvers for SRBench."""
