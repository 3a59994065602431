"""Words and phrases of answers as patterns: what announces, concludes, denies, hedges, supposes or retracts one, in several languages."""

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
LABELS = re.compile(rf"(?=((?:{_LABEL_NOUN}|{_FOREIGN_NOUN}){_LABEL_END}))")
"""At every position: a label from its noun to its end, in text in lower case (`folded`)."""
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
    """Phrases before an answer, in text in lower case (`folded`). `finals`: further nouns for it ("total"); `givens`: nouns that may also introduce given information."""
    extra_nouns = "".join(rf"|(?P<{name}>{words})" for name, words in (("final", finals), ("given", givens)) if words)
    return re.compile(
        rf"{_START}(?:"
        r"(?P<box>(?<!\w)\\?(?:boxed|fbox|framebox)\s*\{)|(?P<tag><answer>)\s*"
        rf"|(?:(?<![\w-])|(?<=认为)|(?<=觉得)|(?<=[以此故则則]))(?P<label>(?:(?:the|my|our|so|la|die|el|le|il)\s+)?(?:(?:{_ADJECTIVE})\s+(?:and\s+)?){{0,5}}"
        rf"(?:{_LABEL_NOUN}{extra_nouns}|{_FOREIGN_NOUN}){_LABEL_END})"
        rf"|(?<![\w'])(?P<choose>(?:(?:i|we)(?:'m|'re| am| are)\s+going with|(?:i|we)(?:'d|'ll)?\s+(?:(?:would|will|must|shall|should|can|therefore|thus)\s+){{0,4}}"
        rf"(?:choose|pick|select|go (?:with|for)|opt for|settle on|vote for|say|answer|conclude|think|believe|guess)"
        rf"|let's (?:go with|choose|pick)|^going with)\b(?:\s*(?:{_FILLER})(?!\w)){{0,9}}\s*)"
        r"|(?P<foreign>(?:应该|應該|应|應|故|所以|因此)?(?<![不没沒未別别])(?:选择|選擇|选|選)(?![项項中])\s*:?\s*))"
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
    re.MULTILINE,
)
"""Phrases that may conclude an argument, in text in lower case (`folded`); a value and the end of the sentence must follow."""

BESIDE = re.compile(r"\s*(?:[/|&+]|or\b|and\b)", re.IGNORECASE)
"""Text that coordinates the next word with the previous one."""

CONTRASTS = re.compile(
    r"(?:\bnot|n't)\s+[^.;:?\n]{1,40}?(?:(?:[.;,]\s*|\s+)(?:but|rather|instead)"
    r"|[.;,]\s*(?:(?:the (?:correct |right )?answer|it|that)(?:'s|\s+is|\s+must be)|it has to be))(?:\s+(?:rather|actually|instead|really|it is|it's|the answer is))*\s*:?\s+"
)
"""In text in lower case (`folded`): a denial followed by a correction: "it is not A; it is B"."""

BRACES = re.compile(r"(?<!boxed)(?<![\w^}√])\{([^{}\n]{1,80})\}(?P<end>\W*$|[.;]\s)?")


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


# ---- denial, hedging, hypothesis, given information ------------------------------------------------------------------

