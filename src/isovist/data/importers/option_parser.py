r"""Parse options and answers in published questions: "Where is the cat?\nA. left\nB. right", "B. right"."""

from __future__ import annotations

import re
from itertools import pairwise

from isovist.core.answers import LETTERS, Choice, ImageOptionChoice
from isovist.core.answers.extraction.vocabulary import VocabularyMatcher, distinct_keys, index_of, key
from isovist.data.importers.benchmark_format import Unusable

_AT_LINE = re.compile(
    r"^[ \t]*(?:[-*•+][ \t]+)?(?:\*\*|__)?\(?([A-Z])(?:[.):](?:\*\*|__)?|(?:\*\*|__)[.):])[ \t]*(.*?)[ \t]*$", re.MULTILINE
)
_IN_LINE = re.compile(r"(?:^|(?<=[\s,;:(]))\(?([A-Z])[.)][ \t]*(?=[^\s.)])")
_NARROW = {ord(a): b for a, b in zip("．：）（、", ".:)(.", strict=True)} | {0xFF21 + i: chr(0x41 + i) for i in range(26)}
"""Full-width labels; each character has one of the same length."""
_HEADING = re.compile(r"\s*\b(?:available\s+|the\s+)?(?:options|choices)(?:\s+are)?\s*:\s*$", re.IGNORECASE)
_FORM_OF_REPLY = re.compile(
    r"(?:\A|(?<=\n)|(?<=[.?!])\s)\s*(?:please\s+)?(?:answer|respond|reply)\s+(?:the\s+question\s+)?(?:with|using|by)\b[^\n]*\Z"
    r"|(?:\A|(?<=\n))\s*first, provide a concise answer\b[^\n]*\Z",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\(?([A-Za-z])\)?[.):]?")
_LETTERED = re.compile(r"\(?([A-Z])\)?(?:[.):]\)?\s*|\s+)(\S.*)", re.DOTALL)
_NAME = re.compile(r"(?:option|choice|figure|image)?\s*\(?([A-Z])\)?", re.IGNORECASE)
_SERIES = re.compile(r"(?<!\w)[{(\[]?A[})\]]?(?:\s*(?:,?\s*(?:or|and)\b|[,/|])\s*[{(\[]?[B-Z][})\]]?(?!\w))+")
_TEXT_FIRST = re.compile(r"(\S.*?)\s*[(\[](?:option|choice)\s+([A-Za-z])[)\]]\.?", re.IGNORECASE | re.DOTALL)
_LABEL_IN_SENTENCE = re.compile(
    r"\b(?:(?:option|choice)s?|answer(?:\s+is)?)\s*:?\s*\(?((?-i:[A-Z]))(?![\w'])(?=[).:,;\]]|\s*$)", re.IGNORECASE
)
_SENTENCE = re.compile(r"\w\W+\w+\W+\w")  # three words or more
_UNKNOWN = "the answer is not among the options"
_JOINTS = ("", "or", "and", "/")


def without_form_of_reply(text: str) -> str:
    """Remove a last line with a format instruction; prompt styles add their own."""
    return _FORM_OF_REPLY.sub("", text).rstrip()


def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a question into its text and its options in the order of their labels; no options if it lists none.

    Options are on separate lines or on one line. Text after them stays with the question unless it is a format instruction. Raises
    Unusable if the labels are not A, B, C and so on.
    """
    matches = list(_AT_LINE.finditer(text.translate(_NARROW)))
    starts = [i for i, mark in enumerate(matches) if mark[1] == "A"]
    if starts and len(matches) - starts[-1] >= 2:
        marks = matches[starts[-1] :]
        if len(starts) > 1 or starts[0] or any(mark[1] != letter for mark, letter in zip(marks, LETTERS, strict=False)):
            raise Unusable("the options are not labelled A, B, C ...", " ".join(mark[1] for mark in matches))
        between = [text[a.end() : b.start()].strip() for a, b in pairwise(marks)]
        if any(between):
            raise Unusable("the options are not distinct", next(filter(None, between))[:60])
        options = tuple(_bare(text[slice(*mark.span(2))]) for mark in marks)
        return _question(text[: marks[0].start()], text[marks[-1].end() :]), options
    for line in text.split("\n"):
        marks = _in_line(line)
        if len(marks) >= 2:
            ends = [mark.start() for mark in marks[1:]] + [len(line)]
            options = tuple(_bare(line[mark.end() : end]) for mark, end in zip(marks, ends, strict=True))
            if any(option in _JOINTS for option in options):
                continue  # "which of (A), (B) and (C)" lists labels, not options
            before, _, after = text.partition(line)
            return _question(f"{before}{line[: marks[0].start()]}", after), options
    return without_form_of_reply(text), ()


def lettered(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a question into its text and its options. Raises Unusable if it lists none."""
    question, options = split(text)
    if not options:
        raise Unusable("no options in the question")
    return question, options


def _in_line(line: str) -> list[re.Match[str]]:
    """Return the labels A, B, C and so on of the first list on a line."""
    run: list[re.Match[str]] = []
    for mark in _IN_LINE.finditer(line.translate(_NARROW)):
        if mark[1] == LETTERS[len(run)]:
            run.append(mark)
        elif run:
            break
    return run


