"""A check of a model in three requests: does it respond, does it see an image, does it keep several images apart."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from isovist.core.answers import YesNo
from isovist.core.answers.extraction.normalize import normalize_response
from isovist.core.drawing2d import Drawing, Label
from isovist.data.prompts import IMAGE
from isovist.evaluation.models import Model, RemoteModel, SimulatedModel, ask
from isovist.evaluation.models.base import GenerationConfig, ModelRequest, ModelResponse
from isovist.evaluation.models.finish_reasons import ONLY_REASONING, end_of
from isovist.evaluation.models.option_support import refused_option
from isovist.world.render.image_encoding import png
from isovist.world.render.rasterizer2d import render

_SIDE: Final = 336  # pixels; a size that all common image processors accept
_TEXT_NUMBER, _IMAGE_NUMBER = "3086", "7294"
_COLOURS: Final = {"yellow": "#f5d90a", "blue": "#1748c4", "red": "#c01622", "green": "#1a8a3a"}
"""The colours of the squares, in an order that no model would guess."""
_FEWEST: Final = 16  # tokens; an image costs more in every model family, and the prompts differ by fewer
_DROPPED: Final = "Serve the model with its vision part (llama.cpp: --mmproj), or use a model that accepts images."


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one request."""

    name: str
    passed: bool
    description: str


def requests() -> tuple[ModelRequest, ModelRequest, ModelRequest]:
    """A text, one image with a number, and four squares. The first two prompts have about the same length, for the count of tokens."""
    number = png(render(Drawing((Label(_IMAGE_NUMBER, (0.5, 0.5), 0.36),)), _SIDE))
    squares = tuple(png(render(Drawing((), background=colour), _SIDE)) for colour in _COLOURS.values())
    return (
        ModelRequest("text", f"The number is {_TEXT_NUMBER}. Which number is it? Reply with the number in digits and nothing else.", ()),
        ModelRequest("image", f"{IMAGE}\nWhich number is in the image? Reply with the number in digits and nothing else.", (number,)),
        ModelRequest(
            "several images",
            f"{IMAGE}\n" * len(squares) + "Each image is one plain colour. Name the colours of the images in order, separated by commas, "
            "and nothing else.",
            squares,
        ),
    )


async def check(model: Model, options: GenerationConfig, start: float) -> list[CheckResult]:
    """The results of a model, whose connections are closed. After a request error, no other request is sent.

    A model of a server has `options.timeout_s` seconds from `start`, a time of the monotonic clock, for all requests. Weights on disk have
    no limit.
    """
    replies: list[ModelResponse] = []
    end = start + options.timeout_s
    left = max(0.5, end - time.monotonic()) if isinstance(model, RemoteModel) else None
    try:
        async with asyncio.timeout(left):
            for request in requests():
                replies.append(await ask(model, request, YesNo(True)))
                if replies[-1].error:
                    break
    except TimeoutError:
        replies.append(ModelResponse(error=f"no response within {options.timeout_s} s (increase --timeout)"))
    finally:
        if not isinstance(model, SimulatedModel):
            await model.close()
    checks = results(replies)
    if (error := replies[-1].error) and (remedy := refused_option(error, options)):
        checks[-1] = CheckResult(checks[-1].name, False, f"request error ({error}). {remedy}")
    return checks


def results(replies: Sequence[ModelResponse]) -> list[CheckResult]:
    """One result for each response to `requests()`, in their order."""
    return [judge(replies) for judge, _ in zip((_text, _image, _several), replies, strict=False)]


def _text(replies: Sequence[ModelResponse]) -> CheckResult:
    tokens = _tokens(replies[0])
    counted = "tokens not reported" if tokens is None else f"{tokens} input tokens"
    if failure := _failure("text", replies[0], counted):
        return failure
    text = _visible(replies[0])
    remark = "" if _TEXT_NUMBER in text else f" instead of {_TEXT_NUMBER}"
    return CheckResult("text", True, f"replied {_short(text)}{remark} in {replies[0].latency_s:.1f} s, {counted}")


def _image(replies: Sequence[ModelResponse]) -> CheckResult:
    text, image = replies[:2]
    cost = _difference(image, text)
    counted = "tokens of the image not reported" if cost is None else f"about {max(0, cost)} tokens for the image"
    if failure := _failure("image", image, counted):
        return failure
    if _IMAGE_NUMBER in re.sub(r"(?<=\d)[\s,.](?=\d)", "", _visible(image)):
        return CheckResult("image", True, f"read {_IMAGE_NUMBER}, {counted}")
    seen = f"replied {_short(_visible(image))}, the image shows {_IMAGE_NUMBER}; {counted}"
    if cost is None:
        return CheckResult("image", False, f"{seen}. The server may drop images. {_DROPPED}")
    if cost < _FEWEST:
        return CheckResult("image", False, f"{seen}. The server drops images. {_DROPPED}")
    remedy = "Check the image size that the server keeps, its image processor and chat template. Some models cannot read numbers."
    return CheckResult("image", False, f"{seen}. The model receives an image and does not read it. {remedy}")


def _several(replies: Sequence[ModelResponse]) -> CheckResult:
    _, image, several = replies[:3]
    name = "several images"
    more, one = _difference(several, image), _difference(image, replies[0])
    counted = "tokens of the images not reported" if more is None else f"about {max(0, more)} tokens for three more images"
    if failure := _failure(name, several, counted):
        return failure
    expected = tuple(_COLOURS)
    named = tuple(re.findall("|".join(expected), _visible(several).casefold()))
    if named == expected:
        return CheckResult(name, True, f"named {', '.join(named)}, {counted}")
    seen = f"named {', '.join(named) or _short(_visible(several))}; the images are {', '.join(expected)}; {counted}"
    if named and set(named) == {expected[-1]}:
        reason = "Only the last image reaches the model."
    elif named and set(named) == {expected[0]}:
        reason = "Only the first image reaches the model."
    elif sorted(named) == sorted(expected):
        reason = "All images reach the model, in another order. Check the chat template."
    elif more is not None and one is not None and one >= _FEWEST and more < 1.5 * one:
        reason = "The server merges or drops images."
    else:
        reason = "The model does not keep the images apart."
    return CheckResult(name, False, f"{seen}. {reason} Allow several images in the server's settings, or use --image-mode caption-first.")


def _failure(name: str, reply: ModelResponse, counted: str) -> CheckResult | None:
    """The result of a request error, and on a response without text; None for any other."""
    if reply.error:
        return CheckResult(name, False, f"request error ({reply.error.rstrip('.')}). Fix the cause and run the command again.")
    if _visible(reply):
        return None
    if end_of(reply.finish_reason) == "truncated":
        return CheckResult(name, False, f"the token limit ended the response before any text; {counted}. Increase --max-tokens.")
    if reply.reasoning.strip():
        return CheckResult(name, False, f"the response arrived {ONLY_REASONING} ({counted})")
    return CheckResult(name, False, f"the response is empty; {counted}. Check the chat template.")


def _visible(reply: ModelResponse) -> str:
    return normalize_response(reply.text).strip()


def _tokens(reply: ModelResponse) -> int | None:
    return reply.usage.get("input_tokens")


def _difference(reply: ModelResponse, before: ModelResponse) -> int | None:
    """The additional input tokens of a request; None if they are not reported."""
    now, then = _tokens(reply), _tokens(before)
    return None if now is None or then is None else now - then


def _short(text: str) -> str:
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f'"{line}"' if len(line) <= 60 else f'"{line[:57]}..."'
