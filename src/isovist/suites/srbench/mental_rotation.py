"""Mental rotation, easy and hard (section 3.1): identify the rotated copy of the original.

The authors draw a list of shapes from one pose, and their third type of option mostly has another number of cubes. Here,
every item has a new polycube in one of its 24 orientations. All bodies of a page have the same number of cubes, ends and
branches, and equal arm lengths. The 24 orientations of each body differ, and none is its mirror image.
All options are rotated by angles from one pool, so the pose gives no information about the key.

`polycube_pages` samples the bodies of a page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import acos, degrees, sqrt
from typing import cast

from isovist.core.answers import LETTERS, ImageOptionChoice
from isovist.core.drawing2d import Drawing
from isovist.core.task import Answers, Checks, Images, Paper, Preset, Question, Reported, Sampling, SamplingContext, Setting, Task
from isovist.suites.srbench import shortcuts
from isovist.suites.srbench.polycube_pages import CUBES, FORMS, MIRRORS, Option, PageKind, deck, reach
from isovist.suites.srbench.polycube_rederivation import NOUN, read
from isovist.suites.srbench.polycube_sheet import HUES, LEAST_PIXELS, PIXELS, Style, page
from isovist.suites.srbench.published_prompt import PUBLISHED_PROMPT
from isovist.suites.srbench.published_scorer import published
from isovist.world.scenes.answer_options import with_key_at
from isovist.world.scenes.polycube import Body, Form
from isovist.world.scenes.polycube_view import Angles, cosine, turned

_DISPARITIES = ((85.0, "60-83 degrees"), (100.0, "90-94 degrees"), (115.0, "104-108 degrees"), (181.0, "120-139 degrees"))
_DISTRACTORS = Setting(
    "errors",
    "distractors: any option could be the key (errors), or the published ones, mirror images and another object (paper)",
    choices=("errors", "paper"),
)
_FORM = Setting(
    "any", "form of the objects: without branches (snake), with branches (branching), or both (any)", choices=("any", "snake", "branching")
)
_MANY = 9  # number of cubes from which there are enough bodies for decks of limited length
_RANKED = 8  # number of cubes from which there are pages of every likeness: pages that draw it have some more often than others
_LONGEST = 1024  # pages of such a deck: late items of a large dataset must not take long to generate


@dataclass(frozen=True, slots=True)
class Scene:
    """`shape` is the canonical form of the original and its mirror image; train and test never share one."""

    shape: Body
    style: Form
    original: Body
    options: tuple[Option, ...]
    colour: str  # empty on hard pages
    disparity: float
    """Angle in degrees of the rotation from the original to the key."""
    axis: tuple[float, float, float]
    """Axis of that rotation; the rotation is counterclockwise seen from the tip of the axis."""

    @property
    def truth(self) -> int:
        return next(i for i, option in enumerate(self.options) if option.kind == "rotation")


def _sample(plan: SamplingContext, style: Style) -> Scene:
    cubes, turns = int(plan.level), ("turn", 6) if style == "easy" else ("disparity", 4)
    wanted = str(plan.settings["form"])
    factors = (turns, ("form", 2)) if wanted == "any" else (turns,)
    form = FORMS[plan.image_stratum("form", 2)] if wanted == "any" else cast("Form", wanted)
    of_paper, rank = plan.settings["distractors"] == "paper", None
    if cubes >= _RANKED and not of_paper:
        ranks = ("likeness", 2 + MIRRORS[style])
        factors, rank = (*factors, ranks), plan.image_stratum(*ranks)
    block, place = divmod(plan.rank(*factors), _LONGEST) if cubes >= _MANY else (0, plan.rank(*factors))
    turn = plan.image_stratum(*turns)
    kind = PageKind(style, plan.split, cubes, form, turn, of_paper, rank)
    page, repeat = deck(plan.stream("page", form, turn, block, -1 if rank is None else rank).key, kind).at(place)
    key, *wrong = page.options
    shown = with_key_at(plan.stratum, key, wrong, plan.image_rng)
    hue = tuple(HUES)[(page.hue + repeat) % len(HUES)] if style == "easy" else ""
    return Scene(plan.check_split(page.shape), form, page.original, shown, hue, *_rotation(key.angles))


def _rotation(angles: Angles) -> tuple[float, tuple[float, float, float]]:
    """Return the angle (to 0.1 degrees) and the axis (to four digits) of the combined rotation about x, y and z."""
    if sum(angle > 0 for angle in angles) == 1:
        axis = next(i for i, angle in enumerate(angles) if angle)
        x, y, z = (1.0 if i == axis else 0.0 for i in range(3))
        back = angles[axis] > 180
        return (360.0 - angles[axis], (-x + 0.0, -y + 0.0, -z + 0.0)) if back else (float(angles[axis]), (x, y, z))
    (_, yx, zx), (xy, _, zy), (xz, yz, _) = (turned(axis, angles) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    x, y, z = zy - yz, xz - zx, yx - xy  # the antisymmetric part of the matrix
    length = sqrt(x * x + y * y + z * z)
    return round(degrees(acos(cosine(angles))), 1), (round(x / length, 4) + 0.0, round(y / length, 4) + 0.0, round(z / length, 4) + 0.0)


def _draw(scene: Scene) -> tuple[Drawing, ...]:
    return (page(scene.original, [(option.cells, option.angles) for option in scene.options], scene.colour, reach(len(scene.original))),)


def _ask(scene: Scene) -> Question:
    k = len(scene.options)
    text = (
        "The frame at the top shows an object made of equal cubes. Below it are "
        f"{'three' if k == 3 else 'four'} objects, labelled {', '.join(LETTERS[: k - 1])} and {LETTERS[k - 1]}.\n"
        "Exactly one of them is the object in the frame after a rotation in three dimensions. No rotation turns any of the others into the "
        "object in the frame. They are mirror images of it, or other objects with the same number of cubes. At least a part of every cube "
        "is visible. Which one is the object in the frame?"
    )
    return Question(text, ImageOptionChoice.of(NOUN, k, scene.truth))


def _reversed(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Reverse the order of the options: the key moves with its option."""
    names = [f"{NOUN} {letter}" for letter in LETTERS[: len(scene.options)]]
    return replace(scene, options=scene.options[::-1]), lambda answer: names[-1 - names.index(answer)]


