"""The data card of a mix: README.md, with the YAML head that `datasets.load_dataset` reads. It says what went in."""

from __future__ import annotations

from dataclasses import dataclass

from isovist.dataset.asset_attribution import Shown, credits_to
from isovist.dataset.data_card import render_card, size
from isovist.dataset.mixture import Mix
from isovist.training.external_data import SampledRecords
from isovist.training.mixture_plan import MixturePlan

_NO_LICENCE = "It is not told here: read it where the data are published, before you pass anything on"


@dataclass(frozen=True, slots=True)
class MixtureStatistics:
    """What was found while a mix was made."""

    drawn: SampledRecords | None = None
    replaced: int = 0
    """Items that came out the same as another one, and in whose place another one stands."""
    tests: int = 0
    """Test items with which all was compared."""


def card(mix: Mix, plan: MixturePlan, made: MixtureStatistics, shown: Shown) -> str:
    """The card of a finished mix; `shown` is what its items show that asks to be named."""
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
