"""Options that represent angles: the size and direction of the error of an incorrect option.

Convention of all tasks: the signed error is the angle of the chosen option minus the angle of the key, in degrees. For circular
angles, angles increase clockwise as seen from the direction that `positive_direction` states, so a positive error is clockwise of
the key; the error is wrapped to (-180, 180]. For non-circular angles, such as the unsigned angle of 0 to 180 degrees between two
directions, the error is not wrapped, and a positive error means that the answer is too large.
"""

from __future__ import annotations

from dataclasses import dataclass

from isovist.core.rotation import wrapped


@dataclass(frozen=True, slots=True)
class OptionAngles:
    """The angle of each option of a choice, in the order of presentation.

    Attributes:
        angles_deg: Angles in degrees, clockwise if circular; None for an option without an angle ("It cannot be determined").
        positive_direction: The meaning of a positive error as text: "clockwise, seen from above".
        is_circular: Whether angles wrap at 360 degrees.
    """

    angles_deg: tuple[float | None, ...]
    positive_direction: str
    is_circular: bool = True

    def error(self, chosen: int, key: int) -> float | None:
        """The signed error in degrees of option `chosen` if option `key` is correct (both indices); None if either has no angle."""
        a, b = self.angles_deg[chosen], self.angles_deg[key]
        if a is None or b is None:
            return None
        return wrapped(a - b) if self.is_circular else a - b

    def errors(self, key: int) -> list[float]:
        """The signed errors in degrees of all options with an angle, including the 0 of the key; empty if the key has no angle."""
        errors = (self.error(chosen, key) for chosen in range(len(self.angles_deg)))
        return [error for error in errors if error is not None]

    def opposite(self, chosen: int, key: int) -> bool:
        """Whether the error is 180 degrees; always False for non-circular angles."""
        return self.is_circular and self.error(chosen, key) == 180

    def mirrored(self, chosen: int, key: int) -> bool:
        """Whether the chosen angle is the negative of the key: left for right, clockwise for counterclockwise.

        A key of 90 or -90 degrees has the same option as mirrored and as opposite. Always False for non-circular angles.
        """
        a, b = self.angles_deg[chosen], self.angles_deg[key]
        return self.is_circular and a is not None and b is not None and wrapped(a + b) == 0 and wrapped(a - b) != 0
