"""The results of a study: JSON for the administrator page, tables for a terminal, and the checklist of a report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape
from statistics import median
from typing import Any

from isovist.evaluation.run.study_facts import STATEMENTS
from isovist.people.annotate.agreement import RESAMPLES
from isovist.people.study.participants import ParticipantStore
from isovist.people.study.plan import Study
from isovist.people.study.results import Progress, Results, TaskResult, results
from isovist.stats.medians import Median
from isovist.stats.proportions import ConfidenceInterval


def summary(study: Study, people: ParticipantStore, resamples: int = RESAMPLES) -> dict[str, Any]:
    """The current results as JSON; shares from 0 to 1. Raises as `results` does."""
    study_results = results(study, people.all(), people.answers(practice=True), resamples)
    now = datetime.now(UTC)
    return {
        "data": study.plan.data,
        "items": len(study.items),
        "parts": len(study.blocks),
        "attention_checks": study.plan.methods.attention_checks,
        "max_missed": study.plan.methods.max_missed,
        "excluded": sum(row.excluded for row in study_results.people),
        "whole_seconds": _round(_whole(study_results)),
        "people": [
            {
                "handle": row.person.handle,
                "agreed": row.person.agreed,
                "service_id": row.person.service_id,
                "vision": row.person.vision,
                "state": row.state(now),
                "idle": round(row.idle(now)),
                "done": row.done,
                "left": row.left,
                "at": row.at,
                "parts": row.parts,
                "credit": _round(row.credit),
                "seconds": _round(row.seconds),
                "last": row.last,
                "checks_passed": row.checks.count(True),
                "checks_missed": row.checks.count(False),
                "excluded": row.excluded,
            }
            for row in study_results.people
        ],
        "tasks": [
            {
                "task": row.task,
                "items": row.items,
                "answers": row.answers,
                "finished": len(row.complete),
                "chance": _round(row.chance),
                "credit": _interval(row.credit),
                "over_people": _interval(row.over_people),
                "colour_vision": row.colour_vision,
                "others": row.others,
                "seen": _interval(row.seen),
                "alpha": _interval(row.agreement.alpha),
                "same": _round(row.agreement.same),
                "shared": row.agreement.cards,
                "seconds": _interval(row.seconds),
            }
            for row in study_results.tasks
        ],
        "odd": [
            {
                "place": row.place,
                "item": row.item.card.id,
                "key": row.item.card.answer.canonical() if row.item.card.answer else "",
                "answers": [[value, count] for value, count in row.answers],
                "seconds": _round(row.seconds),
                "reasons": list(row.reasons),
            }
            for row in study_results.odd
        ],
    }


def _whole(study_results: Results) -> float | None:
    """The median total response time of the participants who have finished and are not excluded."""
    times = [row.taken for row in study_results.people if not row.left and not row.excluded]
    return median(times) if times else None


def _interval(interval: ConfidenceInterval | Median | None) -> dict[str, float | None] | None:
    if interval is None:
        return None
    return {"estimate": _round(interval.estimate), "low": _round(interval.low), "high": _round(interval.high)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def table(study: Study, people: ParticipantStore) -> str:
    """The current results as text. Raises as `results` does."""
    study_results = results(study, people.all(), people.answers(practice=True))
    now = datetime.now(UTC)
    begun = [row for row in study_results.people if row.done]
    whole = sum(not row.left for row in begun)
    lines = [
        f"{len(study.items)} items of {len(study.blocks)} tasks, {len(study_results.people)} participants ({len(begun)} with answers, {whole} finished)"
    ]
    methods, excluded = study.plan.methods, sum(row.excluded for row in begun)
    if methods.attention_checks:
        rule = f"missed more than {methods.max_missed} of {methods.attention_checks} attention checks"
        lines.append(f"Participants excluded from the results below and from exports: {excluded} ({rule})")
    median_seconds = _whole(study_results)
    if median_seconds is not None:
        n_whole = sum(not row.left and not row.excluded for row in begun)
        lines.append(f"Median duration: {_long(median_seconds)} ({n_whole} participants, without practice and pauses)")
    if stopped := [row for row in study_results.people if row.state(now) == "stopped"]:
        lines.append("Stopped before the end: " + ", ".join(f"{row.person.handle} for {_long(row.idle(now))}" for row in stopped))
    if study_results.odd:
        lines.append(f"Flagged items: {len(study_results.odd)}, listed below; the administrator page shows their images")
    if study_results.people:
        titles = ["participant", "state", "colour vision", "answered", "left", "current task", "accuracy", "seconds", "last answer (UTC)"]
        rows = [_participant(row, len(study.items), now) for row in study_results.people]
        if methods.attention_checks:
            titles.append("checks passed")
            checks = [f"{row.checks.count(True)} of {len(row.checks)}{', excluded' * row.excluded}" for row in study_results.people]
            rows = [[*row, text] for row, text in zip(rows, checks, strict=True)]
        if any(row.person.service_id for row in study_results.people):
            titles.append("service id")
            rows = [[*row, progress.person.service_id or "-"] for row, progress in zip(rows, study_results.people, strict=True)]
        lines += ["", *_columns(titles, rows)]
    if begun:
        titles = [
            "task",
            "answers",
            "accuracy [95% CI over items]",
            "[95% CI over participants]",
            "chance",
            "alpha [95% CI]",
            "same",
            "seconds [95% CI]",
        ]
        rows = [
            [
                row.task,
                str(row.answers),
                _percent(row.credit),
                _percent(row.over_people, estimate=False),
                f"{row.chance:.0%}",
                "-" if row.agreement.alpha is None else _alpha(row.agreement.alpha),
                "-" if row.agreement.same is None else f"{row.agreement.same:.0%}",
                "-" if row.seconds is None else _seconds(row.seconds),
            ]
            for row in study_results.tasks
        ]
        lines += ["", *_columns(titles, rows)]
        lines += [_colours(row) for row in study_results.tasks if row.colour_vision == "normal" and row.others]
    if study_results.odd:
        lines += ["", f"Flagged items: {len(study_results.odd)}"]
        for flagged in study_results.odd:
            answers = ", ".join(f"{value} {count} x" for value, count in flagged.answers)
            key = flagged.item.card.answer.canonical() if flagged.item.card.answer else ""
            lines.append(f"  {flagged.item.card.id}: {'; '.join(flagged.reasons)} (key {key}, answers {answers})")
    return "\n".join(lines)


def checklist(study: Study, people: ParticipantStore) -> str:
    """What the report of a human baseline must state, as Markdown: filled in from the plan and the answers, the rest marked as open.

    The items follow Wei et al. (2025, ICML), in our own words. Raises as `results` does.
    """
    plan, answers = study.plan, people.answers(practice=True)
    kept, everyone = (results(study, people.all(), answers, exclude=exclude) for exclude in (True, False))
    begun, duration = [row for row in kept.people if row.done], _whole(kept)
    excluded = sum(row.excluded for row in begun)
    accuracies = [
        f"{row.task} {_percent(row.credit)} over items, {_percent(row.over_people, estimate=False)} over participants, chance {row.chance:.0%}"
        for row in kept.tasks
        if row.credit
    ]
    with_excluded = [f"{row.task} {_percent(row.credit)}" for row in everyone.tasks if row.credit] if excluded else []
    rule = f"{plan.methods.attention_checks} attention checks for each participant; missed checks allowed: {plan.methods.max_missed}"
    known = {
        "items": f"{plan.per_task} items of each of {len(study.blocks)} tasks, the same for all participants: "
        f"{', '.join(f'{task} ({split})' for task, split in plan.parts)}; data {plan.data_hash}",
        "order": "tasks in a Williams design, items of a task in random order for each participant",
        "number of participants": f"{len(begun)} with answers, {sum(not row.left for row in begun)} finished" if begun else "",
        "quality control": f"{rule}; participants excluded: {excluded}" if plan.methods.attention_checks else "",
        "time": f"median {_long(duration)} for all questions, without practice and pauses" if duration is not None else "",
        "scoring": "answers are read and scored by the rules for models; unread answers cannot be submitted",
        "accuracy": "; ".join(accuracies),
        "accuracy without exclusions": "; ".join(with_excluded) if excluded else "no participant excluded" if begun else "",
        "comparison": "",
    }
    asked = {
        "number of participants": "the participants who began, finished and were excluded",
        "quality control": "checks during the study, the rule of exclusion, fixed beforehand, and the number excluded",
        "time": "the time that participants took",
        "accuracy": "the human accuracy with intervals",
        "accuracy without exclusions": "whether the result depends on the rule of exclusion",
        "comparison": "the test of the difference between model and people, on the same items (`isovist compare`)",
    }
    known |= {name.replace("_", " "): escape(plan.statements.get(name, ""), quote=False) for name in STATEMENTS}
    asked |= {name.replace("_", " "): text for name, text in STATEMENTS.items()}
    lines = [
        f"- [x] **{name.capitalize()}**: {text}" if text else f"- [ ] **{name.capitalize()}**: open; state {asked[name]}"
        for name, text in known.items()
    ]
    n_open = sum(line.startswith("- [ ]") for line in lines)
    return "\n".join([f"# Human baseline: {n_open} of {len(lines)} statements are open", "", *lines, ""])


def _colours(task_result: TaskResult) -> str:
    """A note on a task that requires normal colour vision and has answers of other participants."""
    who = "1 person has" if task_result.others == 1 else f"{task_result.others} people have"
    alone = f". Accuracy without them: {_percent(task_result.seen)}" if task_result.seen else ""
    return f"{task_result.task} requires normal colour vision, and {who} not stated it{alone}"


def _long(seconds: float) -> str:
    """A duration as text."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _participant(progress: Progress, items: int, now: datetime) -> list[str]:
    accuracy = "-" if progress.credit is None else f"{progress.credit:.0%}"
    return [
        progress.person.handle,
        progress.state(now),
        progress.person.vision or "-",
        f"{progress.done} of {items}",
        str(progress.left),
        progress.at or "-",
        accuracy,
        "-" if progress.seconds is None else f"{progress.seconds:.1f}",
        progress.last[:16].replace("T", " ") or "-",
    ]


def _percent(interval: ConfidenceInterval | None, *, estimate: bool = True) -> str:
    if interval is None:
        return "-"
    limits = f"[{interval.low:.0%}, {interval.high:.0%}]"
    return f"{interval.estimate:.0%} {limits}" if estimate else limits


def _alpha(interval: ConfidenceInterval) -> str:
    return f"{interval.estimate:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _seconds(median_time: Median) -> str:
    ends = "" if median_time.low is None or median_time.high is None else f" [{median_time.low:.1f}, {median_time.high:.1f}]"
    return f"{median_time.estimate:.1f}{ends}"


def _columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (titles, *rows)]
