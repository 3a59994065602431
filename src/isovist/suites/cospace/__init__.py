"""CoSpace, arXiv 2503.14161: one standpoint, several views, and what holds for the whole space around it."""
