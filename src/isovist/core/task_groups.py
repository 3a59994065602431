"""The groups of a task's properties: answers, images, sampling, paper, reported values, checks and reasoning.

Except `Answers`, a task states a group only where it differs from the defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from isovist.core.answers import Answer, Choice
from isovist.core.drawing2d import Raised
from isovist.core.option_angles import OptionAngles
from isovist.core.published_prompt import PublishedPrompt
from isovist.core.question import Exemption, Shortcut
from isovist.core.summation import sum_in_order

S = TypeVar("S")  # generic groups have no slots, with which `Reasoning[Scene](...)` fails on Python 3.11
Value = int | str
ColourVision = Literal["none", "partial", "normal"]

Orders = Mapping[str, tuple[tuple[int, ...], str]]
"""Other orders of the images of an item, by name, such as "start-2" or "shuffled": the k-th presented image is image `order[k]` of the
item, from 0; with the question text for that order. The answer and its options do not change. Names that differ only in a final number
("start-2", "start-3") are one type: they are presented and reported together.
"""

Symmetry = Callable[[S], tuple[S, Callable[[str], str]]]
"""A metamorphic relation: a changed scene, and a function from the balance bin of the answer to that of the changed scene."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A published sample size: `n` items of a split with these settings, distributed over `levels`, or over all levels if empty.

    A level that is listed several times has as many shares.
    """

    n: int
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    note: str = ""
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers: their type, how they are balanced, and the credit of guessing."""

    type: str
    """The answer type, `Answer.kind`: "choice", "count", "path" and so on."""
    strata: int | tuple[int, ...]
    """Number of strata over which answers are balanced, in shuffled blocks; one number, or one for each level."""
    balance: Callable[[Answer], str] = lambda answer: answer.balance_bin()
    """The part of an answer that is balanced; the whole answer by default."""
    best_constant: tuple[float, ...] = ()
    """Expected credit of the best constant answer at each level, where it exceeds `Answer.chance`. It follows from the distribution of
    the keys, not from a sample."""
    chance: float | None = None
    """The mean chance level of the items, where it follows neither from `best_constant` nor from `strata`; see `mean_chance`."""

    @property
    def mean_chance(self) -> float:
        """The chance level of the items, their mean where items differ.

        If `chance` is None, it is the mean of `best_constant`, or that of strata with one answer each if there is no `best_constant`.
        """
        if self.chance is not None:
            return self.chance
        strata = (self.strata,) if isinstance(self.strata, int) else self.strata
        by_level = self.best_constant or tuple(1 / n for n in strata)
        return sum_in_order(by_level) / len(by_level)


@dataclass(frozen=True, kw_only=True)
class Images(Generic[S]):
    """The images: who shares them, their size, the colour vision that they need, and other presentations."""

    family: str = ""
    """Tasks of one family have the same images; empty for a task with its own."""
    size_px: int = 200
    """Default number of pixels of a drawing's unit, or of the shorter side of a 3-D scene."""
    least_px: int = 96
    """Minimum of `size_px` at which the images are legible."""
    colour_vision: ColourVision = "none"
    """Colour vision that a person needs: `none`; `partial` if red-green colour-blind people can distinguish the colours; `normal`
    otherwise."""
    orders: Callable[[S], Orders] | None = None
    """Other orders of the images in which the same item can be presented."""
    raised: Raised | None = None
    """For 2-D drawings of separate shapes, how they are shown as 3-D scenes without an effect on the answer."""


def _whole_scene(scene: Any) -> Any:
    return scene


@dataclass(frozen=True, kw_only=True)
class Sampling(Generic[S]):
    """What determines the split and the random streams."""

    layout: Callable[[S], Any] = _whole_scene
    """The part of the scene that decides the split. Train and test have no common layout."""
    design_of: tuple[str, int] | None = None
    """The task, and its version, whose strata and random streams this one uses: the same samples at the same address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What the paper of the task states."""

    source: str = ""
    """The paper, and where it describes the task."""
    prompt: PublishedPrompt | str = ""
    """The prompt format of the paper, or the reason why it has none; "" for a task without a paper."""
    scorer: Callable[[str, Answer], float] | None = None
    """The credit of a response by the scorer of the paper, where the paper describes it."""
    sizes: Mapping[str, Preset] = field(default_factory=dict[str, Preset])
    """The published sample sizes by split."""


@dataclass(frozen=True, kw_only=True)
class Reported(Generic[S]):
    """By what reports group items and errors."""

    attributes: Callable[[S], Mapping[str, str]] | None = None
    """Item attributes by which reports group accuracy, such as a rotation angle."""
    distractor_types: Callable[[S], Sequence[str]] | None = None
    """The distractor type of each option of a choice, or of all choices of a joint answer; several are joined by
    `scenes.distractor_types.join_types`. The value of a key is ignored."""
    option_angles: Callable[[Choice], Mapping[str, OptionAngles]] | None = None
    """The angles of the options of a choice, by quantity; empty if the options are not angles."""
    prerequisite: str = ""
    """The task of the family whose item at the same address asks about the same content; reports give the accuracy of this task
    conditional on that one."""


@dataclass(frozen=True, kw_only=True)
class Checks(Generic[S]):
    """What conformance and audits use besides the key."""

    symmetries: tuple[Symmetry[S], ...] = ()
    """Changes of a scene with a known effect on the answer."""
    shortcuts: Mapping[str, Shortcut[S]] = field(default_factory=dict[str, Shortcut[S]])
    """Shortcuts of this task by name, in addition to those that apply to every task."""
    features: Mapping[str, Callable[[S], Sequence[float]]] = field(default_factory=dict[str, "Callable[[S], Sequence[float]]"])
    """Features of a scene, by name, that must not predict the key; a learned rule is fitted to each of them."""
    factors: Mapping[str, Callable[[S], str]] = field(default_factory=dict[str, "Callable[[S], str]"])
    """Factors of a scene, by name, that must tell nothing of the key, such as the category of the object: each value occurs with each
    answer, and a look-up by it stays at chance."""
    kind: Callable[[S], str] | None = None
    """The kind of a scene within its level, such as the relation in question. Rules are measured on each kind by itself, because they can
    be certain in one and average to chance over all."""
    exemptions: Mapping[str, Exemption] = field(default_factory=dict[str, Exemption])
    """Audits that this task may fail, each with the reason and a bound."""
    distinct: Mapping[str, int] = field(default_factory=dict[str, int])
    """Approximate number of distinct items of a split, for levels with few; larger datasets repeat items."""


@dataclass(frozen=True)
class Reasoning(Generic[S]):
    """Chains of thought and the check of their steps."""

    write: Callable[[S], str]
    """A chain of thought that derives the key from the image."""
    verify: Callable[[S, str], list[str]]
    """The incorrect steps of a chain of thought; empty if all are correct."""
