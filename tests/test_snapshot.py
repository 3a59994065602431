"""A snapshot of what users see, compared while the code is reorganised: help, six runs with their tables, a dataset, a results table.

The files are below `golden/snapshot/`. `python tests/test_snapshot.py` writes them anew, after a change that users shall see.

Numbers in tables may differ by one in the sixth digit, to which reports round them: another order of additions may change it.
Everything else is compared exactly. Of `run.json` and of records only the keys are kept: their values are times, versions and hashes.
Of a dataset the decoded columns are compared, since the bytes depend on the compressor and the processor.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from difflib import unified_diff
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from itertools import islice
from math import floor, isclose, isfinite, log10
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from looking_round import Scene, looking_round
from PIL import Image
from published_sets import picture, to_lines
from scripted import Asked, Book, Said, fault, serving
from study_data import joined, study_of
from study_data import write as write_by_hand
from workbench import Ended, contents, done, install, isovist, stored

from isovist import results
from isovist.cli import cli
from isovist.common import private_seeds
from isovist.core.answers import Choice, JointAnswer, YesNo
from isovist.core.task import Question
from isovist.evaluation.models import request_errors
from isovist.people.study import participants
from isovist.people.study.participants import ParticipantStore

FOLDER = Path(__file__).parent / "golden" / "snapshot"
MOST_DIFFERENCES = 25
"""How many differences a failure shows."""

Files = dict[str, str]
"""Texts by their path in a folder of the snapshot."""
Patch = pytest.MonkeyPatch

COMPASS, SPATIAL, TURNED = "cdr/relative-compass-letter", "cdr/relative-spatial-letter", "cdr/step-turned-frame-letter"
SMALL = ("--image-size", 96)
VOLATILE_COLUMNS = {"seconds_per_request"}


# How what a command wrote becomes text ------------------------------------------------------------------------------


class Commands:
    """Runs commands in this process, and keeps the exit code and the output of each, without the path of the folder they write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: Files = {"commands.txt": ""}

    def run(self, *args: object) -> Ended:
        ended = isovist(*args)
        told = f"$ isovist {shlex.join(map(str, args))}\n{ended.out}exit code {ended.code}\n\n".replace(str(self.folder), "FOLDER")
        self.files["commands.txt"] += re.sub(r"http://127\.0\.0\.1:\d+", "http://SERVER", told)
        return ended

    def model(self, out: str, *args: object) -> Path:
        """Evaluates a model into the folder `out`. Keeps the names of its files, and the keys in those with JSON."""
        run = self.folder / out
        self.run("run", *args, "--workers", 1, "--out", run)
        self.keep_keys(run)
        return run

    def report(self, *runs: Path) -> None:
        """Reports runs. Keeps all tables."""
        self.tables("report", "report", *runs, "--workers", 1)

    def tables(self, out: str, command: str, *args: object) -> None:
        """Runs a command that writes tables into the folder `out`."""
        self.run(command, *args, "--out", self.folder / out)
        for path in sorted((self.folder / out).glob("*.csv")):
            self.files[f"{out}/{path.name}"] = without_volatile_columns(path.read_text(encoding="utf-8"))
        self.files[f"{out}/report.json"] = row_by_row(json.loads((self.folder / out / "report.json").read_text(encoding="utf-8")))

    def keep_keys(self, run: Path) -> None:
        """Keeps the names of the files of a run, and of each file with JSON or TOML the keys."""
        lines: list[str] = []
        for name, content in contents(run).items():
            lines.append(name)
            if "/" not in name and name.endswith((".json", ".jsonl", ".toml")):
                lines += [f"    {key}" for key in sorted({key for document in documents(name, content) for key in keys(document)})]
        self.files[f"{run.relative_to(self.folder).as_posix()}.keys.txt"] = "\n".join(lines) + "\n"


def documents(name: str, content: bytes) -> list[Any]:
    """The JSON or TOML values in a file."""
    match Path(name).suffix:
        case ".json":
            return [json.loads(content)]
        case ".jsonl":
            return [json.loads(line) for line in content.splitlines()]
        case _:
            return [tomllib.loads(content.decode())]


