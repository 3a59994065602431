"""Chains of thought about the direction of things: in which picture each is seen, how far across, and what that adds up to.

Directions are degrees clockwise from north, which is where the first picture looks. The verifier finds each thing by name among the
solids, measures it in the frame of the camera that is named, and adds up again.
"""

from __future__ import annotations

from collections.abc import Sequence

from isovist.core.answers import Answer
from isovist.core.rotation import wrapped
from isovist.core.scene3d import Scene3D
from isovist.reasoning.templates import NUMBER, Step, StepTemplate, one_of, parse_chain
from isovist.reasoning.verifier import Due, render_chain
from isovist.scenes.compass import COMPASS_DIRECTIONS
from isovist.suites.cospace import rederivation
from isovist.suites.cospace.cot_landmarks import FIVES, THING, WHERE, amiss, fives, percent, signed, where
from isovist.suites.cospace.directions import STEP
from isovist.suites.cospace.view_sets import AROUND, WIND_NAMES, Views

_SEEN = StepTemplate(
    "seen",
    (
        "The {thing} is seen in picture {picture}, about {percent} percent of the way across from its left side: {where}.",
        "In picture {picture} the {thing} stands at about {percent} percent of the width, counted from the left, which is {where}.",
        "I find the {thing} in picture {picture}, some {percent} percent across from the left, so {where}.",
    ),
    {"thing": THING, "picture": "[1-4]", "percent": FIVES, "where": WHERE},
)
_SUM = StepTemplate(
    "sum",
    (
        "Picture {picture} looks {wind}, at {base} degrees clockwise from north, so the {thing} lies at about {at} degrees.",
        "That picture, number {picture}, looks {wind} ({base} degrees clockwise from north). The {thing} is at about {at} degrees, then.",
        "The middle of picture {picture} is {wind}, {base} degrees clockwise from north. That puts the {thing} at about {at} degrees.",
    ),
    {"thing": THING, "picture": "[1-4]", "wind": one_of(WIND_NAMES), "base": NUMBER, "at": FIVES},
)
_NEAREST = StepTemplate(
    "nearest",
    (
        "Of the eight directions {wind}, at {degrees} degrees, is the nearest.",
        "The nearest of the eight directions is {wind} ({degrees} degrees).",
    ),
    {"wind": one_of(COMPASS_DIRECTIONS), "degrees": NUMBER},
)
_ASKED = StepTemplate(
    "asked",
    (
        "Asked is what lies to the {wind}, which is at {degrees} degrees clockwise from north; each of eight directions reaches 22.5 degrees to either side.",
        "{degrees} degrees clockwise from north is {wind}, the direction asked about, and it reaches 22.5 degrees to either side.",
    ),
    {"wind": one_of(wind.lower() for wind in COMPASS_DIRECTIONS), "degrees": NUMBER},
)
_OFF = StepTemplate(
    "off",
    (
        "That is about {off} degrees off the direction asked about.",
        "From the direction asked about it is about {off} degrees away.",
    ),
    {"off": FIVES},
)
_ONLY = StepTemplate(
    "only",
    ("Only the {thing} lies in that direction.", "So it is the {thing} that lies there.", "None but the {thing} is near enough."),
    {"thing": THING},
)


def _sight(views: Views, name: str) -> tuple[list[Due], int]:
    """A thing in the picture that looks nearest to it, and the degrees clockwise from north that this makes."""
    bearing = wrapped(views.thing(name).bearing - views.heading)
    picture = min(range(4), key=lambda i: abs(wrapped(bearing - AROUND[i])))
    angle = wrapped(bearing - AROUND[picture])
    base = int(AROUND[picture])
    at = (base + signed(where(angle))) % 360
    return [
        (_SEEN, {"thing": name, "picture": picture + 1, "percent": percent(angle, views.fov), "where": where(angle)}),
        (_SUM, {"thing": name, "picture": picture + 1, "wind": WIND_NAMES[picture], "base": base, "at": at}),
    ], at


def of_thing(views: Views, name: str, key: Answer, phrasing: int) -> str:
    """The chain of the question in which direction a thing lies."""
    steps, _ = _sight(views, name)
    wind = views.direction(name)
    return render_chain([*steps, (_NEAREST, {"wind": COMPASS_DIRECTIONS[wind], "degrees": round(STEP * wind)})], key, phrasing)


