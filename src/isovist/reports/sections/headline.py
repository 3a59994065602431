"""Where a run stands between guessing and all right, in words: what a reader is told before anything else.

Claims about several suites, skills or tasks at once are made with wider intervals and stricter tests, so that all of them hold at 95 %
(Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from isovist.analysis.collect import RunResults, TaskResult
from isovist.analysis.findings import Finding
from isovist.analysis.skill_taxonomies import TAXONOMIES
from isovist.analysis.text_format import join_names, pluralize
from isovist.analysis.variants import IMAGE_ABLATIONS, words
from isovist.reports import participants
from isovist.reports.figures import threshold_plot
from isovist.reports.sections import unparsed_first
from isovist.stats.chance_correction import Answered, above_chance
from isovist.stats.level_tests import exceeds_level
from isovist.stats.proportions import ConfidenceInterval, rescale_to_chance

GOOD = 0.9
"""From this share on, a model is good at a task."""
_NAMED = 12  # tasks that a sentence lists
_PARTS = 4  # suites or skills that it lists
_OPEN = 0.5  # an interval from guessing to beyond half of the way says that little is known, not that it guesses


@dataclass(frozen=True, slots=True)
class Part:
    """A suite, or a skill."""

    name: str
    above_chance: ConfidenceInterval
    """From guessing (0) to all right (1), with an interval for claims about all parts together."""


@dataclass(frozen=True)
class OverallPerformance:
    """One run, by its tasks with an accuracy in which one can be wrong; those of which it is withheld, or of which many replies could
    not be read, are left out.
    """

    run: RunResults

    @cached_property
    def judged(self) -> list[TaskResult]:
        return [task for task in self.run.tasks if task.judged and task.chance < 1]

    @cached_property
    def unread(self) -> str:
        """What is told first where many replies could not be read."""
        return unparsed_first.lead(self.run)

    @cached_property
    def whole(self) -> ConfidenceInterval | None:
        """The mean over the tasks, each with the same weight; None without any."""
        return _above(self.judged) if self.judged else None

    @cached_property
    def lows(self) -> dict[str, float]:
        """The lower end of each task's accuracy, all tasks taken together."""
        return {task.task: task.within(_together(len(self.judged))).low for task in self.judged}

    @cached_property
    def tasks_at_chance(self) -> list[str]:
        """The tasks in which it is not surely better than a guesser."""
        return [task.task for task in self.judged if not task.beats_guessing(len(self.judged))]

    @cached_property
    def suites(self) -> list[str]:
        return list(dict.fromkeys(task.task.partition("/")[0] for task in self.judged))

    @cached_property
    def parts(self) -> list[Part]:
        """The suites, where there are several; else the skills, as the suite's list has them."""
        if len(self.suites) > 1:
            groups = {suite: [task for task in self.judged if task.task.startswith(f"{suite}/")] for suite in self.suites}
        else:
            lists = [taxonomy for taxonomy in TAXONOMIES if any(taxonomy.covers(task.task) for task in self.judged)]
            groups = {
                skill: [task for task in self.judged if task.skills & words]
                for taxonomy in lists
                for skill, words in taxonomy.skills.items()
            }
        nonempty = {name: tasks for name, tasks in groups.items() if tasks}
        return [Part(name, _above(tasks, _together(len(nonempty)))) for name, tasks in nonempty.items()] if len(nonempty) > 1 else []

    @property
    def minimum_detectable_loss(self) -> float:
        """How much of a task's accuracy may be lost unseen: from it to the lower end of its interval, in the task where that is most."""
        return max(task.accuracy.estimate - self.lows[task.task] for task in self.judged if task.accuracy)


