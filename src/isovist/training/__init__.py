"""Teaching a model: mixes of training examples, and runs of fine-tuning that are measured before and after."""