def of_direction(views: Views, asked: int, names: Sequence[str], truth: int, key: Answer, phrasing: int) -> str:
    """The chain of the question which of some things lies in a direction."""
    degrees = round(STEP * asked)
    steps: list[Due] = [(_ASKED, {"wind": COMPASS_DIRECTIONS[asked].lower(), "degrees": degrees})]
    for name in names:
        more, at = _sight(views, name)
        steps += [*more, (_OFF, {"off": fives(abs(wrapped(at - degrees)))})]
    return render_chain([*steps, (_ONLY, {"thing": names[truth]})], key, phrasing)


# ---- the verifier ------------------------------------------------------------------------------------------------------

_ALL = (_SEEN, _SUM, _NEAREST, _ASKED, _OFF, _ONLY)


def _sighted(steps: Sequence[Step], pictures: Sequence[Scene3D], words: str, name: str) -> list[str]:
    """Faults of the two steps that tell where a thing lies."""
    seen, added = steps
    if (seen["thing"], added["thing"]) != (name, name) or seen["picture"] != added["picture"]:
        return [f"{added.line!r}: the {name} is due, in one picture"]
    picture = pictures[seen.number("picture") - 1]
    fault = amiss(seen, picture, rederivation.only(pictures, name), "percent", "where")
    # by how many quarters the camera is turned clockwise from north
    along, right = rederivation.parts(rederivation.front(pictures, words), *rederivation.ahead(picture))
    quarters = {(1, 0): 0, (0, 1): 1, (-1, 0): 2, (0, -1): 3}[round(along), round(right)]
    faults = [fault] if fault else []
    if (added["wind"], added.number("base")) != (WIND_NAMES[quarters], 90 * quarters):
        faults.append(f"{added.line!r}: that picture looks {WIND_NAMES[quarters]}")
    if added.number("at") != (90 * quarters + signed(seen["where"])) % 360:
        faults.append(f"{added.line!r}: that is not the sum")
    if abs(signed(seen["where"])) > 50:
        faults.append(f"{seen.line!r}: another picture shows it nearer to its middle")
    return faults


def replay_thing(pictures: Sequence[Scene3D], words: str, name: str, key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about one thing."""
    steps, faults = parse_chain(text, _ALL, key)
    if faults:
        return faults
    if [step.statement for step in steps] != ["seen", "sum", "nearest"]:
        return ["its steps are not: where the thing is seen, what that adds up to, and which direction is nearest"]
    lies = rederivation.direction(pictures, words, rederivation.only(pictures, name))
    faults = _sighted(steps[:2], pictures, words, name)
    if (
        lies is None
        or (steps[2]["wind"], steps[2].number("degrees")) != (COMPASS_DIRECTIONS[lies], 45 * lies)
        or key.balance_bin() != COMPASS_DIRECTIONS[lies]
    ):
        faults.append(f"{steps[2].line!r}: it is not so")
    return faults


def replay_direction(pictures: Sequence[Scene3D], words: str, asked: int, key: Answer, text: str) -> list[str]:
    """What is wrong with a chain about several things, which the words list."""
    steps, faults = parse_chain(text, _ALL, key)
    if faults:
        return faults
    names = [option.removeprefix("the ") for option in rederivation.options(words)]
    if [step.statement for step in steps] != ["asked", *["seen", "sum", "off"] * len(names), "only"]:
        return ["its steps are not: what is asked, where each thing is seen and lies, and which one that leaves"]
    if (steps[0]["wind"], steps[0].number("degrees")) != (COMPASS_DIRECTIONS[asked].lower(), 45 * asked):
        faults.append(f"{steps[0].line!r}: it is not what is asked")
    for place, name in enumerate(names):
        seen, added, off = steps[1 + 3 * place : 4 + 3 * place]
        faults += _sighted((seen, added), pictures, words, name)
        away = abs(added.number("at") - 45 * asked)
        if off.number("off") != min(away, 360 - away):
            faults.append(f"{off.line!r}: it is {min(away, 360 - away)} degrees")
    matching = [name for name in names if rederivation.direction(pictures, words, rederivation.only(pictures, name)) == asked]
    if [steps[-1]["thing"]] != matching or key.balance_bin() != f"the {matching[0]}":
        faults.append(f"{steps[-1].line!r}: it is not so")
    return faults
