"""Check of the response format, independent of the correctness of the answer."""

from __future__ import annotations

import re

from isovist.common.errors import UserError
from isovist.core.answers import Answer
from isovist.core.answers.extraction.normalize import normalize_response
from isovist.data.prompts import DEFAULT_STYLE, PUBLISHED, STYLES

_LAST = re.compile(r"Answer:\s*(\S.*)")
_ANNOUNCED = re.compile(
    r"^\W*(?:(?:so|therefore|thus|hence),?\s+)?(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)*answers?\s*(?:[:=]|(?:is|are)\b)"
    r"|\bboxed\s*\{|</?(?:final_)?answer>",
    re.IGNORECASE | re.MULTILINE,
)
"""Another announcement of an answer."""


def has_valid_format(text: str, key: Answer, style: str = DEFAULT_STYLE) -> bool:
    """Whether a response has the format of its prompt style: only its last line has "Answer:" and one value; in the style "direct"
    the whole response is one value, in the style "published" it has one readable answer.

    Text marked as thinking is ignored. Raises UserError for an unknown style.
    """
    if style not in STYLES:
        raise UserError(f"style {style!r}: there are {', '.join(STYLES)}.")
    visible = normalize_response(text)
    if style == PUBLISHED:
        return key.score(text).parsed_answer is not None
    if style == "direct":
        return key.format_response(visible) and not _ANNOUNCED.search(visible)
    before, _, last = visible.rpartition("\n")
    match = _LAST.fullmatch(last)
    if match is None or not key.format_response(match[1]) or any(_ANNOUNCED.search(part) for part in (before, match[1])):
        return False
    return key.score(text).parsed_answer is not None
