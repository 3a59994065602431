"""Counting: the number of objects of a category, some of which are visible in two images (section 3.2). Each counts once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isovist.core.answers import Count
from isovist.core.question import Exemption
from isovist.core.rng import Rng
from isovist.core.scene3d import Scene3D
from isovist.core.task import Answers, Checks, Preset, RejectSample, Reported, SamplingContext, Task, identity
from isovist.suites.cospace import count_designs, environments, rederivation, shortcuts
from isovist.suites.cospace.count_designs import SLOTS, Shown, alike
from isovist.suites.cospace.environments import SETTINGS, Somewhere
from isovist.suites.cospace.shared_parts import BY_PLACE, PAPER, SQUARE, attributes, four_views, turned_world
from isovist.suites.cospace.target_objects import countable, images_of, share_in
from isovist.suites.cospace.view_sets import AROUND, FOVS, Views, shuffled, without_one
from isovist.world.scenes.environments.environment import VisibleObject
from isovist.world.scenes.plurals import plural

FEW, MANY = "1-5", "0-11"
RANGES: dict[str, tuple[int, int]] = {FEW: (1, 5), MANY: (0, 11)}
"""The least and the greatest count of each level. The published keys are from 0 to 11; 91% are from 1 to 5."""
_PUBLISHED = (*(6 * (FEW,)), MANY, *(5 * (FEW,)), MANY)
"""The levels of 13 consecutive items. Then 9% of the keys are 0 or from 6 to 11, as in the published set."""

WIDE_FOVS = (105, 110)
WHOLE = 0.6
"""Least share of each object's width that one image shows."""
CLEARLY, SLIVER = 0.25, 0.04
"""Share of an object's width in a second image: at least `CLEARLY` if it is visible there, at most `SLIVER` otherwise."""
_STEPS = 75
"""Headings tried within 90 degrees: after 90 degrees the images repeat in another order."""
_TRIES = 24
_PLACES = 150
"""Places tried for one item: few places allow the rarer layouts."""
_QUESTION = "How many {} are there in total in the four images?"
_CATEGORY = re.compile("Count each (.+?) once, even")


@dataclass(frozen=True, slots=True)
class Scene:
    """`category`: name of the counted category; `limits`: least and greatest count of the level; `shuffled_order`: shuffled order of the
    images.
    """

    views: Views
    category: str
    limits: tuple[int, int]
    shuffled_order: tuple[int, ...]

    @property
    def many(self) -> str:
        """The plural of the category."""
        return plural(self.category)


def _whole(candidate: VisibleObject, heading: float, fov: int) -> bool:
    """Whether one image shows most of an object."""
    return max(share_in(candidate, heading + turn, fov) for turn in AROUND) >= WHOLE


def _published_heading(rng: Rng, objects: Sequence[VisibleObject], fov: int) -> float:
    """A heading for which one image shows most of each object, and at least one object is visible in two images. Raises RejectSample."""
    for _ in range(_TRIES):
        heading = round(rng.uniform(0, 360), 1) % 360
        if all(_whole(t, heading, fov) for t in objects) and any(len(images_of(t, heading, fov)) > 1 for t in objects):
            return heading
    raise RejectSample


def seen_by(objects: Sequence[VisibleObject], heading: float, fov: float) -> Shown:
    """The number of the objects that are visible in each image."""
    images = [image for candidate in objects for image in images_of(candidate, heading, fov)]
    return tuple(images.count(image) for image in range(4))


Fits = Callable[[Shown], bool]
"""Whether the objects per image are those of the design."""


def _heading(rng: Rng, objects: Sequence[VisibleObject], fov: int, fits: Fits) -> float:
    """A heading that `fits` for which each object is clearly visible in two images or in one only. Raises RejectSample."""
    first = rng.uniform(0, 360)
    for step in rng.shuffled(range(_STEPS)):
        heading = round(first + 90 / _STEPS * step, 1) % 360
        if not fits(seen_by(objects, heading, fov)):
            continue
        second_shares = [sorted(share_in(candidate, heading + turn, fov) for turn in AROUND)[-2] for candidate in objects]
        if not any(SLIVER < share < CLEARLY for share in second_shares) and all(_whole(candidate, heading, fov) for candidate in objects):
            return heading
    raise RejectSample


def _design(plan: SamplingContext, kind: str, n: int) -> Fits:
    """The objects per image that an item must have, for `n` objects of a category."""
    wanted = count_designs.many(kind, n) if plan.level == MANY else count_designs.few(kind, n, plan.item_stratum("slot", SLOTS))
    return lambda shown: alike(shown) == wanted


