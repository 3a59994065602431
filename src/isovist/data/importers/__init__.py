"""Importers: published benchmarks, photographs and result files of other tools, one module per format.

They write dataset folders and runs.
"""
