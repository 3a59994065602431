"""Importer of CoSpace (arXiv 2503.14161; GitHub `THUNLP-MT/CoSpace`, images on Hugging Face `StephenZhu/CoSpace`).

Records in JSON Lines: `index`, `image_file`, `images` (four or five paths such as `../../data/images/5/0.jpg`), `question`,
`options` ("A. north B. east ..." in one string), `answer`, `task`. The file `planning` has two questions per record; their columns
have the suffixes `-qa` and `-dec`. A task with the suffix `-turn` or `-2` is the same item with a rotated or shuffled image order:
it becomes another image order of that item. The preamble with the headings of the images is added by Isovist, and in the prompt style
`published` the sentences around question and options, which no record holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import cast

from isovist.core.answers import LETTERS, Answer, Choice, Count, JointAnswer
from isovist.data.dataset.rows import ImageOrder
from isovist.data.importers import option_parser
from isovist.data.importers.benchmark_format import Format, ImportedItem, Record, Unusable
from isovist.suites.cospace import published_prompt

_PARTS = {
    "direction": "direction-recognition",
    "object": "directional-object",
    "counting": "counting",
    "angle": "rotation-angle",
    "dif-ang": "rotation-difference",
    "planning": "planning",
}
_ORDERS = {"-turn": "start", "-2": "shuffled"}
_TASK = re.compile(rf"({'|'.join(_PARTS)})({'|'.join(map(re.escape, _ORDERS))}|)")
_COMPASS_HEADINGS = ("north", "east", "south", "west")
_BODY_HEADINGS = ("to your front", "to your right", "to your back", "to your left")
_PLACES = ("first", "second", "third", "fourth", "fifth")
_BY_PLACE = re.compile(
    rf"\b(?:{'|'.join(_PLACES)}|last|[1-5](?:st|nd|rd|th))\s+(?:image|picture|photo|view)|\b(?:image|picture)\s+[1-5]\b", re.IGNORECASE
)
_FOLDERS = {"images": ("images", "panorama_images"), "habitat-scenes": ("habitat-scenes", "habitat_scenes")}
"""Image folders as named in the records, and the names under which they were also packed."""
_STEP = re.compile(r"frames_(\d+)/[^/]+/(\d+)\.\w+$")  # degrees between two frames, and the frame number
_MOST = 10  # random answers are counts from 1 to this number


@dataclass(frozen=True, slots=True)
class _Question:
    part: str
    text: str
    answer: Answer
    parts: tuple[tuple[str, str], ...]
    """Text and options of the record, for each question."""

    def published(self, preamble: str) -> str:
        """The prompt in the paper's format, with the text of the record."""
        if isinstance(self.answer, JointAnswer):
            names = [name for name, _ in self.answer.parts]
            named = [(name, text) for name, (text, _) in zip(names, self.parts, strict=True)]
            return published_prompt.joint(preamble, named, self.answer, [options for _, options in self.parts])
        ((text, options),) = self.parts
        return published_prompt.single(preamble, text, options, self.answer)


def _read(record: Record) -> Sequence[ImportedItem]:
    task, _ = _named(record)
    images = _images(record)
    many = 5 if task == "dif-ang" else 4
    if len(images) != many:
        raise Unusable(f"not {many} pictures", str(len(images)))
    questions = _questions(record, task)
    orders, faults = _orders(record, task, questions)
    scene = record.metadata.get("image_file")
    kept = record.texts(*record.metadata)
    return tuple(
        ImportedItem(
            question.part,
            f"{_preamble(task, range(many))}\n{question.text}",
            question.answer,
            tuple(_names(image) for image in images),
            kept,
            image_orders={
                name: ImageOrder(order, f"{preamble}\n{question.text}", question.published(preamble))
                for name, order in orders.items()
                for preamble in [_preamble(task, order, disorder=name == "shuffled")]
            },
            scene=scene if isinstance(scene, str) else images[0],
            attributes=_attributes(task, images),
            published_prompt=question.published(_preamble(task, range(many))),
            faults=faults if question is questions[0] else (),
        )
        for question in questions
    )


def _named(record: Record) -> tuple[str, str]:
    """Return the task of a record and the suffix of its name. Raises Unusable."""
    name = record.text("task")
    match = _TASK.fullmatch(name)
    if match is None:
        raise Unusable("an unknown task", name[:40])
    return match[1], match[2]


