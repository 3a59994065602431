"""The plan of a study, `study.json`: its items, practice items and item orders, and how many items show every category of object."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib.metadata import version as package_version
from itertools import islice
from pathlib import Path
from typing import Any

from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.core.rng import Rng
from isovist.core.task import ColourVision, Task
from isovist.data.dataset.json_documents import document
from isovist.data.dataset.load import chosen, load
from isovist.data.dataset.manifest import DataPart, Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.data.items import Items
from isovist.evaluation.run.run_folder import data_hash, now
from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.cards import Card
from isovist.people.study import attention_checks
from isovist.people.study.methods import StudyMethods
from isovist.suites import registry

STUDY = "study.json"
FORMAT = 1
TRAIN = "train"
WELCOME = """# Questions about pictures

You are going to see pictures with questions about them. Answer each question as well and as quickly as you can.

Please answer alone and from the pictures: do not measure, do not turn the screen, do not use a search engine or an AI.

We store your answers, the time each of them took, and when it was given: under a code, not under your name. Taking part is \
voluntary. You can pause, stop at any time without giving a reason, and ask for your answers to be deleted by telling us the first \
four characters of your code.
"""

_DIFFERING = {
    "data_hash": "content of the data", "parts": "choice of tasks or --split", "per_task": "--per-task", "practice": "--practice",
    "seed": "--seed", "text": "text of --text",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """The settings of a study. Two plans belong to one study if they differ only in `made`, `isovist` and what may change of `methods`."""

    data: str
    """Absolute path of the dataset folder."""
    data_hash: str
    parts: tuple[tuple[str, str], ...]
    """Task and split of each dataset part."""
    per_task: int
    """Number of items of each part, the same for all participants."""
    practice: int
    """Practice items before each part; their answers are not analysed."""
    seed: int
    text: str
    """The consent text; a first line that begins with "# " is the title."""
    made: str = ""
    isovist: str = ""
    methods: StudyMethods = field(default_factory=StudyMethods)
    format: int = FORMAT

    @staticmethod
    def of(
        data: Path, tasks: Sequence[str], split: str, per_task: int, practice: int, seed: int, text: str, methods: StudyMethods | None = None
    ) -> StudyPlan:  # fmt: skip
        """The plan for a dataset folder. Raises UserError if it has no items of the split or tasks."""
        manifest = Manifest.read(data)
        if not any(part.split == split for part in manifest.parts):
            splits = ", ".join(sorted({part.split for part in manifest.parts})) or "none"
            raise UserError(f"No items of split {split}: {data}. Choose another --split ({splits}).")
        parts = chosen(data, manifest, tasks, split)
        return StudyPlan(
            str(data.resolve()), data_hash(data), tuple((part.task, part.split) for part in parts), per_task, practice, seed, text,
            now(), package_version("isovist"), methods or StudyMethods(),
        )  # fmt: skip

    @staticmethod
    def read(folder: Path) -> StudyPlan:
        """The plan in a study folder. Raises UserError if there is none."""
        return document(
            StudyPlan, folder / STUDY, FORMAT, content="a study", missing=f"no study ({STUDY} is missing); `isovist study serve` makes one",
        )  # fmt: skip

    def write(self, folder: Path) -> None:
        write_atomically(folder / STUDY, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    def differs(self, other: StudyPlan) -> list[str]:
        """The settings that differ, as text. Of the methods, only the attention checks and their rule are fixed."""
        names = [field.name for field in fields(StudyPlan) if field.name not in ("made", "isovist", "data", "methods")]
        differing = [_DIFFERING.get(name, name) for name in names if getattr(self, name) != getattr(other, name)]
        rules = [(plan.methods.attention_checks, plan.methods.max_missed) for plan in (self, other)]
        return differing + (["attention_checks or max_missed of --methods"] if rules[0] != rules[1] else [])

    @property
    def check_places(self) -> list[list[int]]:
        """For each block in the order of a session, the number of its test items before each of its attention checks."""
        return attention_checks.places(self.methods.attention_checks, len(self.parts), self.per_task)

    @property
    def beside(self) -> int:
        """Items of each part that are needed beside the test items: for practice and attention checks."""
        return self.practice + max(map(len, self.check_places), default=0)

    @property
    def statements(self) -> dict[str, str]:
        """The statements of the methods, and those that follow from the plan where they are missing."""
        training = f"practice items before each task, with the correct answers: {self.practice}"
        stated = {name: text for name, text in self.methods.statements.items() if text}
        return {"consent": "given on the first page, before the first question", "training": training} | stated

    def parts_in(self, manifest: Manifest) -> list[DataPart]:
        """The parts of the study that a manifest has."""
        return [part for part in (manifest.part(task, split) for task, split in self.parts) if part is not None]

    def checked(self) -> Path:
        """The dataset folder. Raises UserError if its content has changed."""
        folder = Path(self.data)
        if not folder.exists():
            raise UserError(f"Data of the study do not exist: {folder}. Restore them, or serve the study with their new path.")
        if data_hash(folder) != self.data_hash:
            raise UserError(f"Data have changed since the study began: {folder}. Restore them or start another study.")
        return folder


@dataclass(frozen=True, slots=True)
class Item:
    """One item as participants see it."""

    card: Card
    chance: float


@dataclass(frozen=True, slots=True)
class Block:
    """The items of one task."""

    task: str
    practice: tuple[Item, ...]
    items: tuple[Item, ...]
    colour_vision: ColourVision | None
    """The colour vision that the task requires; None if unknown."""
    checks: tuple[Item, ...] = ()
    """Attention checks; a block has as many as any position in a session needs."""


@dataclass(frozen=True, slots=True)
class StudyStep:
    """One question of a participant: an item with its place in the session."""

    item: Item
    practice: bool
    part: int
    """Index of the block, from 0."""
    first: bool
    """Whether it is the first practice item or the first test item of its block."""
    check: bool = False
    """Whether it is an attention check; the page does not tell."""


@dataclass(frozen=True, slots=True)
class Study:
    """A plan with its items."""

    plan: StudyPlan
    blocks: tuple[Block, ...]

    @property
    def items(self) -> list[Item]:
        """All test items, in the order of the data."""
        return [item for block in self.blocks for item in block.items]

    @property
    def asks_vision(self) -> bool:
        """Whether participants state their colour vision: a task requires it, or its requirement is unknown."""
        return any(block.colour_vision != "none" for block in self.blocks)

    @property
    def checks(self) -> list[Card]:
        """All attention checks; each participant gets some of them."""
        return [check.card for block in self.blocks for check in block.checks]

    @property
    def questions(self) -> int:
        """Questions of a participant, with practice and attention checks."""
        return sum(len(block.practice) + len(block.items) for block in self.blocks) + self.plan.methods.attention_checks

    def order(self, handle: str, place: int) -> tuple[StudyStep, ...]:
        """The questions of the `place`-th participant, from 0.

        The order of blocks is balanced across participants, that of the items in a block is random for each participant. The result is
        deterministic.
        """
        rng = Rng("study", self.plan.seed)
        shuffled = rng.at("blocks").shuffled(self.blocks)
        steps: list[StudyStep] = []
        for part, index in enumerate(balanced(len(shuffled), place)):
            block = shuffled[index]
            steps += [StudyStep(item, True, part, i == 0) for i, item in enumerate(block.practice)]
            checks = list(zip(self.plan.check_places[part], block.checks, strict=False))
            for i, item in enumerate(rng.at("items", handle, block.task).shuffled(block.items)):
                steps.append(StudyStep(item, False, part, i == 0))
                steps += [StudyStep(check, False, part, False, check=True) for before, check in checks if before == i + 1]
        return tuple(steps)


def balanced(n: int, row: int) -> list[int]:
    """One row of a balanced Latin square of 0 to n - 1 (Williams 1949, Australian Journal of Scientific Research A).

    In n rows, each number has every place once. In n rows (2 n for an odd n), each number directly follows every other one equally often.
    """
    zigzag = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(n)]
    order = [(step + row) % n for step in zigzag]
    return order[::-1] if n % 2 and row // n % 2 else order


def opened(plan: StudyPlan, into: Path, progress: Callable[[], object] = lambda: None) -> Study:
    """The study of a plan; the images of its items are written to `into`. `progress` is called for each item.

    Raises UserError if the data have changed or have too few items.
    """
    folder = plan.checked()
    manifest = Manifest.read(folder)
    parts = plan.parts_in(manifest)

    def item(row: ItemRow) -> Item:
        progress()
        return Item(annotation_jobs.item(row, into), row.chance)

    test_items = {part.task: [item(row) for row in load(folder, [part], plan.per_task, whole=True)] for part in parts}
    test_groups = {main_item.card.group for items in test_items.values() for main_item in items}
    blocks: list[Block] = []
    for part in parts:
        beside = [item(row) for row in practice_rows(folder, manifest, part, plan, test_groups)]
        if len(test_items[part.task]) < plan.per_task or len(beside) < plan.beside:
            raise too_few_items(part, plan, folder)
        practice, rest = tuple(beside[: plan.practice]), beside[plan.practice :]
        checks = tuple(replace(check, card=attention_checks.check_of(check.card, plan.seed)) for check in rest)
        blocks.append(Block(part.task, practice, tuple(test_items[part.task]), registry.colour_vision(part.task), checks))
    return Study(plan, tuple(blocks))


def too_few_items(part: DataPart, plan: StudyPlan, folder: Path) -> UserError:
    checks = f" and {plan.beside - plan.practice} attention checks" if plan.methods.attention_checks else ""
    return UserError(
        f"Too few items of {part.task} for --per-task {plan.per_task} and --practice {plan.practice}{checks} ({part.n} in split {part.split}): "
        f"{folder}. Decrease the numbers, or generate more items (practice{' and checks use' if checks else ' uses'} split {TRAIN})."
    )


def practice_rows(folder: Path, manifest: Manifest, part: DataPart, plan: StudyPlan, test_groups: Collection[str]) -> Iterator[ItemRow]:
    """The items of a part for practice and attention checks: of split `train` if the data have it, else those after the test items.

    None is of a group of test items.
    """
    train = None if part.split == TRAIN else manifest.part(part.task, TRAIN)
    rest = islice(load(folder, [part], whole=True), plan.per_task, None) if part.n > plan.per_task else iter(())
    rows = load(folder, [train], whole=True) if train else rest
    return islice((row for row in rows if row.group not in test_groups), plan.beside)


_SEARCHED = 1200
"""Items of a task in which its categories are counted; only their scenes are sampled."""


@dataclass(frozen=True, slots=True)
class CategoryItems:
    """The first `n` items of a task contain each of the `categories` the wanted number of times; `rare` are too few in the items searched."""

    n: int
    categories: tuple[str, ...]
    rare: tuple[str, ...]


def items_for_categories(task: Task[Any], per_category: int, seed: int) -> CategoryItems:
    """The shortest start of the test items with every category. Raises UserError for a task without categories."""
    if "category" not in task.checks.factors:
        raise UserError(f"Task without categories: {task.id}. Choose a task about objects, such as dori/directional-facing.")
    counts: Counter[str] = Counter()
    n = 0
    for place, item in enumerate(Items(task, _SEARCHED, seed)):
        category = task.checks.factors["category"](item.scene)
        counts[category] += 1
        if counts[category] == per_category:
            n = place + 1
    enough = tuple(sorted(name for name, count in counts.items() if count >= per_category))
    return CategoryItems(n, enough, tuple(sorted(set(counts) - set(enough))))
