"""Tasks: pure functions that sample a scene, draw it and ask a question about it; the addresses of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from html import escape
from typing import Any, Generic, Literal, TypeVar, get_args

from isovist.core.answers import Answer, Choice
from isovist.core.canonical_json import canonical_json
from isovist.core.drawing2d import Drawing, Raised
from isovist.core.option_angles import OptionAngles
from isovist.core.published_prompt import PublishedPrompt
from isovist.core.question import Question as Question  # noqa: PLC0414 - tasks take both from here
from isovist.core.question import Shortcut as Shortcut  # noqa: PLC0414
from isovist.core.rng import Rng, balanced_stratum
from isovist.core.sampling_without_replacement import ranks
from isovist.core.scene3d import Scene3D

S = TypeVar("S")
T = TypeVar("T")
Value = int | str
Picture = Drawing | Scene3D
Split = Literal["test", "train"]
SPLITS: tuple[Split, ...] = get_args(Split)
ColourVision = Literal["none", "partial", "normal"]

MAX_ATTEMPTS = 200


class RejectSample(Exception):
    """Raised by `sample` for a scene that is ambiguous or does not fit; another scene is sampled."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a task: one of `choices`, or a whole number from `low` to `high`, both included."""

    default: Value
    help: str
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    def parse(self, name: str, given: Value) -> Value:
        """Convert `given` to a value of this setting. Raises ValueError, with the allowed values, for an invalid one."""
        if self.choices:
            if str(given) in self.choices:
                return str(given)
            raise ValueError(f"{name}={given}: choose one of {', '.join(self.choices)}")
        try:
            number = int(given)
        except ValueError:
            number = self.low - 1
        if not self.low <= number <= self.high:
            raise ValueError(f"{name}={given}: give a whole number from {self.low} to {self.high}")
        return number


@dataclass(frozen=True, slots=True)
class Preset:
    """A published sample size: `n` items of a split with these settings, distributed over `levels`, or over all levels if empty.

    A level that is listed several times has as many shares.
    """

    n: int
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    note: str = ""
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemAddress:
    """The address of an item; with the same version of the task it determines the item.

    As text: ``cdr/relative-compass-letter@2:test:standard:0:17`` or ``...:17:order=paper,size=400`` (settings other than
    the defaults).
    """

    task: str
    version: int
    split: Split
    level: str
    seed: int
    index: int
    settings: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        settings = ",".join(f"{name}={value}" for name, value in self.settings)
        place = f"{self.task}@{self.version}:{self.split}:{self.level}:{self.seed}:{self.index}"
        return f"{place}:{settings}" if settings else place

    @staticmethod
    def parse(text: str) -> ItemAddress:
        """Parse the address in an item id; a trailing ``#digest`` is ignored. Raises ValueError for any other text."""
        try:
            head, _, rest = text.partition("#")[0].partition("@")
            version, split, level, seed, index, *extra = rest.split(":")
            settings = [part.partition("=") for part in extra[0].split(",")] if extra else []
            if split not in SPLITS or len(extra) > 1:
                raise ValueError
            values = tuple(sorted((name, int(v) if v.lstrip("-").isdigit() else v) for name, _, v in settings))
            return ItemAddress(head, int(version), split, level, int(seed), int(index), values)
        except (ValueError, IndexError):
            raise ValueError(f"{text!r} is not an item id; one looks like suite/task@1:test:standard:0:17#0123456789abcdef") from None


@dataclass(frozen=True, slots=True)
class SamplingContext:
    """The input of `sample`: level, settings, stratum and random streams.

    Items of one group share an image. The content of the image must depend on `image_rng` and `image_stratum` alone; the
    question about it on `item_rng`, `stratum` and `item_stratum`.
    """

    split: Split
    level: str
    settings: Mapping[str, Value]
    stratum: int
    item_rng: Rng
    image_rng: Rng
    question_index: int  # index of the question among those about the same image, from 0
    _index: int
    _group: int
    _item_design: Rng
    _picture_design: Rng
    _accepted_layouts: list[Any]  # layouts that `check_split` accepted

    def check_split(self, layout: T) -> T:
        """Return `layout` if it belongs to this split, else raise RejectSample.

        Optional: every layout is checked later. An early check saves time.
        """
        if split_of_layout(layout) != self.split:
            raise RejectSample
        self._accepted_layouts.append(layout)
        return layout

    def item_stratum(self, name: str, k: int) -> int:
        """A further factor, from 0 to k-1, balanced over the items."""
        return balanced_stratum(self._item_design.at(name), k, self._index)

    def image_stratum(self, name: str, k: int) -> int:
        """A further factor, from 0 to k-1, balanced over the images."""
        return balanced_stratum(self._picture_design.at(name), k, self._group)

    def rank(self, *factors: tuple[str, int]) -> int:
        """The number of earlier images with the same values of these factors; each factor is a name and its number of values."""
        return ranks(self._picture_design.key, factors).at(self._group)

    def stream(self, *path: str | int) -> Rng:
        """A random stream that all images of this level and seed share, for content that must not repeat."""
        return self._picture_design.at("shared", *path)


