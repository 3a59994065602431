"""Canonical orientation: whether an image is upright and not mirrored, or which operation restores it.

Every image is generated upright (`canonical_scenes`), and then flipped, or rotated by a multiple of 90 degrees. Ground, walls, sky and
objects show which direction is up. Text shows only whether the image is mirrored, because signboards stand on any edge. An image without
text may be mirrored; this is not visible and is not part of the question. If nothing shows which direction is up, the answer cannot be
determined, with or without text.

In the paper's design (section 6), the images resemble photographs: an object on the ground, seen from one side, or from directly above if the
answer cannot be determined. All contain text, so that every flip is visible and all granular items have the six options of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from isovist.core.answers import Answer, Choice
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Exemption, Question, Reported, SamplingContext, Shortcut, Task
from isovist.suites.dori.canonical_scenes import BOARD, SILENT, TELLING, View, upright
from isovist.suites.dori.picture_operations import EVERY, STATES, Operation, State, done, operations, option, right
from isovist.suites.dori.picture_upright import arrow, fits, mirrored, quarter, upwards
from isovist.suites.dori.published_scorer import published
from isovist.suites.dori.shared_parts import (
    CHECKS,
    DESIGN,
    LEVELS,
    PAPER,
    SKILLS,
    SQUARE,
    UNKNOWN,
    Scene,
    as_published,
    attributes,
    from_another_side,
    known,
    question,
    unknown,
)
from isovist.world.scenes import distractor_types
from isovist.world.scenes.answer_options import letters_where, listed_options

COARSE = ("It is in its canonical orientation", "It is not in its canonical orientation", UNKNOWN)
_TEXT_PERIOD = 4
"""One in so many coarse items shows text."""
_TASK = "Determine {} its canonical orientation. The image shows a scene. The whole image may have been flipped or rotated."
_CONCEPT = (
    "An image is in its canonical orientation if the upward direction of the scene points to the top of the image, and if the image is "
    "not mirrored. Objects in their usual upright pose, the ground, walls and the sky show which direction is up. Signs do not show it: a "
    "sign may stand on any of its edges, so its text may run in any direction. Only text shows whether the image is mirrored. If the image "
    "contains no text, ignore mirroring: the mirror image is also correct. An ornament is not text. A left-to-right flip exchanges the left "
    "and right sides of the image. A top-to-bottom flip exchanges its top and bottom. A rotation turns the whole image in its plane. The "
    "answer cannot be determined if nothing shows which direction is up. This is the case if the scene is seen from directly above, or if "
    "its objects are in the air and are rotated in different directions."
)
_EXCEPTION = (
    " Exception: mirrored text shows that the image is not in its canonical orientation, even if nothing shows which direction is up."
)
_STEPS = (
    "Determine which direction is up in the scene. Look at what the objects stand on and where their tops point.",
    "If there is text, determine whether its letters are mirrored.",
    "{}",
)
_LAST = (
    "Choose the option that matches.",
    (
        "Choose the option that brings the upward direction to the top of the image and leaves no text mirrored. Apply two operations in the "
        "stated order."
    ),
)
_EXAMPLES = (
    "If a standing person is upside down in the image, the image is not in its canonical orientation.",
    (
        "If the feet of standing people point to the left of the image and no text is mirrored, the image needs a rotation by 90 degrees "
        "counterclockwise."
    ),
)


@dataclass(frozen=True, slots=True)
class Turned(Scene):
    """`view`: the kind of view. `word`: the image shows text. `offered`: the operations of the granular options, without the last option."""

    view: View
    word: bool
    state: State
    offered: tuple[Operation, ...]

    @property
    def unknown(self) -> bool:
        return self.view in SILENT


def _sample(plan: SamplingContext) -> Turned:
    return _coarse(plan) if plan.level == "coarse" else _granular(plan)


def _coarse(plan: SamplingContext) -> Turned:
    """Text is equally frequent with each answer. Mirrored text shows that the image is not canonical, whatever the view."""
    rng, word = plan.image_rng, as_published(plan) or plan.image_stratum("word", _TEXT_PERIOD) == 0
    telling, silent = _views(plan)
    turned = [state for state in STATES if state[1] and not (word and state[0])]
    if plan.stratum == 2:
        return _build(plan, silent, word, (rng.chance(0.5) and not word, rng.pick((0, 90, 180, 270))))
    if plan.stratum == 0:
        return _build(plan, telling, word, (rng.chance(0.5) and not word, 0))
    fault = plan.image_stratum("fault", 4) if word else 0
    if fault == 3:
        return _build(plan, silent, word, (True, rng.pick((0, 90, 180, 270))))
    return _build(plan, telling, word, (True, 0) if fault == 2 else rng.pick(turned))


def _granular(plan: SamplingContext) -> Turned:
    """Three lists of options: rotations only, or with flips, for images without text; those of the paper for images with text."""
    rng, (telling, silent) = plan.image_rng, _views(plan)
    kind, place = (plan.stratum // 5, plan.stratum % 5) if plan.stratum < 10 else (2, plan.stratum - 10)
    if as_published(plan):
        kind, place = 2, plan.image_stratum("option", 6)
    word, unknown = kind == 2, place == (5 if kind == 2 else 4)
    turns, flip = (rng.pick((90, 180, 270)), rng.pick((90, 270))), rng.integer(0, 1)
    offered = operations(turns, flip) if word else _operations_for_each_side(plan, flips=kind == 1)
    if unknown:
        return _build(plan, silent, word, rng.pick(STATES), offered)
    fitting = [state for state in STATES if right(done(state, offered[place]), word=word)]
    return _build(plan, telling, word, rng.pick(fitting), offered)


def _views(plan: SamplingContext) -> tuple[View, View]:
    """The view of the item if it shows which direction is up, and if it does not."""
    if as_published(plan):
        return "level", "above"
    return TELLING[plan.image_stratum("view", len(TELLING))], SILENT[plan.image_stratum("silent", len(SILENT))]


def _operations_for_each_side(plan: SamplingContext, *, flips: bool) -> tuple[Operation, ...]:
    """No change, and one operation for each other side of the image that may have to become the top, in random order."""
    rng = plan.image_rng
    operations: list[Operation] = []
    while not operations or flips != any(kind == "flip" for operation in operations for kind, _ in operation):
        operations = []
        for side in (90, 180, 270):
            fitting = [
                operation
                for operation in EVERY
                if done((False, side), operation)[1] == 0 and (flips or operation[0][0] == operation[-1][0] == "turn")
            ]
            operations.append(rng.pick(fitting))
    return (), *rng.shuffled(operations)


def _build(plan: SamplingContext, view: View, word: bool, state: State, offered: tuple[Operation, ...] = ()) -> Turned:
    scene3d, thing = upright(plan, view, word=word)
    scene3d = replace(scene3d, mirrored=state[0], image_rotation_deg=state[1])
    return Turned(plan.level, "alone", (), (thing.category,), (thing.broad,), (scene3d,), view, word, state, offered)


def _ask(scene: Turned) -> Question:
    return _question(scene.level, scene.state, scene.offered, unknown=scene.unknown, word=scene.word)


def about(level: str, state: State, turns: tuple[int, int], flip: int, *, unknown: bool = False) -> Question:
    """The question about any image in the given state. Raises ValueError if no granular option makes it upright and unmirrored."""
    return _question(level, state, operations(turns, flip), unknown=unknown, word=True)


def _question(level: str, state: State, offered: tuple[Operation, ...], *, unknown: bool, word: bool) -> Question:
    fine = level == "granular"
    if fine:
        listed = (*map(option, offered), UNKNOWN)
        truth = len(offered) if unknown else [right(done(state, operation), word=word) for operation in offered].index(True)
    else:
        listed = COARSE
        truth = 1 if word and state[0] else 2 if unknown else int(not right(state, word=word))
    purpose = "how to restore the image to" if fine else "whether the image is in"
    return question(
        _TASK.format(purpose), _CONCEPT if fine else _CONCEPT + _EXCEPTION, (*_STEPS[:2], _LAST[fine]), _EXAMPLES[fine], listed, truth
    )


def _errors(scene: Turned) -> list[str]:
    """The distractor type of each option: what is still wrong with the image after the operation."""
    if scene.level == "granular":
        remaining = [_remaining_error(done(scene.state, operation), word=scene.word) for operation in scene.offered]
    else:  # an image that is judged upright, or judged not upright
        is_canonical = right(scene.state, word=scene.word)
        remaining = [_remaining_error(scene.state, word=scene.word), "upright image judged not upright" if is_canonical else ""]
    known = scene.word and scene.state[0] and scene.level == "coarse"
    return (
        [distractor_types.MISSED_INDETERMINABLE] * len(remaining) + [""]
        if scene.unknown and not known
        else [*remaining, distractor_types.ANSWERED_INDETERMINABLE]
    )


def _remaining_error(state: State, *, word: bool) -> str:
    """The error of an image in this state; "" if it is canonical."""
    mirrored, angle = state
    if not angle:
        return distractor_types.MIRROR if mirrored and word else ""
    name = distractor_types.OPPOSITE if angle == 180 else distractor_types.ERROR_90_DEG
    return f"{distractor_types.MIRROR} and {name}" if mirrored and word else name


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The option, from the arrow that points up, moved by each option, and from the letters, mirrored by each flip."""
    up, wrong = upwards(pictures[0]), mirrored(pictures[0])
    if COARSE[0] in words:
        if wrong:
            return COARSE[1]
        return UNKNOWN if up is None else COARSE[0] if up == (0.0, -1.0) else COARSE[1]
    if up is None:
        return UNKNOWN
    (only,) = (option for option in listed_options(words) if fits(option, up, wrong))
    return only


