"""The prompt style `published`: declared for every task, answerable in the requested form, and for imported items that of the record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from published_sets import by_part, cospace, egoorient, picture, spatial_mm, spatialeval, srbench
from workbench import done, isovist, records, refused

import isovist as api
from isovist.audit.testing.answer_checks import the_prompt_of_its_paper_asks_for_the_key
from isovist.core.answers import (
    Answer,
    Cell,
    Choice,
    Count,
    CountTuple,
    ImageOptionChoice,
    JointAnswer,
    WordSequence,
    WordSubset,
    YesNo,
)
from isovist.core.published_prompt import PublishedPrompt
from isovist.data import prompts
from isovist.data.prompts import IMAGE, PUBLISHED
from isovist.suites import registry

LETTERS, STEP = "cdr/relative-compass-letter", "cdr/step-cell-letter"

# ---- every task --------------------------------------------------------------------------------------------------------


def test_every_task_of_a_paper_has_a_published_prompt_or_a_reason() -> None:
    of_papers = {id: task for id, task in registry.built_in_tasks().items() if task.suite not in ("viewpoint", "solids")}
    without = {id for id, task in of_papers.items() if isinstance(task.paper.prompt, str)}
    assert without == {STEP, "cdr/step-north-up-letter", "cdr/step-turned-frame-letter", "srbench/orientation-eight-way"}
    for task in of_papers.values():
        assert task.paper.prompt, task.id
        if isinstance(task.paper.prompt, PublishedPrompt):
            assert task.paper.prompt.source, task.id
            assert task.paper.prompt.differences.endswith("."), task.id


def test_a_prompt_that_requests_another_form_is_found() -> None:
    from dataclasses import replace

    task = registry.task("perceptv/counting-circles")
    assert isinstance(task.paper.prompt, PublishedPrompt)
    wrong = replace(task.paper.prompt, response=lambda answer, canonical: f"TOTAL {canonical}0")
    with pytest.raises(AssertionError, match="published format"):
        the_prompt_of_its_paper_asks_for_the_key(replace(task, paper=replace(task.paper, prompt=wrong)))
    short = replace(task.paper.prompt, text=lambda question, answer: "COUNT:x")
    with pytest.raises(AssertionError, match="lacks"):
        the_prompt_of_its_paper_asks_for_the_key(replace(task, paper=replace(task.paper, prompt=short)))


@pytest.mark.parametrize(
    ("id", "form"),
    [
        (LETTERS, "\nH. North"),
        ("perceptv/change-colour", "one line in the form COUNT:x, where x is one whole number in digits."),
        ("perceptv/graph-counting", "one line in the form NODES:x EDGES:y, where x and y are whole numbers in digits."),
        ("perceptv/sort-lines", "one line that has only a space-separated list, in order, of entries from: 1, 2,"),
        ("perceptv/circle-right-triangle", "End your response with one line: YES or NO."),
        ("srbench/mrt-easy", "Give your answer in the form {x}, where x is the letter of one option."),
    ],
)
def test_the_end_of_a_prompt(id: str, form: str) -> None:
    shown = done("show", id, "--prompt-style", PUBLISHED).out
    assert form in shown
    assert "Answer:" not in shown.partition("Reasoning:")[0]
    task = registry.task(id)
    assert isinstance(task.paper.prompt, PublishedPrompt)
    assert f"format  {task.paper.prompt.source}. {task.paper.prompt.differences}\n" in shown


# ---- responses as models write them -----------------------------------------------------------------------------------

ROAD = Choice(("south to north", "east to west", "northeast to southwest", "northwest to southeast"), 1)
FACING = Choice(("Toward the camera", "Away from the camera", "Sideways, toward the left or the right"), 1)
SHEET, QUADRANT = ImageOptionChoice.of("sheet", 3, 1), Choice(("upper left", "upper right", "lower left", "lower right"), 1)
TURNS = Choice(("4", "2", "6"), 1)
COUNT, GRAPH = Count(3, 0, 10), CountTuple((3, 4), ("nodes", "edges"), 0, 12)
ROWS = WordSequence(("same", "different", "same"), ("same", "different"))
PATH = WordSequence(("circle", "square"), ("circle", "square", "triangle"))
ORDER = WordSequence(("10", "2", "1"), tuple(map(str, range(1, 13))))
NUMBERS = WordSubset(("1", "7"), tuple(map(str, range(1, 8))))
MOVES = Choice(("Turn right", "Turn left", "Go ahead", "Turn back"), 1)
PLAN = JointAnswer((("position", Choice(("Front", "Left", "Right", "Back"), 1)), ("actions", MOVES)))
BOTH = '{"position": "B", "actions": "B"}'
REPLIES: tuple[tuple[Answer, str, str | None], ...] = (
    *((ROAD, reply, "B") for reply in ("B: East to West", "B. east to west", "(B)", "The answer is (B)", "Your answer: B")),
    *((ROAD, reply, None) for reply in ("A, B", "The answer could be A or B.", "D: east to west", "B. south to north")),
    (ROAD, "B\n\nThe road is visible in images 1 and 3, so it runs north... no wait, A.", "A"),
    (FACING, "Answer: B\nReasoning: The face is not toward the camera; its back is visible.", "B"),
    (FACING, "Answer: B. Away from the camera\nReasoning: It could seem sideways, but the headlights are hidden.", "B"),
    (FACING, "**Answer:** B\n**Reasoning:** The object faces away.", "B"),
    (FACING, "Answer: B\nReasoning: The front is visible, so the correct option is A.", None),
    *((SHEET, reply, "B") for reply in ("{B}", "{b}", "{**B**}", "The answer is {B}.", "A looks wrong, C is mirrored. {B}")),
    *((SHEET, reply, None) for reply in ("{x}", "{A} or {B}", "{A, B}")),
    *((TURNS, reply, "B") for reply in ("{B}", "{2}", "The answer is {2}", "{B. 2}")),
    *((YesNo(True), reply, "yes") for reply in ("{yes}", "YES", "**YES**")),
    (YesNo(True), "{yes or no}", None),
    *((COUNT, reply, "3") for reply in ("COUNT:3", "COUNT: 3.", "**COUNT: 3**", "`COUNT:3`", "Image 1 has 8 circles.\nCOUNT:3")),
    *((COUNT, reply, None) for reply in ("COUNT:x", "COUNT:3\nCOUNT:4", "COUNT:3 or COUNT:4")),
    *((GRAPH, reply, "3, 4") for reply in ("NODES:3 EDGES:4", "**NODES:3, EDGES:4**", "NODES:3\nEDGES:4", "EDGES:4 NODES:3")),
    *((GRAPH, reply, None) for reply in ("NODES:x EDGES:y", "NODES:3", "NODES:3 EDGES:4\nNODES:4 EDGES:4")),
    *((ROWS, reply, "same, different, same") for reply in ("ANSWER: Same Different Same", "ANSWER:same, different, same")),
    (ROWS, "Row 1: same\nRow 2: different\nRow 3: same\nANSWER: same different same", "same, different, same"),
    *((ROWS, reply, None) for reply in ("ANSWER: same different or same", "ANSWER: 1 same 2 different", "ANSWER: same\nANSWER: different")),
    *(
        (PATH, reply, "circle, square")
        for reply in ("SHAPES: circle, square", "SHAPES : Circle , Square", "From S on.\nShapes: circle, square")
    ),
    *((PATH, reply, None) for reply in ("Shapes: circle, square.\n\nI cannot follow the arrows.", "SHAPES: circle\nSHAPES: square")),
    *((ORDER, reply, "10, 2, 1") for reply in ("10 2 1", "10, 2, 1", "By size:\n\n10 2 1")),
    *((ORDER, reply, None) for reply in ("10 2 13", "10 2\n1", "10 2 1 or 10 1 2")),
    *((NUMBERS, reply, "1, 7") for reply in ("CIRCLES: 1, 7", "CIRCLES:[1,7]", "CIRCLES:1 7")),
    *((NUMBERS, reply, None) for reply in ("CIRCLES: 1, 7\nTRIANGLES: 2, 3", "Circles: 1, 7. Triangles: 2, 3.")),
    *(
        (QUADRANT, reply, "B")
        for reply in ("QUADRANT:B", "Quadrant A has 3 circles, quadrant B has 5.\nQUADRANT: B", "QUADRANT: upper right")
    ),
    *((QUADRANT, reply, None) for reply in ("QUADRANT:1", "QUADRANT:A\nQUADRANT:B", "QUADRANT:B COUNT:4", "QUADRANT: A. upper right")),
    *((Cell(((4, 3),), 7, 7), reply, "(4, 3)") for reply in ("(4,3)", "The cell (2,2) is next to a cross.\n(4, 3)")),
    *((PLAN, reply, BOTH) for reply in (BOTH, f"```json\n{BOTH}\n```", BOTH.replace('"', "'"), '{\n"position": B,\n"actions": B\n}')),
    *(
        (PLAN, reply, None)
        for reply in ('{"position": "B"}', f'{BOTH}\n{{"position": "A", "actions": "B"}}', '{"Answer1": "B", "Answer2": "B"}')
    ),
)


@pytest.mark.parametrize(("answer", "reply", "read"), REPLIES)
def test_a_response_to_a_published_prompt_is_read_as_meant_or_not_at_all(answer: Answer, reply: str, read: str | None) -> None:
    assert answer.score(reply).parsed_answer == read


# ---- runs -------------------------------------------------------------------------------------------------------------


def test_a_run_compares_the_published_prompt_with_another(tmp_path: Path) -> None:
    done("run", LETTERS, "perceptv/grid-path", "--limit", 3, "--model", "simulated/oracle", "--compare-prompt-styles", "final-line,published",
         "--circular-eval", "--shots", 1, "--out", tmp_path / "run")  # fmt: skip
    trials = records(tmp_path / "run")
    assert {trial["outcome"] for trial in trials} == {"correct"}
    assert sum(trial["variant"] == "style:published" for trial in trials) == 6
    hashes = {trial["item_id"]: trial["prompt_hash"] for trial in trials if not trial["variant"]}
    assert all(trial["prompt_hash"] != hashes[trial["item_id"]] for trial in trials if trial["variant"] == "style:published")


def test_the_hash_of_a_run_follows_the_wording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(name: str) -> dict[str, Any]:
        done("run", LETTERS, "--limit", 2, "--model", "simulated/oracle", "--prompt-style", PUBLISHED, "--out", tmp_path / name)
        return json.loads((tmp_path / name / "run.json").read_text())

    first, again = run("a"), run("b")
    assert first["style"] == PUBLISHED
    assert first["usage"]["prompt_hash"] == again["usage"]["prompt_hash"]
    other = PublishedPrompt(lambda question, answer: f"Choose.\n{question}\n{answer.options_text()}", "x", "y.")
    monkeypatch.setattr(registry, "published_prompt", lambda name: other)
    done(
        "run",
        LETTERS,
        "--limit",
        2,
        "--workers",
        1,
        "--model",
        "simulated/oracle",
        "--compare-prompt-styles",
        PUBLISHED,
        "--out",
        tmp_path / "c",
    )
    hashes = {trial["prompt_hash"] for trial in records(tmp_path / "c") if trial["variant"] == "style:published"}
    assert hashes.isdisjoint(trial["prompt_hash"] for trial in records(tmp_path / "a"))


@pytest.mark.parametrize("options", [("--prompt-style", PUBLISHED), ("--compare-prompt-styles", f"final-line,{PUBLISHED}")])
def test_a_task_without_a_published_prompt_is_refused_before_anything_is_written(tmp_path: Path, options: tuple[str, str]) -> None:
    out = tmp_path / "run"
    ended = isovist("run", LETTERS, STEP, "--limit", 2, "--model", "simulated/oracle", *options, "--out", out)
    refused(ended, f"No published prompt for {STEP} (the paper has no such question: it is one step of its questions). Choose another")
    assert not out.exists()
    refused(isovist("generate", STEP, "--limit", 1, "--prompt-style", PUBLISHED, "--out", out), "No published prompt")
    assert not out.exists()


def test_generated_data_hold_the_prompt_and_can_be_verified(tmp_path: Path) -> None:
    done("generate", LETTERS, "--limit", 2, "--prompt-style", PUBLISHED, "--out", tmp_path)
    assert "0 differ" in done("verify", tmp_path).out
    row = by_part(tmp_path)["relative-compass-letter"][0]
    assert row.prompt.startswith(f"{IMAGE}\nChoose the option that fits best. ")
    assert row.prompt == prompts.prompt(row.metadata.question, row.key, 1, PUBLISHED, LETTERS)


def test_python_presents_it_too() -> None:
    seen: list[str] = []

    def model(images: object, prompt: str) -> str:
        del images
        seen.append(prompt)
        return "A"

    api.evaluate(model, LETTERS, n=1, prompt_style=PUBLISHED)
    assert "Choose the option that fits best." in seen[0]


# ---- imported sets ----------------------------------------------------------------------------------------------------


def test_an_imported_item_presents_the_text_of_its_record(tmp_path: Path) -> None:
    data = tmp_path / "out"
    done("import", "cospace", cospace(tmp_path / "set"), "--out", data)
    rows = by_part(data)
    road = rows["direction-recognition"][0].prompt_in_style(PUBLISHED)
    assert road.startswith(f"{IMAGE}\n" * 4)
    assert "\nQuestion: Which way does the road run? Options: A. north to south" in road
    assert road.endswith("\nGive A, B, C or D as your answer. Your answer:")
    plan = rows["planning"][0].prompt_in_style(PUBLISHED)
    assert '"Answer1": the answer to question 1, as "A", "B", "C" or "D",\n"Answer2"' in plan
    assert "Options" not in rows["counting"][0].prompt_in_style(PUBLISHED)

    ended = done(
        "run",
        "--data",
        data,
        "--model",
        "simulated/oracle",
        "--prompt-style",
        PUBLISHED,
        "--image-order",
        "start",
        "--out",
        tmp_path / "run",
    )
    assert "correct" in ended.out
    out = tmp_path / "circular"
    refused(
        isovist("run", "--data", data, "--model", "simulated/oracle", "--prompt-style", PUBLISHED, "--circular-eval", "--out", out),
        "whose options cannot be rotated",
    )
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "build"), [("srbench", srbench), ("spatialeval", spatialeval), ("egoorient", egoorient), ("spatial-mm", spatial_mm)]
)
def test_the_text_of_a_record_is_presented_unchanged(tmp_path: Path, name: str, build: Callable[[Path], Path]) -> None:
    done("import", name, build(tmp_path / "set"), "--out", tmp_path / "out")
    rows = [row for part in by_part(tmp_path / "out").values() for row in part]
    for row in rows:
        kept = json.loads(row.metadata_json)["scene"]["published"]
        record = (kept.get("question") or kept["text"]).strip()
        assert row.prompt_in_style(PUBLISHED) == "\n".join([*[IMAGE] * len(row.images), record])
        assert row.answer not in json.loads(row.metadata_json)["published_prompt"].removeprefix(record)


def test_a_domain_of_perceptv_has_its_own_output_format_or_none(tmp_path: Path) -> None:
    for name, parts in (("counting_circles", ("input_prompt", "rules", "output_prompt")), ("circle_boxes", ("input_prompt", "rules"))):
        folder = tmp_path / "set" / name
        (folder / "data").mkdir(parents=True)
        (folder / "prompts").mkdir()
        for part in parts:
            (folder / "prompts" / f"{part}.txt").write_text(f"- The {part} of {name}\n")
        (folder / "data" / "1.png").write_bytes(picture())
        (folder / "data.json").write_text(json.dumps([{"id": "1.png", "num_objects": 2, "answer": 2}]))
    data = tmp_path / "out"
    done("import", "perceptv", tmp_path / "set", "--out", data)
    rows = by_part(data)
    asked = rows["counting-circles"][0].prompt_in_style(PUBLISHED)
    assert asked.splitlines() == [IMAGE, *(f"- The {part} of counting_circles" for part in ("input_prompt", "rules", "output_prompt"))]
    ended = isovist("run", "--data", data, "--model", "simulated/oracle", "--prompt-style", PUBLISHED, "--out", tmp_path / "run")
    refused(ended, "No published prompt for perceptv-published/circle-boxes (the dataset does not hold the text of its records)")
    assert not (tmp_path / "run").exists()
