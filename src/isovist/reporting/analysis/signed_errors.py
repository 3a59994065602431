"""Signed errors of angles, with those expected by chance; `core.option_angles` defines the sign."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import isnan

from isovist.core.option_angles import OptionAngles
from isovist.reporting.analysis.rows import Rows
from isovist.stats.circular import AngularBias, Degrees, angular_bias, mean_absolute_error
from isovist.stats.paired_differences import Difference, paired_difference


@dataclass(slots=True)
class ErrorCounts:
    """How often one kind of error is possible, how often it was made, and how often it is expected by chance."""

    n_possible: int = 0
    n_made: int = 0
    n_expected: float = 0.0

    @property
    def proportion(self) -> float:
        """Of the items in which it is possible; NaN without any."""
        return self.n_made / self.n_possible if self.n_possible else float("nan")

    @property
    def expected_proportion(self) -> float:
        return self.n_expected / self.n_possible if self.n_possible else float("nan")

    def add(self, *, is_made: bool, n_options: int, n_total: int) -> None:
        """An item in which so many of the options with an angle are this error."""
        if n_options:
            self.n_possible += 1
            self.n_made += is_made
            self.n_expected += n_options / n_total


@dataclass(slots=True)
class SignedErrors:
    """The items of one task and level whose key has an angle, added one by one.

    By chance: a uniform choice among the options with an angle, at the items where the model chose one.
    """

    level: str
    name: str
    """The quantity, such as "direction"."""
    positive: str
    is_circular: bool
    n_unscored: int = 0
    n_without_angle: int = 0
    """Responses that chose an option without an angle."""
    unparsed: int = 0
    errors: list[float] = field(default_factory=list[float])
    clusters: list[int] = field(default_factory=list[int])
    expected_counts: dict[float, float] = field(default_factory=dict[float, float])
    """How often each error is expected by chance."""
    opposite: ErrorCounts = field(default_factory=ErrorCounts)
    mirrored: ErrorCounts = field(default_factory=ErrorCounts)
    n_both: int = 0
    """Errors that are opposite and mirrored: 90° to the one side for 90° to the other."""

    @property
    def title(self) -> str:
        return self.name if self.level == "standard" else f"{self.name}, {self.level}"

    @property
    def counts(self) -> Counter[float]:
        return Counter(self.errors)

    @property
    def mean_absolute_error(self) -> Degrees:
        return mean_absolute_error(self.errors, self.clusters)

    @property
    def mean_error_by_chance(self) -> float:
        return sum(abs(error) * count for error, count in self.expected_counts.items()) / max(1, len(self.errors))

    @property
    def angular_bias(self) -> AngularBias | None:
        """The mean direction of the errors; None for angles that do not distinguish the two directions."""
        return angular_bias(self.errors, self.clusters) if self.is_circular else None

    @property
    def directions(self) -> tuple[str, str]:
        """The meaning of positive and negative errors."""
        positive = self.positive.replace(",", " ").split()[0]
        return (positive, f"counter{positive}") if self.is_circular else ("too large", "too small")

    @property
    def bias(self) -> str:
        """The direction of the bias, if it is significant."""
        interval = self._interval
        if not self.errors or interval is None:
            return "none"
        if interval.low > 0 and interval.high < 180:
            return self.directions[0]
        if interval.high < 0 and interval.low > -180:
            return self.directions[1]
        return "about 180°" if abs(interval.estimate) > 90 else "none"

    @property
    def _interval(self) -> Degrees | Difference | None:
        """The mean direction; else the mean signed error divided by 180°."""
        bias = self.angular_bias
        return bias.direction if bias else paired_difference([error / 180 for error in self.errors], self.clusters)

    @property
    def mean_direction(self) -> tuple[float, float, float] | None:
        """The mean direction of the errors, or their mean, in degrees with its interval; None if it is not defined."""
        interval = self._interval
        if not self.errors or interval is None:
            return None
        factor = 1 if self.is_circular else 180
        return factor * interval.estimate, factor * interval.low, factor * interval.high

    def add(self, angles: OptionAngles, key: int, chosen: int, error: float, cluster: int) -> None:
        """An item with a chosen option, if that and the key have an angle."""
        self.errors.append(error)
        self.clusters.append(cluster)
        possible = angles.errors(key)
        for other in possible:
            self.expected_counts[other] = self.expected_counts.get(other, 0.0) + 1 / len(possible)
        options = range(len(angles.angles_deg))
        for counts, is_error in ((self.opposite, angles.opposite), (self.mirrored, angles.mirrored)):
            n_options = sum(is_error(option, key) for option in options)
            counts.add(is_made=is_error(chosen, key), n_options=n_options, n_total=len(possible))
        self.n_both += angles.opposite(chosen, key) and angles.mirrored(chosen, key)


SignedErrorsByAngle = dict[tuple[str, str], SignedErrors]
"""By level and quantity."""


def signed_errors(rows: Rows) -> SignedErrorsByAngle:
    """The errors at items whose options have angles in the metadata."""
    errors: SignedErrorsByAngle = {}
    rows = rows.where(rows.column("has_stored_angles"))
    levels, keys = rows.texts("level"), rows.column("key_place").astype(int).tolist()
    credit, chosen, cluster = (rows.column(name).tolist() for name in ("credit", "chosen_place", "cluster"))
    for place, name, angles in rows.quantities:
        if angles.angles_deg[keys[place]] is not None:
            if (tally := errors.get((levels[place], name))) is None:
                tally = errors[levels[place], name] = SignedErrors(levels[place], name, angles.positive_direction, angles.is_circular)
            if isnan(credit[place]):
                tally.n_unscored += 1
            elif isnan(chosen[place]):
                tally.unparsed += 1
            elif (error := angles.error(int(chosen[place]), keys[place])) is None:
                tally.n_without_angle += 1
            else:
                tally.add(angles, keys[place], int(chosen[place]), error, cluster[place])
    return errors
