"""Replies that other evaluation tools got: from their result files to a run of ours."""
