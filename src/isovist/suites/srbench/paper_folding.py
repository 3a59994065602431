"""Paper folding: identify the unfolded sheet after folding and punching.

The top row shows the paper before each fold, with the crease and the shaded part that is folded over it, and then the folded paper
with its holes. The bottom row shows the options. As in the paper, a fold halves the folded sheet; here one half covers the other
exactly, so diagonal and straight folds are combined only where this holds. The sheet is a stack of layers: holes go through all layers,
and unfolding is computed layer by layer (the authors' generator reflects some folds about the wrong line, and draws options that equal
the key).
"""

from __future__ import annotations

from dataclasses import astuple, replace

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.reasoning.templates import phrasing
from isovist.core.rng import Rng
from isovist.core.task import (
    Answers,
    Checks,
    Images,
    Paper,
    Preset,
    Question,
    Reasoning,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Setting,
    Task,
    split_of_layout,
)
from isovist.suites.srbench import cot_folding, folding_sets, shortcuts
from isovist.suites.srbench.folding_distractors import Holes, Punched, paper_errors, punched
from isovist.suites.srbench.folding_picture import LEAST_PIXELS, PIXELS, Folding, Scene, draw, drawn_folds, read
from isovist.suites.srbench.published_prompt import PUBLISHED_PROMPT
from isovist.suites.srbench.published_scorer import published
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.folded_paper import (
    CREASES,
    SIDE,
    STAY,
    WAYS,
    Fold,
    Motion,
    Stack,
    after,
    fold,
    folded,
    halvings,
    mirror_through,
    moved,
    turn_about,
    unfold,
)

LEVELS = {f"{folds}-fold{'s' * (folds > 1)}-{holes}-hole{'s' * (holes > 1)}": (folds, holes) for folds in (1, 2, 3) for holes in (1, 2, 3)}
MOST_FOLDS = 3
SETTINGS = {
    "options": Setting("3", "number of sheets to choose from", choices=("3", "4")),
    "distractors": Setting(
        "errors",
        "distractors: sheets with another fold (errors), or the published ones, a missing hole and a mirror image (paper)",
        choices=("errors", "paper"),
    ),
    "lines": Setting(
        "half",
        "position of the creases: the first of several halves the sheet (half), or anywhere on the sheet (any)",
        choices=("half", "any"),
    ),
}
KEY = "key"

_LEAST = SIDE // 4  # minimum width and height of the folded paper
_FLAP = 5 * CREASES  # minimum extent of the paper on either side of a crease that may be anywhere
_MOST = 24  # maximum number of holes in the unfolded sheet
_TRIES = 60
_TRIES_OF_SETS = 300  # most sets of three folds and three holes do not fit


