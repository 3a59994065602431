"""Options that stand for angles: how far a wrong answer is off the key, and to which side.

One convention for all tasks. The signed error is the angle of the chosen option less that of the key, in degrees. On a dial that
goes all the way round, angles are clockwise for one who looks as the dial says, and so a positive error says that the answer
lies clockwise of the key; it is wrapped to above -180 up to 180. A folded dial has no sides: it tells how far two directions
are apart, from 0 to 180 degrees, whichever way. A positive error says there that the answer is too large.
"""

from __future__ import annotations

from dataclasses import dataclass

from isovist.core.rotation import wrapped


@dataclass(frozen=True, slots=True)
class OptionAngles:
    """What each option of a choice stands for, in the order shown.

    `angles_deg`: degrees, clockwise where the dial goes round; None for an option that stands for no angle ("It cannot be determined").
    `positive`: what a positive error says, in words: "clockwise, seen from above". `is_circular`: False for a folded dial.
    """

    angles_deg: tuple[float | None, ...]
    positive_direction: str
    is_circular: bool = True

    def error(self, chosen: int, key: int) -> float | None:
        """The signed error of an option where another is the key, both by their places; None if one of them has no angle."""
        a, b = self.angles_deg[chosen], self.angles_deg[key]
        if a is None or b is None:
            return None
        return wrapped(a - b) if self.is_circular else a - b

    def errors(self, key: int) -> list[float]:
        """The signed errors of all options that have an angle, the key's 0 among them; empty if the key has none."""
        errors = (self.error(chosen, key) for chosen in range(len(self.angles_deg)))
        return [error for error in errors if error is not None]

    def opposite(self, chosen: int, key: int) -> bool:
        """Whether the answer is half a turn off; never on a folded dial."""
        return self.is_circular and self.error(chosen, key) == 180

    def mirrored(self, chosen: int, key: int) -> bool:
        """Whether the answer lies as far on the other side of the dial's zero: left for right, clockwise for counterclockwise.

        With the key at 90 degrees to either side that is also the opposite. Never on a folded dial.
        """
        a, b = self.angles_deg[chosen], self.angles_deg[key]
        return self.is_circular and a is not None and b is not None and wrapped(a + b) == 0 and wrapped(a - b) != 0
