"""The metrics of a log. Variants are not part of the accuracy: each has its own numbers beside it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, cast

from inspect_ai import scorer
from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, grouped, metric
from inspect_ai.scorer import Value as ScoreValue

from isovist.core.level_size import size
from isovist.evaluation.run.variants import family
from isovist.stats.clustered_means import clustered_mean
from isovist.stats.paired_differences import paired_difference
from isovist.stats.proportions import ConfidenceInterval, chance_corrected_accuracy

STANDARD = "standard"
"""The name of the standard condition in the metadata of a sample."""
_IMAGE_ABLATIONS = ("no-image", "blank-image", "mismatched-image")

K = TypeVar("K", bound=Hashable)


def _of(score: SampleScore, name: str, default: Any = None) -> Any:
    return (score.sample_metadata or {}).get(name, default)


def _variant(score: SampleScore) -> str:
    return _of(score, "variant", STANDARD)  # logs of earlier versions have no variants


def _level(score: SampleScore) -> str:
    return str(_of(score, "level"))


def _values(scores: Sequence[SampleScore]) -> list[float]:
    return [sample.score.as_float() for sample in scores]


def _groups(scores: Sequence[SampleScore], key: Callable[[SampleScore], K]) -> dict[K, list[SampleScore]]:
    groups: dict[K, list[SampleScore]] = {}
    for score in scores:
        groups.setdefault(key(score), []).append(score)
    return groups


def _standard(scores: Sequence[SampleScore]) -> list[SampleScore]:
    return [score for score in scores if _variant(score) == STANDARD]


def _interval(scores: Sequence[SampleScore]) -> ConfidenceInterval:
    """The 95% CI of the mean credit, as in reports."""
    return clustered_mean(_values(scores), [_of(score, "group") for score in scores])


def _above_chance(scores: Sequence[SampleScore]) -> float:
    return chance_corrected_accuracy(_values(scores), [float(_of(score, "chance")) for score in scores])


def _in_standard_condition(inner: Metric) -> Metric:
    """A metric over the items in the standard condition; NaN without any."""
    compute = cast("MetricProtocol", inner)

    def value(scores: list[SampleScore]) -> ScoreValue:
        items = _standard(scores)
        return compute(items) if items else float("nan")

    return value


@metric
def accuracy() -> Metric:
    """The mean credit in the standard condition."""
    return _in_standard_condition(scorer.accuracy())


@metric
def stderr() -> Metric:
    """The standard error of the accuracy; items that share an image or a scene are one cluster."""
    return _in_standard_condition(scorer.stderr(cluster="group"))


@metric
def interval() -> Metric:
    """The 95% CI of the accuracy."""

    def ends(scores: list[SampleScore]) -> ScoreValue:
        items = _standard(scores)
        interval = _interval(items) if items else ConfidenceInterval(float("nan"), float("nan"), float("nan"))
        return {"ci_lower": interval.low, "ci_upper": interval.high}

    return ends


@metric
def above_chance() -> Metric:
    """Chance-corrected accuracy: 0 is chance, 1 is perfect; each item has its own chance level."""

    def share(scores: list[SampleScore]) -> float:
        items = _standard(scores)
        return _above_chance(items) if items else float("nan")

    return share


@metric
def by_task() -> Metric:
    """The metrics of each task, under its id."""

    def each(scores: list[SampleScore]) -> ScoreValue:
        metrics: dict[str, float] = {}
        for id, task_scores in sorted(_groups(_standard(scores), lambda score: str(_of(score, "task"))).items()):
            interval = _interval(task_scores)
            metrics |= {
                id: interval.estimate,
                f"{id} ci_lower": interval.low,
                f"{id} ci_upper": interval.high,
                f"{id} above_chance": _above_chance(task_scores),
            }
        return cast("ScoreValue", metrics)

    return each


@metric
def by_level() -> Metric:
    """The accuracy at each of several difficulty levels: those of one task, or problem sizes. Other levels of two tasks do not compare."""
    each = cast("MetricProtocol", grouped(scorer.accuracy(), "level", all=False, name_template="level {group_name}"))

    def levels(scores: list[SampleScore]) -> ScoreValue:
        items = [score for score in _standard(scores) if _of(score, "level") is not None]
        items.sort(key=lambda score: (size(_level(score)) or 0, _level(score)))
        names = {_level(score) for score in items}
        is_comparable = len({_of(score, "task") for score in items}) == 1 or all(size(name) is not None for name in names)
        return each(items) if len(names) > 1 and is_comparable else {}

    return levels


@metric
def by_variant() -> Metric:
    """Each variant with its accuracy, and its difference to the standard condition on the same items with a 95% CI.

    All rotations of the options are one variant: an item counts with their mean, and in `all_correct` if it is correct in all of them
    and in the standard condition.
    """

    def each(scores: list[SampleScore]) -> ScoreValue:
        standard = {_of(score, "item"): score for score in _standard(scores)}
        metrics: dict[str, float] = {}
        for name, variant_scores in _groups(scores, lambda score: family(_variant(score))).items():
            by_item = _groups(variant_scores, lambda score: str(_of(score, "item")))
            pairs = [(standard[item], _values(trials)) for item, trials in by_item.items() if item in standard]
            if name == STANDARD or not pairs:
                continue
            values = [sum(trials) / len(trials) for _, trials in pairs]
            differences = [value - item.score.as_float() for value, (item, _) in zip(values, pairs, strict=True)]
            difference = paired_difference(differences, [_of(item, "group") for item, _ in pairs])
            metrics |= {
                name: sum(values) / len(values),
                f"{name} difference": difference.estimate,
                f"{name} difference ci_lower": difference.low,
                f"{name} difference ci_upper": difference.high,
            }
            if name not in _IMAGE_ABLATIONS:
                correct = [item.score.as_float() == 1 and all(credit == 1 for credit in trials) for item, trials in pairs]
                metrics[f"{name} all_correct"] = sum(correct) / len(correct)
        return cast("ScoreValue", metrics)

    return each


METRICS = (accuracy, stderr, interval, above_chance, by_task, by_level, by_variant)
