"""Importers of plug-ins: the entry point is a `Format`, its name that of the set."""

from __future__ import annotations

from isovist.importers.benchmark_format import Format
from isovist.plug_ins import PlugIn


def format_of(plug_in: PlugIn) -> Format:
    """The format of a plug-in. Raises PlugInError if it cannot be used."""
    source = plug_in.load()
    if not isinstance(source, Format) or source.name != plug_in.name:
        raise plug_in.error(f"not an isovist.importers.benchmark_format.Format with the name {plug_in.name}")
    return source