def _images(record: Record) -> list[str]:
    images = record.metadata.get("images")
    if not isinstance(images, list) or not all(isinstance(name, str) for name in cast("list[object]", images)):
        raise Unusable("the images are not a list of names")
    return cast("list[str]", images)


def _names(image: str) -> tuple[str, ...]:
    """Return the path suffixes to try for an image: folder, scene folder, file name. Raises Unusable."""
    parts = PurePosixPath(image.replace("\\", "/")).parts[-3:]
    if len(parts) < 3 or any(part in ("..", "/") for part in parts):
        raise Unusable("an image name is not FOLDER/SCENE/FILE", ascii(image[:80]))
    folder, scene, name = parts
    return tuple(f"{other}/{scene}/{name}" for other in _FOLDERS.get(folder, (folder,)))


def _questions(record: Record, task: str) -> list[_Question]:
    if task != "planning":
        answer, text = _answer(record, task), record.text("question")
        options = record.text("options") if isinstance(answer, Choice) else ""
        return [_Question(_PARTS[task], text, answer, ((text, options),))]
    named = {name: _choice(record, f"-{name}") for name in ("qa", "dec")}
    texts = {name: record.text(f"question-{name}") for name in named}
    qa, dec = ((texts[name], record.text(f"options-{name}")) for name in named)
    both = JointAnswer((("Answer1", named["qa"]), ("Answer2", named["dec"])))
    return [
        _Question("planning", f"Answer1: {texts['qa']}\nAnswer2: {texts['dec']}", both, (qa, dec)),
        _Question("planning-question", texts["qa"], named["qa"], (qa,)),
        _Question("planning-decision", texts["dec"], named["dec"], (dec,)),
    ]


def _answer(record: Record, task: str) -> Answer:
    if task not in ("counting", "dif-ang"):
        return _choice(record, "")
    text = record.text("answer")
    if not re.fullmatch(r"\d{1,3}", text, re.ASCII):
        raise Unusable("the answer is not a number", text[:40])
    number = int(text)
    if task == "counting":
        return Count(number, min(1, number), max(_MOST, number))
    if not 1 <= number <= 5:
        raise Unusable("the answer is not one of the images", text)
    return Count(number, 1, 5)


def _choice(record: Record, suffix: str) -> Choice:
    return option_parser.choice(listed(record.text(f"options{suffix}")), record.text(f"answer{suffix}"))


def listed(text: str) -> tuple[str, ...]:
    """Split a string such as "A. north B. east" or "a.45 b) 90" into options. Raises Unusable if there are fewer than two."""
    starts: list[tuple[int, int]] = []
    for letter in LETTERS:
        mark = re.compile(rf"(?:^|(?<=[\s,;]))\(?[{letter}{letter.lower()}]\s*[.):]\s*")
        match = mark.search(text, starts[-1][1] if starts else 0)
        if match is None:
            break
        starts.append(match.span())
    if len(starts) < 2 or text[: starts[0][0]].strip():
        raise Unusable("the options are not labelled A, B, C ...", text[:60])
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return tuple(text[after:end].strip().rstrip(".,;").strip() for (_, after), end in zip(starts, ends, strict=True))


def _preamble(task: str, order: Iterable[int], *, disorder: bool = False) -> str:
    """Return the text before a question: the headings of the images, in this order."""
    if task == "angle":
        preamble = (
            "The four images were taken from the same position. From each image to the next, the camera was rotated clockwise (seen from "
            "above) by the same angle. The images do not necessarily cover all directions."
        )
    elif task == "dif-ang":
        preamble = (
            "The five images were taken from the same position. Four of the images form a sequence: after each of them, the camera was "
            "rotated clockwise (seen from above) by the same angle. They are in the order in which they were taken. The other image has a "
            "different heading. It was inserted into this sequence at an arbitrary place. The images are numbered from 1 to 5."
        )
    else:
        names = _BODY_HEADINGS if task == "planning" else _COMPASS_HEADINGS
        headings = [f"{names[place]} in image {number}" for number, place in enumerate(order, 1)]
        preamble = (
            "The four images were taken from the same position and cover all horizontal directions. Their headings are 90 degrees apart. "
        )
        if disorder:
            preamble += f"The images are in no particular order. The camera points {headings[0]}."
        else:
            preamble += f"The camera points {', '.join(headings[:-1])}, and {headings[-1]}."
        if task == "planning":
            preamble += " You stand at this position and face forward. You can only go straight ahead or turn."
    return preamble


