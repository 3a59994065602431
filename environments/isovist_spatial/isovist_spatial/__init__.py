"""Isovist's items as an environment for verifiers: one question about images, one response, and a verified reward."""

from isovist_spatial.taskset import IsovistHarness, IsovistTaskset, load_environment

__all__ = ["IsovistHarness", "IsovistTaskset", "load_environment"]
