"""Items about images of diffusion models: descriptions by a language model, annotation, and questions about rotations."""
