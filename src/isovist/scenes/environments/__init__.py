"""Places that surround a viewer: rooms and streets with things in them, and what is seen of them from one standpoint."""
