"""Convert examples to conversations for a processor, and to token rows in which only the model's responses contribute to the loss.

The text before the first response is formatted by the same call as in evaluation (`isovist.evaluation.models.local.generation`), so a model is
trained on the prompts of an evaluation. Every response ends with an end-of-turn token, even if the chat template adds none. TRL's
collator for images (1.16) does neither: it tokenizes without the special tokens of the processor, and finds responses only by
generation markers in the template.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isovist.common.errors import UserError
from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import ModelRequest
from isovist.evaluation.models.local.generation import content
from isovist.evaluation.models.local.weights import Weights

IGNORE_INDEX = -100
"""The label of a token that is ignored in the loss, as in torch."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One tokenized example. `learnt`: whether each token is part of a response."""

    ids: list[int]
    label_mask: list[bool]
    prompt: int
    """Number of tokens before the first response, including image tokens."""


def messages(example: TrainingExample) -> list[dict[str, Any]]:
    """Return the conversation with images at their positions.

    Raises UserError if placeholders and images differ in number, if an image comes after the first response, or if two consecutive
    messages have the same role.
    """
    marks = [turn.content.count(IMAGE) if turn.role != "assistant" else 0 for turn in example.turns]
    first = _first_reply(example)
    if sum(marks) != len(example.images) or sum(marks[:first]) != sum(marks):
        raise UserError(f"Images without a placeholder {IMAGE} before the first response: {example.id}. Correct or remove the example.")
    messages: list[dict[str, Any]] = []
    used = 0
    for turn, count in zip(example.turns, marks, strict=True):
        if turn.role == "assistant":
            parts = [{"type": "text", "text": turn.content}]
        else:
            parts = content(ModelRequest("", turn.content, example.images[used : used + count]))
        messages.append({"role": turn.role, "content": parts})
        used += count
    return messages


def _first_reply(example: TrainingExample) -> int:
    roles = [turn.role for turn in example.turns]
    start = 1 if roles[0] == "system" else 0
    if any(role != ("user", "assistant")[i % 2] for i, role in enumerate(roles[start:])) or roles[-1] != "assistant":
        raise UserError(
            f"User and assistant messages do not alternate, with the assistant last: {example.id}. Correct or remove the example."
        )
    return start + 1


