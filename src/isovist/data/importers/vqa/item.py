"""Convert a record of a set to an item with a question, options and a typed key. What is ambiguous is unusable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from isovist.core.answers import LETTERS, Answer, Choice, Count, Number, YesNo
from isovist.core.answers.extraction.vocabulary import key
from isovist.core.rng import Rng
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import ImportedItem, Record, Unusable, kebab
from isovist.data.importers.vqa.mapping import OF_OPTIONS, Form, Mapping
from isovist.data.importers.vqa.pictures import parse_list
from isovist.data.importers.vqa.record_stream import cell_text, is_missing

_LETTER = re.compile(r"\(?[A-Za-z]\)?[.):]?")
_LETTER_AND_TEXT = re.compile(r"\(?[A-Z]\)?(?:[.):]\)?\s*|\s+)\S.*", re.DOTALL)
_SMALL_LABEL = re.compile(r"\(([a-z])\)")
_WHOLE = re.compile(r"[+-]?\d{1,15}(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,3})?")
_LONGEST, _LONGEST_ATTRIBUTE = 20_000, 80


def read_item(mapping: Mapping, record: Record, images: tuple[bytes, ...], same_images: str) -> ImportedItem:
    """Return the item of a record. `same_images`: a text that is equal for records with the same images. Raises Unusable."""
    for _, name in mapping.required():
        if name not in record.metadata:
            raise Unusable(f"no {name}")
    question, options = _question_and_options(mapping, record)
    published = mapping.answer.constant or _text(record, mapping.answer.column)
    options, answer = _key(mapping, record, question, options, published)
    kept = {"question": question, "answer": published, "options": "\n".join(options)}
    kept |= {"id": _text(record, mapping.id)} if mapping.id else {}
    group = f"group {_text(record, mapping.group)}" if mapping.group else f"images {same_images}"
    named = {"level": mapping.level, "split": mapping.split} | {kebab(name): name for name in mapping.attributes}
    attributes = {
        attribute: cell_text(record.metadata[column], column)[:_LONGEST_ATTRIBUTE]
        for attribute, column in named.items()
        if attribute and column and not is_missing(record.metadata[column])
    }
    return ImportedItem(_part(mapping, record), question, answer, images, kept, scene=group, attributes=attributes)


def _text(record: Record, column: str) -> str:
    text = cell_text(record.metadata.get(column), column)
    if len(text) > _LONGEST:
        raise Unusable(f"the {column} is too long", f"{len(text)} characters")
    return text


def _part(mapping: Mapping, record: Record) -> str:
    if not mapping.category:
        return "all"
    category = _text(record, mapping.category)
    part = kebab(category)
    if not part:
        raise Unusable("the category has no Latin letters or digits for the name of a task", category[:40])
    return part


# Question and options -------------------------------------------------------------------------------------------------


def _question_and_options(mapping: Mapping, record: Record) -> tuple[str, tuple[str, ...]]:
    """Return the question with context and template, and the options; none if the record has none."""
    question = _text(record, mapping.question.column) if mapping.question.column else ""
    if mapping.options.in_question:
        question, options = option_parser.split(question)
        if not question.strip():
            raise Unusable("no question besides the options")
    else:
        options = _options(mapping, record)
    question = mapping.question.template.replace("{question}", question)
    if mapping.question.context and not is_missing(record.metadata.get(mapping.question.context)):
        question = f"{_text(record, mapping.question.context)}\n{question}"
    return question, options


def _options(mapping: Mapping, record: Record) -> tuple[str, ...]:
    columns = mapping.options
    if columns.in_image:
        return tuple(LETTERS[: columns.in_image])
    if columns.columns:
        return _without_gaps([record.metadata.get(name) for name in columns.columns])
    if columns.labelled and not is_missing(record.metadata[columns.labelled]):
        text = _text(record, columns.labelled)
        _, options = option_parser.split(f"?\n{text}")
        if not options:
            _, options = option_parser.split("?\n" + _SMALL_LABEL.sub(lambda label: f"({label[1].upper()})", text))
        if not options:
            raise Unusable("no options with labels", text[:60])
        return options
    if columns.column and not is_missing(record.metadata[columns.column]):
        return _listed_options(record.metadata[columns.column], columns.column)
    return ()


def _listed_options(value: object, column: str) -> tuple[str, ...]:
    """Return the options of a list, of an object by letter, or of a list as text, without labels."""
    if isinstance(value, str):
        parsed = parse_list(value.strip())
        if parsed is None:
            raise Unusable(f"the {column} is not a list", value[:60])
        value = parsed
    if isinstance(value, dict):
        by_letter = {letter: option for letter, option in cast("dict[str, Any]", value).items() if not is_missing(option)}
        if list(by_letter) != list(LETTERS[: len(by_letter)]):
            raise Unusable("the options are not labelled A, B, C ...", " ".join(map(str, by_letter))[:60])
        value = list(by_letter.values())
    if not isinstance(value, list):
        raise Unusable(f"the {column} is not a list", type(value).__name__)
    options = _without_gaps(cast("list[object]", value))
    labelled = option_parser.split("?\n" + "\n".join(options))[1] if not any("\n" in option for option in options) else ()
    return labelled if len(labelled) == len(options) else options


def _without_gaps(cells: Sequence[object]) -> tuple[str, ...]:
    """Return the texts before the first empty cell. Raises Unusable if another text follows it."""
    n = next((place for place, cell in enumerate(cells) if is_missing(cell)), len(cells))
    if not all(is_missing(cell) for cell in cells[n:]):
        raise Unusable("an option before the last is empty")
    return tuple(cell_text(cell, "option") for cell in cells[:n])


# Keys -----------------------------------------------------------------------------------------------------------------


def _key(
    mapping: Mapping, record: Record, question: str, options: tuple[str, ...], published: str
) -> tuple[tuple[str, ...], Answer]:  # fmt: skip
    """Return the options in the order of presentation, and the key. Raises Unusable."""
    forms: list[Form] = [form for form in mapping.answer.forms if (form in OF_OPTIONS) == bool(options)]
    if not forms:
        raise Unusable("no options" if not options else "options, but an answer without options")
    fitting: Form | None = next((form for form in forms if _fits(mapping, form, published, options)), None)
    if fitting is None:
        raise Unusable(f"the answer is no {' or '.join(forms)}", published[:80])
    try:
        if not options:
            return (), _key_without_options(mapping, fitting, published)
        choice = _choice(mapping, fitting, published, options)
        if not mapping.options.shuffle:
            return options, choice
        if option_parser.drawn(options):
            raise Unusable("options in the image cannot be shuffled")
        identity = _text(record, mapping.id) if mapping.id else ""
        shuffled = tuple(Rng("vqa options", question, *options, identity).shuffled(options))
        return shuffled, Choice(shuffled, shuffled.index(options[choice.truth]))
    except Unusable:
        raise
    except ValueError as error:
        raise Unusable("the answer does not fit", str(error)[:80]) from None


def _fits(mapping: Mapping, form: Form, published: str, options: tuple[str, ...]) -> bool:
    """Whether an answer is written in a form."""
    match form:
        case "letter":
            return bool(_LETTER.fullmatch(published) or _LETTER_AND_TEXT.fullmatch(published))
        case "text":
            return key(published) in map(key, options)
        case "index" | "integer":
            return bool(_WHOLE.fullmatch(published))
        case "number":
            return bool(_NUMBER.fullmatch(published))
        case "yes-no":
            return _yes_no(mapping, published) is not None


def _yes_no(mapping: Mapping, published: str) -> bool | None:
    texts = {text.strip().casefold(): True for text in mapping.answer.yes} | {text.strip().casefold(): False for text in mapping.answer.no}
    return texts.get(published.casefold().rstrip("."))


def _choice(mapping: Mapping, form: Form, published: str, options: tuple[str, ...]) -> Choice:
    if mapping.options.in_image:
        published = f"{LETTERS[_place(mapping, published, len(options))]}" if form == "index" else published
        return option_parser.pictured(len(options), published)
    if form != "index":
        return option_parser.choice(options, published)
    place = _place(mapping, published, len(options))
    keys = [key(option) for option in options]
    if "text" in mapping.answer.forms and key(published) in keys and keys.index(key(published)) != place:
        raise Unusable("the answer is ambiguous: an index or an option", published[:80])
    return option_parser.choice(options, f"{LETTERS[place]}. {options[place]}")


def _place(mapping: Mapping, published: str, n: int) -> int:
    place = int(float(published)) - mapping.answer.first
    if not 0 <= place < n:
        raise Unusable("the answer is not among the options", f"index {published} of {n} options")
    return place


def _key_without_options(mapping: Mapping, form: Form, published: str) -> Answer:
    answer = mapping.answer
    if form == "yes-no":
        return YesNo(bool(_yes_no(mapping, published)))
    low, high, value = answer.low or 0.0, answer.high or 0.0, float(published)
    if not low <= value <= high:
        raise Unusable("the answer is outside low and high of the mapping", published[:40])
    if form == "integer":
        return Count(int(value), int(low), int(high))
    return Number(value, answer.tolerance, low, high, unit=answer.unit)
