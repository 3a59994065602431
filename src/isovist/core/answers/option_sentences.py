"""Sentence patterns that state an option without its label: a position, a visible object, a matching option."""

from __future__ import annotations

import re
from functools import lru_cache

from isovist.core.answers.extraction.normalize import WORD
from isovist.core.answers.extraction.phrases import CONCLUDES, PART, shaded
from isovist.core.answers.extraction.vocabulary import Mention

PLACED = re.compile(
    r"\b(?:points?|pointing|faces?|facing|lies?|lying|located|sits?|stands?|situated|positioned|placed|heading|headed|heads|rotated|turned|turns|turning|moved|moving|moves?|goes|travels?|towards?|to"
    r"|is|in|by|direction:?|appears|are|looks? like)\s+(?:(?:clearly|directly|exactly|straight|definitely|simply|just)\s+)?(?:(?:the|an?|your|its)\s+)?$",
    re.IGNORECASE,
)
_LETTER_BESIDE = re.compile(r"\s*\([A-Z]\)")
_AFTER_PLACED = re.compile(
    r"\W*$|\s+(?:\([^()]*\)\s*)?(?:when|because|since|as|of|from|relative|in relation|in the (?:picture|image)|direction|side|part|corner|half|quadrant|quarter|edge|area|with respect"
    r"|compared|to me)\b|\s*,(?!\s*(?:and|but|while|whereas|though|yet)\b)",
    re.IGNORECASE,
)
COUNTED = re.compile(r"(?:\s+(?!(?:and|or|to|of)\b)[a-z]+){1,3}\W*", re.IGNORECASE)
_TURNS = re.compile(r"\s+(?:right |left )?turns?\b(?:\s+(?:on|along|in|from)\b[^,;:\d]*)?\W*$", re.IGNORECASE)
_COUNTS = re.compile(
    r"\b(?:there (?:are|is)|(?:i|we|you) (?:see|count|counted|can see|make|take|need)|(?:contains?|shows?|has|have|makes?|takes))\s+(?:exactly |a total of )?$",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"(?:^|\b(?:that|so|thus|hence|therefore),?\s)(?:the\s+)?(?:(?:picture|image|icon|drawing|symbol)\s+(?:clearly\s+)?(?:is|represents|looks like)|it\s+(?:is|looks like)"
    r"|(?:thing|object|icon|symbol|letter|number)\s+(?:(?:that is\s+)?(?:drawn|shown|depicted|seen|visible|present)\s+)?(?:in the (?:picture|image)\s+)?(?:is|looks like)|this\s+is)"
    r"\s+(?:(?:clearly|definitely)\s+)?(?:an?\s+|the\s+(?:number|letter)\s+)?$",
    re.IGNORECASE,
)
_SEES = re.compile(
    r"^\W*(?:i|we|one)\s+(?:can\s+)?(?:clearly\s+)?(?:see|spot|find|make out|recogni[sz]e)\s+(?:the\s+)?(?:number|letter)\s+$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^\W*(?:(?:so|thus|therefore|hence)\b,?\s*)?(?:(?:only|just)\s+)?(?:the\s+)?(?:(?:number|letter)\s+)?(?:only\s+)?$", re.IGNORECASE
)
_PRESENT = re.compile(
    r"\s+(?:stands|appears|occurs|is (?:present|visible|shown|seen|found|there|in)|can be (?:seen|found))\b(?:\s+(?:clearly|also))?(?:\s+(?:in|on|near|at|among)\b[^.,;]*\b(?:picture|image|photo|drawing|grid|corner|cent(?:re|er)|middle|row|column|edge|top|bottom|left|right|side|part|half|area|them))?\W*$"
    r"|\s+is (?:the\s+)?(?:one|only one)(?:\s+(?:that|which)\s+(?:is|appears|can be))?[^.,;]{0,30}in the (?:picture|image)\W*$",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\s+(?:(?:quadrant|half|quarter|part|corner|section|one)\s+)?(?:clearly\s+)?(?:contains|holds|has|shows|includes)\s+(?:the\s+)?(?:most|(?:largest|greatest|highest|biggest) (?:number|count|amount))\b"
    r"(?:\s+of)?(?:\s+(?:the|all|them|coloured|colored))*(?:\s+(?!red|blue|green|yellow|black|white|small|large|big)\w+)?(?=\W*$|\s*[,(:–—]|\s+(?:with|at|in)\b)",
    re.IGNORECASE,
)
_MOST_LIE = re.compile(
    r"^\W*(?:(?:so|thus|therefore|hence)\b,?\s*)?(?:the\s+)?most\s+(?:of\s+the\s+)?(?:\w+\s+)?circles\s+(?:are|lie|can be found|are found|are located)\s+in\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_IS_IT = re.compile(
    r"\s+(?:is|must be|has to be|shows|gives|matches|equals|corresponds to|represents)\s+(?:(?:exactly|clearly|simply|just|indeed)\s+)?(?:the\s+|an?\s+)?"
    r"(?:only\s+)?(?:correctly\s+)?(?:rotated|turned)?\s*(?:(?:same\s+)?(?:object|one|shape|figure|version|copy|rotation|paper|sheet|result|match|pattern)\b|same\b|original\b|framed\b|unfolded\b|correct\b)",
    re.IGNORECASE,
)
_IS_NOT_IT = re.compile(
    r"\b(?:mirror\w*|reflect\w*|different|similar|almost|nearly|not|missing|extra|except|fewest|least|folded|with the|shown in|closest to)\b",
    re.IGNORECASE,
)


