"""The mean accuracy over participants, with a CI for the population of participants."""

from __future__ import annotations

from collections.abc import Sequence

from isovist.stats.proportions import ConfidenceInterval, normal, wilson_of


def participant_mean(shares: Sequence[float], items: int, confidence: float = 0.95) -> ConfidenceInterval:
    """The mean of the participants' mean credits in [0, 1], each over `items` items, with a CI for other participants and the same items.

    The interval is the Wilson score interval for the effective number of binary responses, with the t quantile. The variance is that
    between participants, which includes the sampling error of each; it is estimated with one additional pseudo-participant whose squared
    deviation is the expected sampling variance, so that a few equal values do not yield a width of 0. The coverage of Student's t
    interval without these two changes was as low as 44% for two participants, and 88% to 96% for five with 30 items, in simulations.

    The interval is [0, 1] for one participant. Raises ValueError without participants.
    """
    from scipy.special import stdtrit

    people = len(shares)
    if not people:
        raise ValueError("no participants")
    centre = sum(shares) / people
    if people == 1:
        return ConfidenceInterval(centre, 0.0, 1.0)
    z, student = normal(confidence), float(stdtrit(people - 1, (1 + confidence) / 2))
    sampling_variance = centre * (1 - centre) / items
    spread = (sum((share - centre) ** 2 for share in shares) + sampling_variance) / people
    worth = people * centre * (1 - centre) / spread if spread else people  # all correct or all incorrect: one response per participant
    return wilson_of(centre, worth * (z / student) ** 2, z)
