"""Rotation angle: the angle of the camera rotation between consecutive images (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.question import Exemption
from isovist.core.reasoning.templates import phrasing
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Preset, Question, Reasoning, Reported, SamplingContext, Task, identity
from isovist.suites.cospace import cot_camera_rotation, environments, rederivation, shortcuts
from isovist.suites.cospace.environments import SETTINGS, Somewhere
from isovist.suites.cospace.shared_parts import BY_PLACE, PAPER, SQUARE, attributes, in_drawn_place, turned_world
from isovist.suites.cospace.view_sets import Views, some_fov, varied
from isovist.world.scenes.answer_options import listed_options, with_key_at

PICTURES = 4


@dataclass(frozen=True, slots=True)
class Level:
    """`angles`: the offered angles; `fovs`: least and greatest field of view, which is sampled independently of the angle; `pictures`:
    number of images; `paper`: field of view in the paper's design. All angles are in degrees.
    """

    angles: tuple[int, ...]
    fovs: tuple[int, int]
    paper: int
    pictures: int = PICTURES


LEVELS: dict[str, Level] = {
    "30-60": Level((30, 60), (80, 100), 90),
    "45-90": Level((45, 90), (105, 120), 110),
    "30-45": Level((30, 45), (65, 85), 75),
    "45-60": Level((45, 60), (75, 95), 90),
    "75-90": Level((75, 90), (105, 120), 110, 3),  # after three rotations of 90 degrees, the first image would be a neighbour again
    "30-to-75": Level((30, 45, 60, 75), (90, 105), 100),
    "75-to-120": Level((75, 90, 105, 120), (125, 135), 130, 3),  # after three rotations of 120 degrees, the first image would be repeated
}


@dataclass(frozen=True, slots=True)
class Scene:
    """`offered_angles`: the angles in option order, in degrees."""

    views: Views
    offered_angles: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """Sample the scene of a question about a place."""
    level, paper = LEVELS[plan.level], environments.as_published(plan)
    rng, step, n = plan.item_rng, level.angles[plan.stratum], PICTURES if paper else level.pictures
    letter, others = plan.item_stratum("letter", len(level.angles)), [angle for angle in level.angles if angle != step]
    options = with_key_at(letter, step, others, rng)
    start = round(rng.uniform(0, 360), 1) % 360
    fov = level.paper if paper else some_fov(rng, *level.fovs)
    views = Views(place, environments.world(place).place, start, fov, tuple(float(step * i) for i in range(n)))
    return Scene(views if paper else replace(views, lights=varied(rng, n)), options)


def _ask(scene: Scene) -> Question:
    step = round(scene.views.rotations_deg[1] - scene.views.rotations_deg[0])
    number = {3: "three", 4: "four"}[len(scene.views.rotations_deg)]
    light = "The lighting differs slightly between the images. " if scene.views.lights else ""
    text = (
        f"The {number} images were taken one after another from the same position. {light}After each image, the camera was rotated "
        f"clockwise (seen from above) by the same angle. Each image has a horizontal field of view of {scene.views.fov} degrees. The images do not "
        "necessarily cover all directions. The last image may show part or all of what the first image shows.\nBy what angle was the camera "
        "rotated between consecutive images?"
    )
    return Question(text, Choice(tuple(f"{angle} degrees" for angle in scene.offered_angles), scene.offered_angles.index(step)))


def _read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """The only option whose sine and cosine match every rotation."""
    steps = rederivation.rotation_steps(pictures)
    matching = [option for option in listed_options(text) if all(_is(step, int(option.split()[0])) for step in steps)]
    return matching[0] if len(matching) == 1 else "not one angle"


def _is(step: complex, angle: int) -> bool:
    return abs(step - complex(cosine(angle), sine(angle))) < 1e-4


def _explain(scene: Scene) -> str:
    return cot_camera_rotation.of_angle(scene.views, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    return cot_camera_rotation.replay_angle(scene.views, scene.offered_angles, _ask(scene).answer, text)


def _later(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Rotate the headings of all images by 100 degrees."""
    return replace(scene, views=replace(scene.views, heading=round(scene.views.heading + 100, 1) % 360)), identity


TASK = Task(
    id="cospace/rotation-angle",
    version=6,
    summary="Estimate the camera rotation between four consecutive views.",
    sample=in_drawn_place(about),
    draw=lambda scene: scene.views.stages(),
    ask=_ask,
    rederive=_read,
    answers=Answers(type="choice", strata=tuple(len(level.angles) for level in LEVELS.values())),
    skills=("rotation", "rotation angle"),
    levels=tuple(LEVELS),
    settings=SETTINGS,
    images=SQUARE,
    sampling=BY_PLACE,
    paper=replace(
        PAPER, sizes={"test": Preset(300, note="half of the items 30 or 60 degrees, half 45 or 90 degrees", levels=("30-60", "45-90"))}
    ),
    reported=Reported(attributes=lambda scene: attributes(scene.views) | {"angle": str(round(scene.views.rotations_deg[1]))}),
    checks=Checks(
        symmetries=(turned_world, _later),
        shortcuts=shortcuts.ANGLES,
        exemptions={
            "the rectangles of the objects (learned)": Exemption(
                "the places of one object in two images give the rotation", 0.85, {"": 0.75}
            )
        },
    ),
    reasoning=Reasoning(_explain, _replay),
)
