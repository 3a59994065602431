"""The report sets tasks on renders beside the same tasks on photographs, by model and over models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import pytest
from recount import lines_of
from scipy.stats import kendalltau, t
from test_upright import folder as upright_photos
from workbench import done, records, stored

from isovist.stats.paired_differences import mean_difference, rank_correlation

TASK, ON_PHOTOGRAPHS = "dori/canonical-orientation", "dori-photos/canonical-orientation"
MODELS = ("oracle", "random", "constant:A", "constant:B", "deficit:mirror-blind")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each model on 12 renders and 24 photographs, in two run folders."""
    pytest.importorskip("numba")
    path = tmp_path_factory.mktemp("photographs")
    done("generate", TASK, "--n", 12, "--image-size", 192, "--out", path / "renders")
    done("import", "upright", upright_photos(path / "photos", 12), "--out", path / "photographs")
    for model in MODELS:
        for data in ("renders", "photographs"):
            done("run", "--data", path / data, "--model", f"simulated/{model}", "--out", path / f"{model.replace(':', '-')}-{data}")
    return path


def report(runs: Path, models: Sequence[str], out: Path) -> Path:
    named = [model.replace(":", "-") for model in models]
    done("report", *(runs / f"{model}-{data}" for model in named for data in ("renders", "photographs")), "--out", out)
    return out


@pytest.fixture(scope="module")
def whole(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on all models."""
    return report(runs, MODELS, tmp_path_factory.mktemp("whole"))


def test_each_model_has_the_difference_of_both_accuracies(runs: Path, whole: Path) -> None:
    lines = lines_of(whole, "photographs.csv")
    assert [line["task"] for line in lines] == [TASK] * len(MODELS)
    levels = {row.id: row.level for data in ("renders", "photographs") for row in stored(runs / data)}
    for line, model in zip(lines, MODELS, strict=True):
        assert model in line["model"]
        means = {}
        for data in ("renders", "photographs"):
            of_run = records(runs / f"{model.replace(':', '-')}-{data}")
            by_level = [[one["credit"] for one in of_run if levels[one["item_id"]] == level] for level in ("coarse", "granular")]
            means[data] = fmean(fmean(each) for each in by_level)
        assert float(line["accuracy_renders"]) == pytest.approx(means["renders"], abs=1e-5)
        assert float(line["accuracy_photographs"]) == pytest.approx(means["photographs"], abs=1e-5)
        assert float(line["difference"]) == pytest.approx(means["photographs"] - means["renders"], abs=1e-5)
        assert float(line["ci_low"]) < float(line["difference"]) < float(line["ci_high"]) or "oracle" in model
        assert (line["n_renders"], line["n_photographs"]) == ("12", "24")


def test_over_models_it_gives_the_mean_difference_and_the_agreement_of_ranks(whole: Path) -> None:
    lines = lines_of(whole, "photographs.csv")
    (over,) = lines_of(whole, "photographs_over_models.csv")
    assert over["models"] == str(len(MODELS))
    assert float(over["mean_difference"]) == pytest.approx(fmean(float(line["difference"]) for line in lines), abs=1e-5)
    both = [[float(line[f"accuracy_{kind}"]) for line in lines] for kind in ("renders", "photographs")]
    assert float(over["kendall_tau"]) == pytest.approx(kendalltau(*both).statistic, abs=0.005)
    assert "Renders and photographs" in (whole / "report.md").read_text(encoding="utf-8")


def test_one_model_has_no_agreement_and_its_difference_is_the_takeaway(runs: Path, tmp_path: Path) -> None:
    out = report(runs, ("random",), tmp_path / "report")
    assert not (out / "photographs_over_models.csv").exists()
    assert "Accuracy on photographs minus that on renders:" in (out / "report.md").read_text(encoding="utf-8")


def test_without_photographs_there_is_no_such_part(runs: Path, tmp_path: Path) -> None:
    done("report", runs / "random-renders", "--out", tmp_path / "report")
    assert not (tmp_path / "report" / "photographs.csv").exists()


def test_the_interval_over_models_is_students() -> None:
    values = [0.1, -0.05, 0.02, 0.2]
    found = mean_difference(values)
    assert found is not None
    spread = (sum((value - fmean(values)) ** 2 for value in values) / 3) ** 0.5
    assert found.high - found.estimate == pytest.approx(float(t.ppf(0.975, 3)) * spread / 2)
    assert mean_difference(values[:2]) is None


def test_ranks_need_four_models_that_differ() -> None:
    assert rank_correlation([1, 2, 3], [1, 2, 3]) is None
    assert rank_correlation([1, 2, 3, 4], [5, 5, 5, 5]) is None
    opposite = rank_correlation([1, 2, 3, 4], [4, 3, 2, 1])
    assert opposite is not None
    assert opposite.tau == pytest.approx(-1)
    assert opposite.p == pytest.approx(2 / 24)  # two of the 24 orders
    with pytest.raises(ValueError, match="3 and 4"):
        rank_correlation([1, 2, 3], [1, 2, 3, 4])
