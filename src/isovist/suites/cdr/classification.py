"""Object classification: which icon, letter or number is in the picture? (Table II, rows 1-3)"""

from __future__ import annotations

from dataclasses import dataclass

from isovist.core.task import PICTURES, Preset, Question, SamplingContext, Task
from isovist.scenes.icons import DIRECTED
from isovist.suites.cdr import layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import Icon, Symbols
from isovist.suites.cdr.options import arranged, choice
from isovist.suites.cdr.rederivation import read

_OPTIONS = 4
_SKILLS = ("symbol recognition",)
_SOURCE = "CDR, Table I row 1 and Table II rows 1-3"
_OURS = "the paper does not tell its number of classification questions; one for each picture"


@dataclass(frozen=True, slots=True)
class SymbolScene:
    layout: Symbols
    shown: str  # the option that is in the picture
    options: tuple[str, ...]
    what: str
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
    options = arranged(plan, shown, plan.item_rng.pick(crossed) if crossed else plan.item_rng.sample(absent, _OPTIONS - 1))
    return SymbolScene(layout, shown, options, noun, plan.item_rng.integer(0, question_templates.PHRASINGS - 1))


def _crossed(layout: Symbols, shown: str, absent: set[str]) -> list[tuple[str, ...]]:
    """The wrong options for a number: its tens or its units, or both, are those of other numbers in the picture; none for a letter.

    With the right one they are all four that two tens and two units make, so neither digit by itself tells which is there, nor do the options.
    """
    if not shown.isdigit():
        return []
    tens, units = _digits(shown)
    others = {_digits(symbol) for symbol in layout.cells if symbol and symbol != shown}
    triples = [(tens + other, ten + units, ten + other) for ten, _ in sorted(others) for _, other in sorted(others)]
    return [wrong for wrong in dict.fromkeys(triples) if len({shown, *wrong}) == _OPTIONS and absent.issuperset(wrong)]


def _digits(number: str) -> tuple[str, str]:
    """Its tens, nothing if it has one digit, and its units."""
    return number[:-1], number[-1]


def _ask_symbols(scene: SymbolScene) -> Question:
    text = question_templates.CLASSIFY_SYMBOL[scene.phrasing].format(what=scene.what)
    return Question(text, choice(scene.options, scene.shown))


def _sample_icon(plan: SamplingContext) -> IconScene:
    layout, _ = layouts.lone(plan)
    others = [kind.category for kind in DIRECTED if kind.category != layout.category]
    options = arranged(plan, layout.category, plan.item_rng.sample(others, _OPTIONS - 1))
    return IconScene(layout, options, plan.item_rng.integer(0, question_templates.PHRASINGS - 1))


def _ask_icon(scene: IconScene) -> Question:
    return Question(question_templates.CLASSIFY_ICON[scene.phrasing], choice(scene.options, scene.layout.category))


def _layout(scene: SymbolScene | IconScene) -> Symbols | Icon:
    return scene.layout


TASKS = (
    Task(
        id="cdr/object-classification-icon",
        version=2,
        summary="Name the icon in the image, whatever its orientation.",
        sample=_sample_icon,
        draw=lambda scene: layouts.draw_icon(scene.layout),
        ask=_ask_icon,
        rederive=read,
        strata=len(DIRECTED),
        chance=1 / _OPTIONS,
        answer_type="choice",
        image_family=layouts.FAMILY_ICON,
        layout=_layout,
        skills=_SKILLS,
        source=_SOURCE,
        published_sizes={"test": Preset(1580, note=_OURS)},
        audit_exemptions={"pixels": "what the icon is is the question, and every icon has its own share of ink"},
    ),
    Task(
        id="cdr/object-classification-letter",
        version=1,
        summary="Identify which of four letters is in the image.",
        sample=lambda plan: _sample_symbols(plan, layouts.letters(plan), "letter"),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=_ask_symbols,
        rederive=read,
        strata=18,
        chance=1 / _OPTIONS,
        answer_type="choice",
        image_family=layouts.FAMILY_LETTERS,
        layout=_layout,
        skills=_SKILLS,
        source=_SOURCE,
        settings={"letters": layouts.LETTERS, "pictures": PICTURES},
        published_sizes={"test": Preset(1275, {"pictures": 1275}, _OURS), "train": Preset(12_495, {"pictures": 12_495}, _OURS)},
    ),
    Task(
        id="cdr/object-classification-number",
        version=2,
        summary="Identify which of four numbers is in the image.",
        sample=lambda plan: _sample_symbols(plan, layouts.NUMBERS, "number"),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=_ask_symbols,
        rederive=read,
        strata=len(layouts.NUMBERS),
        chance=1 / _OPTIONS,
        answer_type="choice",
        image_family=layouts.FAMILY_NUMBERS,
        layout=_layout,
        skills=_SKILLS,
        source=_SOURCE,
        settings={"pictures": PICTURES},
        shortcuts=shortcuts.NUMBER,
        published_sizes={"test": Preset(1275, {"pictures": 1275}, _OURS)},
    ),
)
