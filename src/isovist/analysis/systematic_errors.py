"""Wrong options that stand for an error (`scenes.distractor_types`): is one error made more often than its share of what was offered?

The test looks at wrong choices alone, so that it does not matter how often a model is right: one that is merely weak, or guesses,
chooses among an item's wrong options alike. A deficit is seen where its option is chosen; the chance for that is the number of options
that stand for it by the number of all wrong ones, and the test is exact. Where the only wrong option stands for it, a wrong choice
tells nothing; there all choices count, with a chance of one half, so that only a model that is wrong more often than right stands out.
Items of one group count once. Tasks in which one letter is always chosen are left out: its errors are those of the keys.

One option may stand for several errors. So each deficit has to hold twice: by itself, and among the choices and options that stronger
deficits leave. What is said of it is the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from isovist.analysis.exact_tests import first_per_cluster, poisson_binomial_upper_tail
from isovist.analysis.findings import ALPHA, Finding, Tasks
from isovist.analysis.response_bias import without_constant_tasks
from isovist.analysis.scored_item import ScoredItem
from isovist.analysis.text_format import in_tasks, percent
from isovist.core.answers import LETTERS
from isovist.scenes import distractor_types

MIN_EXCESS = 0.05
"""By how much, in shares of 1, a deficit is seen more often than expected, at least, to be told."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """A kind of error by its names in `scenes.distractor_types`, and what to say of a model that makes it."""

    kind: str
    names: frozenset[str]
    words: str


def _deficit(kind: str, words: str, *names: str) -> ErrorPattern:
    return ErrorPattern(kind, frozenset(names), words)


DEFICITS = (
    _deficit("left-right-flip", "It takes left for right and right for left", distractor_types.LEFT_RIGHT),
    _deficit("up-down-flip", "It takes up for down and down for up", distractor_types.UP_DOWN),
    _deficit("front-back-flip", "It takes front for back and back for front", distractor_types.FRONT_BACK),
    _deficit("east-west-flip", "It takes east for west and west for east", distractor_types.EAST_WEST),
    _deficit("north-south-flip", "It takes north for south and south for north", distractor_types.NORTH_SOUTH),
    _deficit("picture-frame", "It answers as if north were up although the map is turned", distractor_types.IMAGE_FRAME),
    _deficit("picture-side", "It takes the sides of a picture that looks back for those of the world", distractor_types.PICTURE_SIDE),
    _deficit("map-turned-wrong-way", "It turns the map the wrong way", distractor_types.WRONG_WAY),
    _deficit("heading-for-top", "It takes the wind of an object's heading for that of the picture's top", distractor_types.HEADING_AS_IMAGE_TOP),
    _deficit("heading-for-north", "It takes an object's heading for north, whatever wind was told", distractor_types.HEADING_FOR_NORTH),
    _deficit("other-frame", "It answers in the other frame of reference, the viewer's for an object's own or the other way round", distractor_types.OTHER_FRAME),
    _deficit("mirror-confusion", "It cannot tell a thing from its mirror image", distractor_types.MIRROR),
    _deficit("turned-the-other-way", "It takes clockwise turns for counterclockwise ones", distractor_types.OPPOSITE_ROTATION),
    _deficit("opposite-direction", "It names the opposite direction", distractor_types.OPPOSITE),
    _deficit("quarter-turn", "It is a quarter turn off", distractor_types.QUARTER),
    _deficit("neighbouring-direction", "It names a neighbouring direction, 45 degrees off", distractor_types.NEIGHBOUR),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Item:
    """A choice: the place that was chosen, how many options there were, and which wrong ones stand for each error."""

    task: str
    chosen: int
    options: int
    wrong: Mapping[str, frozenset[int]]

    def standing_for(self, names: frozenset[str]) -> frozenset[int]:
        return frozenset[int]().union(*(self.wrong[name] for name in names if name in self.wrong))


@dataclass(frozen=True, slots=True)
class _Trial:
    """A choice that could have shown a deficit."""

    task: str
    seen: bool
    chance: float


@dataclass(frozen=True, slots=True)
class _Test:
    """What some trials of a deficit come to."""

    tasks: tuple[str, ...]
    """Where it shows by itself; all, if it only does so over all of them."""
    n: int
    seen: int
    expected: float
    p: float

    @property
    def excess(self) -> float:
        return (self.seen - self.expected) / self.n if self.n else 0.0


def detect_systematic_errors(tasks: Tasks) -> Iterator[Finding]:
    """One candidate a deficit, over all tasks whose options can show it."""
    items = [item for evidence in without_constant_tasks(tasks).values() for item in _choices(evidence)]
    alone = [(deficit, _test(_trials(items, deficit))) for deficit in DEFICITS]
    ranked = sorted((pair for pair in alone if pair[1].n), key=lambda pair: (pair[1].p, -pair[1].excess))
    stronger: list[ErrorPattern] = []
    for deficit, by_itself in ranked:
        left = _test(_trials(items, deficit, stronger)) if stronger else by_itself
        p = max(by_itself.p, left.p) if left.excess >= MIN_EXCESS else 1.0
        if p * len(ranked) < ALPHA:
            stronger.append(deficit)
        yield _finding(deficit, left, p)


def _finding(deficit: ErrorPattern, test: _Test, p: float) -> Finding:
    n = max(1, test.n)
    share, expected = test.seen / n, test.expected / n
    words = (
        f"{deficit.words}: {test.seen} of the {test.n} wrong choices that could show it ({percent(share)}) do, where {percent(expected)} "
        f"would by chance, {in_tasks(test.tasks)}."
    )
    due = (test.seen - test.expected) / (1 - expected) if expected < 1 else 0.0  # choices that no guess would have made
    return Finding(deficit.kind, test.tasks, words, test.n, share, expected, p, due)


def _choices(evidence: Sequence[ScoredItem]) -> list[_Item]:
    """Those that tell of errors. Of the wrong ones of a group, and of the right ones where one wrong option is all there is, the first."""
    read = [item for item in evidence if item.chosen is not None and item.distractor_types]
    wrong = first_per_cluster(item for item in read if len(item.distractor_types) > 2 and item.parsed != item.key.canonical())
    return [_item(item) for item in wrong + first_per_cluster(item for item in read if len(item.distractor_types) == 2)]


def _item(item: ScoredItem) -> _Item:
    by_name: dict[str, set[int]] = {}
    for place, error in enumerate(item.distractor_types):
        for name in distractor_types.split_types(error) if LETTERS[place] != item.key.canonical() else ():
            by_name.setdefault(name, set()).add(place)
    return _Item(
        item.task,
        -1 if item.chosen is None else item.chosen,
        len(item.distractor_types),
        {name: frozenset(at) for name, at in by_name.items()},
    )


def _trials(items: Sequence[_Item], deficit: ErrorPattern, without: Sequence[ErrorPattern] = ()) -> list[_Trial]:
    trials: list[_Trial] = []
    explained = frozenset(name for other in without for name in other.names)
    for item in items:
        ways = item.standing_for(deficit.names)
        if not ways:
            continue
        gone = item.standing_for(explained)
        ways, wrong = ways - gone, item.options - 1 - len(gone)
        if item.options == 2 and ways:
            trials.append(_Trial(item.task, item.chosen in ways, 0.5))
        elif 0 < len(ways) < wrong and item.chosen not in gone:
            trials.append(_Trial(item.task, item.chosen in ways, len(ways) / wrong))
    return trials


def _test(trials: Sequence[_Trial]) -> _Test:
    """Over all tasks together, or in the one where it shows best; twice the smaller p-value of both ways."""
    if not trials:
        return _Test((), 0, 0, 0.0, 1.0)
    by_task: dict[str, list[_Trial]] = {}
    for trial in trials:
        by_task.setdefault(trial.task, []).append(trial)
    ps = {task: _p(task_trials) * len(by_task) for task, task_trials in by_task.items()}
    p = min(1.0, 2 * min(_p(trials), *ps.values())) if len(by_task) > 1 else _p(trials)
    where = tuple(task for task, p in ps.items() if p < ALPHA) or tuple(by_task)
    chosen = [trial for trial in trials if trial.task in where]
    return _Test(where, len(chosen), sum(trial.seen for trial in chosen), sum(trial.chance for trial in chosen), p)


def _p(trials: Sequence[_Trial]) -> float:
    return poisson_binomial_upper_tail(sum(trial.seen for trial in trials), [trial.chance for trial in trials])
