"""Presentation of items to participants, and parsing of their answers. Keys, ids and task names are never sent."""

from __future__ import annotations

import json
from typing import Any, cast

from isovist.core.answers import LETTERS, Answer, Choice, Count, JointAnswer, Number, Part, SingleWord, WordSequence, WordSubset, YesNo
from isovist.data.dataset.pictures import data_url
from isovist.people.annotate.cards import LONGEST, Card


def shown(card: Card) -> dict[str, Any]:
    """A question: text, images, and options or input fields."""
    answer = answer_of(card)
    listing = "" if card.options else answer.options_text()  # options of a joint answer are shown at its fields
    images = [path.read_bytes() for path in card.pictures]
    sources = [data_url(image) for image in images]  # embedded: images have no URL
    captions = card.captions or ("",) * len(images)
    parts = answer.parts if isinstance(answer, JointAnswer) else [("", answer)]
    return {
        "text": card.text.removesuffix(listing).rstrip() if listing else card.text,
        "pictures": [{"src": source, "caption": caption} for source, caption in zip(sources, captions, strict=True)],
        "options": [{"value": option.value, "text": option.text, "key": option.key} for option in card.options],
        "fields": [] if card.options else [_field(name, part) for name, part in parts],
    }


def answer_of(card: Card) -> Answer:
    """The typed answer of a card; all cards of a study are items."""
    assert card.answer is not None  # noqa: S101 - all cards of a study are items
    return card.answer


def _field(name: str, part: Part) -> dict[str, Any]:
    """A field. `options` can be tapped instead of typed: one of them, or with `many` several, separated by commas."""
    many = isinstance(part, WordSequence | WordSubset) and not isinstance(part, SingleWord)
    return {
        "name": name,
        "hint": _hint(part),
        "options": [{"value": value, "text": text} for value, text in _made_of(part)],
        "many": many,
        "numeric": isinstance(part, Count | Number),
    }


def _hint(part: Part) -> str:
    """The format of the answer; the vocabulary is shown below the field."""
    if isinstance(part, SingleWord):
        return "one of the words below"
    if isinstance(part, WordSequence):
        return "words from below in order, with commas between"
    if isinstance(part, WordSubset):
        return f"words from below in any order, with commas between{'' if part.size else ', or none'}"
    return part.format_instruction()


def _made_of(part: Part) -> list[tuple[str, str]]:
    """The possible values of an answer, with their texts."""
    if isinstance(part, Choice):
        return [(letter, _lettered(letter, option)) for letter, option in zip(LETTERS, part.options, strict=False)]
    if isinstance(part, YesNo):
        return [("yes", "yes"), ("no", "no")]
    if isinstance(part, WordSequence | WordSubset):
        none = ("none",) if isinstance(part, WordSubset) and part.size is None else ()
        return [(word, word) for word in (*part.vocabulary, *none)]
    return []


def _lettered(letter: str, option: str) -> str:
    """An option with its label, unless its text ends with the label."""
    return option if option.endswith(f" {letter}") else f"{letter}. {option}"


def reply(answer: Answer, submitted: object) -> str | None:
    """The response text of a submitted answer: a text or, for a joint answer, a JSON object of texts.

    None if the strict parser for models finds no answer in it.
    """
    if isinstance(answer, JointAnswer):
        if not isinstance(submitted, dict):
            return None
        values = cast("dict[str, object]", submitted)
        if set(values) != {name for name, _ in answer.parts}:
            return None
        texts = {name: _text(values[name]) for name, _ in answer.parts}
        if any(not texts[name] or part.score(texts[name]).parsed_answer is None for name, part in answer.parts):
            return None
        text = json.dumps(texts, ensure_ascii=False)
    else:
        text = _text(submitted)
        if isinstance(answer, Choice) and text not in [answer.canonical(), *answer.wrong_answers()]:
            return None
        if isinstance(answer, YesNo) and text not in ("yes", "no"):
            return None
    return text if text and answer.score(text).parsed_answer is not None else None


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) and len(value) <= LONGEST else ""


def key(card: Card) -> str:
    """The key of a practice item as text."""
    answer = answer_of(card)
    return value_text(answer, answer.canonical())


def value_text(answer: Answer, value: str) -> str:
    """A value of an answer, in canonical form, as text for participants."""
    if isinstance(answer, JointAnswer):
        values: dict[str, str] = json.loads(value)
        return "; ".join(f"{name}: {value_text(part, values[name])}" for name, part in answer.parts)
    return _lettered(value, answer.options[LETTERS.index(value)]) if isinstance(answer, Choice) else value
