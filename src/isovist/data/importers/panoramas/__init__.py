"""Panoramic photographs: pinhole views and CoSpace-style items."""
