"""Attention checks: questions that state their own answer, among the test questions of each participant.

A check has the images and options of an item that is not in the study. Its text tells which option to choose, one that does not answer the
original question, so only who reads the text passes (an instructional manipulation check: Oppenheimer, Meyvis and Davidenko, 2009,
Journal of Experimental Social Psychology 45). The answers are never part of accuracies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from isovist.core.answers import JointAnswer
from isovist.core.rng import Rng
from isovist.people.annotate.cards import Card
from isovist.people.study import item_presentation
from isovist.people.study.participants import Answer


def check_of(card: Card, seed: int) -> Card:
    """The card of an item as an attention check. `key` is the answer that its text states."""
    answer = item_presentation.answer_of(card)
    typed = {text: json.loads(text) if isinstance(answer, JointAnswer) else text for text in answer.wrong_answers()}
    valid = [text for text, submitted in typed.items() if item_presentation.reply(answer, submitted) is not None]
    key = Rng("study", seed, "check", card.id).pick(valid or [answer.canonical()])
    question = f"This question only checks attention. Whatever you see, answer: {item_presentation.value_text(answer, key)}"
    text = "\n".join(filter(None, (question, "" if card.options else answer.options_text())))
    return replace(card, id=f"check {card.id}", text=text, key=key)


def places(checks: int, blocks: int, per_task: int) -> list[list[int]]:
    """For each block in the order of a session, the number of its test items before each of its checks.

    The checks are at equal distances over all test items, and none is the first question of a block.
    """
    before: list[list[int]] = [[] for _ in range(blocks)]
    for i in range(checks):
        block, place = divmod((i + 1) * blocks * per_task // (checks + 1), per_task)
        before[block].append(max(1, place))
    return before


def passed(checks: Iterable[Card], answers: Iterable[Answer]) -> dict[str, list[bool]]:
    """By participant, whether each answered check was passed."""
    keys = {card.id: card for card in checks}
    outcomes: dict[str, list[bool]] = {}
    for answer in answers:
        if (card := keys.get(answer.item)) is not None:
            typed = item_presentation.answer_of(card)
            outcomes.setdefault(answer.person, []).append(typed.score(answer.reply).parsed_answer == typed.score(card.key).parsed_answer)
    return outcomes


def excluded(outcomes: Mapping[str, Sequence[bool]], max_missed: int) -> set[str]:
    """The participants who missed more checks than allowed. An unanswered check is not missed."""
    return {handle for handle, passed_checks in outcomes.items() if list(passed_checks).count(False) > max_missed}
