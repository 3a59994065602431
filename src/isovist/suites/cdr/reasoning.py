"""Chains of thought for CDR's relations and headings, and the verifier that replays them against the scene.

A chain has up to five steps (section III-D's components, in our words): where things are, what that is as a direction
of the picture, which wind each of the eight directions of the picture is, the inference, the answer. The verifier reads
the text alone: it finds the statements in it and tests each against the scene; a missing step is a fault, and so is one
out of its order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from isovist.core.answers import LETTERS
from isovist.kits.compass import SPATIAL, STEPS, WINDS
from isovist.suites.cdr.pictures import Icon, Surrounded, Symbols

_PLACE = (
    "So in the picture the direction from {origin} to {target} is {place}.",
    "Seen from {origin}, {target} is therefore in the direction {place}.",
    "Going from {origin} to {target} therefore leads {place}.",
    "That makes {place} the direction of {target} from {origin}.",
)
_FRAME = (
    "The question fixes the compass: {known} is {wind}. Clockwise, step by step: {mapping}.",
    "Since {known} is {wind}, the eight directions of the picture are, clockwise: {mapping}.",
    "With {known} as {wind}, every eighth of a turn clockwise gives the next wind: {mapping}.",
    "Let me turn the compass so that {known} is {wind}: {mapping}.",
)
_INFERENCE = (
    "Hence {target} lies {wind} of {origin}.",
    "Therefore {target} is {wind} of {origin}.",
    "On the compass, then, {target} lies {wind} of {origin}.",
    "So the compass direction of {target} from {origin} is {wind}.",
)
_POINTING = "The {front} of {origin} points {place} in the picture."
_POINTING_WIND = "So the {front} of {origin} points {wind}."


class _Asked(Protocol):
    @property
    def origin(self) -> str: ...
    @property
    def options(self) -> tuple[str, ...]: ...
    @property
    def answer(self) -> str: ...
    @property
    def phrasing(self) -> int: ...


class _SymbolScene(_Asked, Protocol):
    @property
    def layout(self) -> Symbols: ...
    @property
    def target(self) -> str: ...
    @property
    def place(self) -> int: ...
    @property
    def up(self) -> int | None: ...


class _IconScene(_Asked, Protocol):
    @property
    def layout(self) -> Surrounded: ...
    @property
    def target(self) -> str: ...
    @property
    def place(self) -> int: ...
    @property
    def front(self) -> str: ...
    @property
    def heading_is(self) -> int | None: ...


class _HeadingScene(_Asked, Protocol):
    @property
    def layout(self) -> Icon: ...
    @property
    def front(self) -> str: ...
    @property
    def up(self) -> int | None: ...


def of_symbols(scene: _SymbolScene) -> str:
    cells = scene.layout.cells
    rows = {f"{name}": divmod(cells.index(name.split()[-1]), 3) for name in (scene.origin, scene.target)}
    told = ", and ".join(f"{name} is in row {row + 1}, column {column + 1}" for name, (row, column) in rows.items())
    up = None if scene.up is None else (0, scene.up)
    return _chain(scene, [f"{told[0].upper()}{told[1:]} of the grid."], scene.target, scene.place, up)


def of_icons(scene: _IconScene) -> str:
    row, column = (1 + step for step in STEPS[scene.place])
    told = [f"{_capital(scene.origin)} is in row 2, column 2, and {scene.target} is in row {row + 1}, column {column + 1} of the grid."]
    if scene.heading_is is None:
        return _chain(scene, told, scene.target, scene.place, None)
    heading = scene.layout.center.heading
    told.append(_POINTING.format(front=scene.front, origin=scene.origin, place=SPATIAL[heading]))
    return _chain(scene, told, scene.target, scene.place, (heading, scene.heading_is))


def of_heading(scene: _HeadingScene) -> str:
    assert scene.up is not None
    heading = scene.layout.heading
    lines = [
        _POINTING.format(front=scene.front, origin=scene.origin, place=SPATIAL[heading]),
        _frame(scene.phrasing, 0, scene.up),
        _POINTING_WIND.format(front=scene.front, origin=scene.origin, wind=scene.answer),
        _answer(scene),
    ]
    return "\n".join(lines)


def _chain(scene: _Asked, told: list[str], target: str, place: int, known: tuple[int, int] | None) -> str:
    variant = scene.phrasing
    lines = [*told, _PLACE[variant].format(target=target, origin=scene.origin, place=SPATIAL[place])]
    if known is not None:
        lines.append(_frame(variant, *known))
        lines.append(_INFERENCE[variant].format(target=target, origin=scene.origin, wind=scene.answer))
    return "\n".join([*map(_capital, lines), _answer(scene)])


def _frame(variant: int, known: int, wind: int) -> str:
    mapping = ", ".join(f"{SPATIAL[(known + k) % 8]} is {WINDS[(wind + k) % 8]}" for k in range(8))
    return _FRAME[variant].format(known=SPATIAL[known], wind=WINDS[wind], mapping=mapping)


def _answer(scene: _Asked) -> str:
    return f"Answer: {LETTERS[scene.options.index(scene.answer)]}. {scene.answer}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ---- the verifier --------------------------------------------------------------------------------------------------

_SPATIAL = "|".join(sorted(SPATIAL, key=len, reverse=True))
_WINDS = "|".join(sorted(WINDS, key=len, reverse=True))
_CELL = re.compile(r"\b(the (?:[\w ]+?)) is in row (\d), column (\d)", re.IGNORECASE)
_MAPPED = re.compile(rf"\b({_SPATIAL}) (?:is|as) ({_WINDS})\b", re.IGNORECASE)
_FINAL = re.compile(r"^Answer: ([A-Z])\. (.+)\Z", re.MULTILINE)
_ANSWER = re.compile(r"\banswer\b", re.IGNORECASE)


def replay_symbols(scene: _SymbolScene, text: str) -> list[str]:
    where = {f"the {kind} {symbol}": divmod(i, 3) for i, symbol in enumerate(scene.layout.cells) if symbol for kind in ("letter", "number")}
    faults = _cells(text, where, (scene.origin, scene.target))
    place = _step(where[scene.origin], where[scene.target])
    winds = None if scene.up is None else [WINDS[(scene.up + k) % 8] for k in range(8)]
    return faults + _relation(scene, text, scene.target, place, winds)


def replay_icons(scene: _IconScene, text: str) -> list[str]:
    where = {f"the {scene.layout.center.category}": (1, 1)}
    for (down, right), thing in zip(STEPS, scene.layout.around, strict=True):
        if thing is not None:
            where[f"the {thing.category}"] = (1 + down, 1 + right)
    faults = _cells(text, where, (scene.origin, scene.target))
    place = _step(where[scene.origin], where[scene.target])
    winds = None
    if scene.heading_is is not None:
        heading = scene.layout.center.heading
        faults += _points(text, scene.front, scene.origin, SPATIAL[heading])
        winds = [WINDS[(scene.heading_is - heading + k) % 8] for k in range(8)]
    return faults + _relation(scene, text, scene.target, place, winds)


def replay_heading(scene: _HeadingScene, text: str) -> list[str]:
    assert scene.up is not None
    winds = [WINDS[(scene.up + k) % 8] for k in range(8)]
    right = winds[scene.layout.heading]
    faults = _points(text, scene.front, scene.origin, SPATIAL[scene.layout.heading])
    faults += _mapping(text, winds) + _points(text, scene.front, scene.origin, right)
    points = [rf"\bpoints ({names})\b" for names in (_SPATIAL, _WINDS)]
    return faults + _order(text, points[0], _MAPPED.pattern, points[1]) + _ends(scene, text, right)


def _step(origin: tuple[int, int], target: tuple[int, int]) -> int:
    return STEPS.index((target[0] - origin[0], target[1] - origin[1]))


def _cells(text: str, where: dict[str, tuple[int, int]], asked: Sequence[str]) -> list[str]:
    told = {name.casefold(): (int(row) - 1, int(column) - 1) for name, row, column in _CELL.findall(text)}
    known = {name.casefold(): place for name, place in where.items()}
    faults = [f"{name} is not in row {r + 1}, column {c + 1}" for name, (r, c) in told.items() if known.get(name) != (r, c)]
    return faults + [f"it does not tell where {name} is" for name in asked if name.casefold() not in told]


def _points(text: str, front: str, origin: str, right: str) -> list[str]:
    kind = _WINDS if right in WINDS else _SPATIAL
    told = re.findall(rf"\bthe {re.escape(front)} of {re.escape(origin)} points ({kind})\b", text, re.IGNORECASE)
    return [] if {t.casefold() for t in told} == {right.casefold()} else [f"the {front} points {right}, it says {told or 'nothing'}"]


def _mapping(text: str, winds: list[str]) -> list[str]:
    told = {(place.casefold(), wind) for place, wind in _MAPPED.findall(text)}
    right = set(zip(SPATIAL, winds, strict=True))
    return [f"{place} is not {wind}" for place, wind in sorted(told - right)] + [
        f"it does not tell that {place} is {wind}" for place, wind in sorted(right - told)
    ]


def _relation(scene: _Asked, text: str, target: str, place: int, winds: list[str] | None) -> list[str]:
    faults = _says(text, scene.origin, target, _SPATIAL, SPATIAL[place])
    both = rf"^(?=.*{re.escape(scene.origin)}\b)(?=.*{re.escape(target)}\b).*\b({{}})\b"
    steps = [_CELL.pattern, both.format(SPATIAL[place])]
    if winds is not None:
        faults += _mapping(text, winds) + _says(text, scene.origin, target, _WINDS, winds[place])
        steps += [_MAPPED.pattern, both.format(winds[place])]
    return faults + _order(text, *steps) + _ends(scene, text, SPATIAL[place] if winds is None else winds[place])


def _says(text: str, origin: str, target: str, names: str, right: str) -> list[str]:
    """Faults of the lines that put the target in a direction from the origin: each must name `right`, seen from the
    origin and not from the target, and one must be there.
    """
    lines = [line for line in text.split("\n") if target.casefold() in line.casefold() and origin.casefold() in line.casefold()]
    seen_from_origin = re.compile(rf"\b(?:from|(?:{names}) of) {re.escape(origin)}\b", re.IGNORECASE)
    told: list[str] = []
    faults: list[str] = []
    for line in lines:
        named: list[str] = re.findall(rf"\b({names})\b", _MAPPED.sub("", _CELL.sub("", line)), re.IGNORECASE)
        told += named
        if named and not seen_from_origin.search(line):
            faults.append(f"{named[0]} is not told of {target} as seen from {origin}")
    faults += [f"{target} is not {name} of {origin}" for name in told if name.casefold() != right.casefold()]
    return faults if told else [f"it does not tell that {target} is {right} of {origin}"]


def _order(text: str, *steps: str) -> list[str]:
    """A fault if the statements do not come in this order; one that is missing is told elsewhere."""
    found = [re.search(step, text, re.IGNORECASE | re.MULTILINE) for step in steps]
    starts = [match.start() for match in found if match]
    return [] if starts == sorted(starts) else ["its steps are out of order"]


def _ends(scene: _Asked, text: str, right: str) -> list[str]:
    final = _FINAL.search(text)
    if not final:
        return ["it ends with no answer"]
    if len(_ANSWER.findall(text)) > 1:
        return ["it names an answer more than once"]
    index = LETTERS.index(final[1])
    named = scene.options[index] if index < len(scene.options) else None
    return [] if named == final[2] == right else [f"the answer is {right}, not {final[1]}. {final[2]}"]
