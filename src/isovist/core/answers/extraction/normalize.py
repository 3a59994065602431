"""Normalization of a response to plain text, without thinking, markup and special punctuation, and its words and sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import decomposition, digit, normalize

LONGEST = 30_000  # maximum length of the parsed text, in characters, from the end of the visible response

# ---- the table of marks, tags and tokens -----------------------------------------------------------------------------

_ATTRIBUTES = r"(?:\s+[\w:-]+\s*=[^<>]*)?\s*"
_TAGS_OF_THINKING = ("think(?:ing)?|thoughts?", "reason(?:ing)?", "rationale", "analysis", "scratch_?pad", "reflection")
"""Each name may have a prefix (`<seed:think>`), a suffix (`<thought_process>`) and attributes."""
_THINKING = (
    *((rf" ?(?:\w+:)?(?:{name})(?:_\w+)?{_ATTRIBUTES}(?<!/)>", rf" ?/ ?(?:\w+:)?(?:{name})(?:_\w+)?\s*>") for name in _TAGS_OF_THINKING),
    (r"think▷", r"/think▷"),  # Kimi
    (r"\|open\|>\s*think\s*<\|sep\|>", r"\|close\|>\s*think\s*<\|sep\|>"),
    (r"(?-i:THINK\])", r"(?-i:/THINK\])"),  # Magistral
    (r"\|channel>", r"channel\|>"),  # Gemma
    (r"unused94>", r"unused95>"),  # MedGemma
    (r"unused16\]", r"unused17\]"),  # Pangu
    (r"\|START_THINKING\|>", r"\|END_THINKING\|>"),  # Command
    (r"\|inner_prefix\|>", r"\|inner_suffix\|>"),  # Apertus
    (r"\|begin_of_thought\|>", r"\|end_of_thought\|>"),  # OpenThinker
    (r"details\s+type=.?reasoning\b[^<>]*>", r"/details>"),  # Open WebUI
    (r"\|channel\|>\s*(?:analysis|commentary)[^<>]*(?:<\|constrain\|>[^<>]*)?<\|message\|>", r"\|(?:end\|>|call\|>)"),  # gpt-oss
)
"""The marks at the start and the end of thinking, after their first bracket. Their text is removed, and all text after a start without
an end.
"""
_SHARED_ENDS = {f"end{len(_THINKING) - i}" for i in (1, 2)}
"""The ends in the last two rows also end other text; alone they end no thinking."""
_MARK = re.compile(
    rf"[<◁\[](?:{'|'.join(f'(?P<start{i}>{start})|(?P<end{i}>{end})' for i, (start, end) in enumerate(_THINKING))})", re.IGNORECASE
)
_FINAL = re.compile(
    r"<\|(?:channel\|>\s*final[^<>]*(?:<\|constrain\|>[^<>]*)?<\|message\|>|open\|>\s*response\s*<\|sep\|>|START_RESPONSE\|>|begin_of_solution\|>)"
)
"""The start of the final response; no text before it is read."""
_UNMARKED_ANALYSIS = re.compile(r"analysis(?=[A-Z])")  # gpt-oss without its special tokens
_ANSWER_TAG = re.compile(
    rf"< ?([/\\]?) ?(?:ans|answer|final[_ -]?(?:ans|answer)|final|conclusion|solution|verdict)\b{_ATTRIBUTES}>", re.IGNORECASE
)
_ANSWER_OBJECT = re.compile(r"\s*<answer>\s*(\{.*\})\s*(?:</answer>\s*)?", re.DOTALL)
_LAST_ANSWER_END = re.compile(r"(?<=[^\s<>])[ \t]*\n\s*</answer>\s*\Z")
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
SPECIAL = re.compile(
    r"<\|close\|>\s*\w+\s*<\|sep\|>|<\|(?!\w*(?:think|thought|inner))[^|<>]{1,40}\|?>|<(?!channel)\w{1,40}\|>|</?s>|</?(?:[a-z]+:)?"
    r"(?:(?:start|end)_of_turn|end_of_utterance|eos|bos|pad|eot|eod|eop|eoa|sop|unk|sep|end)>|<unused(?!9[45]>)\d+>|<0x[\dA-F]{2}>"
    r"|\[(?:/?INST|EOS|BOS|PAD|SEP|CLS|gMASK|\|[^|\[\]\n]{1,40}\|)\]|\[e~\[",
    re.IGNORECASE,
)
"""The other special tokens: the ends of turns, and the like."""
_TAGS = re.compile(r"</?(?:b|i|em|strong|u|p|br|span|div|code|mark|response|output|result|think|thinking)\s*/?>", re.IGNORECASE)

# ---- markup ----------------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LATEX_WRAP = re.compile(
    r"\\(?:text(?:bf|it|rm|tt|sf|sc|sl|md|up|normal)?|math(?:rm|bf|it|sf|tt|cal|frak|scr|normal)|operatorname\*?|[mh]box|emph|u(?:nder)?line"
    r"|bold(?:symbol)?|bm|pmb|ensuremath|rm|bf|it|tt|sf|em)\s*\{([^{}]*)\}"
)
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_LATEX_BOXES = re.compile(
    r"\\boxed\{[^{},]+\}(?:(?:\s|\$|\\[,;:! ()])*(?:\\q?quad|,\s*and\b|,|and\b)(?:\s|\$|\\[,;:! ()])*\\boxed\{[^{},]+\})+"
)
"""The members of a list, each in a box."""
_LATEX_NOISE = re.compile(
    r"\\(?:[()\[\],;:! ]|(?:(?:display|text)style|left|right|q?quad|[Ll]arge|LARGE|[Hh]uge|normalsize|bf(?:series)?|rm(?:family)?|it(?:shape)?"
    r"|tt(?:family)?|sf(?:family)?|em)(?![A-Za-z])|(?:text)?color(?:box)?\s*\{\w+\}|$)|~(?=[A-Za-z}\\])",
    re.MULTILINE,
)
_LATEX_SYMBOLS = {
    r"^\circ": "°",
    r"^{\circ}": "°",
    r"\circ": "°",
    r"\degree": "°",
    r"\rightarrow": "→",
    r"\to": "→",
    r"\pi": "π",
    r"\times": "×",
    r"\lt ": "< ",
}
# each pattern starts with a literal character: the search for it is many times faster than an attempt at every position
_LINE_MARK = re.compile(r"\n[ \t]*(?:#{1,6}(?=[ \t])|>)")
_UNDERSCORES = re.compile(r"_(?:(?<!\w_)_{0,2}(?=\S)|(?<=\S_)_{0,2}(?!\w))")
_TIMES = re.compile(r"\*(?=\d)(?<=\d\*)")
_STARS = re.compile(r"\*(?!(?<=\d\*)\d)")
_REMOVED = "\ufdd0"  # in place of a removed mark, so that the patterns for other marks see a character of its class
_SPEAKER = re.compile(r"\A\s*(?:assistant|ai|bot|model|response|output)\s*:\s*", re.IGNORECASE)
_ASCII = bytes(range(128))
_CONTROL = "\v\f\x1c\x1d\x1e\x1f"


def _translation() -> dict[str, str]:
    table = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u200e\u200f\u20e3¿¡", "")
    table |= dict.fromkeys(
        "\x1c\x1d\x1e\x1f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
    table |= dict.fromkeys("\u2028\u2029\u0085\v\f", "\n") | dict.fromkeys("‐‑‒−﹣", "-") | dict.fromkeys("º˚", "°")
    table |= zip("“”„‟«»‘’‚‛′´｢｣「」『』", '""""""\'\'\'\'\'\'""""""', strict=True)
    table |= zip("【】〔〕〖〗〈〉《》", "[][][]<><>", strict=True)
    table |= zip("。．、，；：？！؟،؛।", "..,,;:?!?,;.", strict=True)
    for first in (0x1F150, 0x1F170):  # negative circled and squared capitals
        table |= {chr(first + i): chr(0x41 + i) for i in range(26)}
    return table


_CHARACTERS = _translation()


@lru_cache(maxsize=1 << 12)
def _plain_character(character: str) -> str:
    """The usual form of a character: the letter "E" of any mathematical font, width or frame, the digit 7 of any script."""
    if character in _CHARACTERS:
        return _CHARACTERS[character]
    kind = decomposition(character).partition(" ")[0]
    usual = normalize("NFKC", character)
    if kind in ("<font>", "<circle>", "<wide>", "<narrow>", "<square>") or (kind == "<compat>" and usual.startswith("(")):
        return usual
    return character if kind in ("<super>", "<sub>") else str(digit(character, character))


def strip_thinking(reply: str) -> str:
    """The response without its thinking. If the thinking is not closed, no text after its start remains."""
    if _UNMARKED_ANALYSIS.match(reply):
        reply = reply.partition("assistantfinal")[2]
    if not any(sign in reply for sign in ("<", "◁", "[THINK", "[/THINK", "[unused")):
        return reply
    reply = _FINAL.split(reply)[-1]
    visible_parts: list[str] = []
    at = 0
    inside = ""  # the name of the end of the open thinking
    for mark in _MARK.finditer(reply):
        name = str(mark.lastgroup)
        if (name in _SHARED_ENDS and not inside) or (inside and name != inside):
            continue
        if inside:
            inside = ""
        elif name.startswith("end"):
            visible_parts.clear()  # without an opening tag, all text before the closing tag is thinking
        else:
            visible_parts.append(reply[at : mark.start()])
            inside = name.replace("start", "end")
        at = mark.end()
    return "\n".join(visible_parts if inside else [*visible_parts, reply[at:]])


def is_thinking_token(token: str) -> bool:
    """Whether a special token of a model is a mark of thinking, or a part of one."""
    parts = re.escape(token), re.escape(token[1:]) + r"\s*"
    return _MARK.fullmatch(token) is not None or any(part in _MARK.pattern for part in parts)


def opened_thinking(prompt: str) -> str:
    """The mark at the end of `prompt` that starts the thinking of the response; "" if there is none."""
    *_, last = [None, *_MARK.finditer(prompt)]
    return prompt[last.start() :] if last and str(last.lastgroup).startswith("start") and not prompt[last.end() :].strip() else ""


def normalize_response(reply: str) -> str:
    """The visible response as plain text with normalized lines, ready for extraction."""
    text = plain_characters(strip_thinking(reply)[-LONGEST:]).replace("\r\n", "\n").replace("\r", "\n")
    if "[/ANSWER]" in text:
        text = text.replace("[ANSWER]", "<answer>").replace("[/ANSWER]", "</answer>")
    if "<" in text or "[" in text:
        text = SPECIAL.sub(" ", _BOX.sub(r"\\boxed{\1}", text))
    if "<" in text:
        text = _TAGS.sub(" ", _with_answer_tags(text))
    if "\\" in text or "$" in text:
        text = _without_latex(text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if "**A**" in text:
        text = text.replace("**A** **", "(A) **")  # a label, not an article
    text = _without_markup(text)
    if speaker := _SPEAKER.match(text):
        text = text[speaker.end() :]
    return _stripped_lines(text)


def plain_characters(text: str) -> str:
    """`text` with the usual form of each character, as in a response and in the options."""
    # a text has few different characters outside ASCII: replacing each is faster than looking up every character
    unusual = "" if text.isascii() else text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    for character in {*unusual, *_CONTROL}:
        if (plain := _plain_character(character)) != character:
            text = text.replace(character, plain)
    return text


def folded(text: str) -> str:
    """`text` in lower case, character by character, as a pattern that ignores case compares it; its length is the same."""
    return text.lower() if text.isascii() else text.replace("İ", "i").lower().replace("ſ", "s").replace("ı", "i")


def _with_answer_tags(text: str) -> str:
    """`text` with one name for all answer tags, without a closing tag at its end or whose opening tag is in the prompt."""
    text = _ANSWER_TAG.sub(lambda tag: "</answer>" if tag[1] else "<answer>", text)
    if "<answer>" not in text:
        return text.replace("</answer>", "")
    tagged = _ANSWER_OBJECT.fullmatch(text)
    return tagged[1] if tagged else _LAST_ANSWER_END.sub("", text)


def _without_latex(text: str) -> str:
    for symbol, plain in _LATEX_SYMBOLS.items():
        text = text.replace(symbol, plain)
    for _ in range(5):  # wrappers in one another
        text = _LATEX_WRAP.sub(r"\1", text)
    text = _LATEX_BOXES.sub(lambda boxes: f"\\boxed{{{_listed(re.findall('{(.*?)}', boxes[0]))}}}", text)
    text = _LATEX_NOISE.sub(" ", _LATEX_FRACTION.sub(r"\1/\2", text))
    return text.replace("$", " ")


def _listed(members: list[str]) -> str:
    return ", ".join(members) if len(set(members)) > 1 else members[0]  # one answer in several boxes is no list


def _without_markup(text: str) -> str:
    """`text` without Markdown: headings, quotation marks of lines, emphasis and code."""
    text = text.replace(_REMOVED, " ")
    if "#" in text or ">" in text:
        text = _LINE_MARK.sub(f"\n{_REMOVED}", f"\n{text}")[1:]
    if "_" in text:
        text = _UNDERSCORES.sub(_REMOVED, text)
    if "*" in text:  # all stars, except one between two digits
        text = _STARS.sub("", text) if _TIMES.search(text) else text.replace("*", "")
    return text.replace("`", "").replace(_REMOVED, "")


def _stripped_lines(text: str) -> str:
    """`text` with single spaces, and none at the start or end of a line."""
    text = text.replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.replace(" \n", "\n").replace("\n ", "\n").strip()


# ---- words, sentences, braces, JSON ------------------------------------------------------------------------------------

WORD = re.compile(r"[^\W_]+")
BULLET = re.compile(r"[-*•+·]\s|\d{1,2}[.)]\s")
CLAUSE_END = re.compile(r"[.!?;,](?=\s|$)")
_CUT_OFF = re.compile(r"(?:[,;/&+|<→⇒]|->|=>|\b(?:and|then))$", re.IGNORECASE)
SENTENCE_END = re.compile(r"[.!?;](?=\s|$)")

_END_OF_TEXT = 2_000
_WINDOW = 400  # characters on each side of a position in which its sentence is searched
_NUMERO = re.compile(r"\W?(?:no|nr|fig)\.\s?\d", re.IGNORECASE)
_END = re.compile(r"\n|[.!?](?=[\s\"')\]]|$)")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence in `text`. The full stop of a label ("B. West", "1. Look") or of "i.e." ends no sentence."""
    start = 0
    for mark in _END.finditer(text):
        if mark.group() == ".":
            before = text[start : mark.start()].strip(" (\"'")
            if (
                (len(before) == 1 and before.isalnum())
                or before.endswith(("i.e", "e.g"))
                or _NUMERO.match(text, max(start, mark.start() - 4))
            ):
                continue
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


