"""Score recorded responses again; no requests are sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from isovist.common.errors import UserError
from isovist.core.answers import Answer, Outcome
from isovist.evaluation.models.base import ModelResponse
from isovist.evaluation.run.records import AttemptRecord, line_of, outcome_of, read, score_as_published
from isovist.evaluation.run.run_folder import RunFolder, parser
from isovist.evaluation.run.variants import STRUCTURED, rotate_key


def rescore(folder: RunFolder, keys: Mapping[str, tuple[str, Answer]]) -> tuple[int, Counter[tuple[Outcome, Outcome]]]:
    """Score every response of a run again and replace its records atomically.

    Args:
        folder: the run.
        keys: task and key of each item.

    Returns:
        The number of responses, and the number of changes by old and new outcome.

    Raises:
        UserError: for a record of an unknown item or variant.
    """
    changed: Counter[tuple[Outcome, Outcome]] = Counter()
    count = 0
    with folder.locked():
        new = folder.records.with_suffix(".jsonl.new")
        try:
            with new.open("wb") as file:
                for record in read(folder.records):
                    if record.item_id not in keys:
                        raise UserError(f"Record of an item outside the run: {record.item_id}. Restore the data of the run.")
                    scored = again(record, keys)
                    count += 1
                    if scored.outcome != record.outcome:
                        changed[record.outcome, scored.outcome] += 1
                    file.write(line_of(scored))
            new.replace(folder.records)
            info = folder.info()
            folder.write(replace(info, versions=info.versions | {"parser": parser()}))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder.records)) from error
        finally:
            new.unlink(missing_ok=True)
    return count, changed


def again(record: AttemptRecord, keys: Mapping[str, tuple[str, Answer]]) -> AttemptRecord:
    """A record with the new score of its response. Raises UserError for an unknown variant."""
    reply = ModelResponse(record.response, record.reasoning, record.finish_reason, error=record.error, schema_refused=record.schema_refused)
    task, key = keys[record.item_id]
    try:
        key = rotate_key(key, record.variant)
    except ValueError:
        raise UserError(f"Unknown variant in the record of {record.item_id}: {record.variant}. Fix the record.") from None
    structured = record.variant == STRUCTURED
    outcome, value, parsed = outcome_of(reply, key, structured=structured)
    published = None if structured else score_as_published(task, reply, key)
    return replace(record, outcome=outcome, credit=value, parsed_answer=parsed, published_credit=published)
