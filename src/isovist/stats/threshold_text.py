"""Size thresholds in words."""

from __future__ import annotations

from isovist.stats.psychometric_function import ThresholdEstimate


def threshold_text(estimate: ThresholdEstimate) -> str:
    """A size threshold, such as "9.4" or "above 20"."""
    return {
        "within": f"{estimate.threshold or 0:.1f}",
        "above": f"above {estimate.largest}",
        "below": f"below {estimate.smallest}",
        "unknown": "not determined",
    }[estimate.range_status]


def interval_text(estimate: ThresholdEstimate) -> str:
    """The 95% CI of a size threshold, such as "[8.1, 10.9]" or "above 8.1" where it extends beyond the tested sizes."""
    match estimate.low, estimate.high:
        case None, None:
            return "-"
        case None, high:
            return f"below {high:.1f}"
        case low, None:
            return f"above {low:.1f}"
        case low, high:
            return f"[{low:.1f}, {high:.1f}]"