def _sample(plan: SamplingContext) -> Scene:
    least, most = RANGES[plan.level]
    n = plan.stratum + least
    kinds = environments.countable(environments.where(plan), most)
    kind = kinds[
        plan.item_stratum(environments.where(plan), len(kinds))
    ]  # stratified: rejections do not depend on the category and the number
    for nth in range(_PLACES):
        try:
            scene = about(plan, environments.drawn(plan, (kind, n), nth), kind, _design(plan, kind, n))
        except RejectSample:
            continue
        if _counted(scene).truth == n:
            return scene
    raise RejectSample


def about(plan: SamplingContext, place: Somewhere, kind: str, fits: Fits = lambda shown: True) -> Scene:
    """Sample the scene of a question about a category in a place, with objects per image that `fits`. Raises RejectSample."""
    objects, (least, most) = environments.visible_objects(place, kind), RANGES[plan.level]
    if not least <= len(objects) <= most or not all(map(countable, objects)):
        raise RejectSample
    rng = plan.item_rng
    if environments.as_published(plan) and objects:
        fov = rng.pick(FOVS)
        heading = _published_heading(rng, objects, fov)
    else:
        fov = WIDE_FOVS[plan.item_stratum("wide", len(WIDE_FOVS))]  # stratified: rejections do not depend on the layout
        heading = _heading(rng, objects, fov, fits)
    views = Views(place, environments.world(place).place, heading, fov, objects=environments.visible_objects(place))
    return Scene(views, kind, (least, most), shuffled(rng))


def _question_text(scene: Scene, preamble: str) -> str:
    return f"{preamble}\n{_QUESTION.format(scene.many)} Count each {scene.category} once, even if visible in two images."


def _counted(scene: Scene) -> Count:
    return Count(sum(candidate.name == scene.category for candidate in scene.views.objects), *scene.limits)


_ask, _orders = four_views(_question_text, _counted)


def _read(pictures: tuple[Scene3D, ...], text: str) -> str:
    """The number of different objects of the category in all images."""
    objects = rederivation.named(pictures, rederivation.extract(_CATEGORY, text))
    shown = {target for picture in pictures for target in objects if rederivation.shows(picture, target)}
    return str(len(shown))


def _attributes(scene: Scene) -> dict[str, str]:
    views = scene.views
    objects = [candidate for candidate in views.objects if candidate.name == scene.category]
    total = sum(seen_by(objects, views.heading, views.fov))
    return attributes(views) | {
        "category": scene.category,
        "objects in two images": str(total - len(objects)),
        "sum over the images": str(total),
    }


def _one_is_gone(scene: Scene) -> tuple[Scene, Callable[[str], str]]:
    """Remove one of several objects: the count decreases by one."""
    if _counted(scene).truth <= 1:
        return scene, identity
    return replace(scene, views=without_one(scene.views, scene.category)), lambda answer: str(int(answer) - 1)


_LISTED_FIRST = "the data of an image list the counted objects first, hidden ones among them; an image has no such order"

TASK = Task(
    id="cospace/counting",
    version=6,
    summary="Count objects of one category in four overlapping views.",
    sample=_sample,
    draw=lambda scene: scene.views.stages(),
    ask=_ask,
    rederive=_read,
    answers=Answers(type="count", strata=tuple(most - least + 1 for least, most in RANGES.values())),
    skills=("counting", "counting across images"),
    levels=tuple(RANGES),
    settings=SETTINGS,
    images=replace(SQUARE, orders=_orders),
    sampling=BY_PLACE,
    paper=replace(PAPER, sizes={"test": Preset(200, note="11 of 13 items 1 to 5, 2 of 13 items 0 to 11", levels=_PUBLISHED)}),
    reported=Reported(attributes=_attributes),
    checks=Checks(
        symmetries=(turned_world, _one_is_gone),
        shortcuts=shortcuts.COUNTS,
        factors={"category": lambda scene: scene.category},
        exemptions={
            "attributes": Exemption(_LISTED_FIRST, 0.40, {"0-11": 0.30, "": 0.34}),
            "the rectangles of the objects (learned)": Exemption(_LISTED_FIRST, 0.40, {"0-11": 0.30, "": 0.34}),
            "the numbers of parts of the images (learned)": Exemption(
                "the number of objects in each image has several keys (`count_designs`)", 0.42
            ),
        },
    ),
)
