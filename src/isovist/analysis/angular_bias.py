"""To which side wrong angles lean: clockwise or counterclockwise of the key. An exact test of the wrong choices that have a side."""

from __future__ import annotations

from collections.abc import Iterator

from isovist.analysis.exact_tests import first_per_cluster, two_sided
from isovist.analysis.findings import Finding, Tasks
from isovist.analysis.response_bias import without_constant_tasks
from isovist.analysis.systematic_errors import MIN_EXCESS
from isovist.analysis.text_format import percent
from isovist.core.answers import Choice


def detect_angular_bias(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each angle of each task; a guesser errs to each side as often as it is offered."""
    for task, evidence in without_constant_tasks(tasks).items():
        trials: dict[tuple[str, str], list[tuple[bool, float]]] = {}
        for item in first_per_cluster(item for item in evidence if item.chosen is not None and item.parsed != item.key.canonical()):
            for name, dial in item.option_angles.items():
                if not dial.is_circular or not isinstance(item.key, Choice) or item.chosen is None:
                    continue
                error = dial.error(item.chosen, item.key.truth)
                sides = [other for other in dial.errors(item.key.truth) if other not in (0, 180)]
                clockwise = sum(other > 0 for other in sides)
                if error not in (None, 0, 180) and 0 < clockwise < len(sides):
                    trials.setdefault((name, dial.positive), []).append((error > 0, clockwise / len(sides)))
        for (_, positive), dial_trials in trials.items():
            chances = [chance for _, chance in dial_trials]
            seen = sum(side for side, _ in dial_trials)
            share, expected = seen / len(dial_trials), sum(chances) / len(dial_trials)
            p = two_sided(seen, chances) if abs(share - expected) >= MIN_EXCESS else 1.0
            way = positive if share > expected else positive.replace("clockwise", "counterclockwise", 1)
            most, due = (share, expected) if share > expected else (1 - share, 1 - expected)
            words = (
                f"Its wrong answers in {task.partition('/')[2]} lean {way}: {percent(most)} of the {len(dial_trials)} that have a side, "
                f"where {percent(due)} would by chance."
            )
            yield Finding("leaning-angles", (task,), words, len(dial_trials), most, due, p, abs(seen - sum(chances)))
