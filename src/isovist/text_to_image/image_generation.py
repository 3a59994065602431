"""From descriptions to pictures and to the cards on which people sort them. What is drawn stays; a later call goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from PIL import Image, UnidentifiedImageError

from isovist import json_lines
from isovist.errors import UserError
from isovist.human.annotate import annotation_jobs
from isovist.human.annotate.cards import Card, Option
from isovist.text_to_image import description_writer
from isovist.text_to_image.descriptions import Description
from isovist.text_to_image.facing_directions import KEYS, NAMES, WORDS
from isovist.text_to_image.model_presets import DiffusionModel, Settings

PICTURES = "pictures.jsonl"
REJECT = "reject"

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,30}")
_ORDER = "78946123"
_BLANK = "one colour all over"

Progress = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as it is stored. `file` is its path in the folder, `digest` that of its bytes, `fault` why nobody gets to see it."""

    id: str
    """Painter and description."""
    painter: str
    description: str
    file: str
    digest: str
    seed: int
    made_with: str
    settings: dict[str, Any]
    fault: str = ""

    @property
    def card(self) -> str:
        """The id of its card. The bytes are part of it: an answer never counts for another picture of the same name."""
        return f"{self.id}:{self.digest[:12]}"


@dataclass(slots=True)
class GenerationSummary:
    drawn: int = 0
    """By this call."""
    kept: int = 0
    """Drawn before, by this painter."""
    faulty: int = 0
    """Of this painter's, those that show nothing; they are on no card."""
    cards: int = 0
    """Of all painters."""


def named(name: str) -> str:
    """A painter's name, which is part of file names. Raises UserError for any other."""
    if not _NAME.fullmatch(name):
        raise UserError(f"Invalid --painter: {name}. Use lower-case letters, digits, dots and dashes, and name the weights with --model.")
    return name


def draw(
    folder: Path, settings: Settings, load: Callable[[], DiffusionModel], *, n: int | None = None, progress: Progress = lambda: None
) -> GenerationSummary:  # fmt: skip
    """Draws the descriptions of a folder, the first `n` or all, each that a painter of these settings has not drawn yet; `load` gives
    the painter and is called only if something is left to draw. Raises UserError, also if this painter drew with other settings before.
    """
    descriptions = description_writer.read(folder)
    done = _drawn(folder, settings, descriptions)
    chosen = descriptions[:n]
    left = [one for one in chosen if one.id not in done]
    outcome = GenerationSummary(kept=len(chosen) - len(left))
    painter = load() if left else None
    try:
        for one in left:
            assert painter is not None  # noqa: S101 - said above
            (folder / "pictures" / settings.name).mkdir(parents=True, exist_ok=True)
            _draw(folder, painter, one)
            outcome.drawn += 1
            progress()
    finally:  # whatever ends it, people can sort what there is
        outcome.cards = _cards(folder, descriptions)
    outcome.faulty = sum(bool(one.fault) for one in read(folder) if one.painter == settings.name)
    return outcome


def _drawn(folder: Path, settings: Settings, descriptions: list[Description]) -> set[str]:
    """The descriptions of which a painter's pictures are there, whole. Raises UserError if it drew them with other settings."""
    named(settings.name)
    wanted, recorded = {one.id for one in descriptions}, settings.as_json
    mine = [one for one in read(folder) if one.painter == settings.name and one.description in wanted]
    other = next((one for one in mine if one.settings != recorded), None)
    if other is not None:
        differ = ", ".join(key for key in recorded if other.settings.get(key) != recorded[key]) or "setting"
        raise UserError(
            f"Folder has images of {settings.name} with a different {differ}: {folder}. Choose another --painter name (with --model)."
        )
    return {one.description for one in mine if whole(folder, one)}


def _draw(folder: Path, painter: DiffusionModel, one: Description) -> None:
    settings = painter.settings
    data = painter.draw(one.text, one.seed)
    file = f"pictures/{settings.name}/{one.id}.png"
    partial = folder / f"{file}.partial"
    partial.write_bytes(data)
    partial.replace(folder / file)
    made = Picture(
        f"{settings.name}:{one.id}", settings.name, one.id, file, _digest(data), one.seed, painter.made_with, settings.as_json, _fault(data)
    )
    json_lines.append(folder / PICTURES, asdict(made))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _fault(data: bytes) -> str:
    """What is wrong with a picture before anybody has seen it: safety filters and faulty arithmetic leave one colour."""
    try:
        with Image.open(BytesIO(data)) as image:
            extrema = cast("tuple[tuple[int, int], ...]", image.convert("RGB").getextrema())
    except (OSError, UnidentifiedImageError, ValueError):
        return "no picture"
    return _BLANK if all(low == high for low, high in extrema) else ""


def whole(folder: Path, one: Picture) -> bool:
    """Whether a picture is there as it was drawn."""
    path = folder / one.file
    return path.is_file() and _digest(path.read_bytes()) == one.digest


def read(folder: Path) -> list[Picture]:
    """The pictures of a folder, the last of each painter and description. A line cut short is a picture not drawn."""
    path = folder / PICTURES
    by_id: dict[str, Picture] = {}
    for line in json_lines.rows(path.read_text(encoding="utf-8")) if path.exists() else ():
        try:
            data = cast("dict[str, Any]", json.loads(line))
            made = Picture(**data)
        except (ValueError, TypeError):
            continue
        if made.file == f"pictures/{made.painter}/{made.description}.png" and _NAME.fullmatch(str(made.painter)):
            by_id[made.id] = made
    return list(by_id.values())


def _cards(folder: Path, descriptions: list[Description]) -> int:
    """Writes the cards of all pictures that show something; how many there are."""
    by_id = {one.id: one for one in descriptions}
    shown = [one for one in read(folder) if one.description in by_id and not one.fault and whole(folder, one)]
    place = {id: i for i, id in enumerate(by_id)}
    shown.sort(key=lambda one: (place[one.description], one.painter))
    if shown:
        annotation_jobs.write(folder, [card(folder, one, by_id[one.description]) for one in shown])
    else:
        (folder / annotation_jobs.CARDS).unlink(missing_ok=True)
    return len(shown)


def card(folder: Path, one: Picture, description: Description) -> Card:
    """The card of a picture. Which way the description has the thing face is not on it: people say what they see."""
    text = (
        f"Which way does the front of the {description.name} point, for you who look at the picture? The keys are a plan seen from above, you below it. "
        f"Reject the picture if it does not show one {description.name}, whole and sound, or if its front could point two ways."
    )
    facing = {key: i for i, key in enumerate(KEYS)}
    options = [Option(NAMES[facing[key]], WORDS[facing[key]], key) for key in _ORDER]
    options.append(Option(REJECT, "Reject", "x"))
    return Card(one.card, text, (folder / one.file,), options=tuple(options), part=one.painter, group=description.id)
