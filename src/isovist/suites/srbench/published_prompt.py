"""The prompt format of SRBench: the question with its options, and the answer in braces.

The authors send the question of a record and nothing else. Their scorer looks for an answer in braces first, and a response in no known
form is wrong (appendix on the implementation).
"""

from __future__ import annotations

from isovist.core.answers import Answer
from isovist.core.published_prompt import PublishedPrompt, listed


def _text(question: str, answer: Answer) -> str:
    return f"{listed(question, answer)}\nGive your answer in the form {{x}}, where x is {answer.format_instruction()}."


PUBLISHED_PROMPT = PublishedPrompt(
    _text,
    "SRBench, appendix on the implementation; authors' repository, src/eval.py",
    "The questions are worded by Isovist. The paper does not print the request for a form. The authors' code also sends a system message, "
    "which names the model an assistant for spatial reasoning: `--system-prompt`.",
    lambda answer, canonical: f"{{{canonical}}}",
)
EIGHT_WAY = "the paper has questions with yes or no only"