NEGATED = re.compile(r"\W*(?:not|neither|never|nor|none of|no longer|anything but|far from)\b", re.IGNORECASE)
DENIAL = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|unable|unclear|unsure|wrong|incorrect|without|unless|hardly|barely)\b|n't\b", re.IGNORECASE
)
HYPOTHETICAL = re.compile(
    r"\b(?:if|unless|assuming|suppos(?:e|ing)|provided (?:that|you|we|it)|were|whether|depend(?:s|ing)?)\b"
    r"|\bon an? (?:ordinary|normal|regular|standard|usual|typical|north-up)\b",
    re.IGNORECASE,
)
SUPPOSED_AFTER = re.compile(  # case-sensitive: "If" starts a new sentence
    r"\S\s+(?:if|unless|assuming|provided (?:that|you|we|it)|depending|on an? (?:ordinary|normal|regular|standard|usual|typical|north-up))\b"
)
WOULD = re.compile(r"\bwould\b", re.IGNORECASE)
HEDGE = re.compile(
    r"\b(?:or|either|alternatively|maybe|perhaps|possibly|might|equally|both|as well|oder|vielleicht|peut-être|ou|quizás|tal vez|или|talvez"
    r"|(?:could|may|can)(?:\s+also)?\s+be|another\s+(?:possible|option|answer|choice|possibility|candidate)"
    r"|answer key|alternative|(?:second|2nd|next)[ -](?:choice|guess|best|most likely)|(?:close|distant) second|runner-up|toss-up|backup|candidates?|(?:just )?as (?:good|likely|plausible|possible|valid)"
    r"|also\s+(?:be|possible|correct|valid|fits?|works?|plausible|right|acceptable|could|might|answer))\b|或|也可能|または|또는",
    re.IGNORECASE,
)
OFFER = re.compile(
    r"^\W*(?:or|alternatively|maybe|perhaps|possibly|either|both|(?:it )?(?:could|might|may)|(?:but|and|though) (?:it|the answer) (?:could|might|may)"
    r"|oder|vielleicht|ou|peut-être|quizás|или)\b|\b(?:also|another)\b|\b(?:could|might|may) be (?:the )?(?:answer|correct|right)|\bas well\b"
    r"|\b(?:equally|answer key|alternative|(?:second|2nd|next)[ -](?:choice|guess|best|most likely)|(?:close|distant) second|runner-up|toss-up|backup)\b|\bas (?:good|likely|plausible|possible|valid)\b",
    re.IGNORECASE,
)
RULED_OUT = re.compile(
    r"\b(?:not(?! (?:sure|certain|clear|only|entirely|completely|fully|just))|rather than|instead of|nor|neither|unlike|excludes?|excluding|(?:is|are|was|were) (?:wrong|incorrect|out|ruled out|false))\b(?:[^.;:\n]|(?<=\d)\.(?=\d))*",
    re.IGNORECASE,
)
CONCLUDES = re.compile(
    r"\W*(?:so|therefore|thus|hence|consequently|accordingly|in conclusion|in summary|overall|finally|as a result|to conclude|adding|summing|all in all|in total|altogether)\b",
    re.IGNORECASE,
)
DECIDES = re.compile(
    r"\b(?:in total|altogether|(?:contains|holds|has|shows) the (?:most|largest|greatest|highest)|most circles (?:are|lie)|rotated version|same object|matching object|unfolded)\b",
    re.IGNORECASE,
)
"""A sentence with these words states the requested result."""
REVERSAL_CUES = re.compile(
    r"\W*(?:but|yet|instead|in fact|in reality|nevertheless|nonetheless|on the contrary|aber|mais|pero|但)\b", re.IGNORECASE
)
"""A sentence with this start contradicts the text before it."""

# ---- contexts that invalidate a candidate ---------------------------------------------------------------------------

