"""The data card: README.md of a data folder, with the YAML head that `datasets.load_dataset` reads."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from isovist import registry
from isovist.core.canonical_json import PUBLISHED
from isovist.core.task import Value
from isovist.dataset.asset_attribution import Shown, credits_to
from isovist.dataset.manifest import DataPart, Manifest
from isovist.reference import shortcuts
from isovist.render import RASTER

GENERATED = "generated"
"""What the setting `pictures` of a part says if a text-to-image model drew them."""


def config(task: str) -> str:
    """The name of a task's configuration: ``cdr/relative-compass-letter`` is ``cdr-relative-compass-letter``."""
    return task.replace("/", "-")


def card(manifest: Manifest, shown: Shown, distinct: Mapping[tuple[str, str], int]) -> str:
    """The card of a data folder.

    Args:
        manifest: What the folder holds.
        shown: What its items show that asks to be named.
        distinct: How many different items there are of a task and a split, where they were counted.

    """
    parts, tasks = manifest.parts, registry.tasks()
    by_task: dict[str, list[DataPart]] = {}
    for part in parts:
        by_task.setdefault(part.task, []).append(part)
    imported = [part for part in parts if part.imported]
    total = sum(part.n for part in parts)
    return render_card(
        "isovist.dataset",
        "data_card.md.j2",
        by_task=by_task,
        imported=imported,
        title=_title(imported),
        total=total,
        size=size(total),
        version=manifest.isovist,
        rows=[(part, tasks.get(part.task), _shortcut(part)) for part in parts],
        repeats=[
            (part, different, _distinct_by_level(part))
            for part in parts
            if (different := distinct.get((part.task, part.split), part.n)) < part.n
        ],
        renderers=sorted({part.renderer for part in parts} - {RASTER}),
        rendered=[part.task for part in parts if part.renderer != RASTER],
        sources=sorted({part.settings.get("source", "unknown") for part in imported}, key=str),
        credits=credits_to(shown) if len(imported) < len(parts) else None,
    )


def render_card(package: str, template: str, **values: Any) -> str:
    """A data card from the template in a package; `named` and `config` are functions in it."""
    from jinja2 import Environment, StrictUndefined

    text = (files(package) / template).read_text(encoding="utf-8")
    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)  # noqa: S701 - Markdown
    return environment.from_string(text).render(values, named=_named, config=config).rstrip() + "\n"


def _named(settings: Mapping[str, Value]) -> str:
    return ", ".join(f"{name}={value}" for name, value in settings.items()) or "-"


def _title(imported: list[DataPart]) -> str:
    if not imported:
        return "Isovist"
    if any(part.task.partition("/")[0].endswith(PUBLISHED) for part in imported):
        return "Published"
    return "Generated-picture" if all(part.settings.get("pictures") == GENERATED for part in imported) else "Photograph"


def _distinct_by_level(part: DataPart) -> list[tuple[str, int]]:
    """How many different items there are at the levels of which the task states it."""
    task = registry.tasks().get(part.task)
    return [] if task is None else [(level, task.distinct[level]) for level in part.items().levels if level in task.distinct]


def _shortcut(part: DataPart) -> str:
    """What the best rule gets that leaves out the skill, where it was measured with these settings."""
    best = shortcuts.fitting(part.task, part.version, "", part.settings)
    return f"{best.shortcut.accuracy:.1%}" if best else "-"


def size(n: int) -> str:
    """How many rows there are, as the head of a card tells it."""
    for limit, name in ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")):
        if n < limit:
            return name
    return "1M<n<10M"
