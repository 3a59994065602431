"""The words with which replies announce, deny, soften and take back an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

WORD = re.compile(r"[^\W_]+")
BULLET = re.compile(r"[-*•+·]\s|\d{1,2}[.)]\s")

NEGATED = re.compile(r"\W*(?:not|neither|never|nor|none of)\b", re.IGNORECASE)
DENIAL = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|unable|unclear|unsure|wrong|incorrect|without|unless)\b|n't\b", re.IGNORECASE
)
SUPPOSES = re.compile(r"\b(?:if|unless|assuming|suppos(?:e|ing)|provided|were|whether|depend(?:s|ing)?)\b", re.IGNORECASE)
SUPPOSED_AFTER = re.compile(r"\S\s+(?:if|unless|assuming|provided|depending)\b")  # "If" starts a sentence of its own
WOULD = re.compile(r"\bwould\b", re.IGNORECASE)
HEDGE = re.compile(
    r"\b(?:or|either|alternatively|maybe|perhaps|possibly|might|equally|both|as well"
    r"|(?:could|may|can)(?:\s+also)?\s+be|another\s+(?:possible|option|answer|choice|possibility|candidate)"
    r"|also\s+(?:be|possible|correct|valid|fits?|works?|plausible|right|acceptable|could|might|answer))\b",
    re.IGNORECASE,
)
OFFER = re.compile(
    r"^\W*(?:or|alternatively|maybe|perhaps|possibly|either|both|it (?:could|might|may)|(?:but|and|though) (?:it|the answer) (?:could|might|may)"
    r"|another)\b|\balso\b|\b(?:could|might|may) be (?:the )?(?:answer|correct|right)|\bas well\b|\bequally\b",
    re.IGNORECASE,
)
RULED_OUT = re.compile(r"\b(?:not|rather than|instead of|nor|neither|unlike|excludes?|excluding)\b[^.;:\n]*", re.IGNORECASE)
RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|scratch that|on second thought|on reflection|hmm+|oops|let me (?:re|double|check|correct)\w*"
    r"|i (?:was|am) (?:wrong|mistaken)|my mistake|i made (?:a|an) (?:mistake|error)|that(?:'s| is| was) (?:wrong|incorrect|not right)"
    r"|reconsider\w*|re-?check\w*|re-?examin\w*|however)\b|(?:^|[.!?\n]\s*)no\s*[,.!—-]",
    re.IGNORECASE,
)
CONCLUDES = re.compile(
    r"\W*(?:so|therefore|thus|hence|consequently|accordingly|in conclusion|in summary|overall|finally|as a result|to conclude)\b",
    re.IGNORECASE,
)
REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:really |very |so )?(?:sorry|afraid|unable|not able|not sure|unsure|uncertain)"
    r"|sorry, (?:but )?i|i apologi[sz]e|as an ai"
    r"|(?:i )?(?:cannot|can't|can not|could not|couldn't|do not|don't|won't|will not|am not able to|are unable to|is unable to)"
    r"\s+(?:actually |directly |reliably |confidently |currently )?"
    r"(?:see|view|determine|identify|assist|help|provide|answer|tell|access|process|know|say|comply|make out|find|analy[sz]e)"
    r"|unable to (?:see|view|determine|identify|answer|access|process|assist|help)"
    r"|no (?:image|picture|photo)s? (?:is|was|were|has|have|attached|provided|visible)"
    r"|(?:can ?not|can't|could not|couldn't) be (?:determined|identified|told|answered|seen|inferred|counted|read|known)"
    r"|(?:not|im)\s*possible to (?:tell|say|determine|answer|know|see|judge|identify)|(?:not enough|insufficient) (?:information|detail|context)"
    r"|(?:can ?not|can't|unable to) \w+ (?:the|this|that|it|any)\b[^.\n]{0,60}\bwithout"
    r"|d[ée]sol[ée]e?|je ne peux pas|lo siento|no puedo|kann (?:ich )?(?:das bild )?nicht|es tut mir leid|não consigo|mi dispiace)\b"
    r"|无法|不能确定|抱歉|申し訳|できません|分かりません|죄송|수 없습니다|не могу|извините",
    re.IGNORECASE,
)

_NOUN = r"answers?|ans|guess|choice|option|response|solution|result|conclusion|selection|pick"
_FOREIGN = r"正确答案|答案|正解|答え|回答|정답|답|r[ée]ponse|antwort|respuesta|risposta|resposta|ответ|odpowiedź|cevap|الإجابة|उत्तर"
_FOREIGN_ADJECTIVE = r"correcta|correcte|corretta|correta|final|finale|richtige|правильный"
_COPULA = r"would be|should be|must be|will be|has to be|seems to be|appears to be|is|are|was"
_ADVERB = r"therefore|thus|clearly|definitely|indeed|hence|then|simply|just|probably|likely|most likely|obviously"
_ADJECTIVE = r"final|correct|right|best|most appropriate|most suitable|most likely|proper|true|only|overall|short|chosen"
_FILLER = (
    r"that|it is|it's|it must be|it has to be|this is|we get|we have|i get|i think|i'd say|i choose|i pick|i select|choose|pick|select"
    r"|go with|with|the|my|final|correct|right|best|option|choice|answer|letter|is|must be|should be|would be|[:,]"
)


@lru_cache(maxsize=256)
def announcements(nouns: str) -> re.Pattern[str]:
    """Words after which an answer stands; `nouns` are further names for it ("total")."""
    noun = rf"(?:{_NOUN}{'|' + nouns if nouns else ''})"
    return re.compile(
        r"(?P<box>\\(?:boxed|fbox|framebox)\s*\{)|(?P<tag><answer>)\s*"
        rf"|(?<![\w-])(?P<label>(?:(?:the|my|our|so|la|die|el|le|il)\s+)?(?:(?:{_ADJECTIVE})\s+(?:and\s+)?)*"
        rf"(?:{noun}|(?:{_FOREIGN})(?:\s+(?:{_FOREIGN_ADJECTIVE}))?[은는이가]?)"
        r"(?:\s+(?:letter|choice|option|number|here|to (?:the|this) question))*(?:\s+(?:that|which)\s[\w\s-]{1,40}?)?\s*[\"']?\s*"
        rf"(?:(?::|=>|=|->|→|⇒)|(?<=\s)(?:{_COPULA})(?![\w'])|[为是は]|(?<=[은는이가])\s|(?<=\s)(?:est|ist|es|è|é)\s|(?<=\s)[-–—](?=\s))"
        rf"(?:\s*[:=]|\s+(?:{_ADVERB})\b)*\s*)"
        rf"|(?<![\w'])(?P<choose>(?:i|we)(?:'d|'ll)?\s+(?:(?:would|will|must|shall|can|therefore|thus)\s+)*"
        rf"(?:(?<=\bi)(?:'m| am)\s+going with|choose|pick|select|go with|opt for|settle on|vote for|say|answer|conclude|think|believe|guess)\b(?:\s*(?:{_FILLER})(?!\w))*\s*)"
        r"|(?P<foreign>(?:应该|应|故|所以|因此)?(?:选择|选)\s*:?\s*)",
        re.IGNORECASE,
    )


def announces(name: str, nouns: str) -> bool:
    """Whether a JSON key of this name holds the answer."""
    return bool(
        re.fullmatch(
            rf"(?:(?:{_ADJECTIVE})\s+)*(?:{_NOUN}|label|value{'|' + nouns if nouns else ''})", name.replace("_", " "), re.IGNORECASE
        )
    )


CLOSINGS = re.compile(
    rf"(?<![\w'])(?:so|therefore|thus|hence|consequently|accordingly)\b\s*,?(?:\s*(?:{_FILLER})(?!\w))*\s+"
    r"|(?<![\w'])(?:corresponds? to|match(?:es|ing)?|which is|that is|making it|giving|points? to|choose|select|selecting|choosing)"
    r"\s+(?:the\s+)?(?:option|choice|answer|letter)\s+"
    r"|(?<![\w'])i\s+(?:think|believe|would say)\s[^.?!\n]{0,60}?\s(?:is|are)\s+|\bi(?:'m| am)\s+going with\s+(?:option\s+)?"
    r"|^(?:it is|it's|that's|it must be|it has to be|must be|looks like)\s+(?:(?:probably|likely|most likely|definitely|clearly)\s+)?"
    r"|^(?:probably|likely|most likely|definitely|clearly)\s+|\b(?:is|are)\s*:\s+"
    r"|\b(?:wait|no|actually|correction|sorry|rather)\s*[,:]?\s+(?:(?:actually|rather|it is|it's|i mean|make that)\s+)*"
    r"|\b(?:for|making|gives?|giving|makes?|with|is|to|that's|totall?ing|adds? up to)\s+(?:an?\s+|the\s+)?(?:grand\s+)?(?:total|sum)\s+(?:of|is)\s+"
    r"|\b(?:in total|altogether|totall?ing|adds? up to|i\.e\.)\s*[,:]?\s+",
    re.IGNORECASE | re.MULTILINE,
)
"""Words that may close an argument; what follows them must be a value up to the end of the sentence."""

BESIDE = re.compile(r"\s*(?:[/|&+]|or\b|and\b)", re.IGNORECASE)
"""What puts the next word beside the last one."""

CONTRASTS = re.compile(
    r"(?:\bnot|n't)\s+[^.;:?\n]{1,40}?(?:(?:[.;,]\s*|\s+)(?:but|rather|instead)"
    r"|[.;,]\s*(?:(?:the (?:correct |right )?answer|it|that)(?:'s|\s+is|\s+must be)|it has to be))(?:\s+(?:rather|actually|instead|really|it is|it's|the answer is))*\s*:?\s+",
    re.IGNORECASE,
)
"""Denial followed by correction: "it is not A; it is B"."""

BRACES = re.compile(r"(?<!\\boxed)(?<!\w)\{([^{}\n]{1,80})\}")


@lru_cache(maxsize=1024)
def judgements(token: str) -> re.Pattern[str]:
    """A value that is called right: "B is the correct option"."""
    return re.compile(
        rf"(?<![\w'])(?:(?i:option|choice|answer|letter)\s+)?[(\[\"']?(?P<value>{token})[)\]\"']?(?:\s*\([^()\n]*\))?"
        r"\s+(?i:(?:is|must be|should be|would be|seems|looks)\s+(?:(?:clearly|indeed|therefore|thus|definitely|obviously)\s+)?"
        r"(?:the\s+)?(?:only\s+)?(?:correct|right|best|most appropriate|most suitable|most likely|accurate|(?:final\s+)?answer))\b"
    )


def sentences(text: str) -> Iterator[str]:
    """The sentences of `text`. The full stop of an opening label ("B. West", "1. Look") ends none."""
    for a, b in spans(text):
        if sentence := text[a:b].strip():
            yield sentence


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of `text` stand."""
    start = 0
    for mark in _END.finditer(text):
        before = text[start : mark.start()].strip(" (\"'")
        # a label such as "B." or "1." opens a sentence; "i.e." does not end one
        if mark.group() == "." and ((len(before) == 1 and before.isalnum()) or before.endswith(("i.e", "e.g"))):
            continue
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


_FAR = 400  # characters to each side in which a sentence is looked for
_END = re.compile(r"\n|[.!?](?=[\s\"')\]]|$)")


def sentence_around(text: str, at: int) -> str:
    """The sentence of `text` in which position `at` stands."""
    start = max(0, at - _FAR)
    window = text[start : at + _FAR]
    return next((window[a:b].strip() for a, b in spans(window) if a <= at - start < b), "")


def braced(text: str, at: int) -> tuple[str, int]:
    """What stands before the brace that closes the one opened just before `at`, and where it closes."""
    depth = 1
    for i in range(at, min(len(text), at + 200)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[at:i], i + 1
    return text[at : at + 200], min(len(text), at + 200)
