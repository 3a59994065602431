"""Training: data mixtures, fine-tuning, and evaluation before and after."""
