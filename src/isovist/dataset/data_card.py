"""The data card: README.md of a data folder, with the YAML head that `datasets.load_dataset` reads."""

from __future__ import annotations

from collections.abc import Mapping

from isovist import registry
from isovist.core.canonical_json import PUBLISHED
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
    by_task: dict[str, list[DataPart]] = {}
    for part in manifest.parts:
        by_task.setdefault(part.task, []).append(part)
    total = sum(part.n for part in manifest.parts)
    imported = [part for part in manifest.parts if part.imported]
    published = any(part.task.partition("/")[0].endswith(PUBLISHED) for part in imported)
    licence = "other" if imported else "cc-by-4.0"
    generated = bool(imported) and all(part.settings.get("pictures") == GENERATED for part in imported)
    title = "Published" if published else "Generated-picture" if generated else "Photograph" if imported else "Isovist"
    lines = ["---", f"license: {licence}", f"pretty_name: {title} items", "language:", "- en"]
    lines += ["task_categories:", "- visual-question-answering", f"size_categories:\n- {size(total)}", "configs:"]
    for task, parts in by_task.items():
        lines += [f"- config_name: {config(task)}", "  data_files:"]
        lines += [f"  - split: {part.split}\n    path: {task}/{part.split}-*.parquet" for part in parts]
    about = (_ABOUT_IMPORTED if published else _ABOUT_GENERATED if generated else _ABOUT_OWN) if imported else _ABOUT
    lines += ["---", "", f"# {title} items", "", about.format(total=total, version=manifest.isovist), ""]
    lines += [
        "| task | version | split | items | seed | settings | chance | best shortcut | summary |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for part in manifest.parts:
        task = registry.tasks().get(part.task)
        settings = ", ".join(f"{k}={v}" for k, v in part.settings.items()) or "-"
        chance, summary = (f"{task.chance:.1%}", task.summary) if task else ("-", "-")
        lines.append(
            f"| {part.task} | {part.version} | {part.split} | {part.n} | {part.seed} | {settings} | {chance} | {_shortcut(part)} | {summary} |"
        )
    lines += [""] if any(distinct.get((part.task, part.split), part.n) < part.n for part in manifest.parts) else []
    for part in manifest.parts:
        if (different := distinct.get((part.task, part.split), part.n)) < part.n:
            lines.append(_REPEATS.format(task=part.task, split=part.split, n=part.n, different=different) + _few(part))
    if drawn := sorted({part.renderer for part in manifest.parts} - {RASTER}):
        others = ", ".join(part.task for part in manifest.parts if part.renderer != RASTER)
        lines += ["", _DRAWN.format(tasks=others, renderer=" and ".join(drawn))]
    lines += ["", "## Columns", "", _COLUMNS, "", "## Licence and attribution", ""]
    if imported:
        lines += [
            _LICENCE_IMPORTED if published else _LICENCE_GENERATED if generated else _LICENCE_OWN,
            "",
            *sorted({f"- {part.settings.get('source', 'unknown')}" for part in imported}),
            "",
        ]
    if len(imported) < len(manifest.parts):
        lines += [_LICENCE_OF_THE_OTHERS if imported else _LICENCE, "", *(f"- {credit}" for credit in credits_to(shown))]
    return "\n".join(lines).rstrip() + "\n"


def _few(part: DataPart) -> str:
    """How many different items there are at the levels of which the task states it."""
    task = registry.tasks().get(part.task)
    levels = () if task is None else [level for level in part.items().levels if level in task.distinct]
    return "".join(f" Level {level} has about {task.distinct[level]:,} in a split." for level in levels if task is not None)


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


_ABOUT = """{total} questions for vision-language models, made by [Isovist](https://pypi.org/project/isovist/) {version}. Every item
can be made again from its `id`; `isovist verify` on this folder does so and compares pixels, words and keys. Do not train
on the test split."""

_ABOUT_IMPORTED = """{total} questions for vision-language models. Those of version 0 were published by others, as a fixed test set, and were
read into this form by [Isovist](https://pypi.org/project/isovist/) {version}; nothing here can make them again. A model may
have met them in its training. Do not train on them."""

_ABOUT_OWN = """{total} questions for vision-language models. The pictures of those of version 0 were given, or are cut from photographs that were
given, to [Isovist](https://pypi.org/project/isovist/) {version}; without these nothing can make them again. Do not train on them."""

_ABOUT_GENERATED = """{total} questions for vision-language models. The pictures of those of version 0 were drawn by a text-to-image model from
descriptions, and sorted by people with [Isovist](https://pypi.org/project/isovist/) {version}: what they show is what people saw in
them. Do not train on them."""

_DRAWN = """The pictures of {tasks} were drawn by {renderer} (Cycles is the path tracer of Blender), not by Isovist's own
rasteriser: the items and their ids are the same, the pixels are not. Another machine may differ from them in a few pixels."""

_REPEATS = """- {task} ({split}): {different} distinct items of {n}. The others show and ask the same as one before them."""

_COLUMNS = """`id` (address and digest), `suite`, `task`, `version`, `split`, `seed`, `index`, `level`, `group` (items of one group share
their picture), `images` (PNG, or JPEG as it was published), `prompt` (one `<image>` for each picture, the answer instruction included), `choices`
(empty if open), `answer` (the letter of a choice, else the value), `answer_type`, `chance` (of a guesser), `skills`,
`metadata` (JSON: question, key, prompt style, settings, size in pixels, scene, and a checked chain of thought where the
task has one)."""

_LICENCE_IMPORTED = """The items of version 0 stay under the licence of the set they come from, and their pictures perhaps under others. It
is not told here: read it where the set is published, before you pass anything on."""

_LICENCE_OWN = """The pictures of the items of version 0 stay under the licence of the photographs they are cut from. It is not told
here: ask those who took these, before you pass anything on."""

_LICENCE_GENERATED = """What the pictures of the items of version 0 may be used for is told by the licence of the model that drew them: read it before
you pass anything on."""

_LICENCE_OF_THE_OTHERS = """All other items are licensed under CC-BY-4.0. They show these assets, whose licences ask to be named:"""

_LICENCE = """The items are licensed under CC-BY-4.0. They show these assets, whose licences ask to be named:"""
