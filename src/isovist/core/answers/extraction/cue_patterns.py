"""Patterns of the phrases that announce an answer."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

NOUN = r"answers?|ans|guess|choice|option|response|solution|result|conclusion|selection|pick|verdict"
# fmt: off
_FOREIGN_NOUNS = (
    "正确答案", "最终答案", "正確答案", "最終答案", "故答案", "答案", "正解", "答え", "回答", "答", "정답", "해답", "대답", "답변", "답",
    "réponse", "reponse", "antwort", "lösung", "respuesta", "risposta", "resposta", "antwoord", "svaret", "svar", "vastaus", "válasz", "răspuns",
    "răspunsul", "odpowiedź", "odpověď", "odpoveď", "odgovor", "ответ", "відповідь", "отговор", "одговор", "απάντηση", "cevap", "yanıt", "yanit", "cavab", "javob",
    "жауап", "jawabannya", "jawaban", "jawapannya", "jawapan", "sagot", "jibu", "đáp án", "câu trả lời", "trả lời", "คำตอบคือ", "คำตอบ", "الإجابة", "الاجابة",
    "الجواب", "إجابة", "جواب", "پاسخ", "תשובה", "התשובה", "उत्तर", "उत्तरः", "जवाब", "উত্তর", "ਉੱਤਰ", "જવાબ", "பதில்", "விடை", "సమాధానం", "జవాబు",
    "ಉತ್ತರ", "ഉത്തരം", "පිළිතුර", "အဖြေ", "ចម្លើយ", "ຄຳຕອບ", "პასუხი", "պատասխան", "opción", "opção", "opzione",
)
# fmt: on
FOREIGN = "|".join(sorted(_FOREIGN_NOUNS, reverse=True))
_FOREIGN_ADJECTIVE = (
    r"correcta|correcte|corretta|correta|final|finale|richtige|правильный|akhir|(?:yang )?(?:benar|betul|tepat)|đúng|cuối cùng|ที่ถูกต้อง|ที่ถูกต้องคือ"
    r"|النهائية|النهائي|الصحيحة|الصحيح|صحیح|نهایی|درست|הנכונה|הסופית|सही|সঠিক"
)
_COPULA = r"would be|should be|must be|will be|has to be|seems to be|appears to be|turns out to be|is|are|was"
_ADVERB = r"therefore|thus|clearly|definitely|indeed|hence|then|simply|just|probably|likely|most likely|obviously"
_ADJECTIVE = r"final|correct|right|best|closest|most appropriate|most suitable|most likely|most plausible|proper|true|only|overall|short|chosen|matching|remaining"
_FILLER = (
    r"that|it is|it's|it must be|it has to be|this is|we get|we have|i get|i think|i'd say|i choose|i pick|i select|choose|pick|select"
    r"|go with|with|the|my|final|correct|right|best|option|choice|answer|letter|is|must be|should be|would be|most likely|likely|probably|clearly|definitely|[:,]"
)


_LABEL_NOUN = rf"(?:{NOUN}|(?:final|match|fit)(?=\s*(?::|is\b))|(?<=correct )one)"
# grouped by their first letter: a word in English is compared with few of them
_BY_LETTER = "|".join(f"{letter}(?:{'|'.join(noun[1:] for noun in nouns)})" for letter, nouns in groupby(FOREIGN.split("|"), itemgetter(0)))
_FOREIGN_NOUN = rf"(?:(?=[^\x00-\x7f]|[{''.join(sorted({noun[0] for noun in _FOREIGN_NOUNS if noun[0].isascii()}))}])(?:{_BY_LETTER}))(?:\s+(?:{_FOREIGN_ADJECTIVE}))?[은는이가]?"
_LABEL_END = (
    r"(?:\s+(?:letter|choice|option|number|here|to (?:the|this|that|your) question))*(?:\s+(?:that|which)\s[\w\s-]{1,40}?)?\s*[\"']?\s*"
    rf"(?:(?::|=>|=|->|→|⇒)|(?<=\s)(?:{_COPULA})(?![\w'])|[为為是は]|คือ|(?<=[은는이가])\s|(?<=\s)(?:est|ist|lautet|es|è|é|är|er|adalah|ialah|là|هي|هو)\s*[:\s]|(?<=\s)[-–—](?=\s))"
    rf"(?:\s*[:=]|\s*(?:{_ADVERB}|donc|also|la lettre|la|el|der|die|das|opción|opção|opzione|letra|lettera|buchstabe)\b)*\s*"
)
LABELS = re.compile(rf"(?=((?:{_LABEL_NOUN}|{_FOREIGN_NOUN}){_LABEL_END}))", re.IGNORECASE)
"""At every position: a label from its noun to its end."""
# fmt: off
LABEL_NOUNS = (
    *("ans", "guess", "choice", "option", "response", "solution", "result", "conclusion", "selection", "pick", "verdict", "final", "match", "fit", "correct one"),
    *_FOREIGN_NOUNS,
)
# fmt: on
"""Text of which every label contains one, in lower case."""
ENCLOSING = ("boxed", "fbox", "framebox", "answer>")
"""Text of which every box and every answer tag contains one."""
_FOREIGN_ENDS = "est ist lautet es donc also lettre la el der die das letra lettera buchstabe"
_CHOOSING_ENDS = "with for on choose pick select say answer conclude think believe guess"
OPEN_ENDS = frozenset(re.findall(r"[a-z]+(?=\||$)", f"{_COPULA}|{_ADVERB}|{_FILLER}")).union(_FOREIGN_ENDS.split(), _CHOOSING_ENDS.split())
"""The last words of the announcements that end with a word."""

# an announcement starts at a word, a tag, or a phrase of a language without spaces; this check avoids most attempts to match
_START = r"(?:(?<![A-Za-z0-9_])(?=\S)|(?=[<应應故所因选選]))"


@lru_cache(maxsize=256)
def announcements(finals: str, givens: str) -> re.Pattern[str]:
    """Phrases before an answer. `finals`: further nouns for it ("total"); `givens`: nouns that may also introduce given information."""
    extra_nouns = "".join(rf"|(?P<{name}>{words})" for name, words in (("final", finals), ("given", givens)) if words)
    return re.compile(
        rf"{_START}(?:"
        r"(?P<box>(?<!\w)\\?(?:boxed|fbox|framebox)\s*\{)|(?P<tag><answer>)\s*"
        rf"|(?:(?<![\w-])|(?<=认为)|(?<=觉得)|(?<=[以此故则則]))(?P<label>(?:(?:the|my|our|so|la|die|el|le|il)\s+)?(?:(?:{_ADJECTIVE})\s+(?:and\s+)?){{0,5}}"
        rf"(?:{_LABEL_NOUN}{extra_nouns}|{_FOREIGN_NOUN}){_LABEL_END})"
        rf"|(?<![\w'])(?P<choose>(?:(?:i|we)(?:'m|'re| am| are)\s+going with|(?:i|we)(?:'d|'ll)?\s+(?:(?:would|will|must|shall|should|can|therefore|thus)\s+){{0,4}}"
        rf"(?:choose|pick|select|go (?:with|for)|opt for|settle on|vote for|say|answer|conclude|think|believe|guess)"
        rf"|let's (?:go with|choose|pick)|^going with)\b(?:\s*(?:{_FILLER})(?!\w)){{0,9}}\s*)"
        r"|(?P<foreign>(?:应该|應該|应|應|故|所以|因此)?(?<![不没沒未別别])(?:选择|選擇|选|選)(?![项項中])\s*:?\s*))",
        re.IGNORECASE,
    )


def answer_cue_pattern(name: str, nouns: str) -> bool:
    """Whether a JSON key with this name contains the answer; `nouns` are further nouns for it."""
    return bool(_key(nouns).fullmatch(name.replace("_", " ")))


@lru_cache(maxsize=256)
def _key(nouns: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?:{_ADJECTIVE})\s+)*(?:(?:{NOUN})(?:\s+(?:text|letter|label|value|option|choice|name))?|label|value|text|letter{'|' + nouns if nouns else ''})",
        re.IGNORECASE,
    )


CLOSINGS = re.compile(
    rf"(?<![A-Za-z0-9_])(?=[\w→⇒=-])(?:(?<![\w'])(?:so(?!\s+(?:far|long|called)\b)|therefore|thus|hence|consequently|accordingly)\b\s*,?(?:\s*(?:{_FILLER})(?!\w)){{0,9}}\s+"
    r"|(?<![\w'])(?:corresponds? to|match(?:es|ing)?|which is|that is|making it|giving|points? to|choose|select|selecting|choosing)"
    r"\s+(?:the\s+)?(?:option|choice|answer|letter)\s+"
    r"|(?<![\w'])(?:(?:that|this|which)\s+(?:only\s+)?leaves|leaving)\s+(?:(?:us|me)\s+with\s+)?(?:only\s+|just\s+)?(?:the\s+)?(?:option\s+|choice\s+|answer\s+)?"
    r"|(?P<think>(?<![\w'])i\s+(?:think|believe|would say)\s[^.?!\n]{0,60}?\s(?:is|are)\s+)"
    r"|^(?:it is|it's|that's(?! right)|it must be|it has to be|must be|looks like)\s+(?:(?:probably|likely|most likely|definitely|clearly)\s+)?"
    r"|^(?:probably|likely|most likely|definitely|clearly)\s+|(?P<colon>\b(?:is|are)\s*:\s+)"
    r"|(?P<back>\b(?:no\s*[,:]|(?:wait|actually|correction|sorry|rather|hold on)\s*[,:]?)\s+(?:(?:actually|rather|it is|it's|it should be|i mean|i meant|make that)\s+)*)"
    r"|(?P<sum>\b(?:for|making|gives?|giving|makes?|with|is|to|that's|totall?ing|adds? up to)\s+(?:an?\s+|the\s+)?(?:grand\s+)?(?:total|sum)\s+(?:of|is)\s+"
    r"|\b(?:in total|altogether|totall?ing|adds? up to|i\.e\.)\s*[,:]?\s+)"
    r"|(?P<option>对应选项|选项|對應選項|選項)\s*|(?P<arrow>(?:→|⇒|->|=>)\s*))",
    re.IGNORECASE | re.MULTILINE,
)
"""Phrases that may conclude an argument; a value and the end of the sentence must follow."""

BESIDE = re.compile(r"\s*(?:[/|&+]|or\b|and\b)", re.IGNORECASE)
"""Text that coordinates the next word with the previous one."""

CONTRASTS = re.compile(
    r"(?:\bnot|n't)\s+[^.;:?\n]{1,40}?(?:(?:[.;,]\s*|\s+)(?:but|rather|instead)"
    r"|[.;,]\s*(?:(?:the (?:correct |right )?answer|it|that)(?:'s|\s+is|\s+must be)|it has to be))(?:\s+(?:rather|actually|instead|really|it is|it's|the answer is))*\s*:?\s+",
    re.IGNORECASE,
)
"""A denial followed by a correction: "it is not A; it is B"."""

BRACES = re.compile(r"(?<!boxed)(?<![\w^}√])\{([^{}\n]{1,80})\}(?=\W*$|[.;]\s)")


JUDGING = ("correct", "right", "best", "most", "accurate", "answer", "remains", "left", "fits", "works", "matches", "possible")
"""Words of which every judgement contains one."""


@lru_cache(maxsize=1024)
def judgements(token: str) -> re.Pattern[str]:
    """A value that is called correct: "B is the correct option", "only B fits"."""
    side = r"(?!\s+(?:of|above|below|next|beside|behind|under|over|in|at|on|near|label|side|to|edge|angle|hand|here|there)\b)"
    return re.compile(
        rf"(?<![\w'])(?P<only>(?i:only)\s+)?(?:(?i:option|choice|answer|letter)\s+)?[(\[\"']?(?P<value>{token})[)\]\"']?(?:\s*\([^()\n]*\))?"
        r"\s+(?i:(?:is|must be|should be|would be|seems|looks)\s+(?:(?:clearly|indeed|therefore|thus|definitely|obviously)\s+)?"
        r"(?:the\s+)?(?:only\s+)?(?:correct|right|best|most appropriate|most suitable|most likely|accurate|(?:final\s+)?answer)"
        r"|(?:fits|matches) best|remains|is left(?=\s*[.,;]|\s*$)|(?(only)(?:fits|works|matches|is possible)|(?!))"
        rf")\b{side}"
    )
