"""Cube comparison: which of four drawn cubes can be the cube in the frame, turned (after the test S-2 of the ETS kit).

The four cubes are one body, with a mark turned by a quarter, with two marks exchanged, and with both. All options show the same three marks, of
which the cube in the frame shows two. The orientations of the drawings are chosen so that marks that point the same way on the page, and the
mark on top, are right for one of the four bodies; the body in the frame is drawn by lot at last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.drawing2d import CubeGroup, Drawing, Polygon, Raised, Shape
from isovist.core.reasoning.templates import phrasing, write_chain
from isovist.core.reasoning.verifier import step_errors
from isovist.core.rng import Rng
from isovist.core.summation import sum_in_order
from isovist.core.task import (
    Answers,
    Checks,
    Exemption,
    Images,
    Question,
    Reasoning,
    RejectSample,
    Reported,
    Sampling,
    SamplingContext,
    Shortcut,
    Task,
    identity,
)
from isovist.suites.solids import cot_cubes, marked_cubes, pile_pictures
from isovist.suites.solids.marked_cubes import ROTATIONS, SEEN, Cube, Shown, Turn, angle, can_be_one_cube
from isovist.world.scenes import option_page
from isovist.world.scenes.answer_options import letters_of
from isovist.world.scenes.cube_marks import BRANCHES, PICTURES
from isovist.world.scenes.distractor_types import HANDEDNESS, TURNED_MARK, join_types

NOUN = "cube"
_MARKS = {"pictures": PICTURES, "branches": BRANCHES}
_OPTIONS = 4
_TRIES = 60
_UNEVEN = 0.26
"""Largest difference from 1 of the number of bodies for which a rule on the page is right."""
EDGE = marked_cubes.edge_in(option_page.PANEL - 3 * option_page.MARGIN)
_FRAME = (
    "The frame shows a cube with a mark on each face. No mark occurs twice on it, and each has one direction on its face. Below are four drawings "
    "of turned cubes. A turned cube is the same body: no mark is moved, turned on its face or mirrored."
)
_WORDINGS = (
    "Which lettered cube can be the cube in the frame, turned?",
    "Exactly one lettered drawing can show the cube in the frame. Which?",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """`reference`: what the cube in the frame shows; `options`: what the lettered ones show; `turns`: their rotations from the frame."""

    level: str
    wording: int
    key: int
    reference: Shown
    options: tuple[Shown, ...]
    turns: tuple[Turn, ...]
    kinds: tuple[str, ...]
    body: Cube


def _sample(plan: SamplingContext) -> Scene:
    rng = plan.image_rng
    for _ in range(_TRIES):
        if page := _page(rng, [mark.name for mark in _MARKS[plan.level]]):
            break
    else:
        raise RejectSample
    bodies, turns = page
    place, wording = rng.integer(0, _OPTIONS - 1), plan.item_stratum("wording", len(_WORDINGS))  # the lot
    others = plan.item_rng.shuffled([k for k in range(_OPTIONS) if k != place])
    order = [*others[: plan.stratum], place, *others[plan.stratum :]]
    views = [marked_cubes.shown(marked_cubes.turned(bodies[k], turns[k])) for k in order]
    kinds = tuple("" if k == place else _kind(k ^ place) for k in order)
    reference = marked_cubes.shown(bodies[place])
    return Scene(plan.level, wording, plan.stratum, reference, tuple(views), tuple(turns[k] for k in order), kinds, bodies[0])


def _kind(differences: int) -> str:
    """The types of an option by its differences from the key: 1, a turned mark; 2, two exchanged marks."""
    return join_types([name for bit, name in ((2, HANDEDNESS), (1, TURNED_MARK)) if differences & bit])


def _cube(rng: Rng, names: Sequence[str], marked: Sequence[int]) -> Cube:
    """A cube with random marks in random directions on the faces that are shown; the others have none."""
    marks = dict(zip(marked, rng.sample(names, len(marked)), strict=True))
    return tuple((marks.get(side, ""), rng.pick([up for up in range(6) if up // 2 != side // 2])) for side in range(6))


def _page(rng: Rng, names: Sequence[str]) -> tuple[list[Cube], list[Turn]] | None:
    """The four bodies, and a rotation of each; None if no rotations are balanced. In the body's orientation, the frame shows it."""
    a, b, hidden = rng.shuffled(SEEN)
    body = _cube(rng, names, (a, b, hidden, marked_cubes.opposite(hidden)))
    with_turned = marked_cubes.quarter(body, rng.pick((a, b)))
    bodies = [body, with_turned, marked_cubes.exchanged(body, a, b), marked_cubes.exchanged(with_turned, a, b)]
    allowed = [turn for turn in ROTATIONS if turn[a] in SEEN and turn[b] in SEEN and turn[hidden] not in SEEN]
    references = [marked_cubes.shown(one) for one in bodies]
    views = [[marked_cubes.shown(marked_cubes.turned(one, turn)) for turn in allowed] for one in bodies]
    for choice in rng.shuffled(list(product(range(len(allowed)), repeat=_OPTIONS))):
        page = [view[k] for view, k in zip(views, choice, strict=True)]
        if _is_even(references, page) and all(
            can_be_one_cube(reference, view) == (i == j) for i, reference in enumerate(references) for j, view in enumerate(page)
        ):
            return bodies, [allowed[k] for k in choice]
    return None


