"""Up to which size a task is done: where accuracy falls as things become more.

That it falls is tested by the slope of the credits, each less its item's chance, over the logarithm of size, with the spread of the
groups' sums (one-sided: a guesser's slope is none, and a weak model's is none or upwards, since guessing helps less where answers are
more). Where it falls to half is fitted (`stats.thresholds`), and told only if it lies within the sizes that were asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log, sqrt

from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.response_bias import always_the_same
from isovist.analysis.scored_item import ScoredItem
from isovist.analysis.text_format import percent
from isovist.stats.psychometric_function import LevelCounts, fit_threshold

_SIZES = 4  # without which a fall is no curve
_GROUPS = 20  # without which their spread is not known well
LEAST = 0.15
"""Of credit, by how much accuracy beyond the threshold is lower than up to it, at least."""


def detect_size_thresholds(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each task with sizes."""
    for task, evidence in tasks.items():
        by_size: dict[int, list[ScoredItem]] = {}
        for item in evidence:
            if item.level.isdecimal() and int(item.level):
                by_size.setdefault(int(item.level), []).append(item)
        items = [item for size_items in by_size.values() for item in size_items]
        if len(by_size) < _SIZES or len({item.group for item in items}) < _GROUPS or always_the_same(items):
            continue
        p = _falls(items)
        estimate = fit_threshold(
            [
                LevelCounts(size, len(size_items), _credit(size_items), sum(item.chance for item in size_items) / len(size_items))
                for size, size_items in by_size.items()
            ]
        )
        if estimate is None or estimate.threshold is None:
            yield Finding("size-threshold", (task,), "", len(items), 0.0, 0.0, 1.0)
            continue
        up_to = [size_items for size, size_items in by_size.items() if size <= estimate.threshold]
        beyond = [size_items for size, size_items in by_size.items() if size > estimate.threshold]
        before, after = _mean(up_to), _mean(beyond)
        ends = f"{_end(estimate.low, f'below {estimate.smallest}')} to {_end(estimate.high, f'above {estimate.largest}')}"
        words = (
            f"It is right up to about size {floor(estimate.threshold)} in {task.partition('/')[2]}: {percent(before)} up to there, {percent(after)} "
            f"beyond (half-way to chance at {estimate.threshold:.1f}, 95 % interval {ends})."
        )
        p = p if before - after >= LEAST else 1.0
        yield Finding("size-threshold", (task,), words, len(items), after, before, p, sum(map(len, beyond)) * (before - after))


def _credit(items: Sequence[ScoredItem]) -> float:
    return sum(item.value for item in items)


def _mean(sizes: Sequence[Sequence[ScoredItem]]) -> float:
    """The mean share over sizes: of adaptive runs, which ask some sizes more often because of what they answered, not that over items."""
    return sum(_credit(size_items) / len(size_items) for size_items in sizes) / max(1, len(sizes))


def _end(size: float | None, outside: str) -> str:
    return outside if size is None else f"{size:.1f}"


def _falls(items: Sequence[ScoredItem]) -> float:
    """The one-sided p-value of a slope downwards."""
    from scipy.stats import t

    sizes = [log(int(item.level)) for item in items]
    middle, mean = sum(sizes) / len(items), sum(item.value - item.chance for item in items) / len(items)
    reach = sum((x - middle) ** 2 for x in sizes)
    slope = sum((x - middle) * (item.value - item.chance - mean) for x, item in zip(sizes, items, strict=True)) / reach
    sums: dict[str, float] = {}
    alone = 0.0
    for x, item in zip(sizes, items, strict=True):
        rest = item.value - item.chance - mean - slope * (x - middle)
        sums[item.group] = sums.get(item.group, 0.0) + (x - middle) * rest
        alone += rest * rest
    grouped = sqrt(sum(total * total for total in sums.values()) * len(sums) / (len(sums) - 2)) / reach
    spread = max(grouped, sqrt(alone / (len(items) - 2) / reach))  # groups may hide what a few right answers at one end weigh
    return float(t.cdf(slope / spread, len(sums) - 2)) if spread else float(slope >= 0)
