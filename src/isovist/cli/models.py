"""`isovist models`."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from importlib.util import find_spec

import click

from isovist.cli import echo

_CLIENT = ("inspect_ai", "openai")


@dataclass(frozen=True, slots=True)
class Route:
    """A way to reach a model; docs/models.md has a section for each."""

    form: str
    """What to give as --model, with the other option that it needs; MODEL, NAME and URL stand for the user's."""
    reaches: str
    extra: str = ""
    """The extra of Isovist that it needs."""
    package: str = ""
    """Another package that it needs."""
    keys: tuple[str, ...] = ()
    """The environment variables that may hold the key; the first one that is set counts."""
    modules: tuple[str, ...] = ()
    """Modules that show whether extra and package are installed."""


ROUTES = (
    Route("openai/MODEL", "GPT (OpenAI)", "providers", keys=("OPENAI_API_KEY",), modules=_CLIENT),
    Route("anthropic/MODEL", "Claude (Anthropic)", "providers", keys=("ANTHROPIC_API_KEY",), modules=(*_CLIENT, "anthropic")),
    Route("google/MODEL", "Gemini (Google)", "providers", keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), modules=(*_CLIENT, "google.genai")),
    Route("openrouter/MODEL", "models of many providers (OpenRouter)", "providers", keys=("OPENROUTER_API_KEY",), modules=_CLIENT),
    Route(
        "NAME --base-url URL",
        "OpenAI-compatible server: vLLM, SGLang, llama.cpp, a gateway; the key is optional",
        "run",
        keys=("ISOVIST_API_KEY", "OPENAI_API_KEY"),
        modules=("aiohttp", "certifi"),
    ),
    Route("vllm/MODEL", "vLLM, started on this machine", "providers", "vllm", modules=(*_CLIENT, "vllm")),
    Route("sglang/MODEL", "SGLang, started on this machine", "providers", "sglang", modules=(*_CLIENT, "sglang")),
    Route("ollama/MODEL", "Ollama on this machine", "providers", modules=_CLIENT),
    Route("hf/MODEL", "weights in a folder or on the Hugging Face hub, in this process", "hf", modules=("torch", "transformers")),
    Route("embedded/tiny", "the built-in test model"),
)


@click.command()
@echo.json_option
def command(as_json: bool) -> None:
    r"""List the ways to reach a model (docs/models.md), each with the extra that it needs and the environment variable of its key, and the
    simulated models. The value of a key is not printed.

    \b
    Example: isovist models --json
    """
    from isovist.common import plug_ins
    from isovist.common.installation import install_command
    from isovist.evaluation.models.baselines.simulated_models import names
    from isovist.evaluation.models.plug_in_models import RESERVED

    added = (plug_in for plug_in in plug_ins.installed(plug_ins.MODELS) if plug_in.name not in RESERVED)
    routes = [*ROUTES, *(Route(f"{plug_in.name}/MODEL", f"plug-in {plug_in.release}") for plug_in in added)]
    missing = [not all(map(_is_installed, route.modules)) for route in routes]
    set_keys = [[key for key in route.keys if os.environ.get(key, "").strip()] for route in routes]
    if as_json:
        rows = [
            {name: value for name, value in asdict(route).items() if name != "modules"} | {"is_installed": not lacks, "keys_set": keys}
            for route, lacks, keys in zip(routes, missing, set_keys, strict=True)
        ]
        echo.as_json({"routes": rows, "simulated": [{"name": name, "summary": summary} for name, summary in names().items()]})
        return
    lines = [("--model", "needs", "key", "model")]
    for route, lacks, keys in zip(routes, missing, set_keys, strict=True):
        needs = " and ".join(filter(None, (route.extra and f"extra {route.extra}", route.package)))
        key = f"{keys[0]} (set)" if keys else " or ".join(route.keys)
        lines.append((route.form, f"{needs} (missing)" if lacks else needs or "-", key or "-", route.reaches))
    _print(lines)
    click.echo("\nPython function: isovist.evaluate(function, ...). Other providers: https://inspect.aisi.org.uk/models.html")
    for extra in dict.fromkeys(route.extra for route, lacks in zip(routes, missing, strict=True) if lacks and not route.package):
        click.echo(f"Missing extra {extra!r}: run `{install_command(extra)}`.")
    click.echo("\nSimulated models, which need no extra and no key:")
    _print([*names().items()])


def _print(lines: list[tuple[str, ...]]) -> None:
    """Print a table; the last column is not padded."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for *cells, last in lines:
        click.echo("  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=False)), last]))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package above it
        return False
