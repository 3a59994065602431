"""The prompt format of CDR: an instruction to choose, the question, the options; nothing about the response (Table I)."""

from __future__ import annotations

from isovist.core.answers import Answer
from isovist.core.published_prompt import PublishedPrompt, listed


def _text(question: str, answer: Answer) -> str:
    return f"Choose the option that fits best. {listed(question, answer)}"


PUBLISHED_PROMPT = PublishedPrompt(
    _text,
    "CDR, Table I",
    "The questions are worded by Isovist. The paper has the options in one fixed order: `--task-option order=paper`.",
)
SUBTASK = "the paper has no such question: it is one step of its questions"
