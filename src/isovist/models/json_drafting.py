"""Asking a model to draft things, in JSON. Replies are kept in a folder as they come, so that the same command goes on where it stopped."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from isovist import json_lines
from isovist.atomic_write import write_atomically
from isovist.core.answers import YesNo
from isovist.errors import UserError
from isovist.models import Model, ModelRequest, SimulatedModel, ask

REPLIES = "replies.jsonl"

Progress = Callable[[], object]
Name = TypeVar("Name", str, int)
Made = TypeVar("Made")

_LIST = re.compile(r"\[.*\]", re.DOTALL)


class Malformed(ValueError):
    """A draft that cannot be used; the message says why."""


def begin(path: Path, settings: dict[str, Any], setting_names: str) -> None:
    """Notes in the file `path` what its folder is made with. Raises UserError if the folder was begun with other settings, which `setting_names`
    names, or holds something else.
    """
    folder = path.parent
    if path.exists():
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            before = None
        if before != settings:
            raise UserError(f"{folder}: was begun with another {setting_names}; give a new folder for --out.")
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: {'not empty' if folder.is_dir() else 'a file'}; give a new folder for --out, or one that was begun.")
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(settings, ensure_ascii=False) + "\n")


def forget(path: Path, fresh: bool) -> None:
    """Takes back what `begin` noted, and the folder where it was `fresh`, as nothing came of it."""
    path.unlink()
    if fresh:
        path.parent.rmdir()


@dataclass(slots=True)
class Replies(Generic[Name]):
    """A model's replies in a folder, by the name of what was asked."""

    path: Path
    called: str
    """The key of a name in a line of the file."""
    texts: dict[Name, str]
    faults: list[str] = field(default_factory=list[str])
    """Why there was no reply, for each request of this process that got none."""

    async def add(self, model: Model, requests: Mapping[Name, Callable[[], ModelRequest]], concurrency: int, progress: Progress) -> None:
        """Asks for what is named, so many at a time; a request is made when its turn comes. `progress` is told of each reply or fault."""
        room = asyncio.Semaphore(concurrency)

        async def one(name: Name, request: Callable[[], ModelRequest]) -> None:
            async with room:
                reply = await ask(model, request(), YesNo(truth=True))
                if reply.error or not reply.text.strip():
                    self.faults.append(reply.error or "it said nothing")
                else:
                    self.texts[name] = reply.text
                    json_lines.append(self.path, {self.called: name, "reply": reply.text})
                progress()

        await asyncio.gather(*(one(name, request) for name, request in requests.items()))


def kept(folder: Path, called: str, kind: type[Name]) -> Replies[Name]:
    """The replies in a folder, whose names are called so and of that type; a line that was cut short is asked for again."""
    path = folder / REPLIES
    texts: dict[Name, str] = {}
    for line in json_lines.rows(path.read_text(encoding="utf-8")) if path.exists() else ():
        try:
            row = cast("dict[str, Any]", json.loads(line))
            texts[kind(row[called])] = str(row["reply"])
        except (ValueError, KeyError, TypeError):
            continue
    return Replies(path, called, texts)


def closing(model: Model, work: Awaitable[None]) -> None:
    """Runs what asks a model to its end, and lets go of the model."""

    async def whole() -> None:
        try:
            await work
        finally:
            if not isinstance(model, SimulatedModel):
                await model.close()

    asyncio.run(whole())


def elements(reply: str, read: Callable[[dict[str, Any], int], Made]) -> tuple[list[Made], list[str]]:
    """What `read` makes of the objects of the JSON list in a reply, told each with its place from 0, and what is wrong with those for
    which it raises Malformed.
    """
    match = _LIST.search(reply)
    try:
        data = json.loads(match.group()) if match else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, list) or not data:
        return [], ["the reply holds no JSON list"]
    good: list[Made] = []
    faults: list[str] = []
    for place, one in enumerate(cast("list[object]", data)):
        try:
            if not isinstance(one, dict):
                raise Malformed("no object")
            good.append(read(cast("dict[str, Any]", one), place))
        except Malformed as fault:
            faults.append(f"element {place + 1}: {fault}")
    return good, faults
