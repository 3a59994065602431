"""A plug-in: the task `example/higher-dot`, and the model `example/top-pixel`, which solves it."""

from isovist.core.answers import Choice
from isovist.core.drawing2d import Circle, Drawing
from isovist.core.task import Answers, Question, Task

COLOURS = {"red": "#c01622", "blue": "#1748c4"}


def sample(context):  # a scene is plain data: the two dots as (colour, centre), the higher one first, and the options
    rng, options = context.item_rng, ("red", "blue") if context.item_stratum("order", 2) == 0 else ("blue", "red")
    low = rng.uniform(0.1, 0.5)
    high = rng.uniform(low + 0.15, 0.9)
    higher, lower = ("red", "blue") if context.stratum == 0 else ("blue", "red")
    return (higher, (rng.uniform(0.1, 0.9), high)), (lower, (rng.uniform(0.1, 0.9), low)), options


def draw(scene):
    return (Drawing(tuple(Circle(centre, 0.04, COLOURS[colour]) for colour, centre in sorted(scene[:2]))),)


def ask(scene):
    return Question("Which dot is higher?", Choice(scene[2], scene[2].index(scene[0][0])))


def rederive(drawings, text):  # the key a second time, from the shapes alone
    return {fill: colour for colour, fill in COLOURS.items()}[max(drawings[0].shapes, key=lambda dot: dot.center[1]).fill]


TASK = Task(
    id="example/higher-dot", version=1, summary="Say which of two dots is higher.", sample=sample, draw=draw, ask=ask, rederive=rederive,
    answers=Answers(type="choice", strata=2), skills=("position",),
)  # fmt: skip


class TopPixel:
    def __init__(self, name, options): ...

    def generate(self, images, prompt):
        pixels = (images[0].getpixel((x, y)) for y in range(images[0].height) for x in range(images[0].width))
        red, _, blue = next(pixel for pixel in pixels if max(pixel) - min(pixel) > 100)
        return "Answer: red" if red > blue else "Answer: blue"