def _attributes(scene: Scene) -> dict[str, str]:
    """Return the disparity (in the bins `BINS` for hard items), the form and, for easy items, the axis of the rotation."""
    if scene.colour:
        return {"disparity": f"{scene.disparity:.0f} degrees", "form": scene.style, "axis": "xyz"[[abs(v) for v in scene.axis].index(1.0)]}
    return {"disparity": next(label for most, label in _DISPARITIES if scene.disparity < most), "form": scene.style}


_IMAGES: Images[Scene] = Images(size_px=PIXELS, least_px=LEAST_PIXELS)
_SAMPLING: Sampling[Scene] = Sampling(layout=lambda scene: scene.shape)
_PAPER = Paper(
    source="SRBench, section 3.1", prompt=PUBLISHED_PROMPT, scorer=published, sizes={"test": Preset(200, {"distractors": "paper"})}
)
_REPORTED = Reported(attributes=_attributes, distractor_types=lambda scene: [option.kind for option in scene.options])
_CHECKS = Checks(symmetries=(_reversed,), shortcuts=shortcuts.ROTATION)

TASKS = (
    Task(
        id="srbench/mrt-easy",
        version=4,
        summary="Identify the rotated copy of a cube figure among three options (90 or 180 degrees about one axis).",
        sample=lambda plan: _sample(plan, "easy"),
        draw=_draw,
        ask=_ask,
        rederive=read,
        answers=Answers(type="drawn-choice", strata=2 + MIRRORS["easy"]),
        skills=("mental rotation",),
        levels=CUBES,
        settings={"form": _FORM, "distractors": _DISTRACTORS},
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=_PAPER,
        reported=_REPORTED,
        checks=replace(_CHECKS, distinct={"7": 850}),
    ),
    Task(
        id="srbench/mrt-hard",
        version=4,
        summary="Identify the rotated copy of a cube figure among four options (60, 90 or 120 degrees about all axes).",
        sample=lambda plan: _sample(plan, "hard"),
        draw=_draw,
        ask=_ask,
        rederive=read,
        answers=Answers(type="drawn-choice", strata=2 + MIRRORS["hard"]),
        skills=("mental rotation",),
        levels=CUBES,
        settings={"form": _FORM, "distractors": _DISTRACTORS},
        images=_IMAGES,
        sampling=_SAMPLING,
        paper=_PAPER,
        reported=_REPORTED,
        checks=_CHECKS,
    ),
)
