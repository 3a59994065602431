"""What people are shown of an item, and how what they answer is read. No key, no id and no name of a task is in it."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any, cast

from isovist.annotate.cards import LONGEST, Card
from isovist.core.answers import Answer, Choice, Count, Fields, Number, Part, Sequence, Subset, YesNo
from isovist.render.encode import media_type


def shown(card: Card) -> dict[str, Any]:
    """A question with all it needs: words, pictures as they are, and either options to choose from or fields to write into."""
    captions = card.captions or ("",) * len(card.pictures)
    return {
        "text": card.text,
        # inside of the reply: a picture has no address by which others could ask for it
        "pictures": [{"src": _picture(path), "caption": caption} for path, caption in zip(card.pictures, captions, strict=True)],
        "options": [{"value": it.value, "text": it.text, "key": it.key} for it in card.options],
        "fields": [] if card.options else _fields(answer_of(card)),
    }


def answer_of(card: Card) -> Answer:
    """The typed answer of an item's card, which every card of a study is."""
    assert card.answer is not None  # noqa: S101 - a study is made of items
    return card.answer


def _picture(path: Path) -> str:
    image = path.read_bytes()
    return f"data:{media_type(image)};base64,{b64encode(image).decode()}"


def _fields(answer: Answer) -> list[dict[str, Any]]:
    """What people write into: one field, or one for each part of a joint answer."""
    if isinstance(answer, Fields):
        return [_field(name, part) for name, part in answer.parts]
    return [_field("", answer)]


def _field(name: str, part: Part) -> dict[str, Any]:
    """`words` are those that an answer is made of, for those who would rather tap than type."""
    words = part.vocabulary if isinstance(part, Sequence | Subset) else part.options if isinstance(part, Choice) and not name else ()
    if isinstance(part, Subset) and part.size is None:
        words = (*words, "none")
    return {"name": name, "hint": part.form(), "words": list(words), "numeric": isinstance(part, Count | Number)}


def reply(answer: Answer, told: object) -> str | None:
    """An answer from the page as the reply that is scored: a text or, for a joint answer, an object of texts. None if it is no answer
    to the question, by the strict parser that reads the replies of models.
    """
    if isinstance(answer, Fields):
        if not isinstance(told, dict):
            return None
        values = cast("dict[str, object]", told)
        if set(values) != {name for name, _ in answer.parts}:
            return None
        texts = {name: _text(values[name]) for name, _ in answer.parts}
        if any(not texts[name] or part.score(texts[name]).parsed is None for name, part in answer.parts):
            return None
        text = json.dumps(texts, ensure_ascii=False)
    else:
        text = _text(told)
        if isinstance(answer, Choice) and text not in [answer.canonical(), *answer.wrong()]:
            return None
        if isinstance(answer, YesNo) and text not in ("yes", "no"):
            return None
    return text if text and answer.score(text).parsed is not None else None


def _text(told: object) -> str:
    return told.strip() if isinstance(told, str) and len(told) <= LONGEST else ""


def key(card: Card) -> str:
    """The right answer to a practice item in words."""
    answer = answer_of(card)
    if isinstance(answer, Choice):
        text = answer.options[answer.truth]
        return text if text.endswith(f" {answer.canonical()}") else f"{answer.canonical()}. {text}"
    if isinstance(answer, Fields):
        return "; ".join(f"{name}: {part.canonical()}" for name, part in answer.parts)
    return answer.canonical()
