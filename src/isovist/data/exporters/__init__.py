"""Exporters: write datasets in the formats of trainers and other evaluation tools, one module per tool."""
