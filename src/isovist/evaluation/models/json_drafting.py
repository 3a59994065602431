"""Requests for drafts as JSON lists. Responses are stored in a folder at once, so that the same command resumes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.core.answers import YesNo
from isovist.evaluation.models import Model, ModelRequest, SimulatedModel, ask

REPLIES = "replies.jsonl"

Progress = Callable[[], object]
Name = TypeVar("Name", str, int)
Made = TypeVar("Made")

_LIST = re.compile(r"\[.*\]", re.DOTALL)


class Malformed(ValueError):
    """An invalid draft; the message is the reason."""


def begin(path: Path, settings: dict[str, Any], setting_names: str) -> None:
    """Write the settings of a folder into the file `path`.

    Raises UserError if the folder has other settings (`setting_names` in the message) or other content.
    """
    folder = path.parent
    if path.exists():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            before = None
        if before != settings:
            raise UserError(f"Folder has a different {setting_names}: {folder}. Choose a new --out folder.")
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(
            f"{'Folder is not empty' if folder.is_dir() else 'Not a folder'}: {folder}. Choose a new --out folder, or one of an earlier call."
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(settings, ensure_ascii=False) + "\n")


def forget(path: Path, fresh: bool) -> None:
    """Undo `begin` after a failure: delete the settings, and a `fresh` folder."""
    path.unlink()
    if fresh:
        path.parent.rmdir()


@dataclass(slots=True)
class Replies(Generic[Name]):
    """The stored responses of a model, by request name."""

    path: Path
    called: str
    """The JSON field of the request name."""
    texts: dict[Name, str]
    faults: list[str] = field(default_factory=list[str])
    """The reasons of requests without a response in this session."""

    async def add(self, model: Model, requests: Mapping[Name, Callable[[], ModelRequest]], concurrency: int, progress: Progress) -> None:
        """Send the requests, `concurrency` at a time. `progress` is called after each response or error."""
        room = asyncio.Semaphore(concurrency)

        async def one(name: Name, request: Callable[[], ModelRequest]) -> None:
            async with room:
                reply = await ask(model, request(), YesNo(truth=True))
                if reply.error or not reply.text.strip():
                    self.faults.append(reply.error or "empty response")
                else:
                    self.texts[name] = reply.text
                    json_lines.append(self.path, {self.called: name, "response": reply.text})
                progress()

        await asyncio.gather(*(one(name, request) for name, request in requests.items()))


def kept(folder: Path, called: str, kind: type[Name]) -> Replies[Name]:
    """The stored responses of a folder; requests of incomplete lines are sent again."""
    path = folder / REPLIES
    texts: dict[Name, str] = {}
    for line in json_lines.rows(path.read_text(encoding="utf-8")) if path.exists() else ():
        try:
            row = cast("dict[str, Any]", json.loads(line))
            texts[kind(row[called])] = str(row["response"])
        except (ValueError, KeyError, TypeError):
            continue
    return Replies(path, called, texts)


def closing(model: Model, work: Awaitable[None]) -> None:
    """Run `work` and close the model."""

    async def whole() -> None:
        try:
            await work
        finally:
            if not isinstance(model, SimulatedModel):
                await model.close()

    asyncio.run(whole())


def elements(reply: str, read: Callable[[dict[str, Any], int], Made]) -> tuple[list[Made], list[str]]:
    """The objects of the JSON list in a response, converted by `read` (object, index), and the faults of those that raise Malformed."""
    match = _LIST.search(reply)
    try:
        data = json.loads(match.group()) if match else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, list) or not data:
        return [], ["the response contains no JSON list"]
    good: list[Made] = []
    faults: list[str] = []
    for place, one in enumerate(cast("list[object]", data)):
        try:
            if not isinstance(one, dict):
                raise Malformed("not an object")
            good.append(read(cast("dict[str, Any]", one), place))
        except Malformed as fault:
            faults.append(f"element {place + 1}: {fault}")
    return good, faults
