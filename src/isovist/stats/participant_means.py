"""The mean over people, for other people like those who answered."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.stats.proportions import ConfidenceInterval, normal, wilson_of


def participant_mean(shares: Sequence[float], items: int, confidence: float = 0.95) -> ConfidenceInterval:
    """The mean of people's mean credits in [0, 1], each over so many items, with the interval for other people and these items.

    It is Wilson's for as many answers of 0 or 1 as would have the variance of the mean, with Student's t in the place of the normal
    quantile. The variance is that between the people, their own luck included, estimated with one person more who is as far off as
    luck alone puts one: so that a few who happen to be equal are not taken for certainty. Student's interval without the two held the
    truth in as few as 44 of 100 simulated runs of two people, and in 88 to 96 of five with 30 items.

    All of [0, 1] for one person. Raises ValueError if there is nobody.
    """
    from scipy.special import stdtrit

    people = len(shares)
    if not people:
        raise ValueError("nobody")
    centre = sum(shares) / people
    if people == 1:
        return ConfidenceInterval(centre, 0.0, 1.0)
    z, student = normal(confidence), float(stdtrit(people - 1, (1 + confidence) / 2))
    luck = centre * (1 - centre) / items
    spread = (sum((share - centre) ** 2 for share in shares) + luck) / people
    worth = people * centre * (1 - centre) / spread if spread else people  # nobody erred, or all did: each counts as one answer
    return wilson_of(centre, worth * (z / student) ** 2, z)
