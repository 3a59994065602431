"""What people are shown of an item, and how what they answer is read. No key, no id and no name of a task is in it."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any, cast

from isovist.core.answers import LETTERS, Answer, Choice, Count, JointAnswer, Number, Part, WordSequence, WordSubset, YesNo
from isovist.human.annotate.cards import LONGEST, Card
from isovist.render.image_encoding import media_type


def shown(card: Card) -> dict[str, Any]:
    """A question with all it needs: words, pictures as they are, and either options to choose from or fields to write into."""
    captions = card.captions or ("",) * len(card.pictures)
    return {
        "text": _text_of(card),
        # inside of the reply: a picture has no address by which others could ask for it
        "pictures": [{"src": _picture(path), "caption": caption} for path, caption in zip(card.pictures, captions, strict=True)],
        "options": [{"value": option.value, "text": option.text, "key": option.key} for option in card.options],
        "fields": [] if card.options else _fields(answer_of(card)),
    }


def answer_of(card: Card) -> Answer:
    """The typed answer of an item's card, which every card of a study is."""
    assert card.answer is not None  # noqa: S101 - a study is made of items
    return card.answer


def _picture(path: Path) -> str:
    image = path.read_bytes()
    return f"data:{media_type(image)};base64,{b64encode(image).decode()}"


def _text_of(card: Card) -> str:
    """The question, without the options of a joint answer's parts: these stand at their fields."""
    listing = answer_of(card).options_text()
    return card.text if card.options or not listing else card.text.removesuffix(listing).rstrip()


def _fields(answer: Answer) -> list[dict[str, Any]]:
    """What people write into: one field, or one for each part of a joint answer."""
    if isinstance(answer, JointAnswer):
        return [_field(name, part) for name, part in answer.parts]
    return [_field("", answer)]


def _field(name: str, part: Part) -> dict[str, Any]:
    """`options` are what an answer is made of, for those who would rather tap than type: one of them, or `many` with commas between."""
    many = isinstance(part, WordSequence | WordSubset)
    return {
        "name": name,
        "hint": _hint(part),
        "options": [{"value": value, "text": text} for value, text in _made_of(part)],
        "many": many,
        "numeric": isinstance(part, Count | Number),
    }


def _hint(part: Part) -> str:
    """What is to be written, without the words to choose from, which stand below the field."""
    if isinstance(part, WordSequence):
        return "words from below in order, with commas between"
    if isinstance(part, WordSubset):
        return f"words from below in any order, with commas between{'' if part.size else ', or none'}"
    return part.format_instruction()


def _made_of(part: Part) -> list[tuple[str, str]]:
    """The values that an answer is made of, each with its words."""
    if isinstance(part, Choice):
        return [(letter, _lettered(letter, option)) for letter, option in zip(LETTERS, part.options, strict=False)]
    if isinstance(part, YesNo):
        return [("yes", "yes"), ("no", "no")]
    if isinstance(part, WordSequence | WordSubset):
        none = ("none",) if isinstance(part, WordSubset) and part.size is None else ()
        return [(word, word) for word in (*part.vocabulary, *none)]
    return []


def _lettered(letter: str, option: str) -> str:
    """An option with its letter, unless it is called by it anyway."""
    return option if option.endswith(f" {letter}") else f"{letter}. {option}"


def reply(answer: Answer, submitted: object) -> str | None:
    """An answer from the page as the reply that is scored: a text or, for a joint answer, an object of texts. None if it is no answer
    to the question, by the strict parser that reads the replies of models.
    """
    if isinstance(answer, JointAnswer):
        if not isinstance(submitted, dict):
            return None
        values = cast("dict[str, object]", submitted)
        if set(values) != {name for name, _ in answer.parts}:
            return None
        texts = {name: _text(values[name]) for name, _ in answer.parts}
        if any(not texts[name] or part.score(texts[name]).parsed is None for name, part in answer.parts):
            return None
        text = json.dumps(texts, ensure_ascii=False)
    else:
        text = _text(submitted)
        if isinstance(answer, Choice) and text not in [answer.canonical(), *answer.wrong_answers()]:
            return None
        if isinstance(answer, YesNo) and text not in ("yes", "no"):
            return None
    return text if text and answer.score(text).parsed is not None else None


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) and len(value) <= LONGEST else ""


def key(card: Card) -> str:
    """The right answer to a practice item in words."""
    answer = answer_of(card)
    if isinstance(answer, JointAnswer):
        return "; ".join(f"{name}: {_key(part)}" for name, part in answer.parts)
    return _key(answer)


def _key(answer: Answer) -> str:
    if isinstance(answer, Choice):
        return _lettered(answer.canonical(), answer.options[answer.truth])
    return answer.canonical()
