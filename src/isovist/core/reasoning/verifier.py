"""Verifier of chains of thought: parse each line and compare it with the required step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isovist.core.answers import Answer
from isovist.core.reasoning.templates import Step, StepTemplate, answer


def step_errors(text: str, due: Sequence[Step], conclusion: str, key: Answer) -> list[str]:
    """Return the errors of a chain that must have exactly these steps in this order and end with the key.

    `conclusion`: the answer to which the required steps lead, in the form of `Answer.balance_bin`; an error if it is not the key. The
    required steps are derived from the pictures, never from a text.
    """
    *lines, last = text.split("\n")
    errors = [f"it takes {len(lines)} steps, and {len(due)} are due"] if len(lines) != len(due) else []
    errors += [error for line, step in zip(lines, due, strict=False) for error in _step_error(line, step)]
    errors += [f"it ends with {last!r}, not with {answer(key)!r}"] if last != answer(key) else []
    return [*errors, f"its steps lead to {conclusion!r}, not to the key"] if conclusion != key.balance_bin() else errors


def _step_error(line: str, due: Step) -> Iterator[str]:
    """Yield the values of a line that differ from those of the required step."""
    readings = list(due.template.parse(line))
    if not readings:
        yield f"{line!r} is not the step that is due here, such as: {due.render(0)}"
    elif due not in readings:
        wrong = {field: value for field, value in due.values.items() if readings[0][field] != value}
        yield f"{line!r} does not hold: {', '.join(f'{field} is {value}' for field, value in wrong.items())}"


def steps_in(text: str, *templates: StepTemplate) -> list[Step]:
    """Return the steps in a text that match these templates, in order. They are unverified claims."""
    readings = ([step for template in templates for step in template.parse(line)] for line in text.split("\n"))
    return [steps[0] for steps in readings if steps]
