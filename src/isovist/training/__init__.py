"""What a model is trained on, and how."""