_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|none|nothing|nobody|no one|no way|doubt\w*|unlikely|improbable|unsure|uncertain|hardly|cannot|false|wrong"
    r"|incorrect|impossible|except|deny|denies|disagree|rejects?|rule out|claim(?:s|ed)?|alleged(?:ly)?|supposedly|why|asks?|asked|asking|refute\w*|untrue|no reason|no evidence)\b|n't\b|不认为|不觉得|不是",
    re.IGNORECASE,
)
_DENIED_END = re.compile(r"[,;:—]|\b(?:so|therefore|thus|hence|but|because|since|and|then)\b", re.IGNORECASE)
_FRAMED = re.compile(
    r"\b(?:at first|initially|original(?:ly)?|before (?:the|any|it|turning|rotating)|at (?:a )?first glance|(?:a )?quick (?:look|glance)|normally|usually|ordinarily|traditionally|naively"
    r"|(?:you|one|we|i|people|some(?:one)?|many|most|others|readers?) (?:(?:people|viewers|may|might|could|would|will) )+(?:\w+ )?(?:think|say|guess|assume|believe|expect|conclude|argue|answer|be tempted)"
    r"|(?:many|most|some) (?:people )?(?:think|say|believe|assume)|tempt\w*|ignor(?:e|es|ing)|disregarding|without (?:the|a|any)|i (?:had )?(?:thought|assumed|guessed|believed)"
    r"|(?:was|were) going to|mistakenly|wrongly|students?|on an? (?:ordinary|normal|regular|standard|usual|typical|north-up)"
    r"|form(?:at)?|such as|for example|e\.g\.|for instance|line (?:that says|with|like|reads?|saying)|template|placeholder)\b",
    re.IGNORECASE,
)
_FRAMED_END = re.compile(r"[;]|\b(?:so|therefore|thus|hence|but|however|yet|though)\b", re.IGNORECASE)
_SURE = re.compile(
    r"\b(?:no doubt|without (?:a |any )?doubt|not only|undoubtedly|doubtless|nothing (?:else|but)|so do(?:es)?n't)\b", re.IGNORECASE
)
_OTHER = re.compile(
    r"\b(?:wrong|incorrect|false|worst|bad|tempting|obvious|intuitive|naive|apparent|reference|given|opposite|top|up|upper|upward|bottom|down|"
    r"lower|left|right|start(?:ing)?|end(?:ing)?|initial|second|third|next|other|another|first|previous|original|old|expected|intermediate|compass|label"
    r"|whether|if|when|unless|full|each|every|single|whole|which|what|least(?:\s+\w+)?|(?!(?:here|that|it|what|let|there)'s)\w+'s|his|her|their)\s+$",
    re.IGNORECASE,
)


def shaded(lead: str) -> bool:
    """Whether `lead`, the text of a sentence before a candidate, denies the candidate or attributes it to someone else."""
    if not lead.strip():
        return False
    lead = _SURE.sub("", lead)
    if _OTHER.search(lead):
        return True
    return bool(_DENIED.search(_after_last(_DENIED_END, lead)) or _FRAMED.search(_after_last(_FRAMED_END, lead)))


def _after_last(mark: re.Pattern[str], text: str) -> str:
    end = 0
    for match in mark.finditer(text):
        end = match.end()
    return text[end:]


PREMISE = re.compile(
    r"\b(?:so far|asks?|asked|asking|need(?:s|ed)? to|have to|has to (?:find|be found)|task|goal is|let's|let us|let me|i will|i'll|starts?|started|starting"
    r"|opposite|rotated to|taken from|seen from|next to|close to|near|relative to|indicat\w+|marked|labell?ed|means?|legend"
    r"|begins?|walls?|obstacles?|blocked|sun|moon|wind|rises?|blows|comes?|came|away|must|you(?:'re| are)|(?:that|it|all)(?:'s| is)? right)\b"
    r"|\b(?:compass|map|label|top|bottom|up|down|upper|lower|left|right|(?:north|south|east|west)\w*|(?:upper|lower)[ -](?:left|right))"
    r"(?:\s+(?:of|on|in|at) (?:the|this) \w+|\s+(?:edge|side|label|direction))*\s+(?:is|are|=|reads?|says|points?|means|corresponds)\b",
    re.IGNORECASE,
)
"""A sentence with these words states given information, the question, or the next step."""

PART = re.compile(
    r"\b(?:rows?|columns?|sides?|layers?|first|second|third|steps?|figure|image \d|picture \d|each|every|of (?:the|them|these|those|it)|quadrants?|parts?|groups?|clusters?"
    r"|divided|full|scale|tick|half|quarter|start\w*|initial\w*|corners?|grid|large|big|options?|per|hidden|another|more|other|questions?)\b",
    re.IGNORECASE,
)
"""A sentence with these words may count a part or other objects."""