def n_same_way(reference: Shown, view: Shown) -> int:
    """The number of shared marks that point the same way on the page."""
    ways = dict(reference)
    return sum(ways.get(mark) == up for mark, up in view)


def n_same_top(reference: Shown, view: Shown) -> int:
    return int(reference[2][0] == view[2][0])


def _is_even(references: Sequence[Shown], page: Sequence[Shown]) -> bool:
    """Whether "most", "fewest" marks the same way, and the same or another mark on top, are each right for about one body in the frame."""
    for measure in (n_same_way, n_same_top):
        for sign in (1, -1):
            rights: list[float] = []
            for place, reference in enumerate(references):
                values = [sign * measure(reference, view) for view in page]
                rights.append((values[place] == max(values)) / values.count(max(values)))
            if abs(sum_in_order(rights) - 1) > _UNEVEN:
                return False
    return True


def _canonical(body: Cube) -> Cube:
    """The smallest of the 24 orientations. Faces without a mark, which no drawing shows, have no direction."""
    return min(tuple((mark, up if mark else 0) for mark, up in marked_cubes.turned(body, turn)) for turn in ROTATIONS)


# Picture and question --------------------------------------------------------------------------------------------------


def _draw(scene: Scene) -> tuple[Drawing, ...]:
    below, middle = option_page.places(_OPTIONS)
    shapes = [
        shape
        for view, at in zip((scene.reference, *scene.options), (middle, *below), strict=True)
        for shape in marked_cubes.drawn(view, EDGE, at)
    ]
    ground = (option_page.frame(_OPTIONS),)
    return (Drawing((*shapes, *option_page.letters(_OPTIONS)), ground, _OPTIONS * option_page.PANEL, option_page.HEIGHT),)


def _ask(scene: Scene) -> Question:
    return Question(f"{_FRAME}\n{_WORDINGS[scene.wording]}", ImageOptionChoice.of(NOUN, _OPTIONS, scene.key))


def _cubes(drawing: Drawing) -> tuple[Sequence[CubeGroup], Sequence[Shape]]:
    below, above = pile_pictures.by_letter(drawing)
    groups = [marked_cubes.group(polygons) for polygons in (*below.values(), above)]
    return groups, [shape for shape in (*drawing.backdrop, *drawing.shapes) if not (isinstance(shape, Polygon) and shape.stroke)]


def _drawn(drawing: Drawing) -> tuple[Shown, dict[str, Shown]]:
    below, above = pile_pictures.by_letter(drawing)
    return marked_cubes.read(above), {letter: marked_cubes.read(polygons) for letter, polygons in below.items()}


def _read(pictures: tuple[Drawing, ...], _text: str) -> str:
    """The only option that agrees with the frame after one of the 24 rotations. Raises ValueError if there is none or another one."""
    reference, options = _drawn(pictures[0])
    (key,) = [letter for letter, view in options.items() if can_be_one_cube(reference, view)]
    return f"{NOUN} {key}"


# Attributes, shortcuts, symmetries, chains ---------------------------------------------------------------------------------


def _attributes(scene: Scene) -> dict[str, str]:
    return {"turn": str(angle(scene.turns[scene.key])), "wording": str(scene.wording + 1)}


def _best(values: Sequence[float]) -> Collection[str]:
    return letters_of(k for k, value in enumerate(values) if value == max(values)) if len(set(values)) > 1 else ()


def _by(value: Callable[[Shown, Shown], float]) -> Callable[[Scene, Question], Collection[str]]:
    """The options with the largest value of the frame and an option."""
    return lambda scene, _question: _best([value(scene.reference, view) for view in scene.options])


