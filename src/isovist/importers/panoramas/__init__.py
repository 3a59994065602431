"""Photographs of all that surrounds a camera: pin-hole views of them, and items like those of CoSpace."""
