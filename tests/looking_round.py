"""A small task of several pictures in order: the views from one place, one dot in each, and where the dot of one colour is."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image

from isovist.core.answers import Choice
from isovist.core.drawing2d import Circle, Drawing, Point
from isovist.core.task import Answers, Images, Orders, Question, SamplingContext, Task

WAYS = {2: ("north", "south"), 4: ("north", "east", "south", "west")}
HUES = {"red": "#c01622", "blue": "#1748c4", "green": "#187030", "purple": "#6f1fb0"}
NUMBERS = ("first", "second", "third", "fourth")


@dataclass(frozen=True)
class Scene:
    hues: tuple[str, ...]  # in the order of the ways
    dots: tuple[Point, ...]
    asked: str
    shuffled: tuple[int, ...]

    @property
    def ways(self) -> tuple[str, ...]:
        return WAYS[len(self.hues)]


def sample(views: int, plan: SamplingContext) -> Scene:
    rng = plan.item_rng
    hues = rng.sample(tuple(HUES), views)
    dots = tuple((rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8)) for _ in range(views))
    order = tuple(rng.shuffled(range(views)))
    shuffled = tuple(reversed(order)) if order == tuple(range(views)) else order
    return Scene(tuple(hues), dots, hues[plan.stratum], shuffled)


def draw(scene: Scene) -> tuple[Drawing, ...]:
    return tuple(Drawing((Circle(at, 0.1, HUES[hue]),)) for at, hue in zip(scene.dots, scene.hues, strict=True))


def ask(scene: Scene) -> Question:
    return Question(words(scene, range(len(scene.hues))), Choice(scene.ways, scene.hues.index(scene.asked)))


def words(scene: Scene, order: Iterable[int]) -> str:
    facings = ", ".join(f"the {number} faces {scene.ways[place]}" for number, place in zip(NUMBERS, order, strict=False))
    return f"The pictures are views from one place: {facings}. Where is the {scene.asked} dot?"


def read(pictures: tuple[Drawing, ...], question: str) -> str:
    (hue,) = (code for name, code in HUES.items() if f"the {name} dot" in question)
    shown = [shape.fill for picture in pictures for shape in picture.shapes if isinstance(shape, Circle)]
    number = NUMBERS[shown.index(hue)]
    return question.partition(f"the {number} faces ")[2].partition(".")[0].partition(",")[0]


def orders(scene: Scene) -> Orders:
    views = len(scene.hues)
    starts = {f"start-{k + 1}": (*range(k, views), *range(k)) for k in range(1, views)}
    permutations = starts | {"shuffled": scene.shuffled} if views > 2 else {"shuffled": scene.shuffled}
    return {name: (order, words(scene, order)) for name, order in permutations.items()}


def looking_round(views: int) -> Task[Scene]:
    """With two or four views; four have other starts ("start-2" to "start-4") and "shuffled", two have "shuffled" alone."""
    return Task(
        id=f"planted/round-{views}",
        version=1,
        summary="Say in which direction the dot of one colour is.",
        sample=partial(sample, views),
        draw=draw,
        ask=ask,
        rederive=read,
        answers=Answers(type="choice", strata=views),
        skills=("direction",),
        images=Images(size_px=96, orders=orders),
    )


def hue(image: bytes) -> str:
    """The colour of the dot in a picture."""
    with Image.open(io.BytesIO(image)) as opened:
        seen = {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.asarray(opened.convert("RGB")).reshape(-1, 3).tolist()}
    (name,) = (name for name, code in HUES.items() if code in seen)
    return name


def asked_in(question: str) -> str:
    """The colour that a question asks for."""
    return next(name for name in HUES if f"the {name} dot?" in question)


def ways_in(question: str) -> list[str]:
    """Where the pictures face, in the order in which a question tells it."""
    return [part.split(" faces ")[1] for part in question.split("place: ")[1].split(". Where", maxsplit=1)[0].split(", ")]
