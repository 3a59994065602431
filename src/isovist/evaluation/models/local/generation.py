"""Batched generation with a local model."""

from __future__ import annotations

import copy
import gc
import io
import sys
import time
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from isovist.core.answers.extraction.normalize import is_thinking_token
from isovist.data.dataset.pictures import as_shown
from isovist.data.prompts import IMAGE
from isovist.evaluation.models.base import AS_ALLOWED, LONGEST, GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.local.batches import Stop
from isovist.evaluation.models.local.weights import Weights


class Generation:
    """A loaded model that answers batches of requests."""

    def __init__(self, weights: Weights, options: GenerationConfig) -> None:
        self.served_by = weights.served_by
        text = weights.model.config.get_text_config()
        self._context: int | None = getattr(text, "max_position_embeddings", None)
        if options.max_tokens == AS_ALLOWED:
            options = replace(options, max_tokens=min(LONGEST, self._context or LONGEST))
        self.longest = options.max_tokens
        self._weights, self._options = weights, options
        tokenizer = weights.processor.tokenizer
        if tokenizer.pad_token_id is None:
            tokenizer.pad_token = tokenizer.eos_token
        # `generate` fills unset fields from the model's configuration, so it is replaced
        self._config = weights.model.generation_config = _decoding(weights, options)
        self._ends = set(_ids(self._config.eos_token_id))
        # thinking tags are kept, so that the parser can remove the thinking
        marks = dict(zip(tokenizer.all_special_ids, tokenizer.all_special_tokens, strict=True))
        marks |= {id: str(token) for id, token in tokenizer.added_tokens_decoder.items() if token.special}
        self._unsaid = {id for id, mark in marks.items() if not is_thinking_token(mark)}

    def replies(self, requests: list[ModelRequest], stop: Stop) -> list[ModelResponse]:
        """The response to each request. Raises exceptions of the processor and the model."""
        if not self._weights.chat.places:
            return [reply for request in requests for reply in self._batch([_require_one_image(request)], stop)]
        return self._batch(requests, stop)

    def _batch(self, requests: list[ModelRequest], stop: Stop) -> list[ModelResponse]:
        inputs = self._inputs(requests)
        lengths: list[int] = inputs["attention_mask"].sum(dim=1).tolist()
        rooms = [self._room(length) for length in lengths]
        torch, model = self._weights.torch, self._weights.model
        watch = _LengthLimit(torch.tensor(rooms, device=model.device), stop, time.monotonic() + self._options.timeout_s)
        if (seed := self._options.seed_of(requests[0].variant)) is not None:
            torch.manual_seed(seed)
        criteria = self._weights.transformers.StoppingCriteriaList([watch])
        stop_strings = {"tokenizer": self._weights.processor.tokenizer} if self._options.stop_seqs else {}
        out = model.generate(**inputs, generation_config=self._config, stopping_criteria=criteria, **stop_strings)
        new: list[list[int]] = out[:, watch.start :].tolist()
        return [self._reply(*row) for row in zip(lengths, rooms, new, strict=True)]

    def free(self) -> None:
        """Release unused device memory."""
        gc.collect()
        torch = self._weights.torch
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        elif torch.backends.mps.is_available():
            torch.mps.empty_cache()

    def _inputs(self, requests: list[ModelRequest]) -> Any:
        """The model inputs, padded on the left, so that all responses start at the same position."""
        inputs = self._weights.processor.apply_chat_template(
            [self._weights.chat.messages(content(request)) for request in requests],
            chat_template=self._weights.chat.template,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            processor_kwargs={"padding": True, "padding_side": "left", "return_tensors": "pt"},
        )
        model = self._weights.model
        return inputs.to(model.device, dtype=model.dtype)  # the dtype applies to floating-point tensors only

    def _room(self, length: int) -> int:
        """The token limit of a response. Raises ValueError if the prompt fills the context."""
        if self._context is None:
            return self._options.max_tokens
        if length >= self._context:
            raise ValueError(f"the prompt with its images has {length} tokens, and the model reads at most {self._context}")
        return min(self._options.max_tokens, self._context - length)

    def _reply(self, length: int, room: int, new: list[int]) -> ModelResponse:
        end = next((i + 1 for i, token in enumerate(new[:room]) if token in self._ends), None)
        generated = new[: end or room]
        tokens = [token for token in (generated[:-1] if end else generated) if token not in self._unsaid]
        words = str(self._weights.processor.tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False))
        stopped = min((place for text in self._options.stop_seqs if (place := words.find(text)) >= 0), default=None)
        if stopped is not None:  # the rest of the row is padding
            generated = generated[: next((i for i, token in enumerate(generated) if token == self._config.pad_token_id), None)]
        usage = {"input_tokens": length, "output_tokens": len(generated)}
        if stopped is None and end is None and len(generated) < room:  # stopped by the timeout or an interruption
            return ModelResponse(
                error=f"timeout after {self._options.timeout_s} s (increase --timeout or decrease --max-tokens)",
                finish_reason="error",
                usage=usage,
            )
        finish = "stop" if end or stopped is not None else "max_tokens" if room == self._options.max_tokens else "model_length"
        return ModelResponse(self._weights.chat.opening + words[:stopped], finish_reason=finish, usage=usage)


