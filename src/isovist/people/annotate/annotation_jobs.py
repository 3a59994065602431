"""Annotation jobs of folders: a list of cards, a dataset folder, or images to label."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

from isovist.common import json_lines
from isovist.common.atomic_write import write_atomically
from isovist.common.errors import UserError
from isovist.core.answers import LETTERS, Choice, Count, YesNo
from isovist.core.item_ids import unique_part
from isovist.data.dataset.load import chosen, load
from isovist.data.dataset.manifest import MANIFEST, Manifest
from isovist.data.dataset.rows import ItemRow
from isovist.people.annotate.cards import Card, Field, Job, Option, keyed
from isovist.world.render.image_encoding import media_type

CARDS = "cards.jsonl"
LABELS = ("accept", "reject")
PICTURES = (".jpg", ".jpeg", ".png", ".webp")

_DETAILS = "told"  # name of `details` in files of earlier versions
_NAMES = {"id", "text", "pictures", "captions", "choices", "field", "hint", "part", "group", "key", "details", _DETAILS}
_FIELDS: tuple[Field, ...] = ("choice", "number", "text")
_MOST = 100_000  # cards


def job(
    folder: Path, into: Path, *, tasks: Sequence[str] = (), split: str | None = None, n: int | None = None, labels: Sequence[str] = ()
) -> Job:
    """The job in a folder, with at most `n` cards of each part. The images of a dataset are written to `into`.

    `tasks` and `split` select items of a dataset, `labels` are the options for a folder of images. Raises UserError.
    """
    if not folder.is_dir():
        raise UserError(f"Folder does not exist: {folder}. Give a folder with {CARDS}, a dataset folder, or a folder of images.")
    listed, data = (folder / CARDS).exists(), (folder / MANIFEST).exists()
    holds = "a list of annotation items" if listed else "a dataset" if data else "a folder of images"
    for value, name, is_supported in ((tasks, "--tasks", data), (split, "--split", data), (labels, "--labels", not listed and not data)):
        if value and not is_supported:
            raise UserError(f"Option without effect on {holds}: {name}. Remove it.")
    if listed:
        cards = _limited(_listed(folder), n)
    elif data:
        cards = [item(row, into) for row in load(folder, chosen(folder, Manifest.read(folder), tasks, split), n)]
    else:
        cards = _limited(_sorted(folder, labels or LABELS), n)
    if not cards:
        raise UserError(f"Nothing to annotate: {folder}. Give a folder with {CARDS}, items or images.")
    return Job(folder.resolve().name, tuple(cards))


def write(folder: Path, cards: Sequence[Card]) -> None:
    """Write cards as a job. The folder must exist and contain the images."""
    write_atomically(folder / CARDS, json_lines.lines(_card_json(folder, card) for card in cards))


def _card_json(folder: Path, card: Card) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": card.id,
        "text": card.text,
        "pictures": [path.relative_to(folder).as_posix() for path in card.pictures],
        "captions": list(card.captions),
        "choices": [{"value": option.value, "text": option.text, "key": option.key} for option in card.options],
        "field": card.field,
        "hint": card.hint,
        "part": card.part,
        "group": card.group,
        "key": card.key,
        "details": [list(pair) for pair in card.details],
    }
    return {name: value for name, value in fields.items() if value}


def _limited(cards: Iterator[Card], n: int | None) -> list[Card]:
    selected: list[Card] = []
    counts: dict[str, int] = {}
    for card in cards:
        counts[card.part] = counts.get(card.part, 0) + 1
        if n is None or counts[card.part] <= n:
            selected.append(card)
    return selected


def _listed(folder: Path) -> Iterator[Card]:
    """The cards of a list, line by line. Raises UserError with the line number."""
    path = folder / CARDS
    known: set[str] = set()
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise ValueError("not an object")  # noqa: TRY004 - reported in one line below
            card = _card(folder, cast("dict[str, Any]", data))
            if card.id in known:
                raise ValueError(f"duplicate id {card.id!r}")
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"Invalid annotation item ({str(error).partition(chr(10))[0][:160]}): {path}, line {number}. Correct the line."
            ) from None
        known.add(card.id)
        if len(known) > _MOST:
            raise UserError(f"More than {_MOST:,} annotation items: {path}. Split the file.")
        yield card


def _card(folder: Path, data: Mapping[str, Any]) -> Card:
    """A card from its JSON object. Raises ValueError with the invalid field."""
    if unknown := sorted(set(data) - _NAMES):
        raise ValueError(f"unknown field {unknown[0]!r}; fields are {', '.join(sorted(_NAMES))}")
    texts = {name: data.get(name, "") for name in ("id", "text", "hint", "part", "group", "key")}
    for name, value in texts.items():
        if not isinstance(value, str):
            raise ValueError(f"{name} is not a text")  # noqa: TRY004 - reported in one line above
    if not texts["id"]:
        raise ValueError("id is missing")
    options = _options(data.get("choices", []))
    kind = data.get("field", "choice" if options else "text")
    if kind not in _FIELDS or (kind == "choice") != bool(options):
        raise ValueError('give choices, or the field "number" or "text"')
    pictures = tuple(_picture(folder, name) for name in _list(data, "pictures"))
    captions = tuple(map(str, _list(data, "captions")))
    if captions and len(captions) != len(pictures):
        raise ValueError(f"{len(captions)} captions for {len(pictures)} pictures")
    pairs = tuple(_pair(pair) for pair in _list(data, "details" if "details" in data else _DETAILS))
    card = Card(
        texts["id"], texts["text"], pictures, captions, options, kind, texts["hint"], texts["part"], texts["group"], texts["key"], details=pairs
    )  # fmt: skip
    if card.key and card.read(card.key) is None:
        raise ValueError(f"key {card.key!r} is not a valid answer")
    return card


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    value = data.get(name, [])
    if not isinstance(value, list):
        raise ValueError(f"{name} is not a list")  # noqa: TRY004 - reported in one line above
    return cast("list[Any]", value)


def _pair(value: object) -> tuple[str, str]:
    match value:
        case [str() as title, str() as text]:
            return title, text
        case _:
            raise ValueError("details is not a list of pairs of texts")


def _options(choices: object) -> tuple[Option, ...]:
    if not isinstance(choices, list):
        raise ValueError("choices is not a list")  # noqa: TRY004 - reported in one line above
    listed = cast("list[Any]", choices)
    if all(isinstance(value, str) for value in listed):
        options = keyed([(value, value) for value in listed])
    elif all(isinstance(value, dict) and {"value", "text", "key"} == set(cast("dict[str, Any]", value)) for value in listed):
        options = tuple(Option(str(value["value"]), str(value["text"]), str(value["key"]).lower()) for value in listed)
    else:
        raise ValueError("a choice is not a text or an object with value, text and key")
    if any(len(option.key) != 1 or not option.key.isalnum() for option in options):
        raise ValueError("the key of a choice is not one letter or digit")
    for name in ("key", "value"):
        if len({getattr(option, name) for option in options}) < len(options):
            raise ValueError(f"two choices have the same {name}")
    if len(options) == 1:
        raise ValueError("only one choice")
    return options


def _picture(folder: Path, name: object) -> Path:
    if not isinstance(name, str):
        raise ValueError("the name of an image is not a text")  # noqa: TRY004 - reported in one line above
    relative_path = PurePosixPath(name.replace("\\", "/"))
    path = folder / relative_path
    if relative_path.is_absolute() or ".." in relative_path.parts or not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"image outside the folder: {name!r}")
    if path.suffix.lower() not in PICTURES or not path.is_file():
        raise ValueError(f"image does not exist: {name!r}")
    return path


def item(row: ItemRow, into: Path) -> Card:
    """A dataset item as a card; its images are written to a folder."""
    digest = unique_part(row.id) or row.id
    stem = f"{row.task.replace('/', '-')}-{row.index}-{digest}"
    pictures: list[Path] = []
    for i, image in enumerate(row.images):
        path = into / f"{stem}-{i}.{'jpg' if media_type(image) == 'image/jpeg' else 'png'}"
        path.write_bytes(image)
        pictures.append(path)
    answer = row.key
    options: tuple[Option, ...] = ()
    field: Field = "number" if isinstance(answer, Count) else "text"
    if isinstance(answer, YesNo):
        field, options = "choice", keyed([("yes", "Yes"), ("no", "No")])
    elif isinstance(answer, Choice):
        field = "choice"
        options = tuple(Option(letter, text, letter.lower()) for letter, text in zip(LETTERS, answer.options, strict=False))
    text = "\n".join(filter(None, (row.metadata.question, "" if options else answer.options_text())))
    return Card(
        row.id, text, tuple(pictures), options=options, field=field, hint=answer.format_instruction(), part=row.task, group=row.group,
        answer=answer,
    )  # fmt: skip


def _sorted(folder: Path, labels: Sequence[str]) -> Iterator[Card]:
    """A card for each image of a folder, and one for each subfolder, with all its images."""
    options = keyed([(label, label) for label in labels])
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        pictures = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES) if path.is_dir() else [path]
        if not pictures or pictures[0].suffix.lower() not in PICTURES:
            continue
        captions = tuple(picture.name for picture in pictures) if path.is_dir() else ()
        yield Card(path.name, path.name, tuple(pictures), captions, options)
