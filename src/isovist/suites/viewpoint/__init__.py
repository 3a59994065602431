"""Viewpoint: whose view, and from where. Five tasks on what another place shows, after the literature on perspective taking."""
