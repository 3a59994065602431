"""Whole chains of thought as lists of steps: said by a writer, and compared with those that a verifier finds due.

For chains whose steps and their order follow from what is seen. The verifier makes its list by a way of its own, and takes the text
only if every step says just that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from isovist.core.answers import Answer
from isovist.reasoning.templates import StepTemplate, answer, parse_chain

Due = tuple[StepTemplate, Mapping[str, object]]
"""A statement, and the values of its marks."""
_CHOICES = 7  # statements of a chain whose words are chosen apart from each other; more of them share a choice


def render_chain(steps: Sequence[Due], key: Answer, phrasing: int) -> str:
    """The chain of these steps and the key. A statement is said in the same way wherever it occurs in a chain."""
    places: dict[str, int] = {}
    for statement, _ in steps:
        places.setdefault(statement.name, len(places))
    lines = [statement.render(phrasing >> 4 * (places[statement.name] % _CHOICES), **values) for statement, values in steps]
    return "\n".join([*lines, answer(key)])


def step_errors(text: str, due: Sequence[Due], key: Answer) -> list[str]:
    """What is wrong with a chain that should take just these steps, in this order, and end with the key."""
    known = {statement.name: statement for statement, _ in due}
    steps, errors = parse_chain(text, tuple(known.values()), key)
    if errors:
        return errors
    for step, (statement, values) in zip(steps, due, strict=False):
        if step.statement != statement.name or dict(step.values) != {mark: str(value) for mark, value in values.items()}:
            errors.append(f"{step.line!r} does not hold, or comes at another place")
    return errors if len(steps) == len(due) else [*errors, f"it takes {len(steps)} steps, and {len(due)} are due"]
