"""The same environment with an endless stream of items. verifiers requires one taskset per module."""

from isovist_spatial.taskset import IsovistHarness, IsovistStreamTaskset

__all__ = ["IsovistHarness", "IsovistStreamTaskset"]
