"""The usage summary of a run, for `run.json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from isovist.run.captions import Caption
from isovist.run.captions import read as read_captions
from isovist.run.pricing import Price
from isovist.run.records import AttemptRecord, Name, hashed, read, totals
from isovist.run.run_folder import RunFolder, RunMetadata, UsageSummary, now


def finish(folder: RunFolder, info: RunMetadata, sizes: Mapping[str, int], price: Price | None) -> RunMetadata:
    """Write the metadata of a finished run, with the usage summary of its records and captions."""
    info = replace(info, finished=now(), usage=usage_summary(read(folder.records), read_captions(folder.captions), sizes, price))
    folder.write(info)
    return info


def usage_summary(
    records: Iterable[AttemptRecord], captions: Iterable[Caption], sizes: Mapping[str, int], price: Price | None
) -> UsageSummary:
    """The usage summary from all records, captions and image sizes of a run."""
    prompts: dict[Name, str] = {}

    def noted() -> Iterator[AttemptRecord]:
        for record in records:
            prompts[record.item_id, record.variant] = record.prompt_hash
            yield record

    all_captions = list(captions)
    spent = totals(chain(noted(), all_captions))
    listed = "\n".join(" ".join((*name, prompts[name])) for name in sorted(prompts))
    usage = {"input_tokens": spent.input_tokens, "output_tokens": spent.output_tokens}
    return UsageSummary(
        served_by=spent.served_by,
        prompt_hash=hashed(listed.encode()),
        trials=len(prompts),
        attempts=spent.attempts - len(all_captions),
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        image_sizes=dict(sorted(sizes.items())),
        cost_usd=round(price.of(usage), 6) if price else None,
        captions=len(all_captions),
    )
