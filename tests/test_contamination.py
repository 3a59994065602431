"""`isovist contamination`: what is compared, what is refused, and how often the test is right."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from workbench import Ended, edit, isovist, refused

import isovist as api
from isovist.evaluation.run.run_folder import data_hash
from isovist.reporting.analysis.contamination import contamination
from isovist.reporting.reports.contamination import facts, headline
from isovist.stats.independent_differences import Stratum, independent_difference

TASKS = ("cdr/object-classification-letter", "perceptv/colours-present")
N = 60


def share(prompt: str, images: Sequence[Image.Image]) -> float:
    """A number in [0, 1) from what the model is shown."""
    return blake2b(b"".join([prompt.encode(), *(image.tobytes() for image in images)]), digest_size=1).digest()[0] / 256


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of a model that has memorised most items of seed 0, by their pixels and prompt."""
    folder = tmp_path_factory.mktemp("contamination")
    known = {
        (item.prompt, *(image.tobytes() for image in item.images)): item.answer.canonical()
        for task in TASKS
        for item in api.generate(task, n=N, seed=0)
    }

    def memorising(images: list[Image.Image], prompt: str) -> str:
        key = known.get((prompt, *(image.tobytes() for image in images)))
        return f"Answer: {key if key is not None and share(prompt, images) < 0.8 else 'A'}"

    for seed, n in ((0, N), (1, N), (2, N // 2), (3, N // 2)):
        api.evaluate(memorising, list(TASKS), n=n, seed=seed, out=folder / str(seed), progress=False)
    return folder


def compared(public: Sequence[Path], private: Sequence[Path], *more: object) -> Ended:
    options = [each for path in public for each in ("--public", path)] + [each for path in private for each in ("--private", path)]
    return isovist("contamination", *options, *more)


# The command ------------------------------------------------------------------------------------------------------


def test_a_memorising_model_is_found(runs: Path, tmp_path: Path) -> None:
    ended = compared([runs / "0"], [runs / "1"], "--json", "--csv", tmp_path / "table.csv")
    assert ended.code == 0, ended
    assert "evidence of memorised items" in ended.err
    found = json.loads(ended.out)
    assert found["model"] == "python/memorising"
    rows = {row["name"]: row for row in found["differences"]}
    assert [row["scope"] for row in found["differences"]] == ["all", "suite", "suite", "task", "task"]
    whole = rows["all tasks"]
    assert whole["difference"]["low"] > 0.3
    assert whole["p_adjusted"] == whole["p"] < 1e-6
    assert whole["difference"]["estimate"] == pytest.approx(np.mean([rows[task]["difference"]["estimate"] for task in TASKS]), abs=1e-5)
    for name, row in rows.items():
        assert row["difference"]["estimate"] == pytest.approx(row["accuracy_public"] - row["accuracy_private"], abs=1e-5), name
        assert row["p"] <= row["p_adjusted"] <= 2 * row["p"]
    with (tmp_path / "table.csv").open() as file:
        assert [row["name"] for row in csv.DictReader(file)] == list(rows)


def test_fresh_seeds_do_not_differ_and_nothing_is_proved(runs: Path) -> None:
    ended = compared([runs / "2"], [runs / "1"])
    assert ended.code == 0
    assert "This does not prove that there is no contamination." in ended.out
    assert "may remain undetected" in ended.out


def test_runs_of_several_seeds_are_one_set(runs: Path) -> None:
    result = contamination([runs / "0"], [runs / "2", runs / "3"])
    assert (result.whole.n_public, result.whole.n_private) == (2 * N, 2 * N)
    assert result.whole.p < 1e-6


def test_the_accuracies_are_those_of_the_runs(runs: Path) -> None:
    result = contamination([runs / "1"], [runs / "0"])  # the wrong way round
    assert result.whole.p > 0.999
    assert result.whole.comparison.difference.high < -0.3
    for task in result.tasks:
        for path, mean in ((runs / "1", task.comparison.mean_a), (runs / "0", task.comparison.mean_b)):
            credits_ = [row["credit"] for row in api.load_run(path).results().arrow.to_pylist() if row["task"] == task.name]
            assert len(credits_) == N
            assert mean == pytest.approx(np.mean(credits_))


# What is refused --------------------------------------------------------------------------------------------------


def test_sets_that_cannot_be_compared_are_refused(runs: Path, tmp_path: Path, data: Path) -> None:
    refused(compared([runs / "0"], [runs / "0"]), "The same run is given 2 times", str(runs / "0"))
    refused(compared([runs / "0"], [tmp_path]), "no run")

    def always(images: list[Image.Image], prompt: str) -> str:
        return "Answer: A"

    def run(name: str, *tasks: str, model: str = "python/memorising", **more: object) -> Path:
        return api.evaluate(always, tasks or TASKS, name=model, out=tmp_path / name, progress=False, **{"n": 4, "seed": 5, **more}).path  # type: ignore[arg-type]

    refused(compared([runs / "0"], [run("other", model="other")]), "Different model", "another --seed")
    refused(compared([runs / "0"], [run("same seed", seed=0)]), "8 items in common", f"{TASKS[0]}@")
    refused(compared([runs / "0"], [run("one task", TASKS[0])]), f"Only the public runs have {TASKS[1]}")
    refused(compared([runs / "0"], [run("train", split="train")]), "runs have")
    refused(compared([runs / "0"], [run("small", image_size=300)]), "Different settings of")
    refused(compared([runs / "0"], [run("style", prompt_style="direct")]), "Different style")
    refused(compared([run("twice", seed=6), run("again", seed=6, n=3)], [runs / "0"]), "6 items in common")


def test_imported_items_and_other_versions_are_refused(runs: Path, copied: Callable[[Path], Path]) -> None:
    for version, words in ((0, "Imported items"), (99, "Different version")):
        run = copied(runs / "1")
        edit(run / "data" / "isovist.json", lambda manifest, version=version: manifest["parts"][0].update(version=version))
        edit(run / "run.json", lambda info, run=run: info.update(data_hash=data_hash(run / "data")))
        public = runs / "0"
        if not version:
            public = copied(public)
            edit(public / "data" / "isovist.json", lambda manifest: manifest["parts"][0].update(version=0))
            edit(public / "run.json", lambda info, public=public: info.update(data_hash=data_hash(public / "data")))
        refused(compared([public], [run], "--no-verify"), words)
        shutil.rmtree(run.parent)


def test_request_errors_are_excluded_and_named(runs: Path, tmp_path: Path) -> None:
    def fails(images: list[Image.Image], prompt: str) -> str:
        if share(prompt, images) < 0.5:
            raise ValueError
        return "Answer: A"

    api.evaluate(fails, TASKS, name="python/memorising", n=20, seed=9, max_attempts=1, out=tmp_path / "run", progress=False)
    result = contamination([runs / "1"], [tmp_path / "run"])
    assert 0 < result.n_unscored[1] < 40
    assert result.whole.n_private == 40 - result.n_unscored[1]
    assert any("private items excluded, not scored" in fact for fact in facts(result))


def test_unparsed_responses_are_named(runs: Path, tmp_path: Path) -> None:
    api.evaluate(lambda images, prompt: "?", TASKS, name="python/memorising", n=20, seed=9, out=tmp_path / "run", progress=False)
    result = contamination([runs / "1"], [tmp_path / "run"])
    assert any(fact.startswith("Unparsed responses to private items: 40 of 40") for fact in facts(result))


def test_a_pair_of_items_says_little(tmp_path: Path) -> None:
    for seed in (0, 1):
        api.evaluate("simulated/oracle", [TASKS[0]], n=1, seed=seed, out=tmp_path / str(seed), progress=False)
    result = contamination([tmp_path / "0"], [tmp_path / "1"])
    assert (result.whole.comparison.difference.low, result.whole.comparison.difference.high) == (-1, 1)
    assert result.whole.p == 1
    assert "may remain undetected" in " ".join(headline(result))


# The statistic ----------------------------------------------------------------------------------------------------


def simulated(
    memorised: float, *, accuracies: Sequence[float] = (0.9, 0.6, 0.3), tasks: int = 5, n: int = 20, cluster: int = 1, runs: int = 200
) -> tuple[float, float, float]:
    """Of runs in which public items are memorised with a probability: the share of significant ones, of intervals that hold the true
    difference, and the mean detectable difference. Items of a cluster have the same outcome with probability 1/2.
    """
    rng = np.random.default_rng(7)
    significant = held = detectable = 0.0
    truth = memorised * float(np.mean([1 - accuracy for accuracy in accuracies]))

    def outcomes(accuracy: float, memorised: float) -> list[float]:
        shared = (rng.random(-(-n // cluster)) < accuracy).repeat(cluster)[:n]
        answered = np.where(rng.random(n) < (0.5 if cluster > 1 else 0), shared, rng.random(n) < accuracy)
        return (answered | (rng.random(n) < memorised)).astype(float).tolist()

    for _ in range(runs):
        strata = [
            Stratum(
                1,
                outcomes(accuracy, memorised),
                [("a", task, accuracy, i // cluster) for i in range(n)],
                outcomes(accuracy, 0),
                [("b", task, accuracy, i // cluster) for i in range(n)],
            )
            for task in range(tasks)
            for accuracy in accuracies
        ]
        found = independent_difference(strata)
        significant += found.p_greater < 0.05
        held += found.difference.low <= truth <= found.difference.high
        detectable += found.detectable
    return significant / runs, held / runs, detectable / runs


@pytest.mark.parametrize("cluster", [1, 4])
@pytest.mark.parametrize("accuracies", [(0.5,), (0.9, 0.6, 0.3), (0.97,)])
def test_false_positives_and_coverage(accuracies: tuple[float, ...], cluster: int) -> None:
    significant, held, _ = simulated(0, accuracies=accuracies, cluster=cluster)
    assert significant <= 0.09  # 5% and 2.6 standard errors
    assert held >= 0.91


def test_power_is_that_of_the_detectable_difference() -> None:
    *_, detectable = simulated(0)
    memorised = detectable / 0.4  # the mean share of incorrect responses
    significant, held, _ = simulated(memorised)
    assert 0.7 <= significant <= 0.9
    assert held >= 0.91
    assert simulated(3 * memorised, runs=50)[0] > 0.99


def test_levels_are_strata() -> None:
    """More public items of the easy level are no difference."""
    easy, hard = [1.0] * 9 + [0.0], [1.0] * 3 + [0.0] * 7
    strata = [
        Stratum(1, easy * 6, range(60), easy, range(100, 110)),
        Stratum(1, hard, range(200, 210), hard * 6, range(300, 360)),
    ]
    found = independent_difference(strata)
    assert found.difference.estimate == pytest.approx(0)
    assert found.p_greater > 0.3


def test_a_shared_cluster_is_no_independent_evidence() -> None:
    """The same images in both sets: their common part is no error of the difference."""
    a, b = [1.0, 0.0] * 20, [1.0, 0.0] * 20
    paired = independent_difference([Stratum(1, a, range(40), b, range(40))]).difference
    apart = independent_difference([Stratum(1, a, range(40), b, range(40, 80))]).difference
    assert paired.high - paired.low < (apart.high - apart.low) / 2


def test_items_of_few_clusters_are_marked() -> None:
    found = independent_difference([Stratum(1, [1.0] * 40, [i % 4 for i in range(40)], [0.0] * 40, [10 + i % 4 for i in range(40)])])
    assert found.difference.too_few_clusters
    one = independent_difference([Stratum(1, [1.0] * 40, [0] * 40, [0.0] * 40, range(40))])
    assert (one.difference.low, one.difference.high, one.p_greater, one.detectable) == (-1, 1, 1, 1)


def test_nothing_to_compare() -> None:
    for strata in ([], [Stratum(1, [], [], [1.0], [1])]):
        with pytest.raises(ValueError, match="no stratum"):
            independent_difference(strata)


credits_of = st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.floats(0.1, 2), credits_of, credits_of), min_size=1, max_size=4))
def test_the_two_sides_are_treated_alike(drawn: list[tuple[float, list[float], list[float]]]) -> None:
    strata = [
        Stratum(weight, a, [("a", k, i) for i in range(len(a))], b, [("b", k, i) for i in range(len(b))])
        for k, (weight, a, b) in enumerate(drawn)
    ]
    turned = [Stratum(s.weight, s.b, s.groups_b, s.a, s.groups_a) for s in strata]
    one, other = independent_difference(strata), independent_difference(turned)
    assert one.difference.low <= one.difference.estimate <= one.difference.high
    assert one.difference.estimate == pytest.approx(-other.difference.estimate, abs=1e-12)
    assert one.difference.low == pytest.approx(-other.difference.high, abs=1e-9)
    if one.p_greater < 1:
        assert one.p_greater == pytest.approx(1 - other.p_greater, abs=1e-9)