def tells(sentence: str, mention: Mention, option: str, *, spatial: bool, drawn: bool) -> bool:
    """Whether `sentence` states the option at `mention` as the answer.

    `spatial`: the options are directions or locations. `drawn`: they are drawn in the image and named by a noun and a letter.
    """
    lead, rest = sentence[: mention.start].rstrip("\"'(["), sentence[mention.end :]
    beside = _LETTER_BESIDE.match(rest)
    rest = rest[beside.end() :] if beside else rest
    if PLACED.search(lead) and _AFTER_PLACED.match(rest):
        return True
    if option.isdigit() and _COUNTS.search(lead) and (COUNTED.fullmatch(rest) or _TURNS.match(rest)) and not PART.search(sentence):
        return True
    if drawn:
        return bool(_SUBJECT.match(lead) and _IS_IT.match(rest) and not _IS_NOT_IT.search(rest))
    if spatial:
        return bool((_SUBJECT.match(lead) and _MOST.match(rest)) or (_MOST_LIE.match(lead) and _AFTER_PLACED.match(rest)))
    noun = " " not in option  # "the truck" may be one of several objects in a scene
    if noun and _SHOWS.search(lead):
        return re.match(r"\W*$|\s+(?:drawn|shown|seen|in|at|that|which|turned|pointing|facing|lying)\b|\s*,", rest) is not None
    named = option.isdigit() or len(option) == 1
    return bool(
        named
        and ((_SUBJECT.match(lead) and _PRESENT.match(rest)) or (_SEES.match(lead) and re.match(r"\W*$|\s+(?:in|at|near|on)\b", rest)))
    )


_NOUNS = r"(?:(?:option|choice|answer|image|picture|photo|point|box|shape|figure|object|letter|label|diagram|region|one)\s+)?"
_AS_PREDICATE = re.compile(
    r"(?:\b(?:is|are|was|be|remains|corresponds? (?:most closely )?to|correspond(?:s|ing) (?:with|to)|match(?:es)?|select|choose|pick|favou?r|prefer|lean towards?|go with|to place)"
    r"|(?:is|are|be|select|choose|pick|say|with|identify|photograph|one|option|match):|=)\s*(?:(?:most |more )?(?:likely|closely|probably|clearly|definitely|to be|called|known as|labell?ed|with)\s+)*(?:(?:the|an?)\s+)?"
    rf"{_NOUNS}[\"'(\[]*$",
    re.IGNORECASE,
)
_READS = re.compile(r"\b(?:shows|reads|displays|indicates|costs|equals|measures)\s+(?:about\s+|exactly\s+)?$", re.IGNORECASE)
_AS_SUBJECT = re.compile(
    r"(?:^|[,:;]\s|\b(?:that|so|say|believe|think|assess|conclude|because)\s)\W*(?:(?:so|thus|therefore|hence|overall)\b,?\s*)?(?:(?:the|an?)\s+)?"
    rf"{_NOUNS}[\"'(\[]*$",
    re.IGNORECASE,
)
_ENDS_CLAUSE = re.compile(
    r"[\"')\]]*\s*(?:\([^()]*\)\s*)?(?:$|[.,;!]|\b(?:because|since|as (?:it|this|that|there|they|my|the (?:most|best|correct|answer))|in|on|at|of|for|when|with|which|given|based|due)\b)",
    re.IGNORECASE,
)
_DECIDES = re.compile(
    r"\b(?:(?:more|most|best|better) (?:\w+ly|likely|similar|accurate|appropriate|suitable|consistent|natural|realistic|plausible|match|fit|choice|option|answer|candidate)|same|closer|closest|nearer|nearest|darker|darkest|lighter|brighter|larger|largest|smaller|smallest|longer|longest|taller|higher|highest"
    r"|correspond\w*|match\w*|fits?|shares?|likely|correct|belongs?|stands out|appropriate|aligns?|is the (?:one|answer))\b",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:so far|asks?|asked|asking|needs? to|have to|has to|task|goal|legend|label is|let me|i will|starts?|starting|reference (?:object|image|picture) is)\b"
    r"|^\W*(?:the\s+)?(?:reference|given|marked|original|first|starting|labell?ed)\s+\w+\s+(?:\(\w+\)\s+)?(?:is|was)\b",
    re.IGNORECASE,
)
_DECIDES_NOT = re.compile(
    r"\b(?:not|no|never|cannot|less|least|almost|nearly|similar to each|unlike\w*|different|differs?|too|neither|nor|also|both|another|worse|wrong|incorrect)\b|n't\b",
    re.IGNORECASE,
)