Orders = Mapping[str, tuple[tuple[int, ...], str]]
"""Other orders of the images of an item, by name, such as "start-2" or "shuffled": the k-th presented image is image `order[k]` of the
item, from 0; with the question text for that order. The answer and its options do not change. Names that differ only in a final number
("start-2", "start-3") are one type: they are presented and reported together.
"""

Symmetry = Callable[[S], tuple[S, Callable[[str], str]]]
"""A metamorphic relation: a changed scene, and a function from the balance bin of the answer to that of the changed scene."""


def identity(label: str) -> str:
    """The bin function of a change that does not affect the answer."""
    return label


def renamed(new: Mapping[str, str]) -> Callable[[str], str]:
    """The bin function of a change that replaces the bins in `new` and no others."""
    return lambda label: new.get(label, label)


def _whole_scene(scene: Any) -> Any:
    return scene


@dataclass(frozen=True, kw_only=True, repr=False)
class Task(Generic[S]):
    """One task: pure functions that generate items, and the properties that reports and checks use.

    `sample` builds a scene, `draw` its images, `ask` its question; `rederive` derives the key again from shapes and text.
    """

    id: str
    version: int
    summary: str
    sample: Callable[[SamplingContext], S]
    draw: Callable[[S], tuple[Picture, ...]]
    ask: Callable[[S], Question]
    rederive: Callable[[tuple[Any, ...], str], str]
    """The key, derived from the shapes and the question text alone."""
    strata: int | tuple[int, ...]
    """Number of strata over which answers are balanced, in shuffled blocks; one number, or one for each level."""
    chance: float
    """The chance level of the items; their mean where items differ."""
    best_constant: tuple[float, ...] = ()
    """Expected credit of the best constant answer at each level, where it exceeds `Answer.chance`. It follows from the distribution of
    the keys, not from a sample."""
    answer_type: str
    balance: Callable[[Answer], str] = lambda answer: answer.balance_bin()
    """The part of an answer that is balanced; the whole answer by default."""
    levels: tuple[str, ...] = ("standard",)
    image_family: str = ""
    """Tasks of one family have the same images; empty for a task with its own."""
    layout: Callable[[S], Any] = _whole_scene
    """The part of the scene that decides the split. Train and test have no common layout."""
    colour_vision: ColourVision = "none"
    """Colour vision that a person needs: `none`; `partial` if red-green colour-blind people can distinguish the colours; `normal`
    otherwise."""
    skills: tuple[str, ...] = ()
    source: str = ""
    image_size_px: int = 200
    """Default number of pixels of a drawing's unit, or of the shorter side of a 3-D scene."""
    least: int = 96
    """Minimum of `image_size_px` at which the images are legible."""
    distinct: Mapping[str, int] = field(default_factory=dict[str, int])
    """Approximate number of distinct items of a split, for levels with few; larger datasets repeat items."""
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    symmetries: tuple[Symmetry[S], ...] = ()
    chain_of_thought: Callable[[S], str] | None = None
    """A chain of thought that derives the key from the image."""
    verify_chain: Callable[[S, str], list[str]] | None = None
    """The incorrect steps of a chain of thought; empty if all are correct."""
    image_orders: Callable[[S], Orders] | None = None
    """Other orders of the images in which the same item can be presented."""
    raised: Raised | None = None
    """For 2-D drawings of separate shapes, how they are shown as 3-D scenes without an effect on the answer."""
    prerequisite: str = ""
    """The task of the family whose item at the same address asks about the same content; reports give the accuracy of this task
    conditional on that one."""
    shared_design: tuple[str, int] | None = None
    """The task, and its version, whose strata and random streams this one uses: the same samples at the same address."""
    attributes: Callable[[S], Mapping[str, str]] | None = None
    """Item attributes by which reports group accuracy, such as a rotation angle."""
    distractor_types: Callable[[S], Sequence[str]] | None = None
    """The distractor type of each option of a choice; several are joined by `scenes.distractor_types.join_types`. The value of the key
    is ignored."""
    option_angles: Callable[[Choice], Mapping[str, OptionAngles]] | None = None
    """The angles of the options of a choice, by quantity; empty if the options are not angles."""
    published_scorer: Callable[[str, Answer], float] | None = None
    """The credit of a response by the scorer of the paper, where the paper describes it."""
    published_prompt: PublishedPrompt | str = ""
    """The prompt format of the paper, or the reason why it has none; "" for a task without a paper."""
    published_sizes: Mapping[str, Preset] = field(default_factory=dict[str, Preset])
    """The published sample sizes by split."""
    shortcuts: Mapping[str, Shortcut[S]] = field(default_factory=dict[str, Shortcut[S]])
    """Shortcuts of this task by name, in addition to those that apply to every task."""
    category: Callable[[S], str] | None = None
    """The category of the content, such as the name of the object; it must not predict the key."""
    audit_exemptions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Audits from which this task is exempt, each with the reason."""

    def cells_at(self, level: str) -> int:
        """The number of strata at a level."""
        return self.strata if isinstance(self.strata, int) else self.strata[self.levels.index(level)]

    def chance_of(self, level: str, answer: Answer) -> float:
        """The chance level of an item: that of the best constant answer if the task states it, else of a random answer."""
        return self.best_constant[self.levels.index(level)] if self.best_constant else answer.chance()

    def __repr__(self) -> str:
        return f"<Task {self.id}, version {self.version}>"

    def _repr_html_(self) -> str:
        """For notebooks: the properties that a user chooses by."""
        properties = {
            "answer": self.answer_type,
            "chance": f"{100 * self.chance:.1f}%",
            "levels": ", ".join(self.levels),
            "skills": ", ".join(self.skills),
            "options": ", ".join(f"{name} (default {value})" for name, value in self.defaults.items()),
        }
        rows = "".join(f"<tr><th>{name}</th><td>{escape(text)}</td></tr>" for name, text in properties.items() if text)
        return f"<p><b>{escape(self.id)}</b>, version {self.version}: {escape(self.summary)}</p><table>{rows}</table>"

    @property
    def suite(self) -> str:
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        return self.id.partition("/")[2]

    @cached_property
    def all_settings(self) -> dict[str, Setting]:
        """The settings of the task, with `size`, which every task has."""
        summary = "pixels per unit of the image, which may be several units wide (3-D scene: pixels of the shorter side)"
        size = Setting(self.image_size_px, summary, low=self.least, high=4096)
        return {**self.settings, "size": size}

    @cached_property
    def defaults(self) -> dict[str, Value]:
        return {name: setting.default for name, setting in self.all_settings.items()}

    def address(self, split: str, level: str, seed: int, index: int, settings: Mapping[str, Value]) -> ItemAddress:
        """The address of an item of this version. Raises ValueError for an invalid argument."""
        known = self.all_settings
        for name in settings:
            if name not in known:
                raise ValueError(f"{self.id} has no setting {name!r}; it has {', '.join(sorted(known))}")
        if split not in SPLITS:
            raise ValueError(f"split {split!r}: choose one of {', '.join(SPLITS)}")
        if level not in self.levels:
            raise ValueError(f"{self.id} has no level {level!r}; it has {', '.join(self.levels)}")
        if index < 0:
            raise ValueError(f"index {index}: items count from 0")
        given = {name: known[name].parse(f"{self.id}, {name}", value) for name, value in settings.items()}
        changed = tuple(sorted((name, value) for name, value in given.items() if value != known[name].default))
        return ItemAddress(self.id, self.version, split, level, seed, index, changed)


PICTURES = Setting(0, "number of images that the items share (0: one image for each item)", low=0, high=1_000_000)


@dataclass(frozen=True, slots=True)
class SampledScene:
    """The scene of an item, the group of items that share its image, and the number of sampling attempts."""

    scene: Any
    group: str
    attempts: int


def sample_scene(task: Task[S], address: ItemAddress) -> SampledScene:
    """Sample the scene of the item at `address`, a pure function of its arguments.

    Raises ValueError for another task or version, RuntimeError if `MAX_ATTEMPTS` scenes are rejected.
    """
    if (address.task, address.version) != (task.id, task.version):
        raise ValueError(f"{address} was made by {address.task} version {address.version}; this is {task.id} version {task.version}")
    settings = task.defaults | dict(address.settings)
    shared = int(settings.get("pictures", 0))
    group, nth = (address.index % shared, address.index // shared) if shared else (address.index, 0)
    items, pictures = _streams(
        *(task.shared_design or (task.id, task.version)), task.image_family, address.split, address.level, address.seed
    )
    cell = balanced_stratum(items.at("answer"), task.cells_at(address.level), address.index)
    for attempt in range(MAX_ATTEMPTS):
        context = SamplingContext(
            split=address.split,
            level=address.level,
            settings=settings,
            stratum=cell,
            item_rng=items.at("item", address.index, attempt),
            image_rng=pictures.at("picture", group, attempt),
            question_index=nth,
            _index=address.index,
            _group=group,
            _item_design=items,
            _picture_design=pictures,
            _accepted_layouts=[],
        )
        try:
            scene = task.sample(context)
        except RejectSample:
            continue
        layout = task.layout(scene)
        if any(accepted is layout for accepted in context._accepted_layouts) or split_of_layout(layout) == address.split:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - same module
            group_id = f"{task.image_family or task.id}:{address.split}:{address.level}:{address.seed}:{group}"
            return SampledScene(scene, group_id, attempt + 1)
    raise RuntimeError(f"{address}: no scene fits after {MAX_ATTEMPTS} attempts; the task rejects too many")


@lru_cache(maxsize=256)
def _streams(task: str, version: int, family: str, split: str, level: str, seed: int) -> tuple[Rng, Rng]:
    rng = Rng(task, version, split, level, seed)
    return rng, Rng(family, split, level, seed) if family else rng


def split_of_layout(layout: Any) -> Split:
    """The split of a layout: one bit of its hash. Train and test therefore have no common layout."""
    return SPLITS[blake2b(canonical_json(layout).encode(), digest_size=1).digest()[0] & 1]
