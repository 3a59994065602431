"""Questions whose options are classes of an angle between a front and the camera direction, or between two fronts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from isovist.core.reasoning.templates import phrasing
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D, facing
from isovist.core.task import Question, Reasoning, SamplingContext
from isovist.suites.dori import cot_facing
from isovist.suites.dori.shared_parts import UNKNOWN, Scene, has_front, named, question, sample_one
from isovist.world.scenes.scene_transforms import Span

FRONT = (
    "The front of an object is the side that is used or that leads when the object moves: a face, headlights, a screen, or "
    "the open side of a seat."
)
PAIR = (
    "An object may be a pair of identical objects. A pair has one front if both face the same direction, and no "
    "front if they face opposite directions."
)
INDETERMINABLE = (
    "The answer cannot be determined if the object has no single front. It also cannot be determined if the object is hidden so "
    "much that its front could be on either of two opposite sides."
)


@dataclass(frozen=True, slots=True)
class Classes:
    """The options of a level, their spans of angles in degrees, and the texts of the question; `{it}` stands for the object.

    `nearest`: the options are single angles, and the nearest one is the key; the question states no edges.
    """

    options: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]
    task: str
    concept: str
    steps: tuple[str, ...]
    example: str
    nearest: bool = False

    @property
    def edges(self) -> tuple[float, ...]:
        """Angles from the camera direction, in degrees from 0 to 180, at which the option changes."""
        if self.nearest:
            return ()
        return tuple(sorted({0.0, 180.0} | {abs(wrapped(edge)) for spans in self.spans for span in spans for edge in span}))

    def of(self, angle: float) -> str:
        """The option whose span contains an angle."""
        (index,) = [i for i, spans in enumerate(self.spans) if any((angle - low) % 360 < high - low for low, high in spans)]
        return self.options[index]

    def question(self, key: str, subject: str = "") -> Question:
        """The question with the option `key` as its answer; `subject` is the phrase for the object."""
        steps = [step.format(it=subject) for step in self.steps]
        return question(self.task.format(it=subject), self.concept, steps, self.example, self.options, self.options.index(key))


Levels = Mapping[str, Classes]
Read = Callable[[tuple[Scene3D, ...], str], str]


def key_of(scene: Scene, levels: Levels) -> str:
    """The option for the angle between the front of the target and the direction to the camera."""
    picture = scene.scenes3d[0]
    solid = picture.objects[scene.targets[0]]
    return levels[scene.level].of(facing(picture.camera, solid.pose)) if has_front(solid) and not scene.front_is_hidden else UNKNOWN


def sampling(levels: Levels) -> Callable[[SamplingContext], Scene]:
    """Sample a scene whose front has an angle to the camera in the spans of the stratum, or no visible front."""

    def sample(plan: SamplingContext) -> Scene:
        spans = levels[plan.level].spans
        return sample_one(plan, spans[plan.stratum] if plan.stratum < len(spans) else None)

    return sample


def asking(levels: Levels) -> Callable[[Scene], Question]:
    """Ask about the angle between the front of one object and the camera direction."""
    return lambda scene: levels[scene.level].question(key_of(scene, levels), named(scene))


def reasoning(levels: Levels, read: Read, *, turn: bool = False) -> Reasoning[Scene]:
    """The chains of such a question. With `turn`, the options are rotations that make the front point toward the camera."""
    ask = asking(levels)

    def explain(scene: Scene) -> str:
        return cot_facing.chain(scene, ask(scene).answer, levels[scene.level].edges, phrasing(scene), turn=turn)

    def replay(scene: Scene, text: str) -> list[str]:
        item_question = ask(scene)
        answer = read(scene.scenes3d, item_question.text_with_options)
        return cot_facing.replay(scene.scenes3d[0], answer, item_question.answer, levels[scene.level].edges, text, turn=turn)

    return Reasoning(explain, replay)
