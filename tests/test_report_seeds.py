"""Several seeds of one model in a report: mean and standard error by task and level."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from recount import lines_of, page
from scripted import Asked, Said, serving
from workbench import done, records, stored

TASKS = ("srbench/maze-nav-turns", "cdr/relative-compass-letter")
SEEDS = (42, 1998, 107983)


def test_mean_and_standard_error_over_three_seeds(tmp_path: Path) -> None:
    for seed in SEEDS:
        done("run", *TASKS, "--n", 24, "--seed", seed, "--model", "simulated/random", "--out", tmp_path / str(seed))
    done("report", *(tmp_path / str(seed) for seed in SEEDS), "--out", tmp_path / "report")
    assert len(lines_of(tmp_path / "report")) == len(TASKS)  # one run of three seeds
    scored = [[(record["item_id"], record["credit"]) for record in records(tmp_path / str(seed))] for seed in SEEDS]
    lines = lines_of(tmp_path / "report", "seeds.csv")
    assert [line["task"] for line in lines if not line["level"]] == sorted(TASKS)
    for line in lines:
        assert (line["seeds_of"], line["seeds"]) == ("items", "42 1998 107983")
        if not line["level"]:
            shares = [fmean(credit for item, credit in each if item.startswith(line["task"] + "@")) for each in scored]
            assert len(set(shares)) > 1
            assert float(line["mean"]) == pytest.approx(fmean(shares), abs=1e-5)
            assert float(line["standard_error"]) == pytest.approx(pstdev(shares) / 2**0.5, abs=1e-5)  # of three: s / sqrt 3
    assert sum(line["level"] != "" for line in lines) == 6  # the levels of the mazes; the other task has one
    assert "Variation across seeds" in (tmp_path / "report" / "index.html").read_text()
    shown = page(tmp_path / "report").table("Standard error")
    assert [row["Level"] for row in shown if row["Task"] == TASKS[1]] == ["all"]


def test_one_seed_has_no_standard_error(tmp_path: Path) -> None:
    for name in ("a", "b"):
        done("run", TASKS[1], "--n", 8, "--model", "simulated/random", "--out", tmp_path / name)
    done("report", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "report")
    assert lines_of(tmp_path / "report", "seeds.csv") == []
    assert "Variation across seeds" not in (tmp_path / "report" / "index.html").read_text()


def sampled(data: Path, out: Path, sampling_seed: int, *more: object, port: int = 0) -> Path:
    """A run of a model whose answers depend on the prompt and on the sampling seed."""

    def letter(asked: Asked) -> Said:
        digest = blake2b(f"{asked.body.get('seed')} {asked.body['messages']}".encode()).digest()
        return Said(f"Answer: {'AB'[digest[0] % 2]}")

    with serving(letter, port) as server:
        done(
            *("run", "--data", data, "--model", "m", "--base-url", server.url, "--temperature", 1),
            *("--sampling-seed", sampling_seed, "--out", out, *more),
        )
    return out


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("items") / "data"
    done("generate", *TASKS, "--n", 12, "--out", data)
    return data


def test_mean_and_standard_error_over_decoding_seeds(items: Path, tmp_path: Path) -> None:
    runs = [sampled(items, tmp_path / str(seed), seed, "--epochs", 2) for seed in (1998, 42, 107983)]
    done("report", *runs, "--out", tmp_path / "report")
    lines = lines_of(tmp_path / "report", "seeds.csv")
    assert {(line["model"], line["seeds_of"], line["seeds"]) for line in lines} == {("m", "decoding", "42 1998 107983")}
    assert [line["task"] for line in lines if not line["level"]] == sorted(TASKS)
    levels = {row.id: row.level for task in TASKS for row in stored(items, task)}
    assert sum(line["level"] != "" for line in lines) == 6  # the levels of the mazes; the other task has one
    errors: dict[str, float] = {}
    for line in lines:
        shares = [
            fmean(
                record["credit"]
                for record in records(run)
                if not record["variant"]  # not the repetition
                and record["item_id"].startswith(line["task"] + "@")
                and line["level"] in ("", levels[record["item_id"]])
            )
            for run in runs
        ]
        assert float(line["mean"]) == pytest.approx(fmean(shares), abs=1e-5)
        assert float(line["standard_error"]) == pytest.approx(pstdev(shares) / 2**0.5, abs=1e-5)
        errors |= {line["task"]: float(line["standard_error"])} if not line["level"] else {}
    assert max(errors.values()) > 0
    task = max(errors, key=lambda name: errors[name])
    said = f"Largest standard error across seeds of decoding: {100 * errors[task]:.1f} percentage points ({task})."
    assert said in (tmp_path / "report" / "report.md").read_text()
    assert {row["Seeds of"] for row in page(tmp_path / "report").table("Standard error")} == {"decoding"}


def test_only_runs_that_differ_in_the_decoding_seed_alone_are_one_group(items: Path, tmp_path: Path) -> None:
    limited = [sampled(items, tmp_path / f"limited-{seed}", seed, "--n", 6) for seed in (1, 2)]
    direct = sampled(items, tmp_path / "direct", 3, "--n", 6, "--prompt-style", "direct")
    other = sampled(items, tmp_path / "other", 4)
    repeated = sampled(items, tmp_path / "repeated", 2, "--n", 6)

    def groups(*runs: Path) -> list[tuple[str, str]]:
        done("report", *runs, "--out", tmp_path / "report")
        return [(line["model"], line["seeds"]) for line in lines_of(tmp_path / "report", "seeds.csv") if line["task"] == TASKS[1]]

    assert groups(limited[0], direct, other) == []  # another prompt style, other items
    assert groups(limited[1], repeated) == []  # one seed
    assert groups(limited[0], direct, limited[1], other, repeated) == [("m", "1 2")]
    direct_too = sampled(items, tmp_path / "direct-too", 5, "--n", 6, "--prompt-style", "direct")
    assert groups(*limited, direct, direct_too) == [("m (limited-1), m (limited-2)", "1 2"), ("m (direct), m (direct-too)", "3 5")]


def test_decoding_seeds_of_several_item_seeds_are_of_pooled_runs(tmp_path: Path) -> None:
    for seed in (1, 2):
        done("generate", TASKS[1], "--n", 6, "--seed", seed, "--out", tmp_path / f"data-{seed}")
    with serving(lambda asked: Said()) as server:
        port = int(server.url.split(":")[2].partition("/")[0])  # runs are pooled if they have the same server
    runs = [
        sampled(tmp_path / f"data-{seed}", tmp_path / f"{seed}-{decoding}", decoding, port=port) for seed in (1, 2) for decoding in (7, 8)
    ]
    done("report", *runs, "--out", tmp_path / "report")
    lines = lines_of(tmp_path / "report", "seeds.csv")
    assert [(line["model"], line["seeds_of"], line["seeds"]) for line in lines] == [
        ("m (1-7)", "items", "1 2"),
        ("m (1-8)", "items", "1 2"),
        ("m", "decoding", "7 8"),
    ]
    shares = [fmean(record["credit"] for seed in (1, 2) for record in records(tmp_path / f"{seed}-{decoding}")) for decoding in (7, 8)]
    assert float(lines[2]["mean"]) == pytest.approx(fmean(shares), abs=1e-5)
