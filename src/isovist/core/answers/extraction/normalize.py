"""Normalization of a response to plain text: without thinking, markup and special punctuation."""

from __future__ import annotations

import re

_THINK = r"think|thinking|thought|thoughts|reasoning|scratchpad|reflection"
_THOUGHT = re.compile(rf"<(?P<close>/?)(?P<name>{_THINK})[>▷]", re.IGNORECASE)
_THOUGHT_OR_TRIANGLE = re.compile(rf"[<◁](?P<close>/?)(?P<name>{_THINK})[>▷]", re.IGNORECASE)
LONGEST = 30_000  # maximum length of the parsed text, in characters, from the end of the visible response

_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_SPECIAL = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>|<(?:end_of_turn|eos|bos|pad|end_of_utterance)>")
_INSTRUCTION = re.compile(r"\[/?INST\]")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LATEX_WRAP = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mathsf|operatorname|mbox|rm|bf)\s*\{([^{}]*)\}")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_LATEX_NOISE = re.compile(r"\\(?:[()\[\],;:! ]|(?:displaystyle|left|right)(?![A-Za-z])|$)", re.MULTILINE)
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
_TAGS = re.compile(r"</?(?:b|i|em|strong|u|p|br|span|div|code|mark)\s*/?>", re.IGNORECASE)
_SPEAKER = re.compile(r"\A\s*(?:assistant|ai|bot|model|response|output)\s*:\s*", re.IGNORECASE)
_ASCII = bytes(range(128))
_SEPARATORS = "\x1c\x1d\x1e\x1f"


def _translation() -> dict[int, str | None]:
    table: dict[int, str | None] = {0xFF01 + i: chr(0x21 + i) for i in range(94)}  # full-width ASCII
    table |= {0x24B6 + i: chr(0x41 + i) for i in range(26)}  # circled capitals
    table |= {0x1F130 + i: chr(0x41 + i) for i in range(26)}  # squared capitals
    table |= {0x1F170 + i: chr(0x41 + i) for i in range(26)}  # negative squared capitals
    table |= {ord(c): f"({chr(0x61 + i)})" for i, c in enumerate("⒜⒝⒞⒟⒠⒡⒢⒣⒤⒥⒦⒧⒨⒩⒪⒫⒬⒭⒮⒯⒰⒱⒲⒳⒴⒵")}
    table |= {ord(c): str(i) for i, c in enumerate("٠١٢٣٤٥٦٧٨٩")} | {ord(c): str(i) for i, c in enumerate("०१२३४५६७८९")}
    table |= dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u200e\u200f"))
    table |= dict.fromkeys(
        map(ord, "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " "
    )
    table |= dict.fromkeys(map(ord, "\u2028\u2029\u0085\v\f"), "\n")
    table |= {ord(a): b for a, b in zip("“”„‟«»‘’‚‛′´｢｣「」『』", '""""""\'\'\'\'\'\'""""""', strict=True)}
    table |= {ord(a): b for a, b in zip("【】〔〕〖〗〈〉《》", "[][][]<><>", strict=True)}
    table |= {ord(a): b for a, b in zip("。．、，；：？！؟،؛।", "..,,;:?!?,;.", strict=True)}
    table |= {ord(c): "-" for c in "‐‑‒−﹣"} | {ord("º"): "°", ord("˚"): "°", ord("¿"): None, ord("¡"): None}
    return table


_CHARACTERS = _translation()


def strip_thinking(reply: str) -> str:
    """The response without its thinking. If the thinking is not closed, no text after its start remains."""
    if "think" not in reply and "<" not in reply:
        return reply
    reply = reply.rpartition("<|channel|>final<|message|>")[2]
    visible_parts: list[str] = []
    at = 0
    inside = ""  # name of the open thinking tag
    for mark in (_THOUGHT_OR_TRIANGLE if "◁" in reply else _THOUGHT).finditer(reply):
        name = mark["name"].casefold()
        if inside and (not mark["close"] or name != inside):
            continue
        if inside:
            inside = ""
        elif mark["close"]:
            visible_parts.clear()  # without an opening tag, all text before the closing tag is thinking
        else:
            visible_parts.append(reply[at : mark.start()])
            inside = name
        at = mark.end()
    return "\n".join(visible_parts if inside else [*visible_parts, reply[at:]])


def normalize_response(reply: str) -> str:
    """The visible response as plain text with normalized lines, ready for extraction."""
    text = _plain_characters(strip_thinking(reply)[-LONGEST:]).replace("\r\n", "\n").replace("\r", "\n")
    if "<" in text:
        text = _INSTRUCTION.sub(" ", _SPECIAL.sub(" ", _BOX.sub(r"\\boxed{\1}", text)))
        text = _TAGS.sub(" ", text)
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


def _plain_characters(text: str) -> str:
    if text.isascii():
        return text.replace("\v", "\n").replace("\f", "\n")  # the only ASCII characters of the table
    # a text has few different characters outside ASCII: replacing each is faster than looking up every character
    unusual = text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    for character in {*unusual, "\v", "\f"}:
        code = ord(character)
        if code in _CHARACTERS:
            text = text.replace(character, _CHARACTERS[code] or "")
    return text


def _without_latex(text: str) -> str:
    for symbol, plain in _LATEX_SYMBOLS.items():
        text = text.replace(symbol, plain)
    text = _LATEX_NOISE.sub(" ", _LATEX_FRACTION.sub(r"\1/\2", _LATEX_WRAP.sub(r"\1", text)))
    while "$$" in text:
        text = text.replace("$$", "$")
    return text.replace("$", " ")


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
    if any(separator in text for separator in _SEPARATORS):
        return "\n".join(line.strip() for line in text.split("\n")).strip()
    return text.replace(" \n", "\n").replace("\n ", "\n").strip()
