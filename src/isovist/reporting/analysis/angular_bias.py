"""Angular bias: whether errors are more often clockwise or counterclockwise of the key (exact test of the errors with a direction)."""

from __future__ import annotations

from collections.abc import Iterator

from isovist.reporting.analysis.exact_tests import two_sided
from isovist.reporting.analysis.findings import Finding, Tasks
from isovist.reporting.analysis.response_bias import without_constant_tasks
from isovist.reporting.analysis.systematic_errors import MIN_EXCESS
from isovist.reporting.analysis.text_format import observed_rate, task_name


def detect_angular_bias(tasks: Tasks) -> Iterator[Finding]:
    """One candidate for each angle of each task. By chance, errors have each direction as often as the options offer it."""
    for task, rows in without_constant_tasks(tasks).items():
        trials: dict[tuple[str, str], list[tuple[bool, float]]] = {}
        choices = rows.choices
        errors = choices.where(~choices.is_key_chosen).first_of_clusters
        chosen_places, keys = (errors.column(name).astype(int).tolist() for name in ("chosen_place", "key_place"))
        for place, name, angles in errors.quantities:
            error = angles.error(chosen_places[place], keys[place])
            directional = [other for other in angles.errors(keys[place]) if other not in (0, 180)]
            n_clockwise = sum(other > 0 for other in directional)
            if angles.is_circular and error not in (None, 0, 180) and 0 < n_clockwise < len(directional):
                trials.setdefault((name, angles.positive_direction), []).append((error > 0, n_clockwise / len(directional)))
        for (_, positive), angle_trials in trials.items():
            n, chances = len(angle_trials), [chance for _, chance in angle_trials]
            n_positive = sum(is_positive for is_positive, _ in angle_trials)
            rate, expected = n_positive / n, sum(chances) / n
            p = two_sided(n_positive, chances) if abs(rate - expected) >= MIN_EXCESS else 1.0
            direction, n_observed = positive, n_positive
            if rate <= expected:
                direction, n_observed = positive.replace("clockwise", "counterclockwise", 1), n - n_positive
                rate, expected = 1 - rate, 1 - expected
            sentence = f"Angular bias: {observed_rate(n_observed, n, 'directional errors', expected)} in {task_name(task)} are {direction}."
            yield Finding("angular-bias", (task,), sentence, n, rate, expected, p, abs(n_positive - sum(chances)))
