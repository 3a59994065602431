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
        for it in first_per_cluster(it for it in evidence if it.chosen is not None and it.parsed != it.key.canonical()):
            for name, dial in it.option_angles.items():
                if not dial.is_circular or not isinstance(it.key, Choice) or it.chosen is None:
                    continue
                error = dial.error(it.chosen, it.key.truth)
                sides = [other for other in dial.errors(it.key.truth) if other not in (0, 180)]
                clockwise = sum(other > 0 for other in sides)
                if error not in (None, 0, 180) and 0 < clockwise < len(sides):
                    trials.setdefault((name, dial.positive), []).append((error > 0, clockwise / len(sides)))
        for (_, positive), own in trials.items():
            chances = [chance for _, chance in own]
            seen = sum(side for side, _ in own)
            share, expected = seen / len(own), sum(chances) / len(own)
            p = two_sided(seen, chances) if abs(share - expected) >= MIN_EXCESS else 1.0
            way = positive if share > expected else positive.replace("clockwise", "counterclockwise", 1)
            most, due = (share, expected) if share > expected else (1 - share, 1 - expected)
            words = (
                f"Its wrong answers in {task.partition('/')[2]} lean {way}: {percent(most)} of the {len(own)} that have a side, "
                f"where {percent(due)} would by chance."
            )
            yield Finding("leaning-angles", (task,), words, len(own), most, due, p, abs(seen - sum(chances)))
