"""Cards, the jobs they come from, the file of answers, and what answers come to."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from workbench import done, isovist, refused, stored

from isovist.common.errors import UserError
from isovist.core.answers import Choice
from isovist.people.annotate import annotation_jobs
from isovist.people.annotate.agreement import accuracies, agreements, alpha, disagreements
from isovist.people.annotate.answer_store import Annotation, Store
from isovist.people.annotate.cards import Card, Job, keyed


def picture(path: Path, colour: tuple[int, int, int] = (90, 120, 60)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((24, 24, 3), colour, np.uint8)).save(path)
    return path


def listed(folder: Path, *cards: Mapping[str, object]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cards.jsonl").write_text("".join(json.dumps(card) + "\n" for card in cards))
    return folder


WHERE = {"id": "where", "text": "Where?", "choices": ["North", "East", "South", "West"], "key": "East", "part": "directions"}
MANY = {"id": "many", "text": "How many?", "field": "number", "key": "3", "part": "counts"}
FREE = {"id": "free", "text": "What is it?", "field": "text"}


# Cards and jobs ---------------------------------------------------------------------------------------------------


def test_every_choice_has_a_key_of_its_own() -> None:
    assert [option.key for option in keyed([("a", "accept"), ("r", "reject")])] == ["a", "r"]
    assert [option.key for option in keyed([("n", "north"), ("e", "north east")])] == ["1", "2"]


def test_a_list_of_cards_is_read_and_written_back(tmp_path: Path) -> None:
    picture(tmp_path / "job" / "views" / "0.png")
    shown = WHERE | {"pictures": ["views/0.png"], "captions": ["the first view"], "details": [["The draft", "It is in the east."]]}
    folder = listed(tmp_path / "job", shown, MANY, FREE)
    job = annotation_jobs.job(folder, tmp_path)
    assert [card.id for card in job.cards] == ["where", "many", "free"]
    annotation_jobs.write(folder, job.cards)
    assert annotation_jobs.job(folder, tmp_path) == job
    earlier = listed(folder, {("told" if name == "details" else name): value for name, value in shown.items()}, MANY, FREE)
    assert annotation_jobs.job(earlier, tmp_path) == job, "details had another name in earlier versions"
    assert job.cards[0].details == (("The draft", "It is in the east."),)


def test_answers_are_read_by_the_kind_of_the_card(tmp_path: Path) -> None:
    where, many, free = annotation_jobs.job(listed(tmp_path / "job", WHERE, MANY, FREE), tmp_path).cards
    assert [where.read(text) for text in ("East", "east", "")] == ["East", None, None]
    assert [many.read(text) for text in (" 3 ", "3.0", "3,5", "three", "nan", "1e99")] == ["3", "3", "3.5", None, None, None]
    assert free.read("  a  red\nbench ") == "a red bench"
    assert [where.credit("East"), where.credit("West"), many.credit("3"), free.credit("a bench")] == [1.0, 0.0, 1.0, None]


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ({"id": "x", "text": "?", "choices": ["one"]}, "only one choice"),
        ({"id": "x", "text": "?", "choices": ["one", "one"]}, "two choices"),
        ({"id": "x", "text": "?", "colour": "red"}, "colour"),
        ({"id": "x", "text": 3}, "text is not a text"),
        ({"text": "?"}, "id is missing"),
        ({"id": "x", "text": "?", "field": "choice"}, "give choices"),
        ({"id": "x", "text": "?", "field": "number", "key": "many"}, "is not a valid answer"),
        ({"id": "x", "text": "?", "pictures": ["../outside.png"]}, "outside the folder"),
        ({"id": "x", "text": "?", "pictures": ["none.png"]}, "image does not exist"),
        (
            {"id": "x", "text": "?", "choices": [{"value": "a", "text": "a", "key": "ab"}, {"value": "b", "text": "b", "key": "b"}]},
            "not one letter",
        ),
        ([], "not an object"),
    ],
)
def test_a_line_that_is_no_card_is_named(tmp_path: Path, card: object, words: str) -> None:
    picture(tmp_path / "outside.png")
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "cards.jsonl").write_text(f"{json.dumps(FREE)}\n{json.dumps(card)}\n")
    refused(isovist("annotate", folder, "--agreement"), "line 2", words)


def test_two_cards_with_one_id_are_refused(tmp_path: Path) -> None:
    refused(isovist("annotate", listed(tmp_path / "job", FREE, FREE), "--agreement"), "line 2", "'free'")


def test_the_items_of_a_data_folder_are_cards(data: Path, tmp_path: Path) -> None:
    job = annotation_jobs.job(data, tmp_path, tasks=["cdr/relative-*"], n=3)
    rows = stored(data, "cdr/relative-compass-letter")[:3]
    assert [card.id for card in job.cards] == [row.id for row in rows]
    for card, row in zip(job.cards, rows, strict=True):
        assert isinstance(row.key, Choice)
        assert [path.read_bytes() for path in card.pictures] == list(row.images)
        assert [option.text for option in card.options] == list(row.key.options)
        assert [card.credit(option.value) for option in card.options].count(1.0) == 1
        assert card.credit(row.answer) == 1.0
        assert card.read(row.answer) == row.answer


def test_the_answers_to_numbers_are_scored_as_replies_are(data: Path, tmp_path: Path) -> None:
    card = annotation_jobs.job(data, tmp_path, tasks=["cdr/object-classification-number"], n=1).cards[0]
    key = stored(data, "cdr/object-classification-number")[0].answer
    assert (card.read(key), card.credit(key), card.read("no idea")) == (key, 1.0, None)


def test_pictures_are_sorted_one_by_one_or_in_sets(tmp_path: Path) -> None:
    for name in ("b.png", "a.jpg", "set/1.png", "set/0.png"):
        picture(tmp_path / "shots" / name)
    (tmp_path / "shots" / "notes.txt").write_text("no picture")
    job = annotation_jobs.job(tmp_path / "shots", tmp_path, labels=["good", "blurred", "dark"])
    assert [(card.id, [path.name for path in card.pictures]) for card in job.cards] == [
        ("a.jpg", ["a.jpg"]), ("b.png", ["b.png"]), ("set", ["0.png", "1.png"]),
    ]  # fmt: skip
    assert [(option.value, option.key) for option in job.cards[0].options] == [("good", "g"), ("blurred", "b"), ("dark", "d")]


def test_what_does_not_fit_the_folder_is_refused(tmp_path: Path, data: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    refused(isovist("annotate", empty), "Nothing to annotate")
    refused(isovist("annotate", tmp_path / "none"), "Folder does not exist")
    refused(isovist("annotate", data, "--labels", "a,b"), "--labels")
    refused(isovist("annotate", listed(tmp_path / "job", FREE), "--tasks", "cdr/*"), "--tasks")
    refused(isovist("annotate", empty, "--labels", "same,same"), "--labels")
    refused(isovist("annotate", listed(tmp_path / "job", FREE), "--agreement"), "No answers")
    assert not (tmp_path / "job" / "answers.sqlite").exists()


def test_a_persons_own_order_stays_and_is_not_that_of_another() -> None:
    job = Job("j", tuple(Card(str(i), "?") for i in range(30)))
    ada, ben = ([card.id for card in job.order(name, shuffled=True)] for name in ("Ada", "Ben"))
    assert ada == [card.id for card in job.order("Ada", shuffled=True)]
    assert sorted(ada) == sorted(ben)
    assert ada != ben
    assert [card.id for card in job.order("Ada", shuffled=False)] == [str(i) for i in range(30)]


# The file of answers ----------------------------------------------------------------------------------------------


def test_a_later_answer_stands_and_the_earlier_one_stays_in_the_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.put("Ada", "x", "d", "North")
    store.put("Ben", "x", "d", "West")
    store.put("Ada", "x", "d", "East", note="hard to see", seconds=2.5)
    assert [(one.annotator, one.value, one.note) for one in store.given()] == [("Ben", "West", ""), ("Ada", "East", "hard to see")]
    assert [one.value for one in store.given("Ada")] == ["East"]
    store.put("Ada", "x", "d", None)
    assert [one.annotator for one in Store(tmp_path / "a.sqlite").given()] == ["Ben"]
    with sqlite3.connect(tmp_path / "a.sqlite") as db:
        assert db.execute("select count(*) from entries").fetchone() == (4,)
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
    db.close()


_WRITER = """
import os, signal, sys
from collections.abc import Mapping
from pathlib import Path
from isovist.people.annotate.answer_store import Store
store = Store(Path(sys.argv[1]))
for i in range(20):
    store.put("Ada", str(i), "d", "yes")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_every_stored_answer_outlives_a_killed_process(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", _WRITER, str(tmp_path / "a.sqlite")], check=False)
    assert ended.returncode == -9
    assert [one.card for one in Store(tmp_path / "a.sqlite").given()] == [str(i) for i in range(20)]


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("create table mine (x)")
    db.close()
    before = other.read_bytes()
    refused(isovist("annotate", listed(tmp_path / "job", FREE), "--answers", other), "another kind")
    assert other.read_bytes() == before
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at" * 30)
    with pytest.raises(UserError, match="Cannot open database"):
        Store(tmp_path / "text")


# What answers come to ---------------------------------------------------------------------------------------------


def by_card(*coders: str) -> list[list[str]]:
    """Values by card from one line of values for each coder; a dot is a missing one."""
    return [[value for value in column if value != "."] for column in zip(*(coder.split() for coder in coders), strict=True)]


def test_alpha_is_that_of_the_published_worked_examples() -> None:
    # Krippendorff, Computing Krippendorff's alpha-reliability (2011): examples B (two values), C (nominal), D (missing data)
    pytest.importorskip("krippendorff")
    two = by_card("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
    nominal = by_card("a a b b d c c c e d d a", "b a b b b c c c e d d d")
    missing = by_card("1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
    alphas = [alpha(each, resamples=50) for each in (two, nominal, missing)]
    assert [round(one.estimate, 3) for one in alphas if one] == [0.095, 0.692, 0.743]
    assert all(one and one.low <= one.estimate <= one.high for one in alphas)


def test_alpha_is_not_defined_without_two_answers_or_two_values() -> None:
    pytest.importorskip("krippendorff")
    assert alpha([["a"], ["b"]]) is None
    assert alpha([["a", "a"], ["a", "a"]]) is None
    assert alpha([]) is None


def test_the_interval_of_alpha_holds_the_truth_as_often_as_it_says() -> None:
    """Two people who guess alike with a known chance: the true alpha is that chance."""
    pytest.importorskip("krippendorff")
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(60):
        first = rng.integers(0, 4, 120)
        second = np.where(rng.random(120) < 0.6, first, rng.integers(0, 4, 120))
        interval = alpha([[str(a), str(b)] for a, b in zip(first, second, strict=True)], resamples=200)
        assert interval is not None
        held += interval.low <= 0.6 <= interval.high
    assert 50 <= held <= 60


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """A job of four cards that two people have answered, one of them with an error."""
    folder = listed(tmp_path / "job", WHERE, WHERE | {"id": "again", "key": "West"}, MANY, FREE)
    job, store = annotation_jobs.job(folder, tmp_path), Store(folder / "answers.sqlite")
    answers = {"Ada": ("East", "West", "3", "a Bench"), "Ben": ("East", "North", "3", "a bench")}
    for person, values in answers.items():
        for card, value in zip(job.cards, values, strict=True):
            store.put(person, card.id, card.digest, value)
    store.put("Cleo", "gone", "d", "East")
    store.put("Cleo", "where", "of another wording", "East")
    return folder


def test_people_are_right_agree_and_differ(answered: Path, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    job, given = annotation_jobs.job(answered, tmp_path), Store(answered / "answers.sqlite").given()
    right = {(accuracy.part, accuracy.person): (accuracy.cards, accuracy.credit.estimate) for accuracy in accuracies(job, given)}
    assert right == {
        ("directions", "Ada"): (2, 1.0), ("directions", "Ben"): (2, 0.5), ("directions", ""): (2, 0.75),
        ("counts", "Ada"): (1, 1.0), ("counts", "Ben"): (1, 1.0), ("counts", ""): (1, 1.0),
    }  # fmt: skip
    assert {
        agreement.part: (agreement.cards, agreement.same) for agreement in agreements(job, given) if agreement.part == "directions"
    } == {"directions": (2, 0.5)}
    assert [(disagreement.card.id, dict(disagreement.answers)) for disagreement in disagreements(job, given)] == [
        ("again", {"Ada": "West", "Ben": "North"})
    ]


def test_cards_about_one_place_tell_less_than_independent_ones() -> None:
    def interval(groups: int) -> float:
        cards = tuple(Card(str(i), "?", options=keyed([("y", "yes"), ("n", "no")]), group=str(i % groups), key="y") for i in range(24))
        given = [
            Annotation("Ada", card.id, card.digest, "n" if i % groups < groups / 4 else "y", "", 0.0, "") for i, card in enumerate(cards)
        ]
        (right, _) = accuracies(Job("j", cards), given)
        assert right.credit.estimate == 0.75
        return right.credit.high - right.credit.low

    assert interval(8) > 1.5 * interval(24)


def test_the_command_tells_the_same(answered: Path, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff")
    report = json.loads(done("annotate", answered, "--agreement", "--json").out)
    assert report["people"] == {"Ada": 4, "Ben": 4}
    assert report["disagreements"] == [{"card": "again", "answers": {"Ada": "West", "Ben": "North"}}]
    assert {row["part"]: row["cards"] for row in report["agreement"]} == {"directions": 2, "counts": 1, "": 4}
    words = done("annotate", answered, "--agreement").out
    assert "directions, Ben: 50.0%" in words
    assert "again: Ada West, Ben North" in words
    done("annotate", answered, "--export", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(row["card"], row["person"], row["answer"], row.get("credit")) for row in lines[:3]] == [
        ("where", "Ada", "East", 1.0), ("where", "Ben", "East", 1.0), ("again", "Ada", "West", 1.0),
    ]  # fmt: skip
    assert len(lines) == 8
