"""Plug-ins: installed packages that add tasks, models, prompt styles, importers or scorers by entry points.

Entry points are read from the metadata of the installed packages; a plug-in is imported when it is used or listed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from multiprocessing import parent_process
from typing import Final

from isovist.common.errors import UserError

TASKS: Final = "isovist.tasks"
MODELS: Final = "isovist.models"
STYLES: Final = "isovist.prompt_styles"
IMPORTERS: Final = "isovist.importers"
SCORERS: Final = "isovist.scorers"
GROUPS: Final = {TASKS: "tasks", MODELS: "model", STYLES: "prompt style", IMPORTERS: "importer", SCORERS: "scorer"}
"""What a plug-in of each entry point group adds."""


class PlugInError(UserError):
    """A plug-in that cannot be used; the message names its package and the reason."""


@dataclass(frozen=True, slots=True)
class PlugIn:
    """An entry point of an installed package."""

    group: str
    name: str
    package: str
    version: str
    point: EntryPoint

    @property
    def release(self) -> str:
        """The package and its version, such as "isovist-arrows 0.1.0"."""
        return f"{self.package} {self.version}"

    def load(self) -> object:
        """Import the object. Raises PlugInError for any exception of the import."""
        try:
            return self.point.load()
        except (Exception, SystemExit) as error:
            raise self.error(f"{type(error).__name__}: {error}") from error

    def error(self, reason: str) -> PlugInError:
        """The error for a plug-in that cannot be used."""
        kind = GROUPS[self.group]
        reason = " ".join(reason.split()).rstrip(".")
        return PlugInError(f"Plug-in cannot be used ({reason}): {kind} {self.name} of {self.release}. Correct or uninstall the package.")


@lru_cache(maxsize=len(GROUPS))
def installed(group: str) -> tuple[PlugIn, ...]:
    """The plug-ins of an entry point group, sorted by name and package. None is imported."""
    plug_ins = [
        PlugIn(group, point.name, point.dist.name if point.dist else "unknown", point.dist.version if point.dist else "", point)
        for point in entry_points(group=group)
    ]
    return tuple(sorted(plug_ins, key=lambda plug_in: (plug_in.name, plug_in.package)))


def named(group: str, name: str) -> PlugIn | None:
    """The plug-in of that name; None if there is none. Raises PlugInError if two packages have one."""
    same = [plug_in for plug_in in installed(group) if plug_in.name == name]
    if len(same) > 1:
        raise same[0].error(f"{same[1].release} has the same name")
    return same[0] if same else None


def warn(error: PlugInError) -> None:
    """Print a plug-in's error as one line on stderr, unless logging is configured otherwise. Worker processes print nothing."""
    if parent_process() is None:
        logging.getLogger("isovist").warning("isovist: %s", error)