EXAMPLE = re.compile(
    r"\b(?:for example|for instance|e\.g\.|such as|(?:would|could|should|might) (?:look|be)|(?:just|only) (?:the|an?|my) (?:format|form|example|template|sample|guess)"
    r"|placeholders?|template|dummy|made[ -]up|hypothetical)\b",
    re.IGNORECASE,
)
"""An object next to these words is an example of the format."""

SHADOW = re.compile(r"\b(?:not|never|if|first|initially|would|normally|usually|mistak\w+|alone|only)\b|n't\b", re.IGNORECASE)
"""An introduction with these words may invalidate the statement after it."""

CORRECTION_CUES = re.compile(r"\b(?:becomes?|became|turns into|changes (?:in)?to|ends up|is now)\b", re.IGNORECASE)
"""A statement before these words no longer holds."""

# ---- retractions ----------------------------------------------------------------------------------------------------

REVOKED = re.compile(
    r"\b(?:wait|hold on|scratch that|on second thought|on reflection|oops|my mistake|my bad|my apologies|i apologi[sz]e|apologies|sorry|correction"
    r"|i meant|i misread|misread|miscounted|misjudged|misinterpreted|mixed up|overlooked|i forgot|i missed|(?:edit|update)(?=:)|i take (?:that|it) back"
    r"|i(?:'m| (?:was|am)) (?:wrong|mistaken)|i (?:have )?made (?:a|an) (?:mistake|error)"
    r"|for the (?:second|other)|moment|stimmt nicht|falsch|korrektur|verzeihung|entschuldigung|attend(?:s|ez)|je me (?:suis )?tromp\w*|pardon|plutôt|espera|me equivoqu\w+|perdón|corrección"
    r"|scusa|aspetta|mi sbaglio|desculpe|me enganei|подождите|ошиб\w+|извините)\b"
    r"|等等|等一下|看错|不对|错了|应该是|更正|抱歉|待って|間違|すみません|잠깐|아니(?![요오])",
    re.IGNORECASE,
)
"""Words that retract the text before them, at any position."""

REJECTED = re.compile(
    r"\b(?:(?:that|this|which|it)(?:'s| is| was| would be| must be)(?: (?:clearly|actually|also|of course|obviously))?"
    r" (?:wrong|incorrect|not (?:right|correct|true|it|possible)|false|impossible)"
    r"|(?:that|this|it) (?:isn't|wasn't|can't be|cannot be) (?:right|correct|true|it|possible)"
    r"|(?:that|this|it) (?:does not|doesn't) (?:fit|match|work|hold|seem right|look right))\b",
    re.IGNORECASE,
)
"""Words that reject the previous statement: the answer or another option."""

RETRACTION = re.compile(
    REVOKED.pattern
    + r"|\b(?:hmm+|let me (?:re|double|check|correct)\w*|reconsider\w*|re-?check\w*|re-?examin\w*)\b|(?:^|[.!?;,\n–—-]\s*)(?:(?:but |no, )?actually|or rather|rather)\b"
    + r"|\b(?:revised|corrected|updated|new)(?: (?:final )?answer)?\s*:|(?:^|[.!?\n]\s*)no\s*[,.!—-]|(?:^|[.!?]\s*)(?:the answer (?:is|to)|for) (?:the )?(?:second|other|next)\b"
    + r"|\b(?:second|next) question\b",
    re.IGNORECASE,
)
"""`REVOKED`, and words that retract only at the start of a sentence or clause."""

TURN = re.compile(r"\b(?:actually|however|rather)\b", re.IGNORECASE)
"""Words of which a sentence contradicts the answer if it names another value."""

# ---- refusals -------------------------------------------------------------------------------------------------------

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

SEES_NONE = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|do not|don't|won't)\s+(?:actually )?(?:see|find|identify|make out|view)\s+(?:any|a|an|where|how|one|it)\b"
    r"(?!\s+(?:image|picture|photo|file|attachment)s?\b)",
    re.IGNORECASE,
)
"""Not a refusal: the target is not in the image."""
