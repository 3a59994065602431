"""Numbers and names in the sentences of findings and reports."""

from __future__ import annotations

from collections.abc import Sequence

MAX_NAMES = 3  # tasks in a sentence


def percent(share: float) -> str:
    """A share in whole per cent; with one decimal below 2% and above 98%."""
    value = 100 * share
    return f"{value:.1f}%" if 0 < value < 2 or 98 < value < 100 else f"{value:.0f}%"


def observed_rate(n_observed: int, n: int, noun: str, expected: float) -> str:
    """For example "190 of 260 errors (73%; 14% expected by chance)"."""
    return f"{n_observed:,} of {n:,} {noun} ({percent(n_observed / max(1, n))}; {percent(expected)} expected by chance)"


def join_names(names: Sequence[str], conjunction: str = "and") -> str:
    """Names in a sentence, such as "a, b and c"; raises IndexError for none."""
    return f" {conjunction} ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def pluralize(n: int, noun: str, plural: str = "") -> str:
    """A number with its noun, such as "1 item" and "2,000 items". `plural`: of an irregular noun."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def task_name(task: str) -> str:
    """The name of a task without its suite."""
    return task.partition("/")[2] or task


def in_tasks(tasks: Sequence[str]) -> str:
    """Tasks in a sentence, the first few of many: "in mrt-easy and mrt-hard"; empty for none."""
    if not tasks:
        return ""
    names = [task_name(task) for task in tasks]
    if len(names) > MAX_NAMES + 1:
        names = [*names[:MAX_NAMES], f"{len(names) - MAX_NAMES} other tasks"]
    return f"in {join_names(names)}"


def count_of(n: int, total: int) -> str:
    """A number of items: "40", or "39 of 40" where some are not scored."""
    return f"{n:,}" if n == total else f"{n:,} of {total:,}"


def not_scored(n: int) -> str:
    """The reason why an accuracy is not reported."""
    return f"{pluralize(n, 'item')} not scored"


def reported(value: object, n_unscored: int) -> object:
    """The value, or the reason why it is not reported."""
    return not_scored(n_unscored) if value is None else value
