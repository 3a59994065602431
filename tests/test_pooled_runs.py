"""Pooling: run folders that are parts of one evaluation are one run; repetitions and other designs are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import done

from isovist.evaluation.run.verification import Verifier
from isovist.reporting.analysis.runs import load_runs

TASK, OTHER = "cdr/relative-spatial-letter", "cdr/relative-compass-letter"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("runs")
    arguments = {
        "first": (TASK,),
        "seed": (TASK, "--seed", 1),
        "task": (OTHER, "--seed", 2),
        "again": (TASK,),
        "style": (TASK, "--seed", 3, "--prompt-style", "direct"),
        "size": (TASK, "--seed", 4, "--image-size", 400),
    }
    for name, options in arguments.items():
        done("run", *options, "--n", 6, "--model", "simulated/random", "--workers", 1, "--out", home / name)
    return {name: home / name for name in arguments}


@pytest.mark.parametrize(
    ("names", "sizes"),
    [
        (["first", "seed", "task"], [18]),
        (["task", "first"], [12]),
        (["first", "seed", "again"], [6, 6, 6]),  # it is not known to which repetition the other seed belongs
        (["first", "style"], [6, 6]),
        (["first", "size"], [6, 6]),
        (["style", "first", "seed"], [6, 12]),
    ],
)
def test_parts_of_one_evaluation_are_one_run(folders: dict[str, Path], names: list[str], sizes: list[int]) -> None:
    runs = load_runs([folders[name] for name in names], Verifier(verify=False))
    assert [len(run.rows.items) for run in runs] == sizes
    assert len({run.name for run in runs}) == len(runs)


def test_pooling_leaves_as_many_runs_as_needed(folders: dict[str, Path]) -> None:
    runs = load_runs([folders["first"], folders["seed"]], Verifier(verify=False), least=2)
    assert [len(run.rows.items) for run in runs] == [6, 6]