def _anywhere(rng: Rng, stack: Stack) -> Fold:
    """Return a random crease such that no part of the folded paper is outside the area of the flat sheet."""
    for _ in range(_TRIES):
        way = rng.pick(tuple(WAYS))
        low, high = stack.range(way)
        if high - low < 2 * _FLAP:
            continue
        first, last = -(-(low + _FLAP) // CREASES), (high - _FLAP) // CREASES
        if first > last:
            continue
        crease = Fold(way, rng.integer(first, last) * CREASES, rng.pick((1, -1)))
        if all(0 <= v <= SIDE for outline in fold(stack, crease).outlines for corner in outline for v in corner):
            return crease
    raise RejectSample


def _folding(rng: Rng, count: int, holes: int, *, anywhere: bool) -> Punched | None:
    """Return a folded and punched sheet; None if a fold affects no hole, or if there are too many holes."""
    folds: tuple[Fold, ...] = ()
    for _ in range(count):
        folds = (*folds, _anywhere(rng, folded(folds)) if anywhere else rng.pick(halvings(folds, _LEAST)))
    marks = punched(rng, folded(folds), holes)
    if marks is None:
        return None
    needed = {number for mark in marks for number in mark.layer.path}
    return Punched(folds, marks, unfold(marks)) if len(needed) == count and len(marks) <= _MOST else None


Option = tuple[str, Holes]
"""The distractor type of an unfolded sheet (or the key), and its holes."""


def _from_the_key(plan: SamplingContext, options: int, *, anywhere: bool) -> tuple[Folding, Option, list[Option]]:
    """Return a folding, the key, and the distractors of the paper, each derived from the key."""
    rng = plan.image_rng
    cases = (_folding(rng.at("folding", i), *LEVELS[plan.level], anywhere=anywhere) for i in range(_TRIES))
    case = next((case for case in cases if case), None)
    if case is None:
        raise RejectSample
    folding = Folding(case.folds, tuple(case.holes))
    plan.check_split(_unturned(folding))
    return folding, (KEY, case.key), paper_errors(rng, case, options - 1)


def _from_other_folds(plan: SamplingContext, options: int, *, anywhere: bool) -> tuple[Folding, Option, list[Option]]:
    """Return a folding, the key, and the unfolded sheets of other fold sequences with the same holes."""
    rng = plan.image_rng
    count, holes = LEVELS[plan.level]
    middle = count == MOST_FOLDS and plan.image_stratum("differs", 2) == 0
    tries = (
        folding_sets.drawn(rng.at("folding", i), count, holes, options, middle=middle, anywhere=anywhere) for i in range(_TRIES_OF_SETS)
    )
    for ways in tries:
        if ways is None:
            continue
        # in random order: each of them is equally likely to be the first one of this split
        for shown in ways:
            folding = Folding(shown.folds, tuple(sorted(shown.holes)))
            if split_of_layout(_unturned(folding)) == plan.split:
                wrong = [(folding_sets.error(shown, way), way.sheet) for way in ways if way is not shown]
                return folding, (KEY, shown.sheet), wrong
    raise RejectSample


def _sample(plan: SamplingContext) -> Scene:
    options, anywhere = int(plan.settings["options"]), plan.settings["lines"] == "any"
    drawn = _from_the_key if plan.settings["distractors"] == "paper" else _from_other_folds
    folding, key, wrong = drawn(plan, options, anywhere=anywhere)
    shown = with_key_at(plan.stratum if options == 3 else plan.image_stratum("place", options), key, wrong, plan.image_rng)
    return Scene(folding, tuple(holes for _, holes in shown), tuple(name for name, _ in shown))


def _ask(scene: Scene) -> Question:
    return Question(
        "The top row shows, from left to right, how a square sheet of paper is folded. In each step, the grey part is folded over the blue "
        "line onto the other side of the line. A pale outline marks the original position of the whole sheet. The last drawing in the top row "
        "shows the folded paper with punched holes. Each hole goes through all layers of paper at its position.\n"
        "The bottom row shows unfolded sheets, each with its letter below it. Which sheet is the paper after it is completely unfolded?",
        _key(scene),
    )


def _key(scene: Scene) -> ImageOptionChoice:
    return ImageOptionChoice.of("sheet", len(scene.options), scene.errors.index(KEY))


def _explain(scene: Scene) -> str:
    folding = scene.folding
    return cot_folding.explain_unfolding(folding.folds, folding.holes, scene.options, _key(scene), phrasing(folding.holes))


def _verify(scene: Scene, text: str) -> list[str]:
    return cot_folding.verify_unfolding(*drawn_folds(scene), _key(scene), text)


def _moved(folding: Folding, motion: Motion) -> Folding:
    """Return the folding of a sheet that is moved by a motion about its centre."""

    def line(crease: Fold) -> Fold:
        a, b = WAYS[crease.direction]
        on = (crease.position * a, 0) if a else (0, crease.position)
        (ax, ay), (bx, by), beyond = (
            moved(motion, (on[0] + dx, on[1] + dy)) for dx, dy in ((0, 0), (-b, a), (crease.side * a, crease.side * b))
        )
        way, (p, q) = next((name, (p, q)) for name, (p, q) in WAYS.items() if p * (bx - ax) + q * (by - ay) == 0)
        at = p * ax + q * ay
        return Fold(way, at, 1 if p * beyond[0] + q * beyond[1] > at else -1)

    return Folding(tuple(map(line, folding.folds)), tuple(sorted(moved(motion, hole) for hole in folding.holes)))


_TURN, _MIRROR = turn_about(1, (SIDE, SIDE)), mirror_through("vertical", (SIDE, SIDE))
_MOTIONS = tuple(after(turn_about(quarters, (SIDE, SIDE)), first) for quarters in range(4) for first in (STAY, _MIRROR))


def _unturned(folding: Folding) -> Folding:
    """Return the same folding for a sheet and for the sheet turned or mirrored."""
    return min((_moved(folding, motion) for motion in _MOTIONS), key=lambda way: (tuple(map(astuple, way.folds)), way.holes))


def _moved_scene(scene: Scene, motion: Motion) -> Scene:
    options = tuple(tuple(sorted(moved(motion, spot) for spot in option)) for option in scene.options)
    return replace(scene, folding=_moved(scene.folding, motion), options=options)


def _rotated_90(scene: Scene):
    return _moved_scene(scene, _TURN), str


def _mirrored(scene: Scene):
    return _moved_scene(scene, _MIRROR), str


def _next_letter(scene: Scene):  # A becomes B, and so on
    count = len(scene.options)
    moved_on = replace(scene, options=scene.options[-1:] + scene.options[:-1], errors=scene.errors[-1:] + scene.errors[:-1])

    def renamed(answer: str) -> str:
        return f"sheet {LETTERS[(LETTERS.index(answer[-1]) + 1) % count]}"

    return moved_on, renamed


TASK = Task(
    id="srbench/paper-folding",
    version=4,
    summary="Identify the unfolded sheet after folding and punching.",
    sample=_sample,
    draw=draw,
    ask=_ask,
    rederive=read,
    answers=Answers(type="drawn-choice", strata=3),
    skills=("spatial visualization",),
    levels=tuple(LEVELS),
    settings=SETTINGS,
    images=Images(size_px=PIXELS, least_px=LEAST_PIXELS),
    sampling=Sampling(layout=lambda scene: _unturned(scene.folding)),
    paper=Paper(
        source="SRBench, section 3.1 and appendix 7",
        prompt=PUBLISHED_PROMPT,
        scorer=published,
        sizes={
            "test": Preset(
                200,
                {"distractors": "paper"},
                "one or two folds; the paper does not state the number of items of each level",
                levels=tuple(level for level, (folds, _) in LEVELS.items() if folds <= 2),
            )
        },
    ),
    reported=Reported(distractor_types=lambda scene: scene.errors),
    checks=Checks(symmetries=(_rotated_90, _mirrored, _next_letter), shortcuts=shortcuts.FOLDING),
    reasoning=Reasoning(_explain, _verify),
)
