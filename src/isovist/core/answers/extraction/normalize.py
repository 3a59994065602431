"""Normalization of a response to plain text: without thinking, markup and special punctuation."""

from __future__ import annotations

import re

_THINK = r"think|thinking|thought|thoughts|reasoning|scratchpad|reflection"
_THOUGHT = re.compile(rf"[<◁](?P<close>/?)(?P<name>{_THINK})[>▷]", re.IGNORECASE)
LONGEST = 30_000  # maximum length of the parsed text, in characters, from the end of the visible response

_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_SPECIAL = re.compile(r"<\|[^|<>]{1,40}\|>|</?s>|\[/?INST\]|<(?:end_of_turn|eos|bos|pad|end_of_utterance)>")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LATEX_WRAP = re.compile(r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|mathsf|operatorname|mbox|rm|bf)\s*\{([^{}]*)\}")
_LATEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_LATEX_NOISE = re.compile(r"\\[()\[\]]|\\[,;:! ]|\$+|\\(?:displaystyle|left|right)(?![A-Za-z])|\\$", re.MULTILINE)
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
_MARKUP = re.compile(
    r"(?<!\d)\*{1,3}|\*{1,3}(?!\d)|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+|^[ \t]*#{1,6}[ \t]+|^[ \t]*>[ \t]?", re.MULTILINE
)
_TAGS = re.compile(r"</?(?:b|i|em|strong|u|p|br|span|div|code|mark)\s*/?>", re.IGNORECASE)
_SPEAKER = re.compile(r"\A\s*(?:assistant|ai|bot|model|response|output)\s*:\s*", re.IGNORECASE)
_SPACES = re.compile(r"[ \t]+")


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
    for mark in _THOUGHT.finditer(reply):
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
    text = strip_thinking(reply)[-LONGEST:].translate(_CHARACTERS).replace("\r\n", "\n").replace("\r", "\n")
    if "<" in text:
        text = _SPECIAL.sub(" ", _BOX.sub(r"\\boxed{\1}", text))
        text = _TAGS.sub(" ", text)
    if "\\" in text or "$" in text:
        for symbol, plain in _LATEX_SYMBOLS.items():
            text = text.replace(symbol, plain)
        text = _LATEX_NOISE.sub(" ", _LATEX_FRACTION.sub(r"\1/\2", _LATEX_WRAP.sub(r"\1", text)))
    if "`" in text or "~" in text:
        text = _FENCE.sub("", text)
    if "**A**" in text:
        text = text.replace("**A** **", "(A) **")  # a label, not an article
    text = _SPEAKER.sub("", _MARKUP.sub("", text))
    return "\n".join(_SPACES.sub(" ", line).strip() for line in text.split("\n")).strip()
