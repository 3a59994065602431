"""Packing of a run into a submission."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from isovist.common import json_lines
from isovist.common.errors import UserError
from isovist.evaluation.models.base import GenerationConfig
from isovist.evaluation.models.request_errors import may_hold_key, without_keys
from isovist.evaluation.run.records import AttemptRecord, at, placed
from isovist.evaluation.run.run_folder import RunFolder, RunMetadata
from isovist.evaluation.run.variants import STANDARD
from isovist.evaluation.run.verification import Verifier
from isovist.reporting.submissions import archive
from isovist.reporting.submissions.model_card import ModelCard
from isovist.reporting.submissions.submission import Counting, Reply, Submission

SUFFIX = ".zip"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://\S+|\b\S+:\d{2,5}\b", re.IGNORECASE)  # servers in the messages of request errors


def pack(run: Path, out: Path, card: ModelCard | None, verifier: Verifier) -> Submission:
    """Write the responses of a run of a release to the zip file `out`; an existing file is replaced.

    Raises UserError for a run that is not of a release, imported, incomplete or a shard, and CheckFailed for one that fails its
    verification. Then nothing is written.
    """
    if out.suffix != SUFFIX:
        raise UserError(f"Not a zip file: {out}. Give --out a name that ends with {SUFFIX}.")
    folder = RunFolder(run)
    info = folder.info()
    _require_submittable(run, info)
    (reading,) = verifier.read([(folder, info)])
    verifier.conclude()
    if reading.changed:
        raise UserError(f"{reading.fact(str(run))} Run `isovist rescore {run}` first.")
    ids = {row.id for row in folder.rows(info, pictures=False)}
    unscored = [id for id in ids if not ((result := reading.verdicts.get((id, STANDARD))) and result.is_scored)]
    if unscored:
        raise UserError(
            f"Run is incomplete: {len(unscored):,} of {len(ids):,} items have no score (first: {min(unscored)}): {run}. "
            "Run the same command again."
        )
    places = sorted(
        (record.item_id, record.attempt, place)
        for place, record in placed(folder.records, AttemptRecord)
        if record.variant == STANDARD and record.item_id in ids
    )
    counting = Counting()
    written = list[Submission]()

    def submission(digest: str) -> bytes:
        written.append(_submission(info, counting, digest, card))
        return (json.dumps(asdict(written[0]), indent=1, ensure_ascii=False) + "\n").encode()

    archive.write(out, _lines(folder, [place for _, _, place in places], counting), submission)
    return written[0]


def _require_submittable(run: Path, info: RunMetadata) -> None:
    if info.source_tool:
        raise UserError(f"Run has imported responses ({info.source_tool}): {run}. The organiser imports them into the leaderboard.")
    if not info.release:
        raise UserError(
            f"Run is not of a release: {run}. Run all items of one, in its prompt style: isovist run --release NAME, or --data with its data."
        )
    if not info.finished:
        raise UserError(f"Run is incomplete: {run}. Run the same command again to resume it.")
    require_no_key(run, info)


def require_no_key(run: Path, info: RunMetadata) -> None:
    """Raises UserError for settings that may hold a key, which must not be published."""
    texts = {"model": info.model, "system_prompt": info.options.system_prompt, "model_args": json.dumps(info.options.model_args)}
    for name, text in texts.items():
        if may_hold_key(text):
            raise UserError(
                f"The {name} of the run may hold a key: {run / 'run.json'}. What is published is public; run the model without it."
            )


def _lines(folder: RunFolder, places: Sequence[int], counting: Counting) -> Iterator[bytes]:
    for place in places:
        reply = _reply(at(folder.records, place))
        counting.add(reply)
        yield json_lines.line(asdict(reply)).encode()


def _reply(record: AttemptRecord) -> Reply:
    values: dict[str, Any] = {field.name: getattr(record, field.name) for field in fields(Reply)}
    return replace(Reply(**values), error=_ADDRESS.sub("[address]", without_keys(record.error)))


def _submission(info: RunMetadata, counting: Counting, digest: str, card: ModelCard | None) -> Submission:
    return Submission(
        release=info.release,
        commitment=info.commitment,
        model=info.model,
        options=without_servers(info.options),
        image_mode=info.image_mode,
        style=info.style,
        versions=dict(sorted(info.versions.items())),
        started=info.started,
        finished=info.finished,
        counts=counting.counts(),
        replies_sha256=digest,
        card=card,
    )


def without_servers(options: GenerationConfig) -> GenerationConfig:
    """The options without the addresses of servers, which may have credentials."""
    return replace(options, base_url="")