def headline_sentence(performance: OverallPerformance, findings: Sequence[Finding]) -> str:
    """The first sentences of a report: whether it guesses, as a whole and where; how good it is, and what could still go unseen.

    Of a run whose sizes were chosen by the answers, up to which size it is right. Empty without either. `findings`: what is told below it; who errs by a rule may score like a guesser, and does not guess.
    """
    whole = performance.whole
    if whole is None:
        return threshold_plot.lead(performance.run)
    sentence = _lead(performance, whole, findings)
    if not performance.unread:
        return sentence
    others = f"the other {len(performance.judged)} tasks" if len(performance.judged) > 1 else "the one other task"
    return f"In {others}, {sentence[:1].lower()}{sentence[1:]}"


def _lead(performance: OverallPerformance, whole: ConfidenceInterval, findings: Sequence[Finding]) -> str:
    whose = "its score" if any(finding.kind not in ("guessing", "no-better-than-a-rule") for finding in findings) else "it"
    scale = "on the way from guessing (0) to all right (100) it stands at"
    at = f"{scale} {_points(whole)}, {_over(performance.judged)}"
    if whole.low <= 0 or len(performance.tasks_at_chance) == len(performance.judged) == 1:
        kind = "It does worse than guessing" if whole.high < 0 else f"{whose.capitalize()} cannot be told from guessing"
        better = [task.task for task in performance.judged if task.task not in performance.tasks_at_chance]
        surely = (
            f" It is surely better than a guesser only in {_which(better, len(performance.judged))}."
            if performance.tasks_at_chance and better
            else ""
        )
        few = f" {pluralize(performance.judged[0].n, 'item')} cannot tell." if whole.low > 0 else ""
        return f"{kind}: {at}.{surely}{few}"
    if low := [part for part in performance.parts if part.above_chance.low <= 0]:
        weakest, every = weakest_areas_sentence(low, whose, skills=len(performance.suites) == 1), _points(whole, is_labelled=False)
        alone = (
            f" Task by task it is not surely better than a guesser in {len(performance.tasks_at_chance)} of {len(performance.judged)}."
            if performance.tasks_at_chance
            else ""
        )
        return f"{weakest}: {scale} {_there(low)}, and over all at {every}, {_over(performance.judged)}.{alone}"
    if performance.tasks_at_chance or findings:
        return f"It is better than guessing: {at}."
    good = all(task.accuracy and task.accuracy.estimate >= GOOD for task in performance.judged)
    kind = "No failing skill was found" if good else "It is better than guessing in every task, and no failing stands out"
    return f"{kind}: {at}. {_unseen(performance)}"


def weakest_areas_sentence(parts: Sequence[Part], whose: str, *, skills: bool) -> str:
    """In which suites, or tasks that need some skill, its score is a guesser's or below that, or too little is known to say."""
    below = all(part.above_chance.high < 0 for part in parts)
    open_ = all(part.above_chance.high >= _OPEN for part in parts)
    names = [part.name for part in parts[:_PARTS]] + ([f"{len(parts) - _PARTS} more"] if len(parts) > _PARTS else [])
    where = f"tasks that need {join_names(names, 'or')}" if skills else join_names(names)
    if below:
        return f"In {where} it does worse than guessing"
    if open_:
        return f"In {where} there are too few items to tell {whose} from guessing"
    worse = any(part.above_chance.high < 0 for part in parts)
    return f"In {where} {whose} cannot be told from guessing{', or is below it' if worse else ''}"


def _there(parts: Sequence[Part]) -> str:
    """Where it stands in each of them."""
    return ", ".join(f"{_points(part.above_chance, is_labelled=not nth)} in {part.name}" for nth, part in enumerate(parts[:_PARTS]))


def _unseen(performance: OverallPerformance) -> str:
    least = min(task.n for task in performance.judged)
    few = f"{least:,} items" if all(task.n == least for task in performance.judged) else f"as few as {least:,} items"
    return f"With {few} in a task, a failing that costs less than {max(1, round(100 * performance.minimum_detectable_loss))} of 100 items of a task may go unseen."