def _n_shared(reference: Shown, view: Shown) -> int:
    return len({mark for mark, _ in reference} & {mark for mark, _ in view})


def _n_same_place(reference: Shown, view: Shown) -> int:
    return sum(one[0] == other[0] for one, other in zip(reference, view, strict=True))


def _alike(sign: int) -> Callable[[Scene, Question], Collection[str]]:
    def rule(scene: Scene, _question: Question) -> Collection[str]:
        return _best(
            [sign * sum(_n_same_place(view, other) + n_same_way(view, other) for other in scene.options) for view in scene.options]
        )

    return rule


def _same_way_round(reference: Shown, view: Shown) -> bool:
    """Whether the shared marks have places from which one cube could be turned, whatever their directions."""
    marks, places = [mark for mark, _ in reference], [mark for mark, _ in view]
    (other,) = [mark for mark in places if mark not in marks]
    order = [marks.index(mark) if mark != other else next(k for k, mark in enumerate(marks) if mark not in places) for mark in places]
    return sum(order[i] > order[j] for i in range(3) for j in range(i + 1, 3)) % 2 == 1


_SHORTCUTS: dict[str, Shortcut[Scene]] = {
    "most shared marks": Shortcut(_by(_n_shared), "places and directions"),
    "most marks the same way": Shortcut(_by(n_same_way), "the rotation"),
    "fewest marks the same way": Shortcut(_by(lambda reference, view: -n_same_way(reference, view)), "the rotation"),
    "same mark on top": Shortcut(_by(n_same_top), "the rotation"),
    "another mark on top": Shortcut(_by(lambda reference, view: -n_same_top(reference, view)), "the rotation"),
    "most like the other cubes": Shortcut(_alike(1), "the frame"),
    "least like the other cubes": Shortcut(_alike(-1), "the frame"),
    "most marks in the same place": Shortcut(_by(_n_same_place), "directions", partial=True, bound=0.45),
    "fewest marks in the same place": Shortcut(
        _by(lambda reference, view: -_n_same_place(reference, view)), "directions", partial=True, bound=0.45
    ),
    "order around the corner, without directions": Shortcut(_by(_same_way_round), "directions", partial=True, bound=0.55),
}


def _reversed(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    names = [f"{NOUN} {letter}" for letter in LETTERS[:_OPTIONS]]
    changed = replace(scene, options=scene.options[::-1], turns=scene.turns[::-1], kinds=scene.kinds[::-1], key=_OPTIONS - 1 - scene.key)
    return changed, lambda answer: names[-1 - names.index(answer)]


def _relabelled(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Each mark is replaced by the next one of its set."""
    names = [mark.name for mark in _MARKS[scene.level]]
    new = dict(zip(names, (*names[1:], names[0]), strict=True))

    def renamed(view: Shown) -> Shown:
        (a, x), (b, y), (c, z) = view
        return (new[a], x), (new[b], y), (new[c], z)

    return replace(scene, reference=renamed(scene.reference), options=tuple(map(renamed, scene.options))), identity


def _write(scene: Scene) -> str:
    options = dict(zip(LETTERS, scene.options, strict=False))
    return write_chain(cot_cubes.steps(scene.reference, options), _ask(scene).answer, phrasing(scene))


def _verify(scene: Scene, text: str) -> list[str]:
    drawing = _draw(scene)
    return step_errors(text, cot_cubes.steps(*_drawn(drawing[0])), _read(drawing, ""), _ask(scene).answer)


TASK = Task(
    id="solids/cube-comparison",
    version=1,
    summary="Find the cube, of four with marks on their faces, that can be another one turned.",
    sample=_sample,
    draw=_draw,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="drawn-choice", strata=_OPTIONS),
    skills=("mental rotation", "solids from drawings"),
    levels=tuple(_MARKS),
    images=Images(size_px=440, least_px=240, raised=Raised("the marks and their directions", cubes=_cubes)),
    sampling=Sampling(layout=lambda scene: _canonical(scene.body)),
    reported=Reported(attributes=_attributes, distractor_types=lambda scene: list(scene.kinds)),
    checks=Checks(
        symmetries=(_reversed, _relabelled),
        shortcuts=_SHORTCUTS,
        exemptions={
            "all rules together (learned)": Exemption(
                "the places of the shared marks tell the order around the corner, which two of the four options have", 0.55
            )
        },
    ),
    reasoning=Reasoning(write=_write, verify=_verify),
)
