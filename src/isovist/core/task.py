"""Tasks: pure functions that sample a scene, draw it and ask a question about it; the addresses of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from html import escape
from typing import Any, Generic, Literal, TypeVar, get_args

from isovist.core.answers import Answer
from isovist.core.canonical_json import canonical_json
from isovist.core.drawing2d import Drawing
from isovist.core.question import Exemption, Question, Shortcut
from isovist.core.rng import Rng, balanced_stratum
from isovist.core.sampling_without_replacement import ranks
from isovist.core.scene3d import Scene3D
from isovist.core.task_groups import (
    Answers,
    Checks,
    ColourVision,
    Images,
    Orders,
    Paper,
    Preset,
    Reasoning,
    Reported,
    Sampling,
    Symmetry,
    Value,
)

__all__ = [
    "MAX_ATTEMPTS", "PICTURES", "SPLITS", "Answers", "Checks", "ColourVision", "Exemption", "Images", "ItemAddress", "Orders", "Paper", "Picture", "Preset",
    "Question", "Reasoning", "RejectSample", "Reported", "SampledScene", "Sampling", "SamplingContext", "Setting", "Shortcut", "Split",
    "Symmetry", "Task", "Value", "identity", "renamed", "sample_scene", "split_of_layout",
]  # fmt: skip

S = TypeVar("S")
T = TypeVar("T")
Picture = Drawing | Scene3D
Split = Literal["test", "train"]
SPLITS: tuple[Split, ...] = get_args(Split)

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


def identity(label: str) -> str:
    """The bin function of a change that does not affect the answer."""
    return label


def renamed(new: Mapping[str, str]) -> Callable[[str], str]:
    """The bin function of a change that replaces the bins in `new` and no others."""
    return lambda label: new.get(label, label)


@dataclass(frozen=True, kw_only=True, repr=False)
class Task(Generic[S]):
    """One task: pure functions that generate items, and the properties that reports and checks use.

    The first eight arguments are needed; the groups are stated where they differ from the defaults.
    """

    id: str
    """The suite and the name: "cdr/relative-compass-letter"."""
    version: int
    """Increased with every change of an item."""
    summary: str
    """What a model must do, in one sentence."""
    sample: Callable[[SamplingContext], S]
    """Sample a scene."""
    draw: Callable[[S], tuple[Picture, ...]]
    """Draw the images of a scene."""
    ask: Callable[[S], Question]
    """Ask the question about a scene."""
    rederive: Callable[[tuple[Any, ...], str], str]
    """The key, derived from the shapes and the question text alone."""
    answers: Answers
    skills: tuple[str, ...] = ()
    """The skills that the task claims to test."""
    levels: tuple[str, ...] = ("standard",)
    """The levels of difficulty, easiest first."""
    settings: Mapping[str, Setting] = field(default_factory=dict[str, Setting])
    """What a user may set, besides the image size."""
    images: Images[S] = field(default=Images())
    sampling: Sampling[S] = field(default=Sampling())
    paper: Paper = field(default=Paper())
    reported: Reported[S] = field(default=Reported())
    checks: Checks[S] = field(default=Checks())
    reasoning: Reasoning[S] | None = None

    def cells_at(self, level: str) -> int:
        """The number of strata at a level."""
        return self.answers.strata if isinstance(self.answers.strata, int) else self.answers.strata[self.levels.index(level)]

    def chance_of(self, level: str, answer: Answer) -> float:
        """The chance level of an item: that of the best constant answer if the task states it, else of a random answer."""
        best_constant = self.answers.best_constant
        return best_constant[self.levels.index(level)] if best_constant else answer.chance()

    def __repr__(self) -> str:
        return f"<Task {self.id}, version {self.version}>"

    def _repr_html_(self) -> str:
        """For notebooks: the properties that a user chooses by."""
        properties = {
            "answer": self.answers.type,
            "chance": f"{100 * self.answers.mean_chance:.1f}%",
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
        size = Setting(self.images.size_px, summary, low=self.images.least_px, high=4096)
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
        *(task.sampling.design_of or (task.id, task.version)), task.images.family, address.split, address.level, address.seed
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
        layout = task.sampling.layout(scene)
        if any(accepted is layout for accepted in context._accepted_layouts) or split_of_layout(layout) == address.split:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - same module
            group_id = f"{task.images.family or task.id}:{address.split}:{address.level}:{address.seed}:{group}"
            return SampledScene(scene, group_id, attempt + 1)
    raise RuntimeError(f"{address}: no scene fits after {MAX_ATTEMPTS} attempts; the task rejects too many")


@lru_cache(maxsize=256)
def _streams(task: str, version: int, family: str, split: str, level: str, seed: int) -> tuple[Rng, Rng]:
    rng = Rng(task, version, split, level, seed)
    return rng, Rng(family, split, level, seed) if family else rng


def split_of_layout(layout: Any) -> Split:
    """The split of a layout: one bit of its hash. Train and test therefore have no common layout."""
    return SPLITS[blake2b(canonical_json(layout).encode(), digest_size=1).digest()[0] & 1]
