"""What a study has come to by now: as JSON for the page of those who run it, and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

from isovist.human.annotate.agreement import RESAMPLES
from isovist.human.study.participants import ParticipantStore
from isovist.human.study.plan import Study
from isovist.human.study.results import Progress, Results, TaskResult, results
from isovist.stats.medians import Median
from isovist.stats.proportions import ConfidenceInterval


def summary(study: Study, people: ParticipantStore, resamples: int = RESAMPLES) -> dict[str, Any]:
    """The results by now, as JSON; shares are of 1. Raises as `results` does."""
    told = results(study, people.all(), people.answers(practice=True), resamples)
    now = datetime.now(UTC)
    return {
        "data": study.plan.data,
        "items": len(study.items),
        "parts": len(study.blocks),
        "whole_seconds": _round(_whole(told)),
        "people": [
            {
                "handle": it.person.handle,
                "agreed": it.person.agreed,
                "vision": it.person.vision,
                "state": it.state(now),
                "idle": round(it.idle(now)),
                "done": it.done,
                "left": it.left,
                "at": it.at,
                "parts": it.parts,
                "credit": _round(it.credit),
                "seconds": _round(it.seconds),
                "last": it.last,
            }
            for it in told.people
        ],
        "tasks": [
            {
                "task": it.task,
                "items": it.items,
                "answers": it.answers,
                "finished": it.finished,
                "chance": _round(it.chance),
                "credit": _interval(it.credit),
                "over_people": _interval(it.over_people),
                "colour_vision": it.colour_vision,
                "others": it.others,
                "seen": _interval(it.seen),
                "alpha": _interval(it.agreement.alpha),
                "same": _round(it.agreement.same),
                "shared": it.agreement.cards,
                "seconds": _interval(it.seconds),
            }
            for it in told.tasks
        ],
        "odd": [
            {
                "place": it.place,
                "item": it.item.card.id,
                "key": it.item.card.answer.canonical() if it.item.card.answer else "",
                "answers": [[value, count] for value, count in it.answers],
                "seconds": _round(it.seconds),
                "reasons": list(it.reasons),
            }
            for it in told.odd
        ],
    }


def _whole(told: Results) -> float | None:
    """The median over those who have answered everything of the seconds that all their answers took."""
    times = [it.taken for it in told.people if not it.left]
    return median(times) if times else None


def _interval(interval: ConfidenceInterval | Median | None) -> dict[str, float | None] | None:
    if interval is None:
        return None
    return {"estimate": _round(interval.estimate), "low": _round(interval.low), "high": _round(interval.high)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def table(study: Study, people: ParticipantStore) -> str:
    """The results by now, for a terminal. Raises as `results` does."""
    told = results(study, people.all(), people.answers(practice=True))
    now = datetime.now(UTC)
    begun = [it for it in told.people if it.done]
    whole = sum(not it.left for it in begun)
    lines = [
        f"{len(study.items)} items of {len(study.blocks)} tasks; {len(told.people)} people, {len(begun)} with answers, {whole} with all of them"
    ]
    taken = _whole(told)
    if taken is not None:
        lines.append(f"All items take a person {_long(taken)} (median of {whole}, practice and pauses left out)")
    if stopped := [it for it in told.people if it.state(now) == "stopped"]:
        lines.append("Stopped half way: " + ", ".join(f"{it.person.handle} for {_long(it.idle(now))}" for it in stopped))
    if told.odd:
        lines.append(
            f"Items to look at: {len(told.odd)}, named at the end; the page of those who run the study shows them with their pictures"
        )
    if told.people:
        titles = ["person", "state", "colour vision", "answered", "left", "now at", "right", "seconds", "last answer (UTC)"]
        lines += ["", *_columns(titles, [_person(it, len(study.items), now) for it in told.people])]
    if begun:
        titles = ["task", "answers", "right [95 % over items]", "[95 % over people]", "chance", "alpha [95 %]", "same", "seconds [95 %]"]
        rows = [
            [
                it.task,
                str(it.answers),
                _percent(it.credit),
                _percent(it.over_people, estimate=False),
                f"{it.chance:.0%}",
                "-" if it.agreement.alpha is None else _alpha(it.agreement.alpha),
                "-" if it.agreement.same is None else f"{it.agreement.same:.0%}",
                "-" if it.seconds is None else _seconds(it.seconds),
            ]
            for it in told.tasks
        ]
        lines += ["", *_columns(titles, rows)]
        lines += [_colours(it) for it in told.tasks if it.colour_vision == "normal" and it.others]
    if told.odd:
        lines += ["", f"Items to look at, {len(told.odd)}"]
        for it in told.odd:
            answers = ", ".join(f"{value} {count} x" for value, count in it.answers)
            key = it.item.card.answer.canonical() if it.item.card.answer else ""
            lines.append(f"  {it.item.card.id}: {'; '.join(it.reasons)} (key {key}; answered {answers})")
    return "\n".join(lines)


def _colours(it: TaskResult) -> str:
    """What is to be known of a task that needs normal colour vision, and that others have answered."""
    who = "1 person has" if it.others == 1 else f"{it.others} people have"
    alone = f"; right without them {_percent(it.seen)}" if it.seen else ""
    return f"{it.task} needs normal colour vision, and {who} not said to have it{alone}"


def _long(seconds: float) -> str:
    """A time as one says it."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _person(it: Progress, items: int, now: datetime) -> list[str]:
    right = "-" if it.credit is None else f"{it.credit:.0%}"
    return [
        it.person.handle,
        it.state(now),
        it.person.vision or "-",
        f"{it.done} of {items}",
        str(it.left),
        it.at or "-",
        right,
        "-" if it.seconds is None else f"{it.seconds:.1f}",
        it.last[:16].replace("T", " ") or "-",
    ]


def _percent(interval: ConfidenceInterval | None, *, estimate: bool = True) -> str:
    if interval is None:
        return "-"
    limits = f"[{interval.low:.0%}, {interval.high:.0%}]"
    return f"{interval.estimate:.0%} {limits}" if estimate else limits


def _alpha(interval: ConfidenceInterval) -> str:
    return f"{interval.estimate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _seconds(found: Median) -> str:
    ends = "" if found.low is None or found.high is None else f" [{found.low:.1f}, {found.high:.1f}]"
    return f"{found.estimate:.1f}{ends}"


def _columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (titles, *rows)]
