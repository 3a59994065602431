"""Items asked in other ways: what is sent, which key counts, and what the report makes of it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from conftest import TASKS
from PIL import Image
from scripted import Asked, Said, serving
from workbench import done, isovist, records, refused, stored

from isovist.common.errors import UserError
from isovist.core.answers import Choice, YesNo
from isovist.data.dataset.rows import ItemRow
from isovist.data.prompts import IMAGE
from isovist.evaluation.run.variants import VariantSettings, family, rotate_key, trials
from isovist.stats.paired_differences import paired_difference

ALL = VariantSettings(True, True, True, True, ("direct", "final-line"), 3)
OPTIONS = (
    "--no-image",
    "--blank-image",
    "--mismatched-image",
    "--circular-eval",
    "--compare-prompt-styles",
    "direct,final-line",
    "--epochs",
    3,
)
FAMILIES = {"no-image", "blank-image", "mismatched-image", "circular", "style:direct", "epoch"}


@pytest.fixture(scope="module")
def rows(data: Path) -> list[ItemRow]:
    return stored(data)


def size(image: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(image)).size


def options(prompt: str) -> list[str]:
    return [line[3:] for line in prompt.splitlines() if line[1:3] == ". " and line[0].isupper()]


# What is sent -----------------------------------------------------------------------------------------------------


def test_each_item_is_asked_as_it_is_and_once_in_each_variant(rows: list[ItemRow]) -> None:
    made = list(trials(rows, ALL, "final-line"))
    assert len({asking.trial_id for asking in made}) == len(made)
    for row in rows:
        mine = {asking.variant: asking for asking in made if asking.row is row}
        turns = [f"circular:{turn}" for turn in range(1, len(row.choices))]
        assert list(mine) == ["", "no-image", "blank-image", "mismatched-image", *turns, "style:direct", "epoch:2", "epoch:3"]
        plain = mine[""]
        assert (plain.prompt, plain.images, plain.key) == (row.prompt, row.images, row.key)
        for again in ("epoch:2", "epoch:3"):
            assert (mine[again].prompt, mine[again].images, mine[again].key) == (row.prompt, row.images, row.key)
        assert mine["no-image"].images == ()
        assert mine["no-image"].prompt == row.prompt.removeprefix(f"{IMAGE}\n")
        assert [size(image) for image in mine["blank-image"].images] == [size(image) for image in row.images]
        assert all((np.asarray(Image.open(io.BytesIO(image))) == 255).all() for image in mine["blank-image"].images)
        assert mine["style:direct"].prompt == row.prompt_in_style("direct") != row.prompt
        assert all(mine[name].key == row.key for name in mine if family(name) != "circular")


def test_a_swapped_picture_is_that_of_an_item_of_the_task_with_another_answer(rows: list[ItemRow]) -> None:
    drawn = {row.images: row for row in rows}
    for asking in trials(rows, VariantSettings(mismatched_image=True), "final-line"):
        if asking.variant:
            other = drawn[asking.images]
            assert (other.task, other.split) == (asking.row.task, asking.row.split)
            assert other.key.balance_bin() != asking.row.key.balance_bin()
            assert asking.prompt == asking.row.prompt


@pytest.mark.parametrize("n", [2, 31, 32, 33, 63, 64, 65, 130])
def test_every_item_finds_another_picture_however_many_there_are(tmp_path: Path, n: int) -> None:
    done("generate", "cdr/relative-spatial-letter", "--n", n, "--image-size", 96, "--out", tmp_path / "data", "--workers", 1)
    variant_trials = [
        asking for asking in trials(stored(tmp_path / "data"), VariantSettings(mismatched_image=True), "final-line") if asking.variant
    ]
    assert len(variant_trials) == n
    assert all(asking.images != asking.row.images for asking in variant_trials)


def test_rotations_show_every_option_in_every_place_and_the_key_goes_with_its_text(rows: list[ItemRow]) -> None:
    for row in rows:
        mine = list(trials([row], VariantSettings(circular_eval=True), "final-line"))
        k = len(row.choices)
        assert len(mine) == k
        places = Counter((place, option) for a in mine for place, option in enumerate(options(a.prompt)))
        assert set(places.values()) == {1}
        assert len(places) == k * k
        assert {a.key.canonical() for a in mine} == set("ABCDEFGHIJ"[:k])
        for a in mine:
            assert isinstance(a.key, Choice)
            assert a.key.options[a.key.truth] == row.key.balance_bin()
            assert options(a.prompt) == list(a.key.options)


def test_only_choices_have_options_to_turn() -> None:
    assert VariantSettings(circular_eval=True).names(YesNo(True), "final-line") == [""]
    assert rotate_key(YesNo(True), "circular:1") == YesNo(True)
    assert rotate_key(Choice(("a", "b", "c"), 0), "circular:1") == Choice(("b", "c", "a"), 2)
    assert rotate_key(Choice(("a", "b", "c"), 0), "no-image") == Choice(("a", "b", "c"), 0)


def test_the_server_is_sent_what_the_variant_says(data: Path, tmp_path: Path) -> None:
    def answer(asked: Asked) -> Said:
        return Said("Answer: A")

    with serving(answer) as server:
        done(
            "run",
            TASKS[1],
            "--data",
            data,
            "--model",
            "m",
            "--base-url",
            server.url,
            "--out",
            tmp_path / "run",
            "--n",
            4,
            "--no-image",
            "--epochs",
            2,
        )
        pictures = Counter(sum(isinstance(part, bytes) for part in asked.content) for asked in server.asked)
    assert pictures == {1: 8, 0: 4}
    assert Counter(record["variant"] for record in records(tmp_path / "run")) == {"": 4, "no-image": 4, "epoch:2": 4}
    for record in records(tmp_path / "run"):
        assert (record["image_hashes"] == []) == (record["variant"] == "no-image")


# Runs -------------------------------------------------------------------------------------------------------------


def test_variants_can_be_added_to_a_run_and_nothing_is_asked_twice(data: Path, tmp_path: Path) -> None:
    command = ("run", TASKS[1], "--data", data, "--model", "simulated/random", "--out", tmp_path / "run")
    done(*command)
    first = records(tmp_path / "run")
    assert "16 evaluated now" in done(*command, "--no-image").out
    assert "16 evaluated now" in done(*command, "--epochs", 2).out
    assert "0 evaluated now" in done(*command).out  # and what was added stays asked
    now = records(tmp_path / "run")
    assert now[: len(first)] == first
    assert Counter(record["variant"] for record in now) == {"": 16, "no-image": 16, "epoch:2": 16}


def test_rescore_gives_every_variant_the_verdict_it_had(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "run", *OPTIONS)
    before = records(tmp_path / "run")
    assert "0 changed" in done("rescore", tmp_path / "run").out
    assert records(tmp_path / "run") == before
    assert {family(record["variant"]) for record in before} == FAMILIES | {""}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--compare-prompt-styles", "direct,loud"), ("loud", "step-by-step")),
        (("--mismatched-image", "--n", 1), ("--mismatched-image", "Use more items")),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(
    data: Path, tmp_path: Path, more: tuple[object, ...], words: tuple[str, ...]
) -> None:
    refused(isovist("run", TASKS[1], "--data", data, "--model", "simulated/random", "--out", tmp_path / "run", *more), *words)
    assert not (tmp_path / "run" / "run.json").exists()


def test_swapping_among_items_of_one_answer_is_refused(rows: list[ItemRow]) -> None:
    same = [row for row in rows if row.task == TASKS[1] and row.key.balance_bin() == rows[N_FIRST].key.balance_bin()]
    with pytest.raises(UserError, match="another answer"):
        list(trials(same, VariantSettings(mismatched_image=True), "final-line"))


N_FIRST = 16  # the first row of the second task


# The report -------------------------------------------------------------------------------------------------------


def table(run: Path, out: Path) -> list[dict[str, str]]:
    done("report", run, "--out", out)
    return list(csv.DictReader(io.StringIO((out / "variants.csv").read_text(encoding="utf-8"))))


def test_the_report_compares_each_variant_with_the_item_as_it_is(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/random", "--out", tmp_path / "run", *OPTIONS)
    lines = table(tmp_path / "run", tmp_path / "report")
    assert {(line["task"], line["variant"]) for line in lines} == {(task, name) for task in TASKS for name in FAMILIES}
    by_item: dict[str, dict[str, float]] = {}
    for record in records(tmp_path / "run"):
        by_item.setdefault(record["item_id"], {})[record["variant"]] = record["credit"]
    for line in lines:
        mine = [values for item, values in by_item.items() if item.startswith(f"{line['task']}@")]
        varied = [fmean(v for name, v in values.items() if name and family(name) == line["variant"]) for values in mine]
        plain = [values[""] for values in mine]
        assert int(line["n"]) == len(mine)
        assert float(line["standard"]) == pytest.approx(fmean(plain), abs=1e-5)
        assert float(line["variant_accuracy"]) == pytest.approx(fmean(varied), abs=1e-5)
        assert float(line["difference"]) == pytest.approx(fmean(varied) - fmean(plain), abs=1e-5)
        assert float(line["ci_low"]) < float(line["difference"]) < float(line["ci_high"])
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert ">Variants</h3>" in page


def test_one_who_looks_falls_without_a_picture_and_one_who_does_not_stays(data: Path, tmp_path: Path) -> None:
    for model, expected in (("simulated/pixel-solver", -1.0), ("simulated/constant:B", 0.0)):
        done("run", TASKS[1], "--data", data, "--model", model, "--out", tmp_path / model[10:18], "--no-image", "--circular-eval")
        blind, turned = table(tmp_path / model[10:18], tmp_path / f"{model[10:18]}-report")
        assert float(blind["difference"]) == expected
        assert float(blind["agreement_rate"]) == 1 + expected
        assert float(turned["agreement_rate"]) == -expected  # who always says B says another option each time
    assert float(turned["variant_accuracy"]) == pytest.approx(1 / 8, abs=0.02)


def test_an_oracle_is_better_than_a_guesser_without_the_picture_and_the_first_screen_says_so(data: Path, tmp_path: Path) -> None:
    done("run", "--data", data, "--model", "simulated/oracle", "--out", tmp_path / "run", "--no-image")
    done("report", tmp_path / "run", "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Accuracy is above chance without the image content (no image) in all" in page


def test_a_comparison_is_withheld_while_a_verdict_is_missing(data: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    done("run", TASKS[1], "--data", data, "--model", "simulated/random", "--out", run, "--no-image")
    kept = [line for line in (run / "records.jsonl").read_text().splitlines() if '"no-image"' not in line or ":3#" not in line]
    (run / "records.jsonl").write_text("\n".join(kept) + "\n")
    (line,) = table(run, tmp_path / "report")
    assert (line["n"], line["n_unscored"]) == ("15", "1")
    assert "not reported (1 item not scored)" in (tmp_path / "report" / "report.md").read_text()


# The interval -----------------------------------------------------------------------------------------------------


def test_the_interval_is_that_of_bonett_and_price() -> None:
    """By their formula, from the four cells of a table of pairs."""
    for b, c, rest in [(3, 9, 28), (0, 5, 15), (0, 0, 30), (12, 0, 0)]:
        n = b + c + rest
        difference = paired_difference([1.0] * b + [-1.0] * c + [0.0] * rest, range(n))
        p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
        half = 1.959964 * ((p12 + p21 - (p12 - p21) ** 2) / (n + 2)) ** 0.5
        assert difference.estimate == pytest.approx((b - c) / n)
        assert difference.low == pytest.approx(min(difference.estimate, max(-1, p12 - p21 - half)), abs=1e-6)
        assert difference.high == pytest.approx(max(difference.estimate, min(1, p12 - p21 + half)), abs=1e-6)


@pytest.mark.parametrize(("up", "down", "n", "share"), [(0.3, 0.1, 40, 1), (0.02, 0.02, 100, 1), (0.5, 0.0, 25, 1), (0.3, 0.1, 40, 4)])
def test_the_interval_holds_the_truth_as_often_as_it_says(up: float, down: float, n: int, share: int) -> None:
    """Also where `share` items come from one picture and all go the same way."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(600):
        drawn = np.repeat(rng.choice([1.0, -1.0, 0.0], size=n, p=[up, down, 1 - up - down]), share)
        difference = paired_difference(drawn.tolist(), np.repeat(np.arange(n), share).tolist())
        held += difference.low <= up - down <= difference.high
    assert held / 600 >= 0.925


def test_no_differences_say_nothing() -> None:
    assert (paired_difference([], []).low, paired_difference([], []).high) == (-1.0, 1.0)
    with pytest.raises(ValueError, match="groups"):
        paired_difference([1.0], [])


def test_options_that_are_drawn_cannot_be_turned_and_nothing_is_written(tmp_path: Path) -> None:
    for task in ("srbench/mrt-easy", "perceptv/counting-circles"):
        refused(
            isovist("run", task, "--circular-eval", "--model", "simulated/random", "--out", tmp_path / "run"),
            "--circular-eval",
            "Remove it",
        )
        assert not (tmp_path / "run").exists()
    done(
        "run",
        "srbench/mrt-easy",
        "cdr/relative-compass-letter",
        "--n",
        4,
        "--circular-eval",
        "--model",
        "simulated/oracle",
        "--out",
        tmp_path / "run",
    )
    asked = [record["item_id"].partition("/")[0] for record in records(tmp_path / "run") if record["variant"]]
    assert asked == ["cdr"] * 7 * 4
