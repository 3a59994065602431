"""Items, datasets and their formats."""
