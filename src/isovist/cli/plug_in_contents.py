"""What the installed plug-ins add, for `isovist list --plugins` and `isovist doctor`."""

from __future__ import annotations

from isovist.cli.import_sets import PAGES
from isovist.common.plug_ins import GROUPS, IMPORTERS, MODELS, SCORERS, STYLES, TASKS, PlugIn, PlugInError, installed, named
from isovist.data import prompts
from isovist.suites import registry


def contents() -> list[tuple[PlugIn, str, str]]:
    """Each plug-in with what it adds, and with the error if it cannot be used. All are imported."""
    entries: list[tuple[PlugIn, str, str]] = []
    for plug_in in (plug_in for group in GROUPS for plug_in in installed(group)):
        try:
            entries.append((plug_in, _content(plug_in), ""))
        except PlugInError as error:
            entries.append((plug_in, "", str(error)))
    return entries


def _content(plug_in: PlugIn) -> str:
    """What a plug-in adds. Raises PlugInError if it cannot be used."""
    if plug_in.group == TASKS:
        return f"tasks: {', '.join(task.id for task in registry.added_tasks(plug_in))}"
    named(plug_in.group, plug_in.name)  # two packages may have the same name
    if plug_in.group == MODELS:
        from isovist.evaluation.models.plug_in_models import factory_of

        factory_of(plug_in)
        return f"models: {plug_in.name}/..."
    if plug_in.group == STYLES:
        return f"prompt style: {plug_in.name} ({prompts.style_of(plug_in).summary})"
    if plug_in.group == IMPORTERS:
        from isovist.data.importers.benchmark_format import format_of

        if plug_in.name in PAGES:
            raise plug_in.error("a set of Isovist has this name")
        return f"importer: isovist import {plug_in.name} ({format_of(plug_in).title})"
    assert plug_in.group == SCORERS  # noqa: S101
    registry.scorer_of(plug_in)
    return f"scorer: {plug_in.name}-published/*"