def _question(before: str, after: str) -> str:
    rest = without_form_of_reply(after.strip(" .\n"))
    words = _HEADING.sub("", before.rstrip())
    return without_form_of_reply("\n".join(filter(None, (words.strip(), rest))))


def _bare(option: str) -> str:
    option = option.strip().strip(",;|").strip()
    return option[:-1].rstrip() if option.endswith(".") and not option.endswith("..") else option


def choice(options: tuple[str, ...], answer: str) -> Choice:
    """Return the choice with these options and the key `answer`: a label, a text, or both. Raises Unusable."""
    if drawn(options):
        return pictured(len(options), answer)
    return Choice(options, _checked(options, answer))


def drawn(options: tuple[str, ...]) -> bool:
    """Whether a list of options only repeats the labels in the image: "A. Option A"."""
    return all(
        not option or ((named := _NAME.fullmatch(option)) and named[1].upper() == letter)
        for letter, option in zip(LETTERS, options, strict=False)
    )


def agreed(options: tuple[str, ...], answers: list[str]) -> Choice:
    """Return the choice on which the answer columns of a record agree. Raises Unusable if they name different options.

    A column is an option, its label, or both ("3", "B", "B. 3", "3 (option B)"), or a sentence ("There are 3 turns."). A sentence must not
    name other options than the key. If it names no option, two other columns must agree.
    """
    short: list[int] = []
    sentences: list[str] = []
    for answer in answers:
        named = _TEXT_FIRST.fullmatch(answer)
        try:
            short.append(_checked(options, f"{named[2].upper()}. {named[1]}" if named else answer))
        except Unusable as fault:
            if fault.reason != _UNKNOWN or not _SENTENCE.search(answer):
                raise
            sentences.append(answer)
    named_by = [(sentence, _named(options, sentence)) for sentence in sentences]
    truth = next(iter(short), None)
    if truth is None:
        raise Unusable(_UNKNOWN, answers[0][:80])
    if set(short) != {truth} or any(places and truth not in places for _, places in named_by):
        raise Unusable("the answer contradicts itself", " / ".join(answers))
    unclear = [sentence for sentence, places in named_by if places != {truth}]
    if unclear and len(short) + len(sentences) - len(unclear) < 2:
        raise Unusable(_UNKNOWN, unclear[0][:80])
    return Choice(options, truth)


def _named(options: tuple[str, ...], sentence: str) -> set[int]:
    """Return the options that a sentence names: by their labels if it has any, else by their texts."""
    labels = {LETTERS.index(match[1].upper()) for match in _LABEL_IN_SENTENCE.finditer(sentence)}
    return labels or {mention.index for mention in VocabularyMatcher(options).mentions(sentence)}


def _checked(options: tuple[str, ...], answer: str) -> int:
    keys = distinct_keys(options)
    if not 2 <= len(options) <= len(LETTERS):
        raise Unusable("not 2 to 26 options", str(len(options)))
    if "" in keys:
        raise Unusable("an option is empty", " / ".join(options))
    if len(set(keys)) < len(keys):
        raise Unusable("two options are the same", " / ".join(options))
    letter = _LETTER.fullmatch(answer)
    place = index_of(options, answer)
    if place is not None:
        if letter and letter[1].upper() != LETTERS[place]:
            raise Unusable("the answer is ambiguous: a label or an option", answer[:80])
        return place
    if letter:
        return _place(letter[1], len(options), answer)
    lettered = _LETTERED.fullmatch(answer)
    text_place = index_of(options, lettered[2]) if lettered else None
    if lettered is None or text_place is None:
        raise Unusable(_UNKNOWN, answer[:80])
    place = _place(lettered[1], len(options), answer)
    if place != text_place:
        raise Unusable("the answer contradicts itself", f"{answer[:80]}; {LETTERS[text_place]} is {options[text_place]}")
    return place


def _place(letter: str, count: int, answer: str) -> int:
    place = LETTERS.index(letter.upper())
    if place >= count:
        raise Unusable(_UNKNOWN, answer[:80])
    return place


def letters_named(text: str) -> int:
    """Return the number of options that a question names by label only, as in "A, B or C"; 0 if none."""
    series = [re.findall(r"\b[A-Z]\b", match.group()) for match in _SERIES.finditer(text)]
    fitting = [len(letters) for letters in series if letters == list(LETTERS[: len(letters)])]
    return max(fitting, default=0)


def pictured(count: int, answer: str) -> ImageOptionChoice:
    """Return a choice with `count` labelled options drawn in the image. Raises Unusable."""
    named = _NAME.fullmatch(_bare(answer)) or _LETTER.fullmatch(answer)
    if named is None:
        raise Unusable(_UNKNOWN, answer[:80])
    if not 2 <= count <= len(LETTERS):
        raise Unusable("not 2 to 26 options", str(count))
    return ImageOptionChoice.of("option", count, _place(named[1], count, answer))


def yes_no(answer: str) -> bool:
    """Parse yes or no. Raises Unusable for any other answer."""
    is_yes = {"yes": True, "no": False}.get(key(answer))
    if is_yes is None:
        raise Unusable("the answer is neither yes nor no", answer[:80])
    return is_yes
