"""Object classification: which icon, letter or number is in the picture? (Table II, rows 1-3)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isovist.core.task import PICTURES, Preset, Question, SamplingContext
from isovist.scenes.icons import DIRECTED
from isovist.suites.cdr import layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import Icon, Symbols
from isovist.suites.cdr.options import arranged, choice
from isovist.suites.cdr.task_factory import OF_FOUR, classification

_SHARED: dict[str, Any] = {"skills": ("symbol recognition",), "source": "CDR, Table I row 1 and Table II rows 1-3"}
_OURS = "the paper does not tell its number of classification questions; one for each picture"


@dataclass(frozen=True, slots=True)
class SymbolScene:
    layout: Symbols
    target: str  # the option that is in the picture
    options: tuple[str, ...]
    symbol_kind: str
    phrasing: int


@dataclass(frozen=True, slots=True)
class IconScene:
    layout: Icon
    options: tuple[str, ...]
    phrasing: int


def _sample_symbols(plan: SamplingContext, vocabulary: tuple[str, ...], noun: str) -> SymbolScene:
    layout, present = layouts.symbols(plan, vocabulary)
    shown = present[plan.question_index % len(present)]
    absent = [symbol for symbol in vocabulary if symbol not in layout.cells]
    crossed = _crossed(layout, shown, set(absent))
    options = arranged(plan, shown, plan.item_rng.pick(crossed) if crossed else plan.item_rng.sample(absent, OF_FOUR - 1))
    return SymbolScene(layout, shown, options, noun, question_templates.phrasing(plan))


def _crossed(layout: Symbols, shown: str, absent: set[str]) -> list[tuple[str, ...]]:
    """The wrong options for a number: its tens or its units, or both, are those of other numbers in the picture; none for a letter.

    With the right one they are all four that two tens and two units make, so neither digit by itself tells which is there, nor do the options.
    """
    if not shown.isdigit():
        return []
    tens, units = _digits(shown)
    others = {_digits(symbol) for symbol in layout.cells if symbol and symbol != shown}
    triples = [(tens + other, ten + units, ten + other) for ten, _ in sorted(others) for _, other in sorted(others)]
    return [wrong for wrong in dict.fromkeys(triples) if len({shown, *wrong}) == OF_FOUR and absent.issuperset(wrong)]


def _digits(number: str) -> tuple[str, str]:
    """Its tens, nothing if it has one digit, and its units."""
    return number[:-1], number[-1]


def _ask_symbols(scene: SymbolScene) -> Question:
    text = question_templates.CLASSIFY_SYMBOL[scene.phrasing].format(what=scene.symbol_kind)
    return Question(text, choice(scene.options, scene.target))


def _sample_icon(plan: SamplingContext) -> IconScene:
    layout, _ = layouts.lone(plan)
    others = [kind.category for kind in DIRECTED if kind.category != layout.category]
    options = arranged(plan, layout.category, plan.item_rng.sample(others, OF_FOUR - 1))
    return IconScene(layout, options, question_templates.phrasing(plan))


def _ask_icon(scene: IconScene) -> Question:
    return Question(question_templates.CLASSIFY_ICON[scene.phrasing], choice(scene.options, scene.layout.category))


TASKS = (
    classification(
        "object-classification-icon",
        "Name the icon in the image, whatever its orientation.",
        _sample_icon,
        layouts.draw_icon,
        _ask_icon,
        version=2,
        strata=len(DIRECTED),
        image_family=layouts.FAMILY_ICON,
        published_sizes={"test": Preset(1580, note=_OURS)},
        audit_exemptions={"pixels": "what the icon is is the question, and every icon has its own share of ink"},
        **_SHARED,
    ),
    classification(
        "object-classification-letter",
        "Identify which of four letters is in the image.",
        lambda plan: _sample_symbols(plan, layouts.letters(plan), "letter"),
        layouts.draw_symbols,
        _ask_symbols,
        version=1,
        strata=18,
        image_family=layouts.FAMILY_LETTERS,
        settings={"letters": layouts.LETTERS, "pictures": PICTURES},
        published_sizes={"test": Preset(1275, {"pictures": 1275}, _OURS), "train": Preset(12_495, {"pictures": 12_495}, _OURS)},
        **_SHARED,
    ),
    classification(
        "object-classification-number",
        "Identify which of four numbers is in the image.",
        lambda plan: _sample_symbols(plan, layouts.NUMBERS, "number"),
        layouts.draw_symbols,
        _ask_symbols,
        version=2,
        strata=len(layouts.NUMBERS),
        image_family=layouts.FAMILY_NUMBERS,
        settings={"pictures": PICTURES},
        shortcuts=shortcuts.NUMBER,
        published_sizes={"test": Preset(1275, {"pictures": 1275}, _OURS)},
        **_SHARED,
    ),
)
