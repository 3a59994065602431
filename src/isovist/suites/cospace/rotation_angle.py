"""Rotation angle: by how many degrees the camera was turned from each picture to the next (section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from isovist.core.answers import Choice
from isovist.core.rotation import cosine, sine
from isovist.core.scene3d import Scene3D
from isovist.core.task import Question, SamplingContext, identity
from isovist.reasoning.templates import phrasing
from isovist.scenes.answer_options import listed_options, with_key_at
from isovist.suites.cospace import cot_camera_rotation, environments, rederivation, shortcuts
from isovist.suites.cospace.environments import Somewhere
from isovist.suites.cospace.task_factory import cospace, facets, in_drawn_place
from isovist.suites.cospace.view_sets import Views, some_fov, varied

PICTURES = 4


@dataclass(frozen=True, slots=True)
class Level:
    """`angles`: those that are offered; `fovs`: the least and greatest field of view, one of which is drawn for each item whatever its
    angle; `pictures`: how many there are; `paper`: the field of view in the paper's design.
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
    "75-90": Level((75, 90), (105, 120), 110, 3),  # after three turns of 90 the first picture is a neighbour again
    "30-to-75": Level((30, 45, 60, 75), (90, 105), 100),
    "75-to-120": Level((75, 90, 105, 120), (125, 135), 130, 3),  # the fourth picture after turns of 120 would be the first one again
}


@dataclass(frozen=True, slots=True)
class Scene:
    """`offered_angles`: the angles as shown."""

    views: Views
    offered_angles: tuple[int, ...]


def about(plan: SamplingContext, place: Somewhere) -> Scene:
    """A question about a place."""
    level, paper = LEVELS[plan.level], environments.as_published(plan)
    rng, step, n = plan.item_rng, level.angles[plan.stratum], PICTURES if paper else level.pictures
    letter, others = plan.item_stratum("letter", len(level.angles)), [angle for angle in level.angles if angle != step]
    shown = with_key_at(letter, step, others, rng)
    start = round(rng.uniform(0, 360), 1) % 360
    fov = level.paper if paper else some_fov(rng, *level.fovs)
    looked = Views(place, environments.world(place).place, start, fov, tuple(float(step * i) for i in range(n)))
    return Scene(looked if paper else replace(looked, lights=varied(rng, n)), shown)


def _ask(scene: Scene) -> Question:
    step = round(scene.views.rotations_deg[1] - scene.views.rotations_deg[0])
    n, light = len(scene.views.rotations_deg), "The light changed a little between them. " if scene.views.lights else ""
    text = (
        f"The {n} pictures were taken one after the other from one spot. {light}After each picture the camera was turned clockwise by "
        f"the same angle. Each picture is {scene.views.fov} degrees wide; together they need not show all around, and the last may show "
        "what the first showed.\nBy what angle was the camera turned from each picture to the next?"
    )
    return Question(text, Choice(tuple(f"{angle} degrees" for angle in scene.offered_angles), scene.offered_angles.index(step)))


def _read(pictures: tuple[Scene3D, ...], words: str) -> str:
    """The one option whose sine and cosine are those of every turn."""
    steps = rederivation.quarter_steps(pictures)
    fits = [text for text in listed_options(words) if all(_is(step, int(text.split()[0])) for step in steps)]
    return fits[0] if len(fits) == 1 else "not one angle"


def _is(step: complex, angle: int) -> bool:
    return abs(step - complex(cosine(angle), sine(angle))) < 1e-4


def _explain(scene: Scene) -> str:
    return cot_camera_rotation.of_angle(scene.views, _ask(scene).answer, phrasing(scene))


def _replay(scene: Scene, text: str) -> list[str]:
    return cot_camera_rotation.replay_angle(scene.views, scene.offered_angles, _ask(scene).answer, text)


def _later(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """All pictures look 100 degrees further."""
    return replace(scene, views=replace(scene.views, heading=round(scene.views.heading + 100, 1) % 360)), identity


TASK = cospace(
    "rotation-angle",
    "Estimate the camera rotation between four consecutive views.",
    in_drawn_place(about),
    _ask,
    _read,
    _later,
    chain_of_thought=_explain,
    verify_chain=_replay,
    skills=("rotation", "rotation angle"),
    paper=300,
    note="half of them 30 or 60 degrees, half 45 or 90",
    rounds=("30-60", "45-90"),
    chance=sum(1 / len(level.angles) for level in LEVELS.values()) / len(LEVELS),
    strata=tuple(len(level.angles) for level in LEVELS.values()),
    levels=tuple(LEVELS),
    shortcuts=shortcuts.ANGLES,
    attributes=lambda scene: facets(scene.views) | {"angle": str(round(scene.views.rotations_deg[1]))},
)
