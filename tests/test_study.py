"""A study of people: codes, orders, the file of answers, what answers are read as, and bad input"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
import study_data
from answer_kinds import KINDS
from hypothesis import given
from hypothesis import strategies as st
from study_data import PER_TASK, joined, study_of
from workbench import contents, done, isovist, refused, spoil, stored

from isovist.core.answers import Answer, Choice, JointAnswer, YesNo
from isovist.people.study import participants
from isovist.people.study.item_presentation import reply
from isovist.people.study.participants import PEOPLE, ParticipantStore
from isovist.people.study.plan import Study, StudyPlan, balanced


@pytest.fixture
def study(by_hand: Path, tmp_path: Path) -> Study:
    return study_of(by_hand, tmp_path / "pictures", tasks=("by-hand/choice", "by-hand/count", "by-hand/subset"))


# Codes -------------------------------------------------------------------------------------------------------------


def test_a_code_is_read_however_it_is_typed_and_kept_nowhere(tmp_path: Path) -> None:
    people = ParticipantStore(tmp_path)
    code = people.add()
    person = people.by_code(code)
    assert person is not None
    assert person.handle == code[:4]
    for typed in (code.lower(), code.replace("-", ""), f" {code.replace('-', ' ')} "):
        assert people.by_code(typed) == person
    for other in (code[:4], code[:-1], code + "A", code[:-1] + ("A" if code[-1] != "A" else "B"), "", "-"):
        assert people.by_code(other) is None
    secret = code.replace("-", "")[4:].encode()
    for name, held in contents(tmp_path).items():
        assert secret not in held.replace(b"-", b""), name


def test_codes_are_of_all_their_characters_and_none_comes_twice() -> None:
    made = [participants.new_code() for _ in range(2000)]
    assert len(set(made)) == 2000
    assert all(participants.plain_code(code) for code in made)
    for place in (0, 5, 13):
        assert {code[place] for code in made} == set(participants.ALPHABET)


# Orders ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 9))
def test_every_block_has_every_place_and_every_neighbour_equally_often(n: int) -> None:
    rows = [balanced(n, row) for row in range(2 * n)]
    assert all(sorted(row) == list(range(n)) for row in rows)
    for place in range(n):
        assert sorted(row[place] for row in rows[:n]) == list(range(n))
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert len(follows) == n * (n - 1)
    assert set(follows.values()) <= {2}
    if not n % 2:
        assert set(Counter(pair for row in rows[:n] for pair in pairwise(row)).values()) == {1}


def test_each_person_has_one_order_with_practice_before_each_block(study: Study) -> None:
    order = study.order("ADAA", 0)
    assert order == study.order("ADAA", 0)
    assert [step.item.card.id for step in order] != [step.item.card.id for step in study.order("BENN", 3)]
    assert len(order) == study.questions == 3 * (PER_TASK + 2)
    for start in range(0, len(order), PER_TASK + 2):
        block = order[start : start + PER_TASK + 2]
        assert [step.practice for step in block] == [True] * 2 + [False] * PER_TASK
        assert [i for i, step in enumerate(block) if step.first] == [0, 2]
        assert len({step.item.card.part for step in block}) == 1
    asked = [step.item.card for step in order if not step.practice]
    assert sorted(card.id for card in asked) == sorted(item.card.id for item in study.items)
    assert {card.group for card in asked}.isdisjoint(step.item.card.group for step in order if step.practice)


def test_blocks_are_balanced_over_those_who_begin_and_items_are_not_in_one_order(study: Study) -> None:
    firsts = Counter(study.order(f"P{place}", place)[0].item.card.part for place in range(6))
    assert set(firsts.values()) == {2}
    assert len(firsts) == 3
    orders = {tuple(step.item.card.id for step in study.order(f"P{i}", 0)) for i in range(8)}
    assert len(orders) > 4


def test_nobody_practises_on_a_picture_that_counts_elsewhere(tmp_path: Path) -> None:
    data = study_data.write(tmp_path / "data", ("choice", "count"))
    shared = stored(data, "by-hand/count")[1].group
    spoil(data / "by-hand" / "choice" / "test-00000-of-00001.parquet", lambda rows: rows[4].update(group=shared))
    study = study_of(data, tmp_path / "pictures", practice=1)
    assert [block.practice[0].card.id.split("#")[0].rsplit(":", 1)[1] for block in study.blocks] == ["5", "4"]


def test_practice_is_of_the_train_split_where_there_is_one(tmp_path: Path) -> None:
    for split in ("test", "train"):
        done("generate", "cdr/relative-compass-letter", "--n", 4, "--split", split, "--workers", 1, "--out", tmp_path / "data")
    study = study_of(tmp_path / "data", tmp_path / "pictures", per_task=4, practice=3)
    assert [":train:" in item.card.id for item in study.blocks[0].practice] == [True] * 3
    assert [":test:" in item.card.id for item in study.items] == [True] * 4


# The file of people ------------------------------------------------------------------------------------------------


def test_an_answer_that_is_sent_again_stands_as_it_was(tmp_path: Path) -> None:
    people = ParticipantStore(tmp_path)
    ada, ben = joined(people), joined(people)
    for person, value in ((ada, "A"), (ada, "B"), (ben, "C"), (ada, "A")):
        people.put(person, "item", value, 1.5, 0, practice=False)
    people.put(ada, "before", "D", 1.0, 0, practice=True)
    assert [(answer.person, answer.reply) for answer in people.answers()] == [(ada.handle, "A"), (ben.handle, "C")]
    assert [answer.item for answer in people.answers(ada, practice=True)] == ["item", "before"]
    with people._file.open() as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
        assert db.execute("pragma synchronous").fetchone() == (2,)  # full


def test_those_who_begin_at_once_get_different_places(tmp_path: Path) -> None:
    people = ParticipantStore(tmp_path)
    known = [people.by_code(people.add()) for _ in range(12)]
    with ThreadPoolExecutor(6) as pool:
        places = list(pool.map(lambda person: ParticipantStore(tmp_path).place(person) if person else -1, known))
    assert sorted(places) == list(range(12))
    assert [people.place(person) for person in known if person] == places


def test_a_lost_code_is_renewed_and_the_old_one_opens_nothing(study: Study, tmp_path: Path) -> None:
    study.plan.write(tmp_path)
    people = ParticipantStore(tmp_path)
    old, other = people.add(), people.add()
    before = people.by_code(old)
    assert before is not None
    people.agree(before)
    people.place(before)
    people.put(before, study.items[0].card.id, "A", 1.5, 1, practice=False)
    known = people.by_code(old)
    assert known is not None
    order = study.order(known.handle, known.place or 0)
    for args in (("--renew", old[:4], "--renew", "0000"), ("--renew", "0000", "--renew", old[:4])):
        refused(isovist("study", "codes", tmp_path, *args), "Unknown participant code: 0000", "Nothing was replaced")
    refused(isovist("study", "codes", tmp_path, "--renew", old[:4], "--n", 2), "--limit")
    assert people.by_code(old) == known
    made = done("study", "codes", tmp_path, "--renew", old[:4].lower()).out.strip()
    assert made != old
    assert made[:5] == old[:5]
    assert people.by_code(old) is None
    assert people.by_code(other) is not None
    renewed = people.by_code(made)
    assert renewed is not None
    assert renewed == known  # when the person began, agreed, and at which place
    assert study.order(renewed.handle, renewed.place or 0) == order
    assert [(answer.person, answer.reply, answer.seconds) for answer in people.answers(renewed)] == [(old[:4], "A", 1.5)]
    secret = made.replace("-", "")[4:].encode()
    assert all(secret not in held.replace(b"-", b"") for held in contents(tmp_path).values())


_WRITER = """
import os, signal, sys
from pathlib import Path
from isovist.people.study.participants import ParticipantStore
people = ParticipantStore(Path(sys.argv[1]))
person = people.by_code(people.add())
for i in range(20):
    people.put(person, str(i), "A", 1.0, 0, practice=False)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_every_answer_outlives_a_killed_process(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", _WRITER, str(tmp_path)], check=False)
    assert ended.returncode == -9
    assert [answer.item for answer in ParticipantStore(tmp_path).answers()] == [str(i) for i in range(20)]


def test_who_takes_the_consent_back_is_gone_from_the_file(tmp_path: Path, by_hand: Path) -> None:
    StudyPlan.of(by_hand, ("by-hand/choice",), "test", 2, 1, 0, "Welcome.").write(tmp_path)
    people = ParticipantStore(tmp_path)
    ada, ben = joined(people), joined(people)
    server = sqlite3.connect(people._file.path)  # as long as somebody has the file open, what is written waits beside it
    server.execute("select * from people").fetchall()
    for person, value in ((ada, "the answer of Ada"), (ben, "the answer of Ben")):
        people.put(person, "item", value, 1.0, 0, practice=False)
    refused(isovist("study", "remove", tmp_path, ada.handle, "0000"), "Unknown participant code: 0000", "Nothing was deleted")
    assert len(people.answers()) == 2
    done("study", "remove", tmp_path, ada.handle.lower())
    assert [participant.handle for participant in people.all()] == [ben.handle]
    assert [answer.reply for answer in people.answers()] == ["the answer of Ben"]
    held = b"".join(contents(tmp_path).values())
    server.close()
    assert b"the answer of Ada" not in held
    assert b"the answer of Ben" in held


# What is read ------------------------------------------------------------------------------------------------------


def given_as(answer: Answer, text: str) -> object:
    """A reply as the page sends it."""
    return json.loads(text) if isinstance(answer, JointAnswer) else text


@given(st.sampled_from(sorted(KINDS)).flatmap(KINDS.__getitem__))
def test_every_kind_of_answer_can_be_given_and_is_judged_as_a_model_is(answer: Answer) -> None:
    right = reply(answer, given_as(answer, answer.canonical()))
    assert right is not None
    assert answer.score(right).credit == 1.0
    for wrong in answer.wrong_answers():
        read = reply(answer, given_as(answer, wrong))
        assert read is None or answer.score(read).credit < 1.0


@pytest.mark.parametrize("value", ["", "  ", None, 3, ["A"], {"where": "A"}, "maybe", "x" * 5000])
@pytest.mark.parametrize("kind", study_data.KINDS)
def test_what_is_no_answer_is_none(kind: str, value: object) -> None:
    assert reply(study_data.key(kind, 0), value) is None


def test_options_are_given_by_what_stands_on_their_keys_alone() -> None:
    choice, yes = Choice(("North", "East"), 0), YesNo(True)
    assert [reply(choice, value) for value in ("A", "North", "a", "C")] == ["A", None, None, None]
    assert [reply(yes, value) for value in ("yes", "Yes.", "no")] == ["yes", None, "no"]
    both = study_data.key("fields", 1)
    assert reply(both, {"where": "B", "how many": " 1 "}) == '{"where": "B", "how many": "1"}'
    assert reply(both, {"where": "B", "how many": "some"}) is None
    assert reply(both, {"where": "B", "how many": "1", "more": "1"}) is None


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--tasks", "cdr/*"), ("no task 'cdr/*'", "by-hand/choice")),
        (("--split", "train"), ("split train", "--split")),
        (("--per-task", 6, "--practice", 1), ("Too few items of by-hand/cell", "--per-task 6", "--practice 1")),
        (("--per-task", 7), ("Too few items", "generate more")),
        (("--text", "nowhere.txt"), ("nowhere.txt",)),
        (("--text", study_data.__file__, "--host", "no such host"), ("--host no such host",)),
        (("--port", 1 << 17), ("--port",)),
    ],
)
def test_a_study_that_cannot_be_is_refused(by_hand: Path, tmp_path: Path, args: tuple[object, ...], words: tuple[str, ...]) -> None:
    base = () if "--per-task" in args else ("--per-task", 2)
    message = refused(
        isovist("study", "serve", by_hand, "--port", 0, "--tasks", "by-hand/c*", *base, *args, "--out", tmp_path / "study"), *words
    )
    assert "Traceback" not in message
    assert not (tmp_path / "study" / "study.json").exists()


def test_a_study_is_not_mixed_with_another(by_hand: Path, tmp_path: Path) -> None:
    command = ("study", "serve", by_hand, "--port", 0, "--tasks", "by-hand/choice", "--out", tmp_path / "study")
    (tmp_path / "study").mkdir()
    StudyPlan.of(by_hand, ("by-hand/choice",), "test", 2, 1, 0, "Welcome.").write(tmp_path / "study")
    message = refused(isovist(*command, "--per-task", 3, "--seed", 5), "different --per-task and --practice and --seed and text of --text")
    assert "another --out folder" in message
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    refused(isovist(*command[:-1], tmp_path / "other"), "not empty and not a study")
    refused(isovist(*command[:-1], tmp_path / "other" / "mine.txt"), "Not a folder")


def test_what_is_no_study_is_refused(by_hand: Path, tmp_path: Path) -> None:
    for command in (("status",), ("export", "--out", tmp_path / "out"), ("codes",), ("remove", "ABCD")):
        refused(isovist("study", command[0], tmp_path, *command[1:]), "no study", "isovist study serve")
    StudyPlan.of(by_hand, ("by-hand/choice",), "test", 2, 1, 0, "Welcome.").write(tmp_path)
    refused(isovist("study", "export", tmp_path, "--out", tmp_path / "out"), "No answers")
    assert not (tmp_path / "out").exists()
    with sqlite3.connect(tmp_path / PEOPLE) as db:
        db.execute("pragma application_id = 7")
    db.close()
    refused(isovist("study", "status", tmp_path), "another kind")


def test_data_that_changed_are_refused(tmp_path: Path) -> None:
    data = study_data.write(tmp_path / "data", ("choice",))
    StudyPlan.of(data, (), "test", 2, 1, 0, "Welcome.").write(tmp_path)
    (data / "isovist.json").write_text((data / "isovist.json").read_text() + " ")
    refused(isovist("study", "status", tmp_path), "changed since the study began")
    refused(
        isovist("study", "serve", data, "--port", 0, "--per-task", 2, "--practice", 1, "--out", tmp_path), "different content of the data"
    )
    data.rename(tmp_path / "elsewhere")
    refused(isovist("study", "status", tmp_path), "do not exist", "serve the study with their new path")


def test_codes_can_be_made_beforehand(by_hand: Path, tmp_path: Path) -> None:
    StudyPlan.of(by_hand, ("by-hand/choice",), "test", 2, 1, 0, "Welcome.").write(tmp_path)
    made = done("study", "codes", tmp_path, "--n", 3).out.split()
    people = [ParticipantStore(tmp_path).by_code(code) for code in made]
    assert [person.handle for person in people if person] == [code[:4] for code in made]
