"""Certificates: what makes one invalid, what does not, and what each standing of a task runs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import certificates
import pytest

from isovist.audit.testing import conformance
from isovist.audit.testing.sampled_items import FEW, few_items, shared_items
from isovist.core.task import Exemption, Question, Task
from isovist.suites import registry

TASK = registry.task("cdr/relative-compass-letter")
SOURCE = ("_source", "_imports", "_digest")
CACHED = ("key", "checks", "standing", "stored", "commit", "marked_tests")

SOURCES: Mapping[str, str] = {
    "__init__": "from isovist.aside import far\n",
    "task": '"""A task."""\n\nfrom isovist.geometry import turn\n\n\ndef sample():\n    """Turn."""\n    return turn(1)  # once\n',
    "geometry": "def turn(n):\n    from isovist.late import half\n\n    return n + half(n)\n",
    "late": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from isovist.aside import far\n\n\ndef half(n):\n    return n / 2\n",
    "aside": "def far(n):\n    return 9 * n\n\n\ndef turn(n):\n    return -n\n",
}


def forget(*names: str) -> None:
    for name in names:
        getattr(certificates, name).cache_clear()


@pytest.fixture
def fresh() -> Generator[None]:
    """Nothing that an earlier question left."""
    forget(*CACHED)
    yield
    forget(*CACHED)


@pytest.fixture
def digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[..., list[str]]]:
    """Digests of the modules that a module imports, in a package with the `SOURCES` and changes of them."""
    monkeypatch.setattr(certificates, "SRC", tmp_path)

    def digests_of(root: str = "isovist.task", **changed: str) -> list[str]:
        for file in tmp_path.iterdir():
            file.unlink()
        for name, text in (dict(SOURCES) | changed).items():
            (tmp_path / f"{name}.py").write_text(text)
        forget(*SOURCE)
        return sorted(map(certificates._digest, certificates.closure([root])))

    yield digests_of
    forget(*SOURCE)


def test_the_key_holds_what_a_task_imports_also_within_functions_and_nothing_else(digests: Callable[..., list[str]]) -> None:
    digests()
    assert certificates.closure(["isovist.task"]) == {"isovist", "isovist.task", "isovist.geometry", "isovist.late"}


@pytest.mark.parametrize(
    "changed",
    [
        {"task": '"""Another text."""\nfrom isovist.geometry import turn\ndef sample():\n    return (turn(1))\n'},
        {"aside": "def far(n):\n    return 8\n\n\ndef turn(n):\n    return 0\n"},
        {"new": "def turn(n):\n    return 0\n"},
    ],
    ids=["comments, docstrings and line breaks", "a module that is not imported", "a new module"],
)
def test_a_key_stays(digests: Callable[..., list[str]], changed: dict[str, str]) -> None:
    assert digests(**changed) == digests()


def test_a_key_stays_when_a_module_moves(digests: Callable[..., list[str]]) -> None:
    moved = SOURCES["task"].replace("isovist.geometry", "isovist.angles")
    assert digests(task=moved, angles=SOURCES["geometry"], geometry="") == digests()


@pytest.mark.parametrize(
    "changed",
    [
        {"task": SOURCES["task"].replace("turn(1)", "turn(2)")},
        {"geometry": SOURCES["geometry"].replace("n + half", "n - half")},
        {"late": SOURCES["late"].replace("n / 2", "n / 3")},
        {"task": SOURCES["task"].replace("isovist.geometry", "isovist.aside")},
        {"task": SOURCES["task"].replace("import turn", "import turn as turned").replace("turn(1)", "turned(1)")},
    ],
    ids=["the task", "what it imports", "what that imports in a function", "another module with a function of the name", "another name"],
)
def test_a_key_changes(digests: Callable[..., list[str]], changed: dict[str, str]) -> None:
    assert digests(**changed) != digests()


def test_the_key_changes_with_libraries_and_data(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    key = certificates.key(TASK.id)
    for name in ("environment", "_data"):
        with monkeypatch.context() as patched:
            patched.setattr(certificates, name, lambda **_: "others")
            certificates.key.cache_clear()
            assert certificates.key(TASK.id) != key
    certificates.key.cache_clear()
    assert certificates.key(TASK.id) == key
    assert all(path in certificates.data_files(staged=True) for path in certificates.data_files(staged=False))


MARKED = f"""from isovist.core.rotation import wrapped as turn

MOST = 3


@pytest.mark.certified(task="{TASK.id}")
def test_marked():
    assert turn(1) < MOST


def test_another():
    assert turn(2) < 9
