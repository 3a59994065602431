"""Importers of published benchmarks, one module each."""
