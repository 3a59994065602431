"""Matching of option texts and other vocabulary in free text, independent of case, spaces, hyphens and underscores; shorter forms of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from isovist.core.answers.extraction.normalize import plain_characters

_WORD = re.compile(r"[^\W_]+")
# a number with its sign, decimals and bounds is one token: "1.5" is neither "1" nor "15"
_TOKEN = re.compile(
    r"(?:[<>≥≤±]\s?|(?<![^\s(])[-+])?\d+(?:[.,/:^]\d+)+[%+]?|(?:[<>≥≤±]\s?|(?<![^\s(])[-+])\d+(?![^\W_])[%+]?|\d+[%+]|[^\W_]+|°"
)
_BETWEEN = re.compile(r"(?<=[^\W_])[\s_-]+(?=[^\W_])|\s+")
_DIGIT = re.compile(r"\d")
_SYNONYMS = {"upper": "top", "lower": "bottom", "top": "upper", "bottom": "lower"}
_SYNONYM = re.compile(r"\b(?:upper|lower|top|bottom)\b", re.IGNORECASE)
_DEGREE = {"°": "degrees", "deg": "degrees", "degree": "degrees"}
_SPACE = re.compile(r"[ \"'(\[]+")
_ENDING = 3
_DEGREE_ENDINGS = frozenset(name[-_ENDING:] for name in _DEGREE)
_BEGINNING = 3  # characters of its first word that decide whether a text is compared with the vocabulary
LETTER_A = re.compile(r"A\s+(?:[^a-z]|(?:the|an?|in|at|to|on|its?|behind)\b)")
"""A capital A before text that cannot follow an article."""
ARTICLES = frozenset({"a", "an", "the"})
YES = (
    "yes true yeah yep oui ja jah sí si sì sim da igen kyllä tak ano áno evet ya ndiyo bəli có да так иә ναι כן نعم أجل بله آری ہاں हाँ हां होय হ্যাঁ હા ਹਾਂ ஆம் అవును ಹೌದು അതെ ใช่"
    " はい 是 是的 对 对的 對 對的 有 예 네"
)
NO = (
    "no false nope non nein nej nei não nao nee nem ei nie ne nu hayır xeyr tidak bukan hapana không нет ні не жоқ όχι οχι לא لا كلا خیر نه نہیں नहीं नही नाही না ના ਨਹੀਂ இல்லை కాదు లేదు"
    " ಇಲ್ಲ ഇല്ല അല്ല ไม่ใช่ ไม่ いいえ 否 不是 不 没有 沒有 不对 不對 아니요 아니오 아닙니다"
)
"""The words for yes and no in many languages."""


def key(text: str) -> str:
    """The text without spaces, hyphens, underscores and punctuation, in lower case."""
    return "".join(_WORD.findall(text)).casefold()


def distinct_keys(texts: Sequence[str]) -> list[str]:
    """The `key` of each text; if two are equal, all with their signs: "-90°" and "90°", "x < y" and "x > y", "<" and ">"."""
    keys = [key(text) for text in texts]
    return keys if len({*keys}) == len(texts) or ("" in keys and any(keys)) else [_signed(text) for text in texts]


def index_of(texts: Sequence[str], text: str) -> int | None:
    """The index of the text with the same key; None if there is none."""
    keys = distinct_keys(texts)
    form = key if keys == [key(each) for each in texts] else _signed
    return keys.index(form(text)) if form(text) in keys else None


def _signed(text: str) -> str:
    """The text in lower case without spaces, separators between words and a final stop."""
    return _BETWEEN.sub("", text.strip().rstrip(".,;:!? ").casefold())


@dataclass(frozen=True, slots=True)
class Mention:
    index: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Name:
    """What a matcher needs of one text. `words`: its words in lower case, joined; `synonym`: the same with "top" for "upper" etc."""

    raw: str
    words: str
    synonym: str
    signed: str
    gaps: frozenset[str]
    length: int
    n_words: int
    beginnings: frozenset[str]
    endings: frozenset[str]


@lru_cache(maxsize=8192)  # items of a task have most texts in common, and few of them their whole lists
def _name(text: str) -> _Name:
    text = plain_characters(text)
    tokens = _tokens(text)
    raw, words = text.strip().casefold(), "".join(word for _, _, word in tokens)
    synonym = _joined_words(_SYNONYM.sub(lambda m: _SYNONYMS[m.group().casefold()], text))
    forms = {words, synonym, _joined_words(raw)} - {""}
    forms |= {form.lstrip("<>≥≤±+- ") for form in forms}
    return _Name(
        raw=raw,
        words=words,
        synonym=synonym,
        signed=_signed(text),
        gaps=frozenset(text[a[1] : b[0]] for a, b in pairwise(tokens)),
        length=len(text),
        n_words=len(tokens),
        beginnings=frozenset(form[:n] for form in forms for n in range(1, _BEGINNING + 1)),
        endings=frozenset(form[-_ENDING:] for form in forms),
    )


class VocabularyMatcher:
    """A list of texts to find in sentences. The longest match has priority: "upper right" is not "right"."""

    def __init__(self, texts: Sequence[str], others: Mapping[str, int] | None = None) -> None:
        """`others`: further names of the texts, with the index of the text."""
        names = [_name(text) for text in texts]
        further = [(_name(text), i) for text, i in (others or {}).items()]
        self._raw = {name.raw: i for i, name in enumerate(names)}
        joined = [name.words for name in names]
        equal = (
            {words for words in joined if joined.count(words) > 1} if len({*joined}) < len(joined) else set[str]()
        )  # texts that differ in signs only
        self._signed = {name.signed: i for i, name in enumerate(names)} if equal else {}
        self._index = {words: i for i, words in enumerate(joined) if words not in equal}
        for name, i in further:
            self._index.setdefault(name.words, i)
        for name, i in [*zip(names, range(len(names)), strict=True), *further]:
            self._index.setdefault(name.synonym, i)
        self._index.pop("", None)
        # separators within an option text, such as a comma, are allowed in its mentions
        self._gaps = frozenset({" ", "-", "_"}).union(*[name.gaps for name in names])
        every = names + [name for name, _ in further]
        self._reach = max((name.length for name in every), default=0) + 40
        # "north west" may be written as two words although the option is one
        self._words = max((name.n_words for name in names), default=1) + 1
        self._beginnings = frozenset[str]().union(*[name.beginnings for name in every])
        self._endings = _DEGREE_ENDINGS.union(*[name.endings for name in every])

    def may_end(self, ending: str) -> bool:
        """Whether a text that is one of the texts may end with these three ASCII letters or digits, in lower case."""
        return ending in self._endings

    def may_begin(self, word: str) -> bool:
        """Whether a text that is one of the texts may begin with this word, in lower case, after an article or not."""
        return word[:_BEGINNING] in self._beginnings or word in ARTICLES

    def exact(self, text: str) -> int | None:
        """The index of the text that equals `text`, except for a leading article; None if there is none."""
        text = text.strip()
        raw = self._raw.get(text.casefold())
        if raw is not None or self._signed:
            return self._signed.get(_signed(text)) if raw is None else raw
        if "°" not in text and not self._begins(text):
            return None  # without a look at the other words
        tokens = _tokens(text)
        if len(tokens) > self._words + 1:
            return None
        for run in (tokens, tokens[1:] if _starts_with_article(text, tokens) else []):
            index = self._index.get("".join([word for _, _, word in run]))
            if index is not None:
                return index if self._joined(text, run) else None
        return None

    def _begins(self, text: str) -> bool:
        """Whether the first word of `text`, or the second after an article, may begin a text of the vocabulary."""
        word = _WORD.search(text)
        if word and word.group().casefold() in ARTICLES and word.group().casefold() not in self._beginnings:
            word = _WORD.search(text, word.end())
        return word is not None and word.group().casefold()[:_BEGINNING] in self._beginnings

    def mentions(self, text: str) -> Iterator[Mention]:
        """All non-overlapping mentions of the texts, from left to right."""
        tokens = _tokens(text)
        i = 0
        while i < len(tokens):
            n, index = self._longest(text, tokens, i)
            if n:
                yield Mention(index, tokens[i][0], tokens[i + n - 1][1])
            i += n or 1

    def _longest(self, text: str, tokens: list[tuple[int, int, str]], i: int) -> tuple[int, int]:
        """The number of tokens, starting at index `i`, of the longest matching text, and its index; (0, 0) without a match."""
        if tokens[i][2][:_BEGINNING] not in self._beginnings:
            return 0, 0
        for n in range(min(self._words, len(tokens) - i), 0, -1):
            run = tokens[i : i + n]
            index = self._index.get("".join([word for _, _, word in run]))
            if index is not None and self._joined(text, run):
                return n, index
        return 0, 0

    def _joined(self, text: str, run: Sequence[tuple[int, int, str]]) -> bool:
        """Whether the words are separated by a single space, hyphen or underscore, and no digit precedes another digit without a comma."""
        return all(
            (text[a[1] : b[0]] in self._gaps or (b[2] == "degrees" and a[1] == b[0]))
            and not (text[a[1] - 1].isdigit() and text[b[0]].isdigit() and "," not in text[a[1] : b[0]])
            for a, b in pairwise(run)
        )

    def opening(self, text: str, at: int) -> Mention | None:
        """The mention that starts at position `at`."""
        part = text[at : at + self._reach]
        tokens = _tokens(part)
        n, index = self._longest(part, tokens, 0) if tokens and tokens[0][0] == 0 else (0, 0)
        return Mention(index, at, at + tokens[n - 1][1]) if n else None

    def first(self, text: str) -> Mention | None:
        """The mention at the start of `text`, after an article and opening quotes or brackets."""
        part = text[: self._reach]
        tokens = _tokens(part)
        for i in (0, 1)[: len(tokens)]:
            n, index = self._longest(part, tokens, i)
            if n:
                return Mention(index, tokens[i][0], tokens[i + n - 1][1]) if i == 0 or _starts_with_article(part, tokens) else None
        return None


def _tokens(text: str) -> list[tuple[int, int, str]]:
    if not _DIGIT.search(text):
        return [(m.start(), m.end(), m.group().casefold()) for m in _WORD.finditer(text)]
    return [(m.start(), m.end(), _DEGREE.get(word := m.group().casefold(), word)) for m in _TOKEN.finditer(text)]


def _starts_with_article(text: str, tokens: list[tuple[int, int, str]]) -> bool:
    """Whether the first of `tokens` is an article; "A" before a capital letter or a digit is a label."""
    if len(tokens) < 2 or tokens[0][2] not in ARTICLES or not _SPACE.fullmatch(text, tokens[0][1], tokens[1][0]):
        return False
    return text[tokens[0][0] : tokens[0][1]] not in ("A", "AN") or not LETTER_A.match(text, tokens[0][0])


def _joined_words(text: str) -> str:
    return "".join(word for _, _, word in _tokens(text))


@lru_cache(maxsize=4096)
def lexicon(texts: tuple[str, ...]) -> VocabularyMatcher:
    return VocabularyMatcher(texts)


# ---- shorter forms: "left half" for "in the left half", "60" for "60 degrees", "left" for "to its own left" -----------

_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_FRAME = re.compile(r"\s+(?:of|in)\s+(?:it|the (?:picture|image|photo))$|(?<=behind)\s+it$", re.IGNORECASE)
_CAMERA = re.compile(r"(?:\s+from)?\s+the camera$", re.IGNORECASE)  # "away"
_DANGLING = re.compile(r"\s+of$", re.IGNORECASE)
_PLACE = re.compile(r"^(?:in|at|to|on|towards?)\s+(?=\w)", re.IGNORECASE)
_OWNER = re.compile(r"^(?:the|an?|its|your) +(?=\w)", re.IGNORECASE)
_OWN = re.compile(r"^own\s+(?=\w)", re.IGNORECASE)
_PART = re.compile(r"(?<=\w)\s+(?:half|side|quarter|quadrant|direction)$", re.IGNORECASE)
_SUBJECT = re.compile(r"^it\s+(?:was|is)\s+(?=\w+\s+\w|turned)", re.IGNORECASE)
_DEGREES = re.compile(r"^(\d+(?:\.\d+)?)\s+degrees(?:\s+(?:counter)?clockwise)?$", re.IGNORECASE)
FRAMED = re.compile(
    r"^(?:in|at|to|on|towards?|the|an?|its|your|own|it)\s|\)$|\s(?:it|of|picture|image|photo|half|side|quarter|quadrant|direction)$",
    re.IGNORECASE,
)
"""A necessary condition: text that some rule can shorten."""
_NOT_ALONE = frozenset({"", "a", "an", "the", "it", "in", "at", "to", "on", "of"})


def shorter(text: str) -> Iterator[str]:
    """`text` and its successively shorter forms, without prepositions, articles and nouns such as "half" or "side"."""
    yield text
    for cut in (_REMARK, _SUBJECT, _FRAME, _DANGLING, _PLACE, _OWNER, _OWN, _PART):
        short = cut.sub("", text)
        if short != text and short.casefold() not in _NOT_ALONE:
            text = short
            yield text


def short_forms(options: Sequence[str]) -> dict[str, int]:
    """All shorter forms that only one option has, with the index of the option. Full texts are excluded."""
    owners_by_form: dict[str, set[int]] = {}
    for i, option in enumerate(options):
        for form in _forms(option):
            owners_by_form.setdefault(form, set()).add(i)
    words = [_spaced_words(option) for option in options]
    return {
        form: owner for form, owners in owners_by_form.items() if len(owners) == 1 and not _is_excluded(form, owner := min(owners), words)
    }


@lru_cache(maxsize=8192)
def _forms(option: str) -> tuple[str, ...]:
    forms = [*shorter(option), _CAMERA.sub("", option)]
    if degrees := _DEGREES.match(option):
        forms += [degrees[1], f"{degrees[1]} degrees"]
    return tuple(dict.fromkeys(form.casefold() for form in forms))


@lru_cache(maxsize=8192)
def _spaced_words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_excluded(form: str, owner: int, options: Sequence[str]) -> bool:
    """Whether `form` equals the text of its option or is contained in that of another."""
    run = _spaced_words(form)
    return run == options[owner] or any(run in option for i, option in enumerate(options) if i != owner)
