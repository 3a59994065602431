"""The data card of a mix: README.md, with the YAML head that `datasets.load_dataset` reads. It says what went in."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.dataset.asset_attribution import Shown, credits_to
from isovist.dataset.data_card import size
from isovist.dataset.mixture import Mix
from isovist.training.external_data import SampledRecords
from isovist.training.mixture_plan import MixturePlan, Share


@dataclass(frozen=True, slots=True)
class MixtureStatistics:
    """What was found while a mix was made."""

    drawn: SampledRecords | None
    replaced: int
    tests: int


def card(mix: Mix, plan: MixturePlan, made: MixtureStatistics, shown: Shown) -> str:
    """The card of a finished mix; `shown` is what its items show that asks to be named."""
    general: dict[str, str] = mix.recipe.get("general", {})
    lines = ["---", f"license: {'other' if plan.general else 'cc-by-4.0'}", "pretty_name: Isovist training mix", "language:", "- en"]
    lines += ["task_categories:", "- visual-question-answering", f"size_categories:\n- {size(len(mix))}", "configs:"]
    lines += ["- config_name: default", "  data_files:", "  - split: train", "    path: train-*.parquet", "---", ""]
    lines += ["# Isovist training mix", "", _ABOUT.format(n=len(mix), version=mix.isovist), ""]
    if about := str(mix.recipe.get("about", "")):
        lines += [f"Recipe: {about}.", ""]
    lines += ["| source | bare answers | step by step | general | version | split | seed | levels | settings |", f"|{'---|' * 9}"]
    lines += [_row(share) for share in plan.shares]
    if plan.general:
        name = general.get("name", "general")
        lines.append(f"| {name} | - | - | {mix.counts.get(f'{name}/general', 0)} | - | - | {plan.seed} | - | - |")
    lines += ["", f"The order is drawn with seed {plan.seed}.", ""]
    lines += ["## What was checked", "", *_checked(plan, made), ""]
    lines += ["## Columns", "", _COLUMNS, "", "## Licence and attribution", ""]
    if plan.shares:
        lines += [_LICENCE, ""]
        lines += [f"- {line}" for line in credits_to(shown)]
        lines.append("")
    if plan.general:
        licence = general.get("licence") or "It is not told here: read it where the data are published, before you pass anything on"
        lines.append(f"The general data stay under the licences of their owners. {licence.rstrip('.')}.")
    return "\n".join(lines).rstrip() + "\n"


def _row(share: Share) -> str:
    part = share.part
    settings = ", ".join(f"{name}={value}" for name, value in part.settings.items()) or "-"
    reasoned = round(share.reasoning * part.n)
    split = f"**{part.split}**" if part.split != "train" else part.split
    return f"| {part.task} | {part.n - reasoned} | {reasoned} | - | {part.version} | {split} | {part.seed} | {part.level or 'all'} | {settings} |"


def _checked(plan: MixturePlan, made: MixtureStatistics) -> list[str]:
    lines = [
        f"- **{share.part.task} is of the {share.part.split} split**, because: {share.reason}"
        for share in plan.shares
        if share.part.split != "train"
    ]
    if plan.items:
        lines.append(
            f"- Each of the {plan.items} items shows a scene of its own split: layouts belong to the training or to the test split by a "
            "bit of their hash, for all seeds, and each was asked again."
        )
        replaced = f" ({made.replaced} came out the same as others, and others of their task stand in their place)" if made.replaced else ""
        lines.append(f"- No two items show and ask the same{replaced}.")
    if made.tests:
        lines.append(
            f"- Compared with {made.tests} test items (by the layouts of their scenes where they have any, and by the pixels of their "
            "pictures): nothing of this mix is in them."
        )
    else:
        lines.append("- Compared with no other test sets: none were given.")
    if made.drawn is not None:
        used = f"{len(made.drawn.numbers)} of the {made.drawn.records} general records were drawn by seed {plan.seed}"
        reasons = ", ".join(f"{count} times {reason}" for reason, count in made.drawn.reasons.most_common())
        lines.append(
            f"- {used}; {f'others were drawn for {len(made.drawn.rejected)} that cannot be used: {reasons}' if reasons else 'all can be used'}."
        )
    return lines


_ABOUT = """{n} training examples for vision-language models in shuffled order, made by [Isovist](https://pypi.org/project/isovist/) {version}.
`isovist-mix.json` holds the recipe, the counts and the hashes of the files; the same recipe makes the same mix again."""

_COLUMNS = """`id` (of an item: address, digest and kind; of general data: name and number in its file), `kind` (`answer`: a bare answer,
`reasoning`: a chain of thought that ends in the answer, `general`), `source` (the task, or the name of the general data), `level`,
`images` (PNG or JPEG), `turns` (`role`, `content`, one `<image>` for each picture; the last turn is what a model should say), `key`
(the typed answer as JSON, by which `isovist.rewards` judges any reply; empty for general data)."""

_LICENCE = "The items are licensed under CC-BY-4.0. They show these assets, whose licences ask to be named:"
