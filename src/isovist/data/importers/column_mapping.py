"""Published benchmarks with unknown columns: columns are found by usual names or by a mapping of the user.

A mapping is a JSON object from a role (`question`, `options`, `answer`, `image`, `image2`, `task`, `level`, `source`, `object`) to a column name. Options
may be a list, an object by label, several lines, one line, or part of the question. The answer may be a label, an option text,
both, or the index of an option (from 0) if the mapping has `"answer": {"place": "COLUMN"}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from isovist.common.errors import UserError
from isovist.core.answers import LETTERS
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable

_USUAL: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "prompt", "query", "instruction", "text"),
    "options": ("options", "choices", "answer_choices", "option_list"),
    "answer": ("answer", "correct_answer", "gt_answer", "ground_truth", "groundtruth", "gt", "label", "target", "solution"),
    "image": ("image", "images", "image_1", "image1", "first_image", "image_path", "image_paths", "img", "img_path", "image_file", "file_name", "picture"),
    "image2": ("image_2", "image2", "second_image", "image_path_2", "image_path2"),
    "task": ("task", "task_name", "question_type", "subtask", "type", "category", "question_category"),
    "level": ("level", "granularity", "difficulty"),
    "source": ("source", "source_dataset", "dataset", "dataset_name", "data_source"),
    "object": ("object", "object_category", "object_class", "object_name", "category_name"),
}  # fmt: skip
"""Usual column names of each role in order of preference, in lower case."""
NEEDED = ("question", "answer", "image")


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each role, in lower case. `place`: the answer column holds the index of an option."""

    columns: Mapping[str, tuple[str, ...]]
    place: bool = False

    def get(self, record: Record, role: str) -> tuple[str, Any]:
        """Return column name and value of a role in a record; "" and None if missing."""
        for name in self.columns.get(role, ()):
            if record.metadata.get(name) is not None:
                return name, record.metadata[name]
        return "", None


USUAL = Columns(_USUAL)

Part = Callable[[Columns, Record, str, tuple[str, ...]], tuple[str, dict[str, str]]]
"""From mapping, record, question and options to the part of the benchmark and the item attributes."""


def read(path: Path) -> Columns:
    """Read a mapping from a JSON file. Raises UserError."""
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"Invalid mapping ({str(error)[:80]}): {path}. Give a JSON object.") from None
    if not isinstance(data, dict) or not data:
        raise UserError(f"{path}: no mapping; give a JSON object from {', '.join(_USUAL)} to names of columns.")
    columns: dict[str, tuple[str, ...]] = dict(_USUAL)
    place = False
    for role, content in cast("dict[str, Any]", data).items():
        if role not in _USUAL:
            raise UserError(f"{path}: {role[:40]!r} is none of {', '.join(_USUAL)}.")
        inner = cast("dict[str, Any]", content) if isinstance(content, dict) and role == "answer" else {}
        place = place or "place" in inner
        name = inner.get("place", content)
        if not isinstance(name, str) or not name:
            raise UserError(f"{path}: {role!r} is not the name of a column.")
        columns[role] = (name.casefold(),)
    return Columns(columns, place)


def source(name: str, title: str, home: str, part: Part, mapping: Columns) -> Format:
    """Return the format of a benchmark with the usual columns or those of a mapping."""
    wanted = tuple(dict.fromkeys(column for columns in mapping.columns.values() for column in columns))
    return Format(name, title, home, columns=(), wanted=wanted, read=lambda record: [_item(record, mapping, part)])


def _item(record: Record, mapping: Columns, part: Part) -> ImportedItem:
    names = {role: mapping.get(record, role)[0] for role in _USUAL}
    if missing := [role for role in NEEDED if not names[role]]:
        known = ", ".join(sorted(record.metadata)) or "none of the usual names"
        raise Unusable(f"no column for the {missing[0]}: a mapping can tell it", f"of the usual names there are: {known}")
    text = record.text(names["question"])
    question, listed = option_parser.split(text)
    if (option_cell := mapping.get(record, "options")[1]) is not None:
        listed = _options(option_cell)
        question = question if question.strip() else text
    if not listed:
        raise Unusable("no options")
    answer = _answer(mapping, record, names["answer"], listed)
    first, second = mapping.get(record, "image")[1], mapping.get(record, "image2")[1]
    pictures = [*cast("list[object]", first)] if isinstance(first, list) else [first]
    pictures += [second] if second is not None else []
    if not 1 <= len(pictures) <= 2:
        raise Unusable("not one or two images", str(len(pictures)))
    which, attributes = part(mapping, record, question, listed)
    stored_columns = {
        role: text_
        for role in ("question", "options", "answer", "task", "level", "source", "object")
        if (text_ := _plain(mapping.get(record, role)[1]))
    }
    choice = option_parser.choice(listed, answer)
    prompt = text if option_cell is None else f"{text}\n{choice.options_text()}"
    return ImportedItem(which, question, choice, tuple(pictures), stored_columns, attributes=attributes, published_prompt=prompt)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False, default=str)[:2000]


def _options(options: Any) -> tuple[str, ...]:
    """Parse options in any usual form, without their labels."""
    if isinstance(options, dict):
        by_letter = {str(letter).strip(" ().:").upper(): option for letter, option in cast("dict[Any, Any]", options).items()}
        if sorted(by_letter) != list(LETTERS[: len(by_letter)]):
            raise Unusable("the options are not labelled A, B, C ...", " ".join(sorted(by_letter))[:60])
        options = [by_letter[letter] for letter in sorted(by_letter)]
    if isinstance(options, str):
        _, listed = option_parser.split(f"?\n{options}")
        options = [*listed] if listed else [line for line in options.split("\n") if line.strip()]
    if not isinstance(options, list) or not all(isinstance(option, str | int | float) for option in cast("list[Any]", options)):
        raise Unusable("the options are not a list of texts")
    texts = [str(option).strip() for option in cast("list[Any]", options)]
    _, listed = option_parser.split("?\n" + "\n".join(texts))
    return listed if len(listed) == len(texts) else tuple(texts)


def _answer(mapping: Columns, record: Record, column: str, listed: tuple[str, ...]) -> str:
    answer = record.metadata[column]
    if isinstance(answer, int) and not isinstance(answer, bool):
        if not mapping.place:
            if str(answer) in listed:
                return str(answer)
            raise Unusable("the answer is a number; a mapping can declare it as the index of an option", str(answer))
        if not 0 <= answer < len(listed):
            raise Unusable("the answer is not among the options", str(answer))
        return LETTERS[answer]
    if isinstance(answer, list) and len(cast("list[Any]", answer)) == 1:
        answer = cast("list[Any]", answer)[0]
    if not isinstance(answer, str) or not answer.strip():
        raise Unusable("the answer is not text")
    return answer.strip()
