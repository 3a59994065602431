"""The signed errors of the angles that a model's answers stand for, beside those of a guesser; see `core.option_angles` for their sign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from isovist.core.answers import LETTERS, Choice
from isovist.core.option_angles import OptionAngles
from isovist.dataset.rows import ItemRow
from isovist.errors import UserError
from isovist.run.records import TrialResult
from isovist.stats.circular import AngularBias, Degrees, angular_bias, mean_absolute_error
from isovist.stats.paired_differences import Difference, paired_difference


@dataclass(slots=True)
class Share:
    """How often one kind of error was possible, how often it was made, and how often a guesser makes it."""

    possible: int = 0
    made: int = 0
    guessed: float = 0.0

    @property
    def share(self) -> float:
        """Of the items in which it is possible; NaN without any."""
        return self.made / self.possible if self.possible else float("nan")

    @property
    def guesser(self) -> float:
        return self.guessed / self.possible if self.possible else float("nan")

    def add(self, *, made: bool, ways: int, total: int) -> None:
        """An item, in which so many of the options with an angle make this error."""
        if ways:
            self.possible += 1
            self.made += made
            self.guessed += ways / total


@dataclass(slots=True)
class SignedErrors:
    """The items of one task and level whose key stands for an angle, as they come in.

    A guesser is one who chooses among the options that stand for an angle, in the items in which the model did so.
    """

    level: str
    name: str
    """What the angle is one of."""
    positive: str
    around: bool
    missing: int = 0
    """Items without a verdict."""
    excluded: int = 0
    """Replies that chose an option without an angle."""
    unread: int = 0
    errors: list[float] = field(default_factory=list[float])
    groups: list[str] = field(default_factory=list[str])
    guesser: dict[float, float] = field(default_factory=dict[float, float])
    """How often a guesser makes each error, on average."""
    opposite: Share = field(default_factory=Share)
    mirrored: Share = field(default_factory=Share)
    both: int = 0
    """Errors that are opposite and mirrored at once: a quarter to the one side for a quarter to the other."""

    @property
    def title(self) -> str:
        return self.name if self.level == "standard" else f"{self.name}, {self.level}"

    @property
    def counts(self) -> Counter[float]:
        return Counter(self.errors)

    @property
    def size(self) -> Degrees:
        """The mean absolute error."""
        return mean_absolute_error(self.errors, self.groups)

    @property
    def size_of_guesser(self) -> float:
        return sum(abs(error) * often for error, often in self.guesser.items()) / max(1, len(self.errors))

    @property
    def lean(self) -> AngularBias | None:
        """To which side the errors lean; None on a folded dial."""
        return angular_bias(self.errors, self.groups) if self.around else None

    @property
    def shift(self) -> Difference | None:
        """The mean signed error on a folded dial, in half turns; None on one that goes round."""
        return None if self.around else paired_difference([error / 180 for error in self.errors], self.groups)

    @property
    def ends(self) -> tuple[str, str]:
        """What positive and negative errors say, in one or two words each."""
        way = self.positive.replace(",", " ").split()[0]
        return (way, f"counter{way}") if self.around else ("too large", "too small")

    @property
    def bias(self) -> str:
        """To which side the errors lean, in words."""
        way, back = self.ends
        interval = self._interval
        if not self.errors or interval is None:
            return "none"
        if interval.low > 0 and interval.high < 180:
            return way
        if interval.high < 0 and interval.low > -180:
            return back
        return "about half a turn" if abs(interval.estimate) > 90 else "none"

    @property
    def _interval(self) -> Degrees | Difference | None:
        lean = self.lean
        return lean.direction if lean else self.shift

    @property
    def middle(self) -> tuple[float, float, float] | None:
        """The mean direction of the errors, or their mean on a folded dial, in degrees with its interval; None where there is none."""
        interval = self._interval
        if not self.errors or interval is None:
            return None
        times = 1 if self.around else 180
        return times * interval.estimate, times * interval.low, times * interval.high

    def add(self, row: ItemRow, dial: OptionAngles, key: int, verdict: TrialResult | None) -> None:
        """An item whose key has an angle."""
        if verdict is None or verdict.outcome == "error":
            self.missing += 1
            return
        if verdict.parsed is None:
            self.unread += 1
            return
        chosen = LETTERS.index(verdict.parsed)
        error = dial.error(chosen, key)
        if error is None:
            self.excluded += 1
            return
        self.errors.append(error)
        self.groups.append(row.group)
        possible = dial.errors(key)
        for other in possible:
            self.guesser[other] = self.guesser.get(other, 0.0) + 1 / len(possible)
        places = range(len(dial.angles_deg))
        for share, kind in ((self.opposite, dial.opposite), (self.mirrored, dial.mirrored)):
            share.add(made=kind(chosen, key), ways=sum(kind(other, key) for other in places), total=len(possible))
        self.both += dial.opposite(chosen, key) and dial.mirrored(chosen, key)


Found = dict[tuple[str, str], SignedErrors]
"""By level and by what the angle is one of."""


def add(tallies: Found, row: ItemRow, key: Choice, verdict: TrialResult | None) -> None:
    """An item with what was said; nothing where its options stand for no angles."""
    for name, dial in _dials(row, key):
        if dial.angles_deg[key.truth] is not None:
            tally = tallies.setdefault((row.level, name), SignedErrors(row.level, name, dial.positive, dial.is_circular))
            tally.add(row, dial, key.truth, verdict)


def _dials(row: ItemRow, key: Choice) -> Iterator[tuple[str, OptionAngles]]:
    """Those of a row. Raises UserError for what is no dial of its options."""
    for name, dial in row.metadata.angles.items():
        if len(dial.angles_deg) != len(key.options):
            raise UserError(f"{row.id}: its angles are not those of its options; generate the data again.")
        yield name, dial