# Shortcuts ---------------------------------------------------------------------------------------------------------


def _by_word(scene: Turned, question: Question) -> Collection[str]:
    """The orientation of the text instead of that of the scene."""
    if not scene.word:
        return unknown(question)
    picture = scene.scenes3d[0]
    (board,) = (solid for solid in picture.objects if solid.name == BOARD)
    up, wrong = quarter(arrow(picture, board, (0.0, 1.0, 0.0))), mirrored(picture)
    return letters_where(
        question, lambda option: fits(option, up, wrong) if scene.level == "granular" else option == COARSE[wrong or up[1] > -0.5]
    )


def _by_letters(scene: Turned, question: Question) -> Collection[str]:
    """Only whether the letters are mirrored."""
    wrong = mirrored(scene.scenes3d[0])
    if wrong is None:
        return ()
    if scene.level == "coarse":
        return letters_where(question, lambda option: (option == COARSE[1]) if wrong else True)
    return letters_where(question, lambda option: option == UNKNOWN or (len(re.findall("flip", option.lower())) % 2 == 1) == wrong)


def _by_up(scene: Turned, question: Question) -> Collection[str]:
    """Only which direction is up, without the text."""
    up = upwards(scene.scenes3d[0])
    if up is None:
        return unknown(question)
    if scene.level == "coarse":
        return letters_where(question, lambda option: option == COARSE[up != (0.0, -1.0)])
    return letters_where(question, lambda option: fits(option, up, None))


