"""Pixel solvers for Percept-V."""
