"""The tables on signed errors of angles, in Markdown and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isovist import registry
from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.signed_errors import Share, SignedErrors
from isovist.reports.tables import as_csv, as_markdown


@dataclass(frozen=True, slots=True)
class AngularErrorRow:
    """One kind of angle at one level of one task, in one run."""

    run: str
    task: str
    signed: SignedErrors

    @property
    def cells(self) -> tuple[str, ...]:
        """Its numbers in words, by `TABLE_HEAD`."""
        signed = self.signed
        if signed.missing:
            return (f"withheld: {signed.missing} without a verdict", *["-"] * 6)
        if not signed.errors:
            return ("0", str(signed.excluded + signed.unread), *["-"] * 5)
        size, middle = signed.size, signed.middle
        error = f"{size.estimate:.1f} ({size.low:.1f} to {size.high:.1f})"
        bias = f"{signed.bias}, {middle[0]:+.0f} ({middle[1]:+.0f} to {middle[2]:+.0f})" if middle else signed.bias
        sides = (_share(signed.opposite), _share(signed.mirrored))
        return (str(len(signed.errors)), str(signed.excluded + signed.unread), error, f"{signed.size_of_guesser:.1f}", bias, *sides)


TABLE_HEAD = ("n", "no angle", "mean error", "guesser", "bias", "opposite %", "mirrored %")


def _share(share: Share) -> str:
    return f"{100 * share.share:.1f} ({100 * share.guesser:.1f})" if share.possible else "-"


def build_rows(runs: Sequence[RunResults]) -> list[AngularErrorRow]:
    """Every kind of angle that was asked for."""
    return [AngularErrorRow(run.name, task.task, signed) for run in runs for task in run.tasks for signed in of(task)]


def of(task: TaskResult) -> list[SignedErrors]:
    """Those of a task, its levels in the order in which it names them."""
    known = registry.tasks().get(task.task)
    levels = known.levels if known else tuple(level for level, _ in task.angles)
    return sorted(task.angles.values(), key=lambda signed: levels.index(signed.level) if signed.level in levels else len(levels))


def to_markdown(runs: Sequence[RunResults]) -> str:
    """Empty without a task whose options stand for angles."""
    rows = [(line.task, line.run, line.signed.level, line.signed.name, *line.cells) for line in build_rows(runs)]
    return as_markdown(("task", "model", "level", "angle", *TABLE_HEAD), rows) + "\n" + ANGLES_NOTE + "\n" if rows else ""


def angles_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task, level and kind of angle; angles in degrees, the rest as shares of 1. Empty cells where it is withheld."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        signed = line.signed
        start = [
            line.run,
            line.task,
            signed.level,
            signed.name,
            signed.positive,
            len(signed.errors),
            signed.excluded,
            signed.unread,
            signed.missing,
        ]
        if signed.missing or not signed.errors:
            rows.append([*start, *[""] * 15])
            continue
        size, lean = signed.size, signed.lean
        middle = signed.middle or ("", "", "")
        sides = [
            cell
            for share in (signed.opposite, signed.mirrored)
            for cell in (share.possible, share.made, share.guesser if share.possible else "")
        ]
        rows.append(
            [
                *start,
                size.estimate,
                size.low,
                size.high,
                signed.size_of_guesser,
                signed.bias,
                *middle,
                lean.length if lean else "",
                *sides,
                signed.both,
            ]
        )
    head = ["run", "task", "level", "angle", "positive", "n", "no_angle", "unread", "missing", "mean_error", "low", "high", "guesser"]
    more = ["bias", "direction", "direction_low", "direction_high", "length", "opposite_possible", "opposite", "opposite_guesser"]
    return as_csv([*head, *more, "mirrored_possible", "mirrored", "mirrored_guesser", "opposite_and_mirrored"], rows)


def histogram_csv(runs: Sequence[RunResults]) -> str:
    """One line a run, task, level, kind of angle and signed error in degrees: how often it was made, and by a guesser."""
    rows: list[Sequence[object]] = []
    for line in build_rows(runs):
        signed = line.signed
        start = [line.run, line.task, signed.level, signed.name]
        rows += [[*start, f"{error:g}", signed.counts[error], signed.guesser[error]] for error in sorted(signed.guesser)]
    return as_csv(["run", "task", "level", "angle", "error", "count", "guesser"], rows)


ANGLES_NOTE = (
    "The signed error is the angle of the chosen option less that of the key, in degrees, each the middle of its class; positive is "
    "clockwise for one who looks as the task says, or too large where the two sides are folded into one. Only items and replies "
    "count whose key and answer stand for an angle; a guesser chooses among those options. The mean error is that of the absolute "
    "errors, items of one picture taken together. Bias: the direction of the mean of all errors as vectors of length 1, where "
    "they have one; where both sides are folded, the mean. In brackets: 95 % intervals; behind shares, those of a guesser. Opposite: half a turn off. Mirrored: as far on the other side of zero, "
    "left for right; both of the items in which such an option was there. A quarter to the left for one to the right is both."
)
