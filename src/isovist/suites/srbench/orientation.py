"""Orientation: which of eight ways an object faces, as the viewer sees it (section 3.4 of the paper, after EgoOrientBench).

The frame is the viewer's, also for what has a left of its own: front is towards the camera, back is away from it, left and right
are those of the picture. Two tasks ask about the same pictures: yes or no, as the paper samples it, and one of the eight.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from isovist.core.answers import Choice, YesNo
from isovist.core.option_angles import OptionAngles
from isovist.core.scene3d import Scene3D, facing
from isovist.core.task import Preset, Question, SamplingContext, Task, identity
from isovist.scenes import object_catalog, scene_transforms
from isovist.scenes.answer_options import with_key_at
from isovist.scenes.camera_framing import aimed, standing, viewpoint
from isovist.scenes.scene_builder import SETTINGS, TINTS, Setting, crowd
from isovist.scenes.scene_transforms import ALONE_SHARE, CROWD_SHARE, Span, across_and_back, marked, marked_stage, within
from isovist.suites.srbench.published_scorer import published

DIRECTIONS = ("front", "front right", "right", "back right", "back", "back left", "left", "front left")
"""Counterclockwise as seen from above, 45 degrees apart, from towards the camera: `core.solid.facing` is 90 for the right."""
_STEP = 45
_STEEP = 2.414213562373095  # tangent of 67.5 degrees
PIXELS = 384
ITEMS = 400

_FRAME = (
    "All directions are meant as you see the picture: front is towards you, back is away from you, left and right are the left and the right of "
    "the picture, and the other four lie halfway between two of these. The direction is that of the front of the object, the side that it is "
    "used from or that goes ahead."
)
_ASKED = re.compile(rf" face ({'|'.join(DIRECTIONS)}), and in none")


@dataclass(frozen=True, slots=True)
class Scene:
    """`target`: the place of what is asked about in the stage's solids. `asked_direction`: a place in `DIRECTIONS`; None if all are offered,
    in the order `options`, which are such places.
    """

    setting: Setting
    target: int
    category: str
    broad_category: str
    scene3d: Scene3D
    asked_direction: int | None = None
    options: tuple[int, ...] = ()


def _picture(plan: SamplingContext) -> tuple[Scene, int]:
    """A scene without a question, and where its target faces."""
    rng = plan.image_rng
    setting = SETTINGS[plan.image_stratum("setting", len(SETTINGS))]
    faced = plan.image_stratum("facing", len(DIRECTIONS))
    looked = viewpoint(rng, ALONE_SHARE if setting == "alone" else CROWD_SHARE)
    spans: tuple[Span, ...] = ((_STEP * faced - _STEP / 2, _STEP * faced + _STEP / 2),)
    angle = within(rng, spans, looked.across)
    # what tells its front from any side: else an object that is only shown from before would give the answer away
    thing = object_catalog.pick(rng, object_catalog.plain(object_catalog.chosen(("clear",), None if setting == "alone" else setting)))
    body = standing(thing, (0.0, 0.0), looked.azimuth + angle, rng.pick(TINTS))
    camera = aimed(looked, [body])
    around = crowd(rng, setting, camera, [body], rng.integer(2, 5))
    made, (place,) = marked_stage(rng, setting, camera, (body, *around), 1)
    return Scene(setting, place, thing.category, thing.broad, made), faced


def _faced(scene: Scene) -> int:
    """By the yaw of the front against the line to the camera."""
    angle = facing(scene.scene3d.camera, scene.scene3d.objects[scene.target].pose)
    return round(angle / _STEP) % len(DIRECTIONS)


def _it(scene: Scene) -> str:
    return f"the {scene.category} in the red frame" if scene.scene3d.markers else f"the {scene.category}"


def _sample_yes_no(plan: SamplingContext) -> Scene:
    """Half yes; of the others each of the seven other directions is asked equally often, by how far it is turned from the true one."""
    scene, faced = _picture(plan)
    off = 0 if plan.stratum else 1 + plan.item_stratum("off", len(DIRECTIONS) - 1)
    return replace(scene, asked_direction=(faced + off) % len(DIRECTIONS))


def _sample_eight(plan: SamplingContext) -> Scene:
    """All eight as options, the right one at each place equally often."""
    scene, faced = _picture(plan)
    others = [other for other in range(len(DIRECTIONS)) if other != faced]
    return replace(scene, options=with_key_at(plan.stratum, faced, others, plan.item_rng))


def _ask_yes_no(scene: Scene) -> Question:
    assert scene.asked_direction is not None
    text = f"{_FRAME}\nDoes {_it(scene)} face {DIRECTIONS[scene.asked_direction]}, and in none of the seven other directions?"
    return Question(text, YesNo(_faced(scene) == scene.asked_direction))


def _ask_eight(scene: Scene) -> Question:
    options = tuple(DIRECTIONS[i] for i in scene.options)
    return Question(f"{_FRAME}\nIn which direction does {_it(scene)} face?", Choice(options, scene.options.index(_faced(scene))))


def _seen(pictures: tuple[Any, ...]) -> str:
    """By what the front's direction shows to the right and out of the picture: straight on an axis where one is 2.41 times the other."""
    (picture,) = pictures
    right, out = across_and_back(scene_transforms.flat_camera(picture), marked(picture))
    depth = "" if abs(right) > _STEEP * abs(out) else "front" if out > 0 else "back"
    aside = "" if abs(out) > _STEEP * abs(right) else "right" if right > 0 else "left"
    return f"{depth} {aside}".strip()


