"""Pixel solvers of the suite solids."""