def headline(performance: OverallPerformance) -> str:
    """Where a run guesses and where it is good, task by task, and what is missing."""
    run = performance.run
    text = f"{run.name} was asked {pluralize(run.n, 'question')} in {pluralize(len(run.tasks), 'task')}."
    if run.info.is_human_run:
        text += f" It holds {participants.held(run.info)}."
    open_ = "whose replies could be read" if performance.unread else "with an accuracy"
    them = "them" if len(performance.judged) == len(run.tasks) else f"the {len(performance.judged)} {open_}"
    if alone := bool(performance.unread) and len(performance.judged) == 1:
        text += f" {performance.judged[0].task.partition('/')[2]} is the one task whose replies could be read."
    elif performance.tasks_at_chance:
        text += (
            f" It is not surely better than a guesser in {_which(performance.tasks_at_chance, len(performance.judged), f'any of {them}')}."
        )
    elif performance.judged:
        text += f" In every {'task' if them == 'them' else f'one of {them}'} it is better than a guesser."
    if not alone and (sure := [task for task, low in performance.lows.items() if low >= GOOD]):
        text += f" It has {100 * GOOD:.0f} % or more, within the error, in {_which(sure, len(performance.judged), f'all of {them}')}."
    text += _sightless(run) + "".join(_missing(run))
    if run.info.adaptive:
        text += " Where sizes were chosen by the answers, the half-way sizes tell what a model can do, not the shares of right answers."
    return text


def _missing(run: RunResults) -> Iterator[str]:
    """What is to be done about items without a verdict, by who asked."""
    if not run.unscored_items:
        return
    items = pluralize(run.unscored_items, "item")
    has, are = ("has", "is") if run.unscored_items == 1 else ("have", "are")
    if run.info.is_human_run:
        yield f" {items} {are} not answered yet, and the accuracy of their tasks is withheld: while `isovist study serve` runs, people go on "
        yield "with their codes at the first question that is left; then export the study again. Who stopped for good stays so."
    elif run.info.source_tool:
        yield f" {items} {has} no verdict: let {run.info.source_tool} ask what is missing, and take its replies in again."
    else:
        yield f" {items} {has} no verdict yet; run the same command again."


def _sightless(run: RunResults) -> str:
    """Where the model does better than a guesser though it could not see what it was asked about."""
    text = ""
    for name in IMAGE_ABLATIONS:
        asked = [
            (task, task.variant_results[name])
            for task in run.tasks
            if name in task.variant_results and not task.variant_results[name].missing
        ]
        better = [task.task for task, pairs in asked if exceeds_level(pairs.varied, pairs.groups, task.chance, len(asked))]
        if better:
            text += f" With {words(name)}, too, it is better than a guesser in {_which(better, len(asked))}: there it need not look."
    return text


def _above(tasks: Sequence[TaskResult], confidence: float = 0.95) -> ConfidenceInterval:
    if len(tasks) == 1:  # as the task's own row has it
        return rescale_to_chance(tasks[0].within(confidence), tasks[0].chances)
    return above_chance([[Answered(item.value, item.chance, item.group) for item in task.evidence] for task in tasks], confidence)


def _together(claims: int) -> float:
    """The confidence of each of some intervals, so that all of them hold at 95 %."""
    return 1 - 0.05 / max(1, claims)


def _points(interval: ConfidenceInterval, *, is_labelled: bool = True) -> str:
    """On the scale from guessing to all right; `is_labelled`: with a word on what the ends are."""
    estimate, low, high = (round(100 * edge) for edge in (interval.estimate, interval.low, interval.high))
    return f"{estimate} ({'95 % interval ' if is_labelled else ''}{low} to {high})"


def _over(tasks: Sequence[TaskResult]) -> str:
    return f"the mean of {len(tasks)} tasks" if len(tasks) > 1 else f"in {tasks[0].task.partition('/')[2]}"


def _which(tasks: Sequence[str], total: int, every: str = "all of them") -> str:
    if len(tasks) == total:
        return every
    names = ", ".join(task.partition("/")[2] for task in tasks[:_NAMED])
    names += f" and {len(tasks) - _NAMED} more" if len(tasks) > _NAMED else ""
    return f"{len(tasks)} of {total}: {names}"