def _orders(record: Record, task: str, questions: list[_Question]) -> tuple[dict[str, tuple[int, ...]], tuple[Record, ...]]:
    """Return the other image orders of the item by name, and the unusable records, each with its reason."""
    orders: dict[str, tuple[int, ...]] = {}
    faults: list[Record] = []
    for other in record.others:
        try:
            _, suffix = _named(other)
            order = _order(record, other, task, suffix, questions)
            name = f"start-{order[0] + 1}" if suffix == "-turn" else "shuffled"
            if name in orders:
                raise Unusable("another order with the same start")
            orders[name] = order
        except Unusable as error:
            faults.append(replace(other, fault=error))
    return orders, tuple(faults)


def _order(record: Record, other: Record, task: str, suffix: str, questions: list[_Question]) -> tuple[int, ...]:
    images, shown = _images(record), _images(other)
    if len(set(images)) != len(images) or sorted(images) != sorted(shown):
        raise Unusable("another order has other images")
    other_questions = _questions(other, task)
    if [question.text for question in other_questions] != [question.text for question in questions]:
        raise Unusable("another order has another question")
    if any(a.answer.options_text() != b.answer.options_text() for a, b in zip(other_questions, questions, strict=True)):
        raise Unusable("another order has other options")
    if any(a.answer != b.answer for a, b in zip(other_questions, questions, strict=True)):
        raise Unusable(
            "another order has another key", " / ".join((other_questions[0].answer.canonical(), questions[0].answer.canonical()))
        )
    order = tuple(images.index(name) for name in shown)
    # a random order of four images can be that of the item: the paper counts these records in its row of shuffled images
    if suffix == "-turn" and order == tuple(range(len(images))):
        raise Unusable("another order is the same as that of the item")
    if suffix == "-turn" and any((place - order[0] - k) % len(images) for k, place in enumerate(order)):
        raise Unusable("another start, but not in clockwise order")
    named = {match[0].split()[0].lower() for question in questions for match in _BY_PLACE.finditer(question.text)}
    if not named <= ({"first", "1st"} if order[0] == 0 else set()):
        raise Unusable("another order, but the question refers to an image by its position")
    return order


def _attributes(task: str, images: list[str]) -> dict[str, str]:
    """For rotation tasks: whether the frames are evenly spaced. Some published items are not."""
    steps = [(int(match[1]), int(match[2])) for image in images if (match := _STEP.search(image))]
    if task != "angle" or len(steps) != len(images):
        return {}
    apart = {(b - a) * degrees for (degrees, a), (_, b) in pairwise(steps)}
    return {"steps": "even" if len(apart) == 1 else "uneven"}


def _gather(records: Iterable[Record]) -> Iterator[Record]:
    """Join records with other image orders to the records of their items, by task and index."""
    items: dict[tuple[str, int], Record] = {}
    others: list[tuple[tuple[str, int], Record]] = []
    for record in records:
        try:
            if record.fault:
                raise record.fault
            task, suffix = _named(record)
            index = record.metadata.get("index")
            if not isinstance(index, int):
                raise Unusable("the index is not a number")
            if suffix:
                others.append(((task, index), record))
            elif items.setdefault((task, index), record) is not record:
                raise Unusable("another item has its index", f"{task} {index}")
        except Unusable as error:
            yield replace(record, fault=error)
    for name, other in others:
        if name in items:
            items[name] = replace(items[name], others=(*items[name].others, other))
        else:
            yield replace(other, fault=Unusable("another order of a missing item", " ".join(map(str, name))))
    yield from items.values()


FORMAT = Format(
    "cospace",
    "CoSpace",
    "https://github.com/THUNLP-MT/CoSpace",
    columns=("index", "images", "task"),
    wanted=(
        *("image_file", "question", "options", "answer"),
        *(f"{name}-{part}" for part in ("qa", "dec") for name in ("question", "options", "answer")),
    ),
    read=_read,
    gather=_gather,
)