def _read_yes_no(pictures: tuple[Any, ...], words: str) -> str:
    asked = _ASKED.search(words)
    assert asked, words
    return "yes" if asked[1] == _seen(pictures) else "no"


def _read_eight(pictures: tuple[Any, ...], _words: str) -> str:
    return _seen(pictures)


# Symmetries --------------------------------------------------------------------------------------------------------


def _from_another_side(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    return replace(scene, scene3d=scene_transforms.from_another_side(scene.scene3d)), identity


def _turned(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """The object turns by an eighth of a turn: so does what is asked, or what is answered."""
    moved = replace(scene, scene3d=scene_transforms.with_turned(scene.scene3d, scene.target, _STEP))
    if scene.asked_direction is not None:
        return replace(moved, asked_direction=(scene.asked_direction + 1) % len(DIRECTIONS)), identity
    return moved, lambda answer: DIRECTIONS[(DIRECTIONS.index(answer) + 1) % len(DIRECTIONS)]


def _in_a_mirror(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Left becomes right, in what is asked or in what is answered."""
    moved = replace(scene, scene3d=scene_transforms.in_a_mirror(scene.scene3d))
    if scene.asked_direction is not None:
        return replace(moved, asked_direction=-scene.asked_direction % len(DIRECTIONS)), identity
    return moved, lambda answer: DIRECTIONS[-DIRECTIONS.index(answer) % len(DIRECTIONS)]


# What reports group by ---------------------------------------------------------------------------------------------


def off(scene: Scene) -> str:
    """How far the direction asked about lies from the true one, and whether it is its mirror image, left for right."""
    assert scene.asked_direction is not None
    faced = _faced(scene)
    apart = min((scene.asked_direction - faced) % 8, (faced - scene.asked_direction) % 8) * _STEP
    return f"{apart} degrees{', mirrored' if apart and (scene.asked_direction + faced) % 8 == 0 else ''}"


def _facets(scene: Scene) -> dict[str, str]:
    facets = {
        "direction": DIRECTIONS[_faced(scene)],
        "setting": scene.setting,
        "category": scene.category,
        "broad class": scene.broad_category,
    }
    return facets if scene.asked_direction is None else {**facets, "asked off by": off(scene)}


def _angles(answer: Choice) -> Mapping[str, OptionAngles]:
    """A front that points to the left of the picture is a quarter clockwise of the camera, seen from above."""
    angles = tuple(-_STEP * (place if place < 4 else place - 8) + 0.0 for place in map(DIRECTIONS.index, answer.options))
    return {"front": OptionAngles(angles, "clockwise, seen from above")}


def _task(name: str, **more: Any) -> Task[Scene]:
    return Task(
        id=f"srbench/{name}",
        version=1,
        draw=lambda scene: (scene.scene3d,),
        layout=lambda scene: scene.scene3d,
        image_family="srbench/orientation",
        symmetries=(_from_another_side, _turned, _in_a_mirror),
        skills=("egocentric orientation", "left and right"),
        source="SRBench, section 3.4 (EgoOrientBench)",
        image_size_px=PIXELS,
        published_scorer=published,
        attributes=_facets,
        category=lambda scene: scene.category,
        **more,
    )


TASKS: tuple[Task[Scene], ...] = (
    _task(
        "orientation",
        summary="Decide whether an object faces a given direction, as seen by the viewer.",
        sample=_sample_yes_no,
        ask=_ask_yes_no,
        rederive=_read_yes_no,
        strata=2,
        chance=1 / 2,
        answer_type="yes-no",
        published_sizes={"test": Preset(ITEMS, note="the paper's 400 items, yes or no")},
    ),
    _task(
        "orientation-eight-way",
        summary="Name the facing direction of an object, out of eight.",
        sample=_sample_eight,
        ask=_ask_eight,
        rederive=_read_eight,
        strata=len(DIRECTIONS),
        balance=Choice.canonical,
        chance=1 / len(DIRECTIONS),
        answer_type="choice",
        option_angles=_angles,
    ),
)
