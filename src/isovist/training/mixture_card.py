"""The data card of a mixture: README.md with the YAML header for `datasets.load_dataset`, and the composition of the mixture."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.data.dataset.asset_attribution import Shown, credits_to
from isovist.data.dataset.data_card import render_card, size
from isovist.data.dataset.mixture import Mix
from isovist.training.external_data import SampledRecords
from isovist.training.mixture_plan import MixturePlan

_NO_LICENCE = "It is not told here: read it where the data are published, before you pass anything on"


@dataclass(frozen=True, slots=True)
class MixtureStatistics:
    """Statistics of the build of a mixture."""

    drawn: SampledRecords | None = None
    replaced: int = 0
    """Duplicate items that were replaced."""
    tests: int = 0
    """Number of test items in the contamination check."""


def card(mix: Mix, plan: MixturePlan, made: MixtureStatistics, shown: Shown) -> str:
    """Return the card of a complete mixture; `shown`: the assets in its items that require attribution."""
    general: dict[str, str] = mix.recipe.get("general", {})
    return render_card(
        "isovist.training",
        "mixture_card.md.j2",
        mix=mix,
        plan=plan,
        made=made,
        size=size(len(mix)),
        rows=[(share.part, round(share.reasoning * share.part.n)) for share in plan.shares],
        name=general.get("name", "general"),
        licence=general.get("licence") or _NO_LICENCE,
        credits=credits_to(shown),
    )