def asserts(sentence: str, start: int, end: int, *, clause: bool) -> bool:
    """Whether `sentence`, which names one option, from `start` to `end`, states that option.

    The option is the predicate ("... corresponds to Point C in the second image"), or the subject of a comparison ("Box B fits more
    closely"). `clause`: its text is a statement ("A is closer").
    """
    lead, rest = sentence[:start], sentence[end:]
    if shaded(lead):
        return False
    clause_text = re.split(r"[,;.(](?=\s|$)|\b(?:because|since)\b", rest.lstrip("\"')],"), maxsplit=1)[0]
    if _READS.search(lead) and sentence[start].isdigit() and _ENDS_CLAUSE.match(rest):
        return True
    if clause and _AS_SUBJECT.search(lead):
        return not _DECIDES_NOT.search(clause_text)
    if (_AS_PREDICATE.search(lead) and _ENDS_CLAUSE.match(rest)) or (CONCLUDES.match(sentence) and not WORD.search(rest)):
        return not _GIVEN.search(lead) and not _DECIDES_NOT.search(lead)
    return bool(
        not sentence[start].isdigit() and _AS_SUBJECT.search(lead) and _DECIDES.search(clause_text) and not _DECIDES_NOT.search(clause_text)
    )


_SAID = re.compile(
    r"\b(?:i|we) (?:would|can|could|might|will|must) (?:then |also |therefore )?(?:say|conclude|argue|assess|state|infer|assume|guess) (?:that )?",
    re.IGNORECASE,
)
_FORCED = re.compile(
    r"^\W*(?:(?:so|but|however|still|therefore),?\s+)?if (?:i|we|you|one) (?:must|had to|have to|need(?:ed)? to|were to) (?:choose|pick|select|guess|decide)[^,.;]*,\s*",
    re.IGNORECASE,
)
"""The introduction of a choice that is made in doubt."""
_ASIDE = re.compile(
    r",?\s+(?:while|whereas|unlike|as opposed to|compared (?:to|with)|in (?:contrast|comparison) (?:to|with)|rather than|instead of|but not|not|than|if (?:we|you|i) (?:use|look|consider|take|compare))\s[^.;,]*",
    re.IGNORECASE,
)
"""What a sentence says of other options."""


def main_statement(sentence: str) -> str:
    """`sentence` without "I would say that", "if I had to choose", and what it says of other options."""
    return _ASIDE.sub("", _FORCED.sub("", _SAID.sub("", sentence)))


# ---- lists of all options with marks -----------------------------------------------------------------------------------

_TICKED = re.compile(r"[✅✔✓☑🗹]|\[x\]|^(?:correct|right|true|yes)\b", re.IGNORECASE)
_MARK = r"(?:[✅✔✓☑🗹❌✗✘✖☐☒❎]|\[[x ]?\]|\b(?:in)?correct\b|\b(?:right|wrong|true|false|yes|no)\b(?=[.;,)\s]*(?:$|\n|\(?[A-Z][).:])))"
"""A mark of an option in a list of all of them."""
_CROSSED = ("❌", "✗", "✘", "✖", "☐", "☒", "❎", "[ ]", "incorrect", "wrong", "false", ") no\n", ": no\n", ". no\n")
"""Marks of which such a list has one."""


@lru_cache(maxsize=1024)
def _marked_option(options: tuple[str, ...], label: str) -> re.Pattern[str]:
    """An option by its label, with or without its text, with a mark before or after it."""
    texts = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    return re.compile(
        rf"(?:^|(?<=\s))[-*•]?[ ]*(?P<before>{_MARK})?[ ]*[(\[]?(?P<label>{label})[)\]]?[ ]*[.):,–—-]?[ ]*(?:{texts})?[ ]*[:,–—(-]*[ ]*"
        rf"(?:(?:is|this is|that is)[ ]+)?(?P<after>{_MARK})?[).;,]?(?=\s|$)",
        re.IGNORECASE | re.MULTILINE,
    )


def without_marks(text: str, options: tuple[str, ...], label: str) -> str:
    """`text` with an answer in place of a list of all options of which one is marked as correct; without a list of which none or several are.

    `label`: the pattern of a label.
    """
    folded = text.lower()
    if not any(mark in folded for mark in _CROSSED):
        return text
    marked = list(_marked_option(options, label).finditer(text))
    marks = [mark["before"] or mark["after"] or "" for mark in marked]
    if [mark["label"].upper() for mark in marked] != [chr(ord("A") + i) for i in range(len(options))] or not any(marks):
        return text
    right = [option["label"] for option, mark in zip(marked, marks, strict=True) if _TICKED.search(mark)]
    if len(right) != 1 and not all(marks):
        return text
    answer = f"Answer: {right[0]}" if len(right) == 1 else ""
    return f"{text[: marked[0].start()]}\n{answer}\n{text[marked[-1].end() :]}".strip()
