"""Environments around the viewer: rooms and streets with objects, and the objects visible from the camera position."""