@dataclass(slots=True)
class _LengthLimit:
    """Stops each row at its own token limit, and all rows after the deadline or an interruption."""

    rooms: Any
    stop: Stop
    deadline: float
    start: int = field(default=-1)
    """Index of the first new token: after the prompt, or after the start token of an encoder-decoder model."""

    def __call__(self, ids: Any, scores: Any, **more: Any) -> Any:
        del scores, more
        if self.start < 0:
            self.start = ids.shape[1] - 1
        over = self.stop.is_set() or time.monotonic() > self.deadline
        return self.rooms <= (sys.maxsize if over else ids.shape[1] - self.start)


def content(request: ModelRequest) -> list[dict[str, Any]]:
    """Text and images in the order of the prompt."""
    parts: list[dict[str, Any]] = []
    images = iter(request.images)
    for i, words in enumerate(request.prompt.split(IMAGE)):
        if i:
            parts.append({"type": "image", "image": as_shown(Image.open(io.BytesIO(next(images))))})
        if words.strip():
            parts.append({"type": "text", "text": words.strip("\n")})
    return parts


def _require_one_image(request: ModelRequest) -> ModelRequest:
    """The request. Raises ValueError unless it has one image, which a template without placeholders requires."""
    if len(request.images) != 1:
        raise ValueError(f"the model reads one image per prompt, and this one has {len(request.images)}")
    return request


def _decoding(weights: Weights, options: GenerationConfig) -> Any:
    """The generation configuration of the model, with greedy decoding or unmodified sampling."""
    config = copy.deepcopy(weights.model.generation_config)
    tokenizer = weights.processor.tokenizer
    config.eos_token_id = sorted({*_ids(config.eos_token_id), *_ids(tokenizer.eos_token_id)})
    config.pad_token_id = tokenizer.pad_token_id
    config.max_new_tokens, config.max_length = options.max_tokens, None
    config.num_beams, config.num_return_sequences = 1, 1
    config.do_sample = bool(options.temperature)
    # sampling from the full distribution unless a proportion is requested; no sampling options with greedy decoding
    config.temperature, config.top_k, config.top_p = (
        (options.temperature, 0, options.top_p or 1.0) if config.do_sample else (None, None, None)
    )
    config.stop_strings = list(options.stop_seqs) or None
    config.min_p = config.typical_p = config.epsilon_cutoff = config.eta_cutoff = None
    return config


def _ids(value: Any) -> list[int]:
    """Token ids of a configuration field: none, one or many."""
    return [] if value is None else [value] if isinstance(value, int) else [int(id) for id in value]