def sentences(text: str) -> Iterator[str]:
    """The sentences of `text`, without leading and trailing spaces."""
    for a, b in spans(text):
        if sentence := text[a:b].strip():
            yield sentence


def last_sentences(text: str) -> list[str]:
    """The sentences in the last 2,000 characters of `text`."""
    return list(sentences(text[-_END_OF_TEXT:]))


def last_sentence(text: str) -> str:
    """The last of the sentences of `text`; "" if there is none."""
    *_, last = ["", *sentences(text.rstrip().rpartition("\n")[2])]
    return last


def sentence_around(text: str, at: int) -> tuple[str, str]:
    """The sentence of `text` at position `at`, and its part before `at`."""
    start = max(0, at - _WINDOW)
    window = text[start : at + _WINDOW]
    for a, b in spans(window):
        if a <= at - start < b:
            return window[a:b].strip(), window[a : at - start]
    return "", ""


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a name that occurs with two different values gets None."""
    members: dict[str, object] = {}
    for name, value in pairs:
        members[name] = value if members.get(name, value) == value else None
    return members


DECODER = json.JSONDecoder(object_pairs_hook=_members, strict=False)  # line breaks in strings


def load(text: str) -> object:
    """Parse a JSON text. Raises ValueError, or RecursionError if it is nested too deeply."""
    return DECODER.decode(text)


def braced(text: str, at: int) -> tuple[str, int]:
    """The text up to the brace that closes the one opened just before `at`, and the position after that brace."""
    depth = 1
    for i in range(at, min(len(text), at + 200)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[at:i], i + 1
    return text[at : at + 200], min(len(text), at + 200)


def is_cut_off(text: str) -> bool:
    """Whether the text ends within a list."""
    return _CUT_OFF.search(text.rstrip()[-len("then ") :]) is not None


def bare(text: str) -> str:
    """`text` without punctuation before its first and after its last word; "" if it is a question, crossed out or a numeric bound."""
    if text.rstrip().endswith("?") or _CROSSED.search(text):
        return ""
    start, end = 0, len(text)
    while start < end and not text[start].isalnum():
        start += 1
    while end > start and not text[end - 1].isalnum():
        end -= 1
    if text[max(0, start - 1) : start] in ("~", "≠", "¬") or (text[:1] == "!" and start == 1):
        return ""
    before = text[max(0, start - 2) : start].strip()[-1:] if text[start:end][:1].isdigit() else ""
    after = text[end : end + 1] if text[start:end][-1:].isdigit() else ""
    return "" if (before and before in f"{_BOUNDS}.") or (after and after in _BOUNDS) else text[start:end]


_CROSSED = re.compile("[✗✘❌✖❎🚫×☒]|~~")
_BOUNDS = "-+−–<>≥≤±%^"


def without_last_label(text: str, label: re.Pattern[str]) -> str:
    """`text` without a label at the start of its last line, and of the lines directly above that have it too."""
    if not label.match(text, text.rfind("\n") + 1):
        return text
    lines = text.split("\n")
    for place in reversed(range(len(lines))):
        match = label.match(lines[place])
        if lines[place].strip() and match is None:
            break
        lines[place] = lines[place][match.end() if match else 0 :]
    return "\n".join(lines)
