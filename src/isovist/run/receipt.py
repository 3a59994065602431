"""What a run came to, for `run.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from isovist.run.folder import Receipt
from isovist.run.prices import Price
from isovist.run.records import Name, Record, hashed


def receipt(records: Iterable[Record], sizes: Mapping[str, int], price: Price | None) -> Receipt:
    """The receipt of a run, from all its records and the sizes of its pictures."""
    prompts: dict[Name, str] = {}
    served: set[str] = set()
    attempts, sent, received, cost = 0, 0, 0, 0.0
    for record in records:
        attempts += 1
        prompts[record.item_id, record.variant] = record.prompt_hash
        served |= {record.served_by} - {""}
        sent += record.usage.get("input_tokens", 0)
        received += record.usage.get("output_tokens", 0)
        cost += price.of(record.usage) if price else 0.0
    listed = "\n".join(" ".join((*name, prompts[name])) for name in sorted(prompts))
    return Receipt(
        served_by=tuple(sorted(served)),
        prompt_hash=hashed(listed.encode()),
        askings=len(prompts),
        attempts=attempts,
        input_tokens=sent,
        output_tokens=received,
        image_sizes=dict(sorted(sizes.items())),
        cost_usd=round(cost, 6) if price else None,
    )