def keys(value: Any, path: str = "") -> Iterator[str]:
    """The keys of a JSON value with those inside: `usage.image_sizes.96x96`, `parts[]`."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}{name}"
            if name != "versions":  # the packages that are installed
                yield from keys(inner, f"{path}{name}.")
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner, f"{path.removesuffix('.')}[].")


def without_volatile_columns(text: str) -> str:
    """A CSV file in which the values of volatile columns are left out; the columns stay."""
    head, *rows = csv.reader(io.StringIO(text))
    if not VOLATILE_COLUMNS & set(head):
        return text
    written = io.StringIO()
    kept = [["" if name in VOLATILE_COLUMNS else cell for name, cell in zip(head, row, strict=True)] for row in rows]
    csv.writer(written, lineterminator="\n").writerows([head, *kept])
    return written.getvalue()


def row_by_row(listed: dict[str, Any]) -> str:
    """A `report.json` as another JSON object, with one line for each file, takeaway and row of a table."""
    values = {"isovist": "VERSION", "format": listed["format"], **{f"file {name}": True for name in listed["files"]}}
    values |= {f"takeaway {title}": sentence for title, sentence in listed.get("takeaways", {}).items()}
    for table, rows in listed["tables"].items():
        for place, row in enumerate(rows, 1):
            values[f"table {table}, row {place}"] = {name: value for name, value in row.items() if name not in VOLATILE_COLUMNS}
    lines = [f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


# What the snapshot holds ------------------------------------------------------------------------------------------


def help_texts(folder: Path, patched: Patch) -> Files:
    """The help of every command, 100 characters wide."""
    del folder
    patched.setenv("COLUMNS", "100")
    asked = ([*names, "--help"] for names in command_names(cli, click.Context(cli)))
    return {"help.txt": "\n".join(f"$ isovist {shlex.join(names)}\n{done(*names).out}" for names in asked)}


RUN = "run cdr/* --model simulated/random --out FOLDER/run"
REFUSED = (
    *(f"{RUN} {options}" for options in (
        "--temperature -1", "--temperature x", "--top-p 0", "--top-p 2", "--max-tokens 0", "--timeout 0", "--timeout 99999999999",
        "--max-connections 0", "--max-connections 20000", "--reasoning-effort lots", "--reasoning-tokens -2", "--sampling-seed -1",
        "--image-detail huge", "--image-format gif", "--max-attempts 0", "--max-cost 3", "--max-cost -3", "--image-mode both",
        "--prompt-style polite", "--prompt-template nothing.j2", "--rendering oil", "--shots 9", "--shots 1 --image-mode caption-first",
        "--compare-prompt-styles polite", "--image-order back", "--epochs 0", "--max-items 3", "--max-items 30", "--ci-half-width 1",
        "--adaptive --n 5", "--adaptive --shard 0/3", "--adaptive --no-image", "--adaptive --data nothing", "--shard 0/3", "--form short",
        "--secret nothing", "--seed 99999999999999999999", "--split dev", "--preset big", "--level easy", "--image-size 1", "--n -1",
        "--task-option order", "--task-option order=never", "--model-arg top_k", "--stop", "--no-such", "--workers 0", "--pricing nothing",
    )),
    "run --release isovist-2026.12 --model simulated/random --out FOLDER/run --n 4",
    "run --release isovist-2026.12 --model simulated/random --out FOLDER/run --seed 0",
    "run cdr/* --release isovist-2026.12 --model simulated/random --out FOLDER/run",
    "run --release isovist-1 --model simulated/random --out FOLDER/run",
    "run --data nothing --model simulated/random --out FOLDER/run --level easy",
    "run --data nothing --model simulated/random --out FOLDER/run --seed 3",
    "run --model simulated/random --out FOLDER/run",
    "run nothing/* --model simulated/random --out FOLDER/run",
    "run cdr/* --model simulated/nobody --out FOLDER/run",
    "run cdr/* --model simulated/random",
    "run cdr/* --out FOLDER/run",
    "run FOLDER/nothing.toml",
    *(f"generate cdr/* --out FOLDER/data {options}" for options in (
        "--n -1", "--seed x", "--split dev", "--level easy", "--image-size 1", "--task-option order", "--preset big", "--prompt-style polite",
        "--executor elsewhere", "--shard 3/3", "--renderer oil", "--workers 0",
    )),
    "generate cdr/*", "generate --out FOLDER/data", "generate nothing --out FOLDER/data",
    *(f"show cdr/step-cell-letter {options}" for options in ("--index -1", "--rendering half", "--data nothing --seed 3", "--level easy")),
    "show nothing", "show cdr/*", "show cdr/step-cell-letter@1:test:standard:0:3",
    "study serve cdr/* --out FOLDER/study --port 99999", "study export nothing --out FOLDER/runs", "annotate nothing", "annotate nothing --port 99999", "submit check nothing --data nothing --out FOLDER/submission",
    "report nothing --out FOLDER/report", "report --out FOLDER/report", "compare nothing --out FOLDER/compare",
)  # fmt: skip
"""Command lines that are refused."""


def refusals(folder: Path, patched: Patch) -> Files:
    """The exit code and the message of command lines that are refused, and that they leave no file."""
    patched.chdir(folder)
    patched.setenv("COLUMNS", "100")
    texts: list[str] = []
    for line in REFUSED:
        ended = isovist(*shlex.split(line.replace("FOLDER", str(folder))))
        texts.append(f"$ isovist {line}\n{ended.err.replace(str(folder), 'FOLDER')}{ended.out}exit code {ended.code}\n")
    assert not list(folder.iterdir())
    return {"refusals.txt": "\n".join(texts)}


def command_names(command: click.Command, context: click.Context) -> Iterator[list[str]]:
    """The names that lead to a command and to each below it."""
    yield []
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from ([name, *names] for names in command_names(below, click.Context(below, parent=context)))


def dataset(folder: Path, patched: Patch) -> Files:
    """The columns of each Parquet file of a dataset, with the pixels of images, and the text of the other files."""
    del patched
    done("generate", COMPASS, "perceptv/grid-path", "--n", 8, "--seed", 7, "--image-size", 200, "--workers", 1, "--out", folder / "data")
    files: Files = {}
    for name, content in contents(folder / "data").items():
        if name.endswith(".parquet"):
            table = pq.read_table(pa.BufferReader(content))
            files[f"{name}.txt"] = "".join(column_line(table, column) for column in table.column_names)
        else:
            files[f"{name}.txt"] = content.decode().replace(version("isovist"), "VERSION")
    return files


def plain(folder: Path, patched: Patch) -> Files:
    """Two models on the same items of six tasks, one of them also on another seed; their report, comparison, leaderboard and results."""
    del patched
    commands = Commands(folder)
    tasks = (COMPASS, SPATIAL, TURNED)
    sized = ("perceptv/counting-circles", "perceptv/count-coloured-circles", "perceptv/layered-colours")
    left_right = ("--model", "simulated/deficit:left-right,noise=0.3")
    guesses = ("--model", "simulated/random")
    left_right_runs = [
        commands.model("left-right-cdr", *tasks, "--n", 20, *SMALL, *left_right),
        commands.model("left-right-sized", *sized, "--n", 24, "--level", "1,5,10,20", "--image-size", 300, *left_right),
    ]
    guessing_runs = [
        commands.model("random-cdr", "--data", folder / "left-right-cdr" / "data", *guesses),
        commands.model("random-sized", "--data", folder / "left-right-sized" / "data", *guesses),
    ]
    another_seed = commands.model("random-seed-1", COMPASS, SPATIAL, "--n", 20, "--seed", 1, *SMALL, *guesses)
    commands.report(*left_right_runs, *guessing_runs, another_seed)
    commands.tables("compare", "compare", *left_right_runs, *guessing_runs)
    commands.tables("leaderboard", "leaderboard", *left_right_runs, *guessing_runs)
    table = results(*left_right_runs, *guessing_runs).arrow
    return commands.files | {"results_table.txt": "".join(column_line(table, name) for name in table.column_names)}


def column_line(table: pa.Table, name: str) -> str:
    """Name and type of a column, and a digest of its values."""
    values: list[Any] = table[name].to_pylist()
    texts = [pixels(value) if name == "images" else f"{value:.6g}" if isinstance(value, float) else str(value) for value in values]
    known = sum(value is not None for value in values)
    digest = sha256("\n".join(texts).encode()).hexdigest()[:16]
    return f"{name}: {table[name].type}, {known} of {len(values)} values, {len(set(texts))} distinct, {digest}\n"


def pixels(images: list[dict[str, Any]]) -> str:
    """The pixels of the images of a row; the bytes of a PNG depend on the compressor and the processor."""
    opened = [Image.open(io.BytesIO(image["bytes"])) for image in images]
    return " ".join(f"{image.size} {image.mode} {sha256(image.tobytes()).hexdigest()}" for image in opened)


def variants(folder: Path, patched: Patch) -> Files:
    """Two runs with most kinds of variants, one with other orders of its images, and one that describes each image first."""
    four_views = looking_round(4)
    install(patched, four_views)
    commands = Commands(folder)
    kinds = ("--no-image", "--blank-image", "--mismatched-image", "--compare-prompt-styles", "direct,step-by-step")
    kinds += ("--rendering", "half", "--shots", 2, "--structured", "--epochs", 2, "--model", "simulated/deficit:up-down,noise=0.2")
    options = commands.model("options", COMPASS, "--n", 12, "--image-size", 200, *kinds, "--circular-eval")
    numbers = commands.model("numbers", "perceptv/counting-circles", "--n", 8, "--level", "2,8", "--image-size", 400, *kinds)
    orders = ("--image-order", "start", "--image-order", "shuffled")
    views = commands.model("orders", four_views.id, "--n", 8, "--model", "simulated/random", *orders)
    one_by_one = ("--image-mode", "caption-first", "--no-image")
    described = commands.model("captions", "--data", views / "data", "--model", "simulated/oracle", *one_by_one)
    commands.report(options, numbers, views, described)
    return commands.files


def adaptive(folder: Path, patched: Patch) -> Files:
    """Sizes that the responses choose: two tasks up to their item limits, and one task with few levels up to its precision."""
    del patched
    commands = Commands(folder)
    counting, triangle = "perceptv/counting-circles", "perceptv/circle-right-triangle"
    one_by_one = ("--adaptive", "--max-connections", 1)
    both = commands.model(
        "both", counting, triangle, *one_by_one, "--model", "simulated/psychometric:threshold=9,slope=8", "--max-items", 20
    )
    few = ("--level", "2,3,5,8", "--max-items", 24, "--ci-half-width", 3)
    levels = commands.model("levels", counting, *one_by_one, "--model", "simulated/psychometric:threshold=4,slope=6", *few)
    commands.report(both, levels)
    return commands.files


def people(folder: Path, patched: Patch) -> Files:
    """A study with items of every answer type, in which two participants answer everything and one a part; and a model on the same items."""
    handles = iter(("AAAA", "BBBB", "CCCC"))
    patched.setattr(participants, "new_code", lambda: f"{next(handles)}-2222-2222")
    commands = Commands(folder)
    data = write_by_hand(folder / "data", n=6)
    study = study_of(data, folder / "pictures", per_task=6, practice=0)
    study_folder = folder / "study"
    study_folder.mkdir()
    study.plan.write(study_folder)
    store = ParticipantStore(study_folder)
    for person_place in range(3):
        person = joined(store)
        for place, item in enumerate(study.items):
            if person_place < 2 or place < 30:
                is_wrong = (place + person_place) % (3 + person_place) == 0
                answer = item.card.answer
                assert answer is not None
                value = answer.wrong_answers()[0] if is_wrong else answer.canonical()
                store.put(person, item.card.id, value, 2.0 + 0.25 * place + person_place, pauses=0, practice=False)
    commands.run("study", "export", study_folder, "--out", folder / "each")
    commands.run("study", "export", study_folder, "--together", "--out", folder / "together")
    each = [folder / "each" / name for name in ("AAAA", "BBBB", "CCCC")]
    for run in (*each, folder / "together"):
        commands.keep_keys(run)
    model = commands.model("model", "--data", data, "--model", "simulated/random")
    commands.report(model, *each, folder / "together")
    commands.tables("compare", "compare", model, *each[:2])
    return commands.files


def faults(folder: Path, patched: Patch) -> Files:
    """A server that answers as badly as servers do. The command runs until one item has failed for good; then a model reads the replies."""
    patched.setattr(request_errors, "_FIRST_WAIT", 0.02)
    for name in ("ISOVIST_API_KEY", "OPENAI_API_KEY"):
        patched.delenv(name, raising=False)
    commands = Commands(folder)
    done("generate", COMPASS, "perceptv/count-coloured-circles", "--n", 20, "--image-size", 300, "--workers", 1, "--out", folder / "data")
    (folder / "prices.toml").write_text("[models.m]\ninput = 1000\noutput = 2000\n", encoding="utf-8")
    with serving(partial(bad_reply, Book(folder / "data"), places_in_task(folder / "data"), set())) as server:
        command = ("--data", folder / "data", "--model", "m", "--base-url", server.url, "--max-connections", 1, "--max-attempts", 2)
        command += ("--pricing", folder / "prices.toml")
        run, *_ = [commands.model("run", *command) for _ in range(3)]
        server.script = second_reading
        commands.run("rescore", run, "--reader", "model:reader", "--base-url", server.url, "--max-connections", 1)
        commands.keep_keys(run)
    commands.report(run)
    return commands.files


def places_in_task(data: Path) -> dict[str, int]:
    """The place of each item among those of its task. An index would count anew in each level."""
    ids_by_task: dict[str, list[str]] = {}
    for row in stored(data):
        ids_by_task.setdefault(row.task, []).append(row.id)
    return {id: place for ids in ids_by_task.values() for place, id in enumerate(ids)}


def bad_reply(book: Book, places: dict[str, int], asked_before: set[str], asked: Asked) -> Said:
    """By the place of the item; requests fail in one task only, so that the other has an accuracy."""
    row = book.row(asked)
    place = places[row.id]
    is_first = row.id not in asked_before
    asked_before.add(row.id)
    if row.task == COMPASS and place == 3:
        return fault(400, "this image cannot be read")
    if row.task == COMPASS and place in (8, 13) and is_first:
        return fault(400 if place == 8 else 429, "not now")
    right = Said(f"Answer: {row.answer}")
    replies = {
        1: Said("I'm sorry, but I can't help with that.", finish="stop"),
        2: Said("", finish="content_filter"),
        4: Said("The circles are", finish="length"),
        5: Said(""),
        6: Said("It is hard to say which of these it might be."),
        7: Said(f"Answer: {row.key.wrong_answers()[0]}"),
        9: Said(None, more={"refusal": "I cannot look at this image."}),
        11: Said(f"Answer: {row.answer}\nAnswer: {row.key.wrong_answers()[0]}"),
        12: Said(f"Answer: {row.answer}", more={"reasoning_content": "First I looked at the image."}),
    }
    return replies.get(place, right)


def second_reading(asked: Asked) -> Said:
    """A reader that finds an answer in what has a line for it."""
    line = next((line for line in asked.words.split("=" * 20)[1].splitlines() if line.startswith("Answer:")), "Answer: unclear.")
    return Said(line)


def shared_images(folder: Path, patched: Patch) -> Files:
    """Tasks with the same images, imported questions about the same images, and joint answers, of one task with partial credit."""
    around = looking_round(4)
    answers, images = replace(around.answers, type="fields", chance=3 / 8), replace(around.images, orders=None)
    halves = replace(around, id="planted/halves", ask=two_questions, answers=answers, images=images)
    install(patched, halves)
    commands = Commands(folder)
    model = ("--model", "simulated/deficit:left-right,noise=0.4")
    tasks = ("srbench/maze-nav-turns", "srbench/maze-nav-right-turns", "srbench/maze-nav-position", SPATIAL, "cdr/step-cell-letter")
    generated = commands.model("generated", *tasks, "--n", 12, *SMALL, *model)
    (folder / "set").mkdir()
    for image in range(6):
        (folder / "set" / f"{image}.png").write_bytes(picture(image))
    options = {"A": "left", "B": "right", "C": "above"}
    questions = [
        {"id": f"{image}-{k}", "kind": f"object {k}", "question": f"Where is object {k}?", "image": f"{image}.png"}
        | {"size": "small" if image % 2 else "large", **options, "answer": "ABC"[(image + k) % 3]}
        for image in range(6)
        for k in range(3)
    ]
    to_lines(folder / "set" / "rows.jsonl", questions)
    (folder / "map.toml").write_text(MAPPING, encoding="utf-8")
    commands.run("import", "vqa", folder / "set" / "rows.jsonl", "--mapping", folder / "map.toml", "--out", folder / "imported-data")
    imported = commands.model("imported", "--data", folder / "imported-data", *model)
    write_by_hand(folder / "joint-data", ("fields", "choice"), n=12)
    joint = commands.model("joint", "--data", folder / "joint-data", "--model", "simulated/random")
    partial_credit = commands.model("partial-credit", halves.id, "--n", 12, "--model", "simulated/random")
    commands.report(generated, imported, joint, partial_credit)
    return commands.files


def two_questions(scene: Scene) -> Question:
    """Where the dot of one colour is, and whether it is in the first image; each is half of the credit."""
    place = scene.hues.index(scene.asked)
    return Question(
        f"Where is the {scene.asked} dot, and is it in the first image?",
        JointAnswer((("where", Choice(scene.ways, place)), ("in the first image", YesNo(place == 0))), "share"),
    )


MAPPING = """
name = "toy"
title = "Toy set"
id = "id"
level = "size"
attributes = ["kind"]
[question]
column = "question"
[images]
columns = ["image"]
[options]
columns = ["A", "B", "C"]
[answer]
column = "answer"
forms = ["letter"]
"""

PARTS: dict[str, Callable[[Path, Patch], Files]] = {
    "help": help_texts,
    "refusals": refusals,
    "dataset": dataset,
    "plain": plain,
    "variants": variants,
    "adaptive": adaptive,
    "people": people,
    "faults": faults,
    "shared-images": shared_images,
}


def made_now(name: str) -> Files:
    """A part of the snapshot, made anew in a folder of its own."""
    with pytest.MonkeyPatch.context() as patched, tempfile.TemporaryDirectory() as folder:
        patched.delenv(private_seeds.VARIABLE, raising=False)
        patched.setenv("ISOVIST_PROGRESS_SECONDS", "0")
        return PARTS[name](Path(folder), patched)


# The comparison ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARTS)
def test_everything_is_as_in_the_snapshot(name: str) -> None:
    then = {path: content.decode() for path, content in contents(FOLDER / name).items()}
    found = list(differences(name, then, made_now(name)))
    if found:
        shown = "\n".join(found[:MOST_DIFFERENCES])
        told = f"{len(found)} differences from the snapshot. If users shall see them: python tests/test_snapshot.py"
        pytest.fail(f"{told}\n{shown}", pytrace=False)


def differences(name: str, then: Files, now: Files) -> Iterator[str]:
    """One line for each file, line or cell that differs."""
    for path in sorted({*then, *now}):
        place = f"{name}/{path}"
        if path not in now:
            yield f"{place}: this file is no longer written"
        elif path not in then:
            yield f"{place}: this file is new"
        elif path.endswith(".csv"):
            yield from table_differences(place, then[path], now[path])
        elif path.endswith(".json"):
            yield from value_differences(place, json.loads(then[path]), json.loads(now[path]))
        else:
            lines = unified_diff(then[path].splitlines(keepends=True), now[path].splitlines(keepends=True), n=0)
            yield from (f"{place}: {line.rstrip()}" for line in islice(lines, 2, None))  # the first two would name the files


def table_differences(place: str, then: str, now: str) -> Iterator[str]:
    """The differences between two CSV files, by row and column."""
    columns_then, *rows_then = csv.reader(io.StringIO(then))
    columns_now, *rows_now = csv.reader(io.StringIO(now))
    if columns_then != columns_now:
        gone, new = ([name for name in a if name not in b] for a, b in ((columns_then, columns_now), (columns_now, columns_then)))
        yield f"{place}: columns that are gone: {gone}, new: {new}, order then: {columns_then}, now: {columns_now}"
    if len(rows_then) != len(rows_now):
        yield f"{place}: then {len(rows_then)} rows, now {len(rows_now)}"
    for number, (row_then, row_now) in enumerate(zip(rows_then, rows_now, strict=False), 1):
        cells_now = dict(zip(columns_now, row_now, strict=True))
        for column, cell_then in zip(columns_then, row_then, strict=True):
            if column in cells_now and not same_cell(cell_then, cells_now[column]):
                yield f"{place}, row {number}, column {column}: then {cell_then}, now {cells_now[column]}"


def same_cell(then: str, now: str) -> bool:
    """Whether two cells are equal, or numbers of which one has a fraction and which are nearly equal."""
    if then == now:
        return True
    if then.lstrip("-").isdigit() and now.lstrip("-").isdigit():
        return False
    try:
        return nearly_equal(float(then), float(now))
    except ValueError:
        return False


def nearly_equal(then: float, now: float) -> bool:
    """Whether two numbers differ by at most one in the sixth digit, to which reports round them, or by as good as nothing."""
    digit = 10.0 ** (floor(log10(abs(then))) - 5) if then and isfinite(then) else 0.0
    return isclose(then, now, rel_tol=1e-6, abs_tol=max(1e-12, 1.01 * digit))


def value_differences(place: str, then: Any, now: Any) -> Iterator[str]:
    """The differences between two JSON values, by the names that lead to them."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in dict.fromkeys((*then, *now)):
            if name not in then or name not in now:
                yield f"{place}, {name}: {f'new, {now[name]}' if name in now else f'gone, {then[name]}'}"
            else:
                yield from value_differences(f"{place}, {name}", then[name], now[name])
    elif isinstance(then, float) and isinstance(now, float):
        if not nearly_equal(then, now):
            yield f"{place}: then {then}, now {now}"
    elif type(then) is not type(now) or then != now:
        yield f"{place}: then {then!r}, now {now!r}"


