"""Object classification: which icon, letter or number is in the image? (Table II, rows 1-3)"""

from __future__ import annotations

from dataclasses import dataclass, replace

from isovist.core.task import PICTURES, Answers, Checks, Exemption, Images, Preset, Question, Reported, SamplingContext, Task
from isovist.suites.cdr import layouts, question_templates, shortcuts
from isovist.suites.cdr.layouts import LoneIcon, Symbols
from isovist.suites.cdr.options import arranged, choice
from isovist.suites.cdr.rederivation import rederive
from isovist.suites.cdr.shared_parts import BY_LAYOUT, OF_FOUR, PAPER, wording
from isovist.world.scenes.icons import DIRECTED

_SKILLS = ("symbol recognition",)
_PAPER = replace(PAPER, source="CDR, Table I row 1 and Table II rows 1-3")
_ONE_PER_IMAGE = "the paper does not state its number of classification questions; one for each image"


@dataclass(frozen=True, slots=True)
class SymbolScene:
    layout: Symbols
    target: str  # the option that is in the image
    options: tuple[str, ...]
    symbol_kind: str
    phrasing: int


@dataclass(frozen=True, slots=True)
class IconScene:
    layout: LoneIcon
    options: tuple[str, ...]
    phrasing: int


def _sample_symbols(plan: SamplingContext, vocabulary: tuple[str, ...], noun: str) -> SymbolScene:
    layout, present = layouts.symbols(plan, vocabulary)
    key = present[plan.question_index % len(present)]
    absent = [symbol for symbol in vocabulary if symbol not in layout.cells]
    wrong = _wrong_numbers(layout, key, set(absent))
    options = arranged(plan, key, plan.item_rng.pick(wrong) if wrong else plan.item_rng.sample(absent, OF_FOUR - 1))
    return SymbolScene(layout, key, options, noun, question_templates.phrasing(plan))


def _wrong_numbers(layout: Symbols, key: str, absent: set[str]) -> list[tuple[str, ...]]:
    """Return the possible wrong options of a number, with tens, units or both from other numbers in the image; empty for a letter.

    The four options combine two tens with two units, so neither one digit nor the options alone determine the key.
    """
    if not key.isdigit():
        return []
    tens, units = _digits(key)
    others = {_digits(symbol) for symbol in layout.cells if symbol and symbol != key}
    triples = [(tens + other, ten + units, ten + other) for ten, _ in sorted(others) for _, other in sorted(others)]
    return [wrong for wrong in dict.fromkeys(triples) if len({key, *wrong}) == OF_FOUR and absent.issuperset(wrong)]


def _digits(number: str) -> tuple[str, str]:
    """Return the tens (empty for one digit) and the units."""
    return number[:-1], number[-1]


def _symbol_question(scene: SymbolScene) -> Question:
    text = question_templates.CLASSIFY_SYMBOL[scene.phrasing].format(noun=scene.symbol_kind)
    return Question(text, choice(scene.options, scene.target))


def _sample_icon(plan: SamplingContext) -> IconScene:
    layout, _ = layouts.single_icon(plan)
    others = [kind.category for kind in DIRECTED if kind.category != layout.category]
    options = arranged(plan, layout.category, plan.item_rng.sample(others, OF_FOUR - 1))
    return IconScene(layout, options, question_templates.phrasing(plan))


def _icon_question(scene: IconScene) -> Question:
    return Question(question_templates.CLASSIFY_ICON[scene.phrasing], choice(scene.options, scene.layout.category))


TASKS = (
    Task(
        id="cdr/object-classification-icon",
        version=4,
        summary="Name the icon in the image, whatever its orientation.",
        sample=_sample_icon,
        draw=lambda scene: layouts.draw_icon(scene.layout),
        ask=_icon_question,
        rederive=rederive,
        answers=Answers(type="choice", strata=len(DIRECTED), chance=1 / OF_FOUR),
        skills=_SKILLS,
        images=Images(family=layouts.FAMILY_ICON),
        sampling=BY_LAYOUT,
        paper=replace(_PAPER, sizes={"test": Preset(1580, note=_ONE_PER_IMAGE)}),
        reported=Reported(attributes=wording),
        checks=Checks(
            exemptions={
                "pixels": Exemption(
                    "the question asks for the icon: icons differ in colours and in the proportions of their outlines", 1.0
                ),
                "glyph": Exemption("the question asks for the icon", 1.0),
                "colour": Exemption("icons have natural colours", 0.4),
            }
        ),
    ),
    Task(
        id="cdr/object-classification-letter",
        version=2,
        summary="Identify which of four letters is in the image.",
        sample=lambda plan: _sample_symbols(plan, layouts.letters(plan), "letter"),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=_symbol_question,
        rederive=rederive,
        answers=Answers(type="choice", strata=18, chance=1 / OF_FOUR),
        skills=_SKILLS,
        settings={"letters": layouts.LETTERS, "pictures": PICTURES},
        images=Images(family=layouts.FAMILY_LETTERS),
        sampling=BY_LAYOUT,
        paper=replace(
            _PAPER,
            sizes={
                "test": Preset(1275, {"pictures": 1275}, _ONE_PER_IMAGE),
                "train": Preset(12_495, {"pictures": 12_495}, _ONE_PER_IMAGE),
            },
        ),
        reported=Reported(attributes=wording),
        checks=Checks(exemptions={"glyph": Exemption("the question asks which letter is in the image", 0.4)}),
    ),
    Task(
        id="cdr/object-classification-number",
        version=3,
        summary="Identify which of four numbers is in the image.",
        sample=lambda plan: _sample_symbols(plan, layouts.NUMBERS, "number"),
        draw=lambda scene: layouts.draw_symbols(scene.layout),
        ask=_symbol_question,
        rederive=rederive,
        answers=Answers(type="choice", strata=len(layouts.NUMBERS), chance=1 / OF_FOUR),
        skills=_SKILLS,
        settings={"pictures": PICTURES},
        images=Images(family=layouts.FAMILY_NUMBERS),
        sampling=BY_LAYOUT,
        paper=replace(_PAPER, sizes={"test": Preset(1275, {"pictures": 1275}, _ONE_PER_IMAGE)}),
        reported=Reported(attributes=wording),
        checks=Checks(shortcuts=shortcuts.NUMBER),
    ),
)
