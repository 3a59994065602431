"""How the five papers evaluate models: what `--paper` sets, what cannot be had here, and the commands of their other tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

_PHOTOGRAPHS = "photographs: the paper's have no licence for redistribution, so the scenes are rendered"


@dataclass(frozen=True, slots=True)
class Protocol:
    """The evaluation of a paper.

    `options`: the fields of `RunSpec` that it determines, each with its value and the reason; `not_here`: what it has and Isovist has not;
    `others`: its other tables, each with what to add to the command or to do instead.
    """

    tasks: tuple[str, ...]
    options: Mapping[str, tuple[Any, str]]
    not_here: tuple[str, ...]
    others: Mapping[str, str] = field(default_factory=dict[str, str])

    def lines(self, flag: Callable[[str], str], names: Collection[str]) -> list[str]:
        """What is set, one line for each condition of these names, then what cannot be had.

        `flag`: the option of the command line for a field.
        """
        conditions = [f"{flag(name)} {_text(value)}: {why}" for name, (value, why) in self.options.items() if name in names]
        return [*conditions, *(f"Not as in the paper: {text}" for text in self.not_here)]

    def listed(self, flag: Callable[[str], str]) -> list[str]:
        """The tasks, all lines, and the other tables."""
        return [
            f"Tasks: {' '.join(self.tasks)}",
            *self.lines(flag, self.options),
            *(f"{table}: {text}" for table, text in self.others.items()),
        ]


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _protocol(tasks: tuple[str, ...], sizes: str, *not_here: str, others: Mapping[str, str], **options: tuple[Any, str]) -> Protocol:
    common = {"preset": ("paper", sizes), "prompt_style": ("published", "the prompt format of the paper, and its scorer beside ours")}
    return Protocol(tasks, common | options, not_here, others)


PROTOCOLS: Mapping[str, Protocol] = {
    "cdr": _protocol(
        ("cdr/*",),
        "as many questions and images as in section II-B",
        "icons: the paper's have no licence for redistribution, so they are of open sets",
        "the four phrasings of each question: the paper does not print them",
        temperature=(0.0, "section III"),
        others={
            "Table III": "train with the recipes of `isovist mix`, then run the trained model",
            "section III-D, step by step": "add --compare-prompt-styles direct,step-by-step",
        },
    ),
    "cospace": _protocol(
        (
            "cospace/direction-recognition",
            "cospace/directional-object",
            "cospace/counting",
            "cospace/rotation-angle",
            "cospace/rotation-difference",
            "cospace/planning-question",
            "cospace/planning-decision",
        ),
        "1,626 questions, with the published shares of kinds, indoors and outdoors",
        _PHOTOGRAPHS,
        "decoding: the paper does not state it",
        task_options=("design=paper", "images and options as published, with their shortcuts"),
        image_order=("start-3", "two prompts with different first views, for ACC_q and ACC_p"),
        others={
            "Table 3, shuffled images": "add --image-order start-3 --image-order shuffled",
            "Table 5, captions": "add --image-mode caption-first",
            "Table 6, people": "`isovist study` serves the same items to people",
        },
    ),
    "perceptv": _protocol(
        ("perceptv/*",),
        "ten questions of each size",
        "sizes with one possible answer, and the wording of ten domains (docs/perceptv.md)",
        temperature=(0.0, "section Experiments"),
        max_tokens=(1000, "section Experiments"),
        others={
            "one example": "add --shots 1",
            "resolution": "add --rendering half --rendering double",
            "3-D": "add --rendering 3d (six domains, --level 1,2,3,4,5,6,7,8,9,10)",
        },
    ),
    "dori": _protocol(
        ("dori/*",),
        "33,656 questions in equal parts",
        _PHOTOGRAPHS,
        "flips that are not visible: every image of canonical orientation contains text",
        "the division of the questions among tasks, and decoding: the paper does not state them",
        task_options=("design=paper", "images as published, with their shortcuts (docs/dori.md)"),
        others={
            "Table 3": "add --limit 200 (100 of each level)",
            "Table 4, people": "`isovist study serve` with --per-task 60 --options 3",
            "section 14, three seeds": "add --sampling-seed 42, then 1998 and 107983, with a --temperature above 0, each in a folder of its own; "
            "one report of the three has the standard errors",
        },
    ),
    "srbench": _protocol(
        ("srbench/*",),
        "as many questions as in section 4.1, with the published distractors",
        f"{_PHOTOGRAPHS} (orientation, spatial relations)",
        "three of the 36 relations (docs/srbench.md)",
        temperature=(0.0, "section 4: greedy decoding"),
        others={"Figure 5, generated images": "`isovist text-to-image` makes the items"},
    ),
}
"""By suite."""
