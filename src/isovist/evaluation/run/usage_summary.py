"""The usage summary of a run, for `run.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import chain, islice

from isovist.evaluation.run.captions import Caption
from isovist.evaluation.run.captions import read as read_captions
from isovist.evaluation.run.cost_estimate import image_sizes
from isovist.evaluation.run.pricing import Price
from isovist.evaluation.run.recorded_trials import RecordedTrials
from isovist.evaluation.run.records import AttemptRecord, read, totals
from isovist.evaluation.run.run_folder import EndpointUsage, RunFolder, RunMetadata, UsageSummary, now
from isovist.evaluation.run.run_summary import RunSummary


def finish(folder: RunFolder, info: RunMetadata, summary: RunSummary, price: Price | None) -> RunMetadata:
    """Write the metadata of a finished run, with the usage summary of its records and captions.

    An earlier session that was killed has not stored its image sizes; then all images of the run are read.
    """
    n_new, sizes = summary.n_new, summary.image_sizes
    usage = usage_summary(read(folder.records), read_captions(folder.captions), sizes, price)
    if info.usage and info.usage.trials + n_new == usage.trials:
        sizes = sizes + Counter(info.usage.image_sizes)
    elif n_new != usage.trials:
        recorded = RecordedTrials.read(folder.records)
        sizes = Counter(size for trial in folder.trials(info) if recorded.get(trial.trial_id) for size in image_sizes(trial))
    options = replace(info.options, concurrency=summary.connections or info.options.concurrency)
    info = replace(info, options=options, finished=now(), usage=replace(usage, image_sizes=dict(sorted(sizes.items()))))
    folder.write(info)
    return info


def usage_summary(
    records: Iterable[AttemptRecord], captions: Iterable[Caption], sizes: Mapping[str, int], price: Price | None
) -> UsageSummary:
    """The usage summary from all records, captions and image sizes of a run."""
    prompts: list[bytes] = []  # one object of a record, as a run may have a million
    endpoints: dict[str, EndpointUsage] = {}
    n_captions = 0

    def noted() -> Iterator[AttemptRecord]:
        for number, record in enumerate(records):
            prompts.append("\0".join((record.item_id, record.variant, f"{number:012}", record.prompt_hash)).encode(errors="surrogatepass"))
            _note_endpoints(endpoints, record)
            yield record

    def counted() -> Iterator[Caption]:
        nonlocal n_captions
        for caption in captions:
            n_captions += 1
            yield caption

    spent = totals(chain(noted(), counted()))
    trials, prompt_hash = _prompt_hash(prompts)
    usage = {"input_tokens": spent.input_tokens, "output_tokens": spent.output_tokens}
    return UsageSummary(
        served_by=spent.served_by,
        prompt_hash=prompt_hash,
        trials=trials,
        attempts=spent.attempts - n_captions,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        image_sizes=dict(sorted(sizes.items())),
        cost_usd=round(price.of(usage), 6) if price else None,
        captions=n_captions,
        endpoints=dict(sorted(endpoints.items())),
    )


def _prompt_hash(prompts: list[bytes]) -> tuple[int, str]:
    """The number of trials and the hash of their prompts. `prompts`: item, variant, number and hash of each record; they are sorted."""
    prompts.sort()
    digest, trials = sha256(), 0
    for line, after in zip(prompts, chain(islice(prompts, 1, None), [b""]), strict=False):
        item, variant, _, prompt = line.rsplit(b"\0", 3)
        if not after.startswith(item + b"\0" + variant + b"\0"):  # the last record of the trial
            digest.update((b"\n" if trials else b"") + b" ".join((item, variant, prompt)))
            trials += 1
    return trials, digest.hexdigest()[:16]


def _note_endpoints(usages: dict[str, EndpointUsage], record: AttemptRecord) -> None:
    for url in record.moved_from:
        usage = usages.get(url, EndpointUsage())
        usages[url] = replace(usage, moved=usage.moved + 1)
    if record.endpoint:
        usage = usages.get(record.endpoint, EndpointUsage())
        usages[record.endpoint] = replace(
            usage,
            attempts=usage.attempts + 1,
            request_errors=usage.request_errors + (record.outcome == "request_error"),
            input_tokens=usage.input_tokens + record.usage.get("input_tokens", 0),
            output_tokens=usage.output_tokens + record.usage.get("output_tokens", 0),
        )
