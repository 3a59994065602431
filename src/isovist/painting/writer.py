"""Asking a model for descriptions until there are enough. All of it is in one folder, and goes on where it stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from isovist.core.answers import YesNo
from isovist.dataset.manifest import write_atomically
from isovist.errors import BadInput
from isovist.models import Fake, Model, Request, ask
from isovist.painting import prompt
from isovist.painting.descriptions import Description, descriptions, same
from isovist.painting.facings import NAMES
from isovist.painting.prompt import Example

SETTINGS = "painting.json"
REPLIES = "replies.jsonl"
DESCRIPTIONS = "descriptions.jsonl"
LEFT_OUT = "left-out.jsonl"

_ROUNDS = 3
"""Requests are made up to so many times as often as would do if every description could be used."""

Progress = Callable[[], object]


@dataclass(slots=True)
class Outcome:
    descriptions: list[Description] = field(default_factory=list[Description])
    malformed: int = 0
    duplicates: int = 0
    """Descriptions that say what another one says."""
    asked: int = 0
    """Requests of this call."""
    failed: int = 0
    """Those of them to which the model gave no reply; the same command asks again."""


def write(
    out: Path, model: Model, n: int, *, examples: Sequence[Example] = prompt.EXAMPLES, objects: Sequence[str] = prompt.OBJECTS,
    size: int = prompt.MOST, concurrency: int = 1, progress: Progress = lambda: None,
) -> Outcome:  # fmt: skip
    """Writes `n` descriptions into the folder `out`, or fewer if the model gives no more; `size` are asked for at a time.

    Replies are kept as they come: a later call with another `n` goes on. Raises BadInput if the folder was begun otherwise, or if
    there is no reply at all.
    """
    settings = {"writer": model.name, "size": size, "objects": list(objects), "examples": [asdict(one) for one in examples]}
    fresh = not out.exists()
    _begun(out, settings)
    replies = _replies(out / REPLIES)
    outcome = Outcome()
    faults: list[str] = []
    asyncio.run(_ask(out, model, n, replies, outcome, faults, (examples, objects, size, concurrency), progress))
    if not replies:
        (out / SETTINGS).unlink()  # nothing is begun
        if fresh:
            out.rmdir()
        raise BadInput(f"--model {model.name}: gave no reply ({faults[0] if faults else 'it said nothing'}).")
    found, left_out = _sorted(replies, n, examples, objects, size)
    outcome.descriptions = found
    outcome.malformed = sum(one["reason"] == "malformed" for one in left_out)
    outcome.duplicates = len(left_out) - outcome.malformed
    told = [{"id": one.id, **asdict(one), "facing": NAMES[one.facing]} for one in found]
    write_atomically(out / LEFT_OUT, _lines(left_out))
    write_atomically(out / DESCRIPTIONS, _lines(told))
    return outcome


def _lines(told: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in told)


def _begun(out: Path, settings: dict[str, Any]) -> None:
    """Notes what is asked for. Raises BadInput if the folder holds something else, or was begun otherwise."""
    path = out / SETTINGS
    if path.exists():
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            told = None
        if told != settings:
            raise BadInput(f"{out}: was begun with another model, list, batch or examples; give a new folder for --out.")
        return
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out}: {'not empty' if out.is_dir() else 'a file'}; give a new folder for --out, or one that was begun.")
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(settings, ensure_ascii=False) + "\n")


def _replies(path: Path) -> dict[int, str]:
    found: dict[int, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            told = cast("dict[str, Any]", json.loads(line))
            found[int(told["request"])] = str(told["reply"])
        except (ValueError, KeyError, TypeError):
            continue  # cut short; asked again
    return found


async def _ask(
    out: Path, model: Model, n: int, replies: dict[int, str], outcome: Outcome, faults: list[str],
    how: tuple[Sequence[Example], Sequence[str], int, int], progress: Progress,
) -> None:  # fmt: skip
    """Makes requests, in rounds of as many as the missing descriptions need, until there are enough or the most are made."""
    examples, objects, size, concurrency = how
    room = asyncio.Semaphore(concurrency)
    most = _ROUNDS * -(-n // size)

    async def one(number: int) -> None:
        async with room:
            words = prompt.words(prompt.batch(number, objects, size), examples)
            reply = await ask(model, Request(f"paint:{number}", words, ()), YesNo(truth=True))
            outcome.asked += 1
            if reply.error or not reply.text.strip():
                outcome.failed += 1
                faults.append(reply.error or "it said nothing")
            else:
                replies[number] = reply.text
                with (out / REPLIES).open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"request": number, "reply": reply.text}, ensure_ascii=False) + "\n")
            progress()

    try:
        while True:
            missing = n - len(_sorted(replies, n, examples, objects, size)[0])
            open_ = [number for number in range(most) if number not in replies]
            if missing <= 0 or not open_:
                return
            await asyncio.gather(*(one(number) for number in open_[: -(-missing // size)]))
            if outcome.failed:
                return  # a machine fault is not answered with more requests
    finally:
        if not isinstance(model, Fake):
            await model.close()


def _sorted(
    replies: dict[int, str], n: int, examples: Sequence[Example], objects: Sequence[str], size: int
) -> tuple[list[Description], list[dict[str, Any]]]:  # fmt: skip
    """The first `n` descriptions that can be used, and what was left out, in the order of the requests and not of the replies."""
    found: list[Description] = []
    left_out: list[dict[str, Any]] = []
    for number in sorted(replies):
        good, faults = descriptions(replies[number], prompt.batch(number, objects, size), examples)
        left_out += [{"request": number, "reason": "malformed", "detail": fault} for fault in faults]
        for made in good:
            if (twin := next((one for one in found if same(one, made)), None)) is not None:
                left_out.append({"request": number, "reason": "duplicate", "detail": f"says what {twin.id} says", "description": made.text})
            else:
                found.append(made)
    return found[:n], left_out


def read(folder: Path) -> list[Description]:
    """The descriptions in a folder. Raises BadInput for a folder that has none."""
    path = folder / DESCRIPTIONS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        raise BadInput(f"{folder}: no descriptions ({DESCRIPTIONS} is missing); `isovist paint write` makes them.") from None
    found: list[Description] = []
    for number, line in enumerate(lines, 1):
        try:
            told = json.loads(line)
            facing = NAMES.index(told["facing"])
            texts = [told[name] for name in ("object", "name", "setting", "text")]
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{path}: line {number} is no description ({type(error).__name__}: {error}).") from None
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise BadInput(f"{path}: line {number} is no description (a text is empty).")
        found.append(Description(texts[0], texts[1], texts[2], facing, texts[3]))
    if not found:
        raise BadInput(f"{path}: is empty; ask for descriptions again.")
    return found
