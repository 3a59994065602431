"""Is a picture upright, and if not, how is it made so?

Every picture is made upright first (`canonical_scenes`), and then flipped or turned by quarters. Ground, walls, sky and things tell
what is up; words tell a mirror image and nothing else, since boards stand on any of their edges. Where no word is seen, a picture may
be mirrored, which nobody can tell and nobody is asked. Where nothing tells what is up, it cannot be determined, word or no word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from isovist.core.answers import Answer, Choice
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, SamplingContext, Shortcut
from isovist.scenes import distractor_types
from isovist.scenes.answer_options import letters_where, listed_options
from isovist.suites.dori.canonical_scenes import BOARD, SILENT, TELLING, View, upright
from isovist.suites.dori.picture_operations import EVERY, STATES, Operation, State, done, operations, option, right
from isovist.suites.dori.picture_upright import arrow, fits, mirrored, quarter, upwards
from isovist.suites.dori.shortcuts import known, unknown
from isovist.suites.dori.task_factory import UNKNOWN, Scene, dori, from_another_side, question

COARSE = ("It is in its canonical orientation", "It is not in its canonical orientation", UNKNOWN)
_WORDEVERY = 4
"""One in so many items of the coarse level shows a word."""
_TASK = "Tell {} its canonical orientation. The picture shows a scene; it may have been flipped or rotated as a whole."
_CONCEPT = (
    "A picture is in its canonical orientation when up is at the top, and when it is not mirrored. What is up is told by things that stand "
    "or hang as they do in the world, and by ground, walls and sky. Signs tell nothing of it: they may stand on any edge, and their words "
    "then run upwards, downwards or upside down. Whether a picture is mirrored, only the letters of a word can tell; where no word is seen, "
    "the mirror image is just as good (an ornament is no word). To flip left to right is to exchange left and right, as a mirror beside the "
    "picture does; to flip top to bottom is to exchange top and bottom. To rotate is to turn the whole picture in its plane. Where nothing "
    "tells what is up, as in a scene that is seen from straight above, or with things in the air of which each hangs another way up, it "
    "cannot be determined, unless mirrored letters tell that the orientation is not the canonical one."
)
_STEPS = (
    "Find what tells up from down: what things stand on, and which way their tops point.",
    "Find a word if there is one, and see whether its letters are mirrored.",
    "{}",
)
_LAST = (
    "Choose the option that fits.",
    "Choose what brings up to the top and leaves no word mirrored; where there are two operations, do them in the order told.",
)
_EXAMPLES = (
    "A person who stands on their head in the picture tells that it is not in its canonical orientation.",
    "A picture in which people stand with their feet to the left, and no word is mirrored, needs a rotation by 90 degrees counterclockwise.",
)


@dataclass(frozen=True, slots=True)
class Turned(Scene):
    """`view`: from where the scene is seen. `word`: it shows a word. `offered`: what the granular options do, but for the last one."""

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
    """A word comes as often with each answer. One that is mirrored tells that a picture is not as it should be, whatever else it shows."""
    rng, word = plan.image_rng, plan.image_stratum("word", _WORDEVERY) == 0
    telling, silent = TELLING[plan.image_stratum("view", len(TELLING))], SILENT[plan.image_stratum("silent", len(SILENT))]
    turned = [state for state in STATES if state[1] and not (word and state[0])]
    if plan.stratum == 2:
        return _made(plan, silent, word, (rng.chance(0.5) and not word, rng.pick((0, 90, 180, 270))))
    if plan.stratum == 0:
        return _made(plan, telling, word, (rng.chance(0.5) and not word, 0))
    fault = plan.image_stratum("fault", 4) if word else 0
    if fault == 3:
        return _made(plan, silent, word, (True, rng.pick((0, 90, 180, 270))))
    return _made(plan, telling, word, (True, 0) if fault == 2 else rng.pick(turned))


def _granular(plan: SamplingContext) -> Turned:
    """Three kinds of options: for pictures without a word, of rotations alone or with flips among them; for others the paper's."""
    rng = plan.image_rng
    kind, place = (plan.stratum // 5, plan.stratum % 5) if plan.stratum < 10 else (2, plan.stratum - 10)
    word, unknown = kind == 2, place == (5 if kind == 2 else 4)
    turns, flip = (rng.pick((90, 180, 270)), rng.pick((90, 270))), rng.integer(0, 1)
    offered = operations(turns, flip) if word else _one_each(plan, flips=kind == 1)
    if unknown:
        return _made(plan, SILENT[plan.image_stratum("silent", len(SILENT))], word, rng.pick(STATES), offered)
    fitting = [state for state in STATES if right(done(state, offered[place]), word=word)]
    return _made(plan, TELLING[plan.image_stratum("view", len(TELLING))], word, rng.pick(fitting), offered)


def _one_each(plan: SamplingContext, *, flips: bool) -> tuple[Operation, ...]:
    """To leave the picture, and one operation for each of the other sides that may have to come to the top, in any order."""
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


def _made(plan: SamplingContext, view: View, word: bool, state: State, offered: tuple[Operation, ...] = ()) -> Turned:
    stage, thing = upright(plan, view, word=word)
    stage = replace(stage, mirrored=state[0], image_rotation_deg=state[1])
    return Turned(plan.level, "alone", (), (thing.category,), (thing.broad,), (stage,), view, word, state, offered)


def _ask(scene: Turned) -> Question:
    return _asked(scene.level, scene.state, scene.offered, unknown=scene.unknown, word=scene.word)


def about(level: str, state: State, turns: tuple[int, int], flip: int, *, unknown: bool = False) -> Question:
    """The question about a picture to which `state` was done, whatever it shows. Raises ValueError if no option of the granular level
    makes it upright and unmirrored again.
    """
    return _asked(level, state, operations(turns, flip), unknown=unknown, word=True)


def _asked(level: str, state: State, offered: tuple[Operation, ...], *, unknown: bool, word: bool) -> Question:
    fine = level == "granular"
    if fine:
        listed = (*map(option, offered), UNKNOWN)
        truth = len(offered) if unknown else [right(done(state, operation), word=word) for operation in offered].index(True)
    else:
        listed = COARSE
        truth = 1 if word and state[0] else 2 if unknown else int(not right(state, word=word))
    asked = "how to bring the picture into" if fine else "whether the picture is in"
    return question(_TASK.format(asked), _CONCEPT, (*_STEPS[:2], _LAST[fine]), _EXAMPLES[fine], listed, truth)


def _errors(scene: Turned) -> list[str]:
    """What each option takes the picture for: by what it would leave of it that is not upright."""
    if scene.level == "granular":
        left = [_left(done(scene.state, operation), word=scene.word) for operation in scene.offered]
    else:  # taken for upright as it is; or for one that is not
        mended = right(scene.state, word=scene.word)
        left = [_left(scene.state, word=scene.word), "upright picture taken for another" if mended else ""]
    known = scene.word and scene.state[0] and scene.level == "coarse"
    return (
        [distractor_types.MISSED_INDETERMINABLE] * len(left) + [""]
        if scene.unknown and not known
        else [*left, distractor_types.ANSWERED_INDETERMINABLE]
    )


def _left(state: State, *, word: bool) -> str:
    """What is wrong with a picture in this state; "" if nothing is."""
    mirrored, angle = state
    if not angle:
        return distractor_types.MIRROR if mirrored and word else ""
    name = distractor_types.OPPOSITE if angle == 180 else distractor_types.ERROR_90_DEG
    return f"{distractor_types.MIRROR} and {name}" if mirrored and word else name


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """By the arrow that points up, moved as every option says, and by the letters, mirrored with every flip."""
    up, wrong = upwards(pictures[0]), mirrored(pictures[0])
    if COARSE[0] in words:
        if wrong:
            return COARSE[1]
        return UNKNOWN if up is None else COARSE[0] if up == (0.0, -1.0) else COARSE[1]
    if up is None:
        return UNKNOWN
    (only,) = (option for option in listed_options(words) if fits(option, up, wrong))
    return only


# Rules that avoid the skill ----------------------------------------------------------------------------------------


def _by_word(scene: Turned, question: Question) -> Collection[str]:
    """How the word reads is taken for how the picture stands."""
    if not scene.word:
        return unknown(question)
    picture = scene.scenes3d[0]
    (board,) = (solid for solid in picture.objects if solid.name == BOARD)
    up, wrong = quarter(arrow(picture, board, (0.0, 1.0, 0.0))), mirrored(picture)
    return letters_where(
        question, lambda option: fits(option, up, wrong) if scene.level == "granular" else option == COARSE[wrong or up[1] > -0.5]
    )


def _by_letters(scene: Turned, question: Question) -> Collection[str]:
    """Nothing but whether the letters are mirrored."""
    wrong = mirrored(scene.scenes3d[0])
    if wrong is None:
        return ()
    if scene.level == "coarse":
        return letters_where(question, lambda option: (option == COARSE[1]) if wrong else True)
    return letters_where(question, lambda option: option == UNKNOWN or (len(re.findall("flip", option.lower())) % 2 == 1) == wrong)


def _by_up(scene: Turned, question: Question) -> Collection[str]:
    """What is up, and no look at words."""
    up = upwards(scene.scenes3d[0])
    if up is None:
        return unknown(question)
    if scene.level == "coarse":
        return letters_where(question, lambda option: option == COARSE[up != (0.0, -1.0)])
    return letters_where(question, lambda option: fits(option, up, None))


_SHORTCUTS: dict[str, Shortcut[Turned]] = {
    "how the word reads; where there is none it cannot be determined": Shortcut(_by_word, "what is up in the scene"),
    "no word: it cannot be determined": Shortcut(
        lambda scene, question: known(question) if scene.word else unknown(question), "what is up in the scene"
    ),
    "no walls, houses or sky: it cannot be determined": Shortcut(
        lambda scene, question: known(question) if scene.view == "level" else unknown(question), "what things tell of up", partial=True
    ),
    "whether letters are mirrored": Shortcut(_by_letters, "what is up in the scene", partial=True),
    "what is up, no word read": Shortcut(_by_up, "words", partial=True),
}


def _balanced(answer: Answer) -> str:
    """What is balanced: the letter among the options of a kind; the words of an option change from item to item."""
    assert isinstance(answer, Choice)
    flips = any("flip" in option.lower() for option in answer.options)
    return f"{len(answer.options)} {flips} {answer.canonical()}"


def _facets(scene: Turned) -> Mapping[str, str]:
    listed = len(scene.offered) + 1 if scene.level == "granular" else len(COARSE)
    return {"view": scene.view, "word": "yes" if scene.word else "no", "options": str(listed)}


TASK = dori(
    "canonical-orientation",
    "Decide whether an image is upright and not mirrored, or how to correct it.",
    _sample,
    _ask,
    _read,
    strata=(len(COARSE), 16),
    chance=(1 / 3 + 3 / 16) / 2,
    balance=_balanced,
    distractor_types=_errors,
    attributes=_facets,
    shortcuts=_SHORTCUTS,
    audit_exemptions={
        "coarse picture (learned)": "where sky and ground lie in the picture tells what is up, which is a part of the question"
    },
    symmetries=(from_another_side,),
)
