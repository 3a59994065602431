"""Importers of plug-ins: the entry point is a `Format`, its name that of the set."""

from __future__ import annotations

from isovist.common.plug_ins import PlugIn
from isovist.data.importers.benchmark_format import Format


def format_of(plug_in: PlugIn) -> Format:
    """The format of a plug-in. Raises PlugInError if it cannot be used."""
    source = plug_in.load()
    if not isinstance(source, Format) or source.name != plug_in.name:
        raise plug_in.error(f"not an isovist.data.importers.benchmark_format.Format with the name {plug_in.name}")
    return source
