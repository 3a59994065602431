"""A joint answer: several named answers in one JSON object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import ClassVar, Literal, cast, get_args

from isovist.core.answers.choice import Choice
from isovist.core.answers.count_tuple import CountTuple
from isovist.core.answers.extraction.normalize import DECODER, LONGEST, last_sentence, load, normalize_response, sentences, strip_thinking
from isovist.core.answers.extraction.phrases import EXAMPLE, HEDGE, REFUSAL, RETRACTION, REVOKED, SEES_NONE, answer_cue_pattern
from isovist.core.answers.extraction.vocabulary import key
from isovist.core.answers.grids import Cell, CellPath
from isovist.core.answers.numeric import Count, Number
from isovist.core.answers.score import Score
from isovist.core.answers.word_lists import WordSequence, WordSubset
from isovist.core.answers.yesno import YesNo
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order

Part = Choice | YesNo | Count | Number | CountTuple | WordSequence | WordSubset | Cell | CellPath

Credit = Literal["all", "share"]

_LINE = re.compile(r"(?m)^(?:[-*•]\s*)?([^:=\n]{1,60}?)\s*[:=]\s*(.+)$")
_FORM = re.compile(r"\b(?:the|this) (?:form|format|schema|structure)(?:\s+(?:is|looks like|would be))?\W*$", re.IGNORECASE)
_OPENS = re.compile(r"\{(?=\s*[\"}])")
_MOST_BROKEN = 40
"""Maximum number of unclosed objects that are decoded; nested unclosed objects would take quadratic time."""
_DENIED = re.compile(r"(?:\b(?:not|never|cannot)(?: be)?|n't(?: be)?)\W*$", re.IGNORECASE)
_OPEN_ENDED = re.compile(r"[^\w\n]*(?:\?|or\b|perhaps\b|maybe\b|<(?:final_)?answer>\s*</)", re.IGNORECASE)
"""Text after an object that makes it tentative or a template."""
_LOOSE = r"(?im)\{{([^{{}}]*)\}}|^(?:the\s+)?(?:final\s+)?answer\s*:\s*((?:{names})\s*[:=][^{{}}\n]*)$"
_QUOTED = re.compile(r"(['\"]?)([^'\"]*)\1")
_VALUE = re.compile(r"\d|\b[A-Z]\b(?!')")


@dataclass(frozen=True, slots=True)
class JointAnswer:
    """Several named answers. With `scoring_rule` "all" every part must be correct; with "share" the credit is the proportion that is."""

    parts: tuple[tuple[str, Part], ...]
    scoring_rule: Credit = "all"
    kind: ClassVar[str] = "fields"

    def __post_init__(self) -> None:
        names = [key(name) for name, _ in self.parts]
        if not names or len(set(names) - {""}) < len(names):
            raise ValueError(f"fields need different names: {[name for name, _ in self.parts]}")
        if self.scoring_rule not in get_args(Credit):
            raise ValueError(f"unknown credit {self.scoring_rule!r} of fields; known are {', '.join(get_args(Credit))}")

    def options_text(self) -> str:
        return "\n".join(f"{name}:\n{part.options_text()}" for name, part in self.parts if part.options_text())

    def format_instruction(self) -> str:
        return "one JSON object with " + "; ".join(f'"{name}": {part.format_instruction()}' for name, part in self.parts)

    def canonical(self) -> str:
        return _json_text({name: part.canonical() for name, part in self.parts})

    def score(self, reply: str) -> Score:
        """Score the one JSON object that has all names; a response with two different objects is unparsed."""
        text = normalize_response(reply)
        if not text:
            return Score("empty")
        objects = [*map(_unwrapped, _objects(reply)), *self._unquoted_objects(text)] or [self._lines(text)]
        candidates = [part_scores for data in objects if (part_scores := self._scores(data)) is not None]
        if not candidates or self._is_retracted(text) or any(other != candidates[0] for other in candidates):
            refused = not candidates and len(text) < 400 and REFUSAL.search(text)
            return Score("refused" if refused else "unparsed")
        scores = candidates[0]
        parsed = _json_text({name: score.parsed_answer for (name, _), score in zip(self.parts, scores, strict=True)})
        unread = [score for score in scores if score.parsed_answer is None]
        value = sum_in_order(score.credit for score in scores) / len(scores)
        if value == 1:
            return Score("correct", 1.0, parsed)
        if value > 0 and self.scoring_rule == "share":
            return Score("partial", value, parsed)
        return Score("unparsed") if unread else Score("incorrect", 0.0, parsed)

    def _is_retracted(self, text: str) -> bool:
        """Whether the text around the object, or after the lines, retracts it, marks it as an example or offers another value."""
        before = text.partition("{")[0] if "{" in text else ""
        lead = last_sentence(before)
        if EXAMPLE.search(lead) or _FORM.search(lead) or REFUSAL.search(SEES_NONE.sub("", lead)):
            return True
        after = text.rpartition("}")[2] if "}" in text else "\n".join(line for line in text.split("\n") if not _LINE.match(line))
        if "}" in text and (_DENIED.search(lead) or _OPEN_ENDED.match(after)):
            return True
        names = re.compile("|".join(re.escape(name) for name, _ in self.parts), re.IGNORECASE)
        return any(
            REVOKED.search(sentence)
            or RETRACTION.search(sentence)
            or EXAMPLE.search(sentence)
            or REFUSAL.search(sentence)
            or (HEDGE.search(sentence) and (names.search(sentence) or _VALUE.search(sentence)))
            for sentence in sentences(after)
        )

    def _lines(self, text: str) -> dict[str, object]:
        """The values of lines such as "count: 3"; empty if a name occurs twice."""
        listing = normalize_response(self.options_text())
        named = _LINE.findall(text.replace(listing, "") if listing else text)  # a copy of the options is no answer
        values = {name: value for name, value in named if key(name) in {key(part) for part, _ in self.parts}}
        return {} if len(values) < sum(key(name) in map(key, values) for name, _ in named) else dict(values)

    def _unquoted_objects(self, text: str) -> Iterator[dict[str, object]]:
        """The objects without quotes or with single quotes, in braces or after "Answer:"."""
        names = "|".join(re.escape(name) for name, _ in self.parts)
        for body in (match[1] if match[2] is None else match[2] for match in re.finditer(_LOOSE.format(names=names), text)):
            before, *rest = re.split(rf"(?:^|[,;\n])\s*(['\"]?)({names})\1\s*[:=]\s*", body, flags=re.IGNORECASE)
            if before.strip() or not rest or _is_object(body):
                continue
            values: dict[str, object] = {}
            for name, value in zip(rest[1::3], rest[2::3], strict=True):
                quoted = _QUOTED.fullmatch(value.strip(" \n,"))
                unquoted = quoted[2] if quoted else None
                values[name] = unquoted if values.get(name, unquoted) == unquoted else None  # the name occurs twice
            yield values

    def _scores(self, data: dict[str, object]) -> tuple[Score, ...] | None:
        by_name = {key(name): value for name, value in data.items()}
        if not all(key(name) in by_name for name, _ in self.parts):
            return None
        return tuple(part.score(_value_text(by_name[key(name)])) for name, part in self.parts)

    def format_response(self, text: str) -> bool:
        try:
            data = load(text)
        except (ValueError, RecursionError):
            return False
        named = cast("dict[str, object]", data) if isinstance(data, dict) else {}
        by_name = {key(name): value for name, value in named.items()}
        parts = {key(name): part for name, part in self.parts}
        return (
            len(named) == len(by_name)
            and set(by_name) == set(parts)
            and all(parts[n].format_response(_value_text(v)) for n, v in by_name.items())
        )

    def chance(self) -> float:
        chances = [part.chance() for _, part in self.parts]
        return prod(chances) if self.scoring_rule == "all" else sum_in_order(chances) / len(chances)

    def random_answer(self, rng: Rng) -> str:
        return _json_text({name: part.random_answer(rng) for name, part in self.parts})

    def wrong_answers(self) -> list[str]:
        """An answer with all parts incorrect; if all parts must be correct, also answers with one incorrect part."""
        wrongs = {name: part.wrong_answers()[0] for name, part in self.parts}
        truth = {name: part.canonical() for name, part in self.parts}
        one_off = [_json_text({**truth, name: wrong}) for name, wrong in wrongs.items()] if self.scoring_rule == "all" else []
        return [_json_text(wrongs), *one_off]

    def balance_bin(self) -> str:
        return self.canonical()


def _json_text(named: dict[str, str] | dict[str, str | None]) -> str:
    return json.dumps(named, ensure_ascii=False)


def _value_text(value: object) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:  # the decoder accepts deeper nesting than the encoder
        return ""


def _is_object(body: str) -> bool:
    try:
        load(f"{{{body}}}")
    except (ValueError, RecursionError):
        return False
    return True


def _unwrapped(data: dict[str, object]) -> dict[str, object]:
    """The object inside `{"answer": {...}}`."""
    (name, inner), *others = data.items() or [("", None)]
    return cast("dict[str, object]", inner) if not others and isinstance(inner, dict) and answer_cue_pattern(name, "") else data


def _objects(reply: str) -> Iterator[dict[str, object]]:
    """The JSON objects in the visible response, outermost first."""
    text = strip_thinking(reply)[-LONGEST:].translate({0x201C: '"', 0x201D: '"', 0xA0: " "})
    broken = 0
    start = _OPENS.search(text)
    while start and broken < _MOST_BROKEN:
        try:
            data, end = DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            broken += 1
            end = start.end()
        else:
            if isinstance(data, dict):
                yield cast("dict[str, object]", data)
        start = _OPENS.search(text, end)