"""


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("turn(1) < MOST", "turn(1) <= MOST", True),
        ("MOST = 3", "MOST = 4", True),
        ("turn(2) < 9", "turn(2) < 8", False),
        ("import wrapped", "import unwrapped", True),
        (f'@pytest.mark.certified(task="{TASK.id}")\n', "", True),
    ],
)
def test_the_key_changes_with_the_tests_marked_for_a_task(
    fresh: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, changes: bool
) -> None:
    def key_with(text: str) -> str:
        (tmp_path / "test_marked.py").write_text(text)
        forget("key", "marked_tests")
        return certificates.key(TASK.id)

    monkeypatch.setattr(certificates, "TESTS", tmp_path)
    key = key_with(MARKED)
    assert key_with(MARKED) == key
    assert (key_with(MARKED.replace(old, new)) != key) == changes


def test_each_task_of_a_file_is_keyed_by_all_that_its_tests_read() -> None:
    for files in certificates.marked_tests().values():
        assert all("isovist.suites.registry" in read.targets for read in files.values())


def swapped(scene: Any) -> Question:
    question = TASK.ask(scene)
    return replace(question, text=f"{question.text} ")


OTHERS: Mapping[str, Task[Any]] = {
    "words": replace(TASK, ask=swapped),
    "pictures": replace(TASK, draw=lambda scene: (replace(TASK.draw(scene)[0], background="#fefefe"),)),
    "layout": replace(TASK, sampling=replace(TASK.sampling, layout=lambda scene: (scene.layout, scene.layout))),
    "an exemption": replace(TASK, checks=replace(TASK.checks, exemptions={"pixels": Exemption("why not", 1.0)})),
    "a shortcut less": replace(TASK, checks=replace(TASK.checks, shortcuts=dict(list(TASK.checks.shortcuts.items())[1:]))),
    "a shortcut of another answer": replace(
        TASK,
        checks=replace(
            TASK.checks,
            shortcuts={name: replace(each, rule=lambda scene, question: ("A",)) for name, each in TASK.checks.shortcuts.items()},
        ),
    ),
    "a factor": replace(TASK, checks=replace(TASK.checks, factors={"category": lambda scene: "letter"})),
    "a kind": replace(TASK, checks=replace(TASK.checks, kind=lambda scene: "letter")),
    "the chance level": replace(TASK, answers=replace(TASK.answers, chance=0.2)),
    "a level with few items": replace(TASK, checks=replace(TASK.checks, distinct={"standard": 10**6})),
}


def test_what_the_audits_see_is_equal_for_equal_tasks() -> None:
    assert TASK.checks.shortcuts
    assert certificates.seen(replace(TASK)) == certificates.seen(TASK)


@pytest.mark.parametrize("name", OTHERS)
def test_what_the_audits_see_changes_with(name: str) -> None:
    assert certificates.seen(OTHERS[name]) != certificates.seen(TASK)


def holding(monkeypatch: pytest.MonkeyPatch, **changed: str) -> None:
    """Puts a certificate of the task into the place of the file, and no task is drawn by lot."""
    own = {"key": certificates.key(TASK.id), "checks": certificates.checks(), "items": certificates.seen(TASK)}
    held = certificates.Certificate(TASK.id, **(own | changed), audits={})
    monkeypatch.setattr(certificates, "stored", lambda: {TASK.id: held})
    monkeypatch.setattr(certificates, "drawn_by_lot", lambda commit: frozenset())


@pytest.mark.parametrize(
    ("changed", "standing"),
    [
        ({}, "valid"),
        ({"key": "0"}, "equal"),
        ({"key": "0", "items": "0"}, "full"),
        ({"key": "0", "checks": "0"}, "full"),
    ],
)
def test_a_task_stands(fresh: None, monkeypatch: pytest.MonkeyPatch, changed: dict[str, str], standing: str) -> None:
    monkeypatch.delenv(certificates.FULL_RUN, raising=False)
    holding(monkeypatch, **changed)
    assert certificates.standing(TASK.id) == standing


def test_a_task_without_a_certificate_drawn_by_lot_or_in_a_full_run_runs_in_full(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    holding(monkeypatch)
    assert certificates.standing("cdr/relative-compass-number") == "full"
    certificates.standing.cache_clear()
    with monkeypatch.context() as patched:
        patched.setenv(certificates.FULL_RUN, "1")
        assert certificates.standing(TASK.id) == "full"
    certificates.standing.cache_clear()
    monkeypatch.setattr(certificates, "drawn_by_lot", lambda commit: frozenset([TASK.id]))
    assert certificates.standing(TASK.id) == "full"


def test_the_lot_falls_on_every_task() -> None:
    lots = [certificates.drawn_by_lot(f"{k:040x}") for k in range(400)]
    assert set(certificates.stored()) == set().union(*lots)
    assert {len(lot) for lot in lots} == {round(len(certificates.stored()) / 30)}


def test_what_a_task_reads_beside_its_key_is_named(tmp_path: Path) -> None:
    module = certificates.module_of(TASK.id)
    data = certificates.data_files(staged=False)[0]
    inside, outside = certificates.SRC / "data" / "x.json", tmp_path / "x.json"
    named = certificates.unknown(map(str, (data, inside, outside)), module, staged=False)
    assert f"file {inside}" in named
    assert f"file {outside}" in named
    assert f"file {data}" not in named
    assert "module isovist.cli" in named or "isovist.cli" not in __import__("sys").modules
    assert "module isovist.core.task" not in named


def test_the_file_has_a_line_for_each_task_in_order() -> None:
    stored = list(certificates.stored())
    assert stored == sorted(stored)
    assert set(stored) <= set(registry.built_in_tasks())


def test_the_audits_of_a_certificate_are_within_their_limits() -> None:
    exempt = {task.id for task in registry.built_in_tasks().values() if task.checks.exemptions}
    for held in certificates.stored().values():
        assert held.audits
        for name, (n, accuracy, limit) in held.audits.items():
            assert n > 0
            assert accuracy <= limit or held.task in exempt, (held.task, name)


def test_statistical_checks_are_checks_and_the_others_use_few_items() -> None:
    assert set(conformance.STATISTICAL) < set(conformance.CHECKS)
    with few_items(FEW):
        assert len(shared_items(TASK)) == FEW[0]
    assert len(shared_items(TASK)) == 16