class ChatCollator:
    """A collator: builds batches of examples for a model.

    A batch has `input_ids`, `attention_mask` and `labels` of shape (examples, tokens), padded on the right, and the image inputs of the
    processor. `most`: maximum number of tokens of a row. Examples of Isovist must fit; others are truncated at the end, images never.
    Raises UserError for an unusable example.
    """

    def __init__(self, weights: Weights, most: int = 0) -> None:
        self._torch, self._processor, self._template = weights.torch, weights.processor, weights.chat.template
        self._most = most
        self._picture = getattr(weights.model.config, "image_token_id", None)
        tokenizer = weights.processor.tokenizer
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        ends = weights.model.generation_config.eos_token_id
        ids = {tokenizer.eos_token_id, *([ends] if isinstance(ends, int) else ends or [])} - {None}
        self._ends = [str(tokenizer.convert_ids_to_tokens(id)) for id in sorted(ids)]
        if tokenizer.eos_token is None:
            raise UserError("Tokenizer without an end-of-turn token (eos_token): the model cannot learn to stop. Choose another model.")

    def __call__(self, listed: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Build a batch from rows of the example dataset."""
        return self.batch([row["example"] for row in listed])

    def batch(self, listed: Sequence[TrainingExample]) -> dict[str, Any]:
        encoded, prompts = self.encoded(listed)
        width = max(len(row.ids) for row in encoded)
        pad = self._processor.tokenizer.pad_token_id
        made = dict(prompts)
        shape = prompts["input_ids"].shape
        mask = prompts["attention_mask"]
        for name, value in prompts.items():  # such as token type ids of some model families
            if name not in ("input_ids", "attention_mask") and value.shape == shape:
                made[name] = self._padded([row[on.bool()].tolist() for row, on in zip(value, mask, strict=True)], width, 0)
        made["input_ids"] = self._padded([row.ids for row in encoded], width, pad)
        made["attention_mask"] = self._padded([[1] * len(row.ids) for row in encoded], width, 0)
        labels = [[id if is_learnt else IGNORE_INDEX for id, is_learnt in zip(row.ids, row.label_mask, strict=True)] for row in encoded]
        made["labels"] = self._padded(labels, width, IGNORE_INDEX)
        return made

    def encoded(self, listed: Sequence[TrainingExample]) -> tuple[list[Encoded], Any]:
        """Return the tokenized examples, and the output of the processor for their prompts."""
        talks = [messages(example) for example in listed]
        firsts = [_first_reply(example) for example in listed]
        prompts = self._processor.apply_chat_template(
            [conversation[:first] for conversation, first in zip(talks, firsts, strict=True)],
            chat_template=self._template,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            processor_kwargs={"padding": True, "padding_side": "right", "return_tensors": "pt"},
        )
        encoded: list[Encoded] = []
        for example, conversation, first, ids, on in zip(
            listed, talks, firsts, prompts["input_ids"], prompts["attention_mask"], strict=True
        ):
            row: list[int] = ids[on.bool()].tolist()
            learnt = [False] * len(row)
            for words, is_learnt in self._rest(example, conversation, first):
                more: list[int] = self._processor.tokenizer(words, add_special_tokens=False)["input_ids"]
                row += more
                learnt += [is_learnt] * len(more)
            encoded.append(self._cut(example, Encoded(row, learnt, int(on.sum()))))
        return encoded, prompts

    def _rest(self, example: TrainingExample, talk: list[dict[str, Any]], first: int) -> list[tuple[str, bool]]:
        """Return the text after the first prompt in pieces, each with whether it is a response."""
        pieces: list[tuple[str, bool]] = []
        before = self._rendered(talk[:first], asked=True)
        for reply in range(first, len(talk), 2):
            if reply > first:
                asked = self._rendered(talk[:reply], asked=True)
                pieces.append((self._behind(example, before, asked), False))
                before = asked
            after = self._rendered(talk[: reply + 1], asked=False)
            words = self._behind(example, before, after)
            end = next((words.index(mark) + len(mark) for mark in self._ends if mark in words), None)
            if end is None:  # the template has no end-of-turn token
                pieces.append((words.rstrip() + self._processor.tokenizer.eos_token, True))
            else:
                pieces += [(words[:end], True), (words[end:], False)]
            before = after
        return pieces

    def _rendered(self, talk: list[dict[str, Any]], *, asked: bool) -> str:
        return str(self._processor.apply_chat_template(talk, chat_template=self._template, add_generation_prompt=asked, tokenize=False))

    def _behind(self, example: TrainingExample, before: str, whole: str) -> str:
        if not whole.startswith(before):
            raise UserError(
                f"{example.id}: the model's chat template writes the words before a reply otherwise once the reply is there, so what is "
                "to be learnt cannot be told; give another template."
            )
        return whole[len(before) :]

    def _cut(self, example: TrainingExample, row: Encoded) -> Encoded:
        if not self._most or len(row.ids) <= self._most:
            return row
        if example.kind != "general" or self._picture in row.ids[self._most :]:
            raise UserError(
                f"Example exceeds max_length = {self._most}: {example.id} ({len(row.ids)} tokens with its images, {row.prompt} of them "
                "before the response). Increase max_length, or set it to 0 for no limit."
            )
        return Encoded(row.ids[: self._most], row.label_mask[: self._most], row.prompt)

    def _padded(self, listed: list[list[int]], width: int, filler: int) -> Any:
        return self._torch.tensor([row + [filler] * (width - len(row)) for row in listed])
