"""The options of `isovist run` for requests to a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import isfinite
from typing import Any

import click

from isovist.cli.item_options import Count, base_url_option, connections_option, decorated

# as in isovist.evaluation.models.base, whose import would slow down every help text
REASONING_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
IMAGE_DETAILS = ("auto", "low", "high")
IMAGE_FORMATS = ("unchanged", "png", "jpeg", "webp")


def _finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not isfinite(value):
        raise click.BadParameter(f"{value} is not finite. Give a number from 0.", ctx, param)
    return value


_OPTIONS = (
    base_url_option(several=True),
    connections_option(8),
    click.option("--temperature", type=click.FloatRange(min=0, max=1000), callback=_finite, default=0.0, show_default=True),
    click.option(
        "--top-p",
        type=click.FloatRange(min=0, max=1, min_open=True),
        callback=_finite,
        default=None,
        metavar="P",
        help="Sample from the most likely tokens with this total probability.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        default=None,
        help="Token limit of a response; a longer one is truncated  [default: the limit of the model, 32768 if unknown].",
    ),
    click.option("--timeout", type=Count(min=1), default=600, show_default=True, help="Seconds for one request, with its retries."),
    click.option("--system-prompt", default="", metavar="TEXT", help="System prompt of every request."),
    click.option("--stop", "stop_seqs", multiple=True, metavar="TEXT", help="Text that ends a response (repeatable)."),
    click.option("--sampling-seed", type=Count(min=0), default=None, help="Seed of the model's sampling; --seed is that of the items."),
    click.option("--reasoning-effort", type=click.Choice(REASONING_EFFORTS), default=None, help="Reasoning effort, if the model has one."),
    click.option(
        "--reasoning-tokens",
        type=Count(min=0),
        default=None,
        help="Token limit of the reasoning (Anthropic, Bedrock, Google, OpenRouter).",
    ),
    click.option(
        "--model-arg",
        "model_arg_texts",
        multiple=True,
        metavar="KEY=VALUE",
        help="A further field of the request body, such as top_k=20 (repeatable; OpenAI-compatible servers).",
    ),
    click.option(
        "--image-detail", type=click.Choice(IMAGE_DETAILS), default="auto", show_default=True, help="Image detail (OpenAI's API)."
    ),
    click.option(
        "--image-format",
        type=click.Choice(IMAGE_FORMATS),
        default="unchanged",
        show_default=True,
        help="Convert the images before they are sent: png and webp without loss, jpeg with quality 95.",
    ),
)


def request_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command receives them as one argument `options`, with the token limit `AS_ALLOWED` unless one is given.

    Raises UserError for an invalid `--model-arg`.
    """

    @wraps(command)
    def packed(
        *args: Any, base_url: tuple[str, ...], concurrency: int, temperature: float, top_p: float | None, max_tokens: int | None, timeout: int,
        system_prompt: str, stop_seqs: tuple[str, ...], sampling_seed: int | None, reasoning_effort: Any, reasoning_tokens: int | None,
        model_arg_texts: tuple[str, ...], image_detail: Any, image_format: Any, **others: Any,
    ) -> None:  # fmt: skip
        from isovist.evaluation.models.base import AS_ALLOWED, GenerationConfig
        from isovist.evaluation.models.option_support import model_args

        options = GenerationConfig(
            base_url=base_url,
            temperature=temperature,
            max_tokens=max_tokens or AS_ALLOWED,
            concurrency=concurrency,
            timeout_s=timeout,
            system_prompt=system_prompt,
            top_p=top_p,
            seed=sampling_seed,
            stop_seqs=tuple(dict.fromkeys(stop_seqs)),
            reasoning_effort=reasoning_effort,
            reasoning_tokens=reasoning_tokens,
            model_args=model_args(model_arg_texts),
            image_detail=image_detail,
            image_format=image_format,
        )
        command(*args, options=options, **others)

    return decorated(packed, _OPTIONS)