_SHORTCUTS: dict[str, Shortcut[Turned]] = {
    "orientation of the text; without text: cannot be determined": Shortcut(_by_word, "the upward direction"),
    "no text: cannot be determined": Shortcut(
        lambda scene, question: known(question) if scene.word else unknown(question), "the upward direction"
    ),
    "no walls, houses or sky: cannot be determined": Shortcut(
        lambda scene, question: known(question) if scene.view == "level" else unknown(question),
        "the poses of the objects",
        partial=True,
        bound=0.4,
    ),
    "whether letters are mirrored": Shortcut(_by_letters, "the upward direction", partial=True),
    "upward direction without text": Shortcut(_by_up, "text", partial=True),
}


def _balanced(answer: Answer) -> str:
    """The balanced value: the option label within a list of options; the texts of the options vary between items."""
    assert isinstance(answer, Choice)
    flips = any("flip" in option.lower() for option in answer.options)
    return f"{len(answer.options)} {flips} {answer.canonical()}"


_VIEWS: Mapping[View, str] = {
    "level": "with walls, houses or sky",
    "steep": "without horizon",
    "air": "objects in the air, upright",
    "above": "from directly above",
    "thrown": "objects in the air, in different orientations",
}


def _attributes(scene: Turned) -> dict[str, str]:
    listed = len(scene.offered) + 1 if scene.level == "granular" else len(COARSE)
    return {"view": _VIEWS[scene.view], "text": "yes" if scene.word else "no", "options": str(listed)}


TASK = Task(
    id="dori/canonical-orientation",
    version=6,
    summary="Decide whether an image is upright and not mirrored, or how to correct it.",
    sample=_sample,
    draw=lambda scene: scene.scenes3d,
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=(len(COARSE), 16), balance=_balanced, chance=(1 / 3 + 3 / 16) / 2),
    skills=SKILLS["canonical-orientation"],
    levels=LEVELS,
    settings=DESIGN,
    images=SQUARE,
    paper=replace(PAPER, scorer=published("canonical-orientation")),
    reported=Reported(
        attributes=lambda scene: attributes(scene, "canonical-orientation", (len(COARSE), 16)) | _attributes(scene),
        distractor_types=_errors,
    ),
    checks=replace(
        CHECKS,
        symmetries=(from_another_side,),
        shortcuts=_SHORTCUTS,
        exemptions={
            "attributes": Exemption(
                "whether the view is from above, which shows no upward direction, is a part of the question",
                0.25,
                {"coarse": 0.43, "": 0.33},
            ),
            "coarse image features (learned)": Exemption(
                "the positions of sky and ground in the image show which direction is up, which is a part of the question",
                0.25,
                {"coarse": 0.45, "": 0.35},
            ),
        },
    ),
)
