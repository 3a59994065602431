"""Releases: frozen definitions of tests, with a public development seed and private seeds."""