@pytest.mark.parametrize(
    ("path", "then", "now", "told"),
    [
        ("a.csv", "task,n\nx,1\n", "task,n\nx,2\n", ["a.csv, row 1, column n: then 1, now 2"]),
        ("a.csv", "n\n0.5\n", "n\n0.500001\n", []),
        ("a.csv", "n\n0.5\n", "n\n0.50001\n", ["a.csv, row 1, column n: then 0.5, now 0.50001"]),
        ("a.csv", "n\n1000000\n", "n\n1000001\n", ["a.csv, row 1, column n: then 1000000, now 1000001"]),
        ("a.csv", "n\n1\n", "n\n1\n0\n", ["a.csv: then 1 rows, now 2"]),
        ("a.csv", "n,m\n1,2\n", "n,k\n1,2\n", ["a.csv: columns that are gone: ['m'], new: ['k'], order then: ['n', 'm'], now: ['n', 'k']"]),
        ("a.json", '{"a": {"b": 0.5}}', '{"a": {"b": 0.500001}}', []),
        ("a.json", '{"a": {"b": 0.5}}', '{"a": {"b": 0.51}}', ["a.json, a, b: then 0.5, now 0.51"]),
        ("a.json", '{"a": 1}', '{"a": true}', ["a.json, a: then 1, now True"]),
        ("a.json", '{"a": 1}', '{"b": 1}', ["a.json, a: gone, 1", "a.json, b: new, 1"]),
        ("a.txt", "one\ntwo\n", "one\n", ["a.txt: @@ -2 +1,0 @@", "a.txt: -two"]),
    ],
)
def test_a_difference_is_told_with_its_place(path: str, then: str, now: str, told: list[str]) -> None:
    assert list(differences("part", {path: then}, {path: now})) == [f"part/{line}" for line in told]


def test_files_that_come_and_go_are_told() -> None:
    assert list(differences("part", {"a.csv": ""}, {"b.csv": ""})) == [
        "part/a.csv: this file is no longer written",
        "part/b.csv: this file is new",
    ]


def write() -> None:
    """Writes the snapshot anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name in PARTS:
        for path, text in made_now(name).items():
            (FOLDER / name / path).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / name / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
