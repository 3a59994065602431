"""CoSpace (arXiv 2503.14161): questions about the space around a camera position, from several views."""
