"""Scoring old replies again: nothing is sent, the words stay as they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from isovist.core.answers import Answer, Outcome
from isovist.errors import BadInput
from isovist.models.base import Reply
from isovist.run.folder import RunFolder
from isovist.run.records import Record, as_published, judged, line_of, read
from isovist.run.variants import keyed


def rescore(folder: RunFolder) -> tuple[int, Counter[tuple[Outcome, Outcome]]]:
    """Scores every reply of a run again and puts the new verdicts in its records; the file changes as a whole or not.

    Returns the number of replies, and how often a verdict changed from one outcome to another.
    """
    info = folder.info()
    keys: dict[str, tuple[str, Answer]] = {row.id: (row.task, row.key) for row in folder.rows(info, pictures=False)}
    changed: Counter[tuple[Outcome, Outcome]] = Counter()
    count = 0
    with folder.locked():
        new = folder.records.with_suffix(".jsonl.new")
        try:
            with new.open("wb") as file:
                for record in read(folder.records):
                    again = _again(record, keys)
                    count += 1
                    if again.outcome != record.outcome:
                        changed[record.outcome, again.outcome] += 1
                    file.write(line_of(again))
            new.replace(folder.records)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder.records)) from error
        finally:
            new.unlink(missing_ok=True)
    return count, changed


def _again(record: Record, keys: dict[str, tuple[str, Answer]]) -> Record:
    if record.item_id not in keys:
        raise BadInput(f"the record of {record.item_id} belongs to no item of this run.")
    reply = Reply(record.reply, record.reasoning, record.finish_reason, error=record.error)
    task, key = keys[record.item_id]
    try:
        key = keyed(key, record.variant)
    except ValueError:
        raise BadInput(f"the record of {record.item_id} is of no variant that there is: {record.variant}.") from None
    outcome, value, parsed = judged(reply, key)
    return replace(record, outcome=outcome, value=value, parsed=parsed, published=as_published(task, reply, key))
