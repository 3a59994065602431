"""Isovist's items as an environment for verifiers: one question about some pictures, one reply, a checked reward."""

from isovist_spatial.taskset import IsovistHarness, IsovistTaskset, load_environment

__all__ = ["IsovistHarness", "IsovistTaskset", "load_environment"]
