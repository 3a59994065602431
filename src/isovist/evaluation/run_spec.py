"""The options of `isovist run` and the arguments of `isovist.evaluate`, each declared once."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from isovist.common.errors import UserError
from isovist.common.options import Option, check, declared, pairs, several
from isovist.data.item_options import ItemOptions
from isovist.evaluation.paper_protocols import PROTOCOLS
from isovist.world.rendering_names import RENDERINGS, SUMMARIES

ImageMode = Literal["joint", "caption-first"]
ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
ImageDetail = Literal["auto", "low", "high"]
ImageFormat = Literal["unchanged", "png", "jpeg", "webp"]
SERVED = "with --base-url the name that the server uses."
SERVER = "An OpenAI-compatible server, such as http://localhost:8000/v1 (key: ISOVIST_API_KEY)"


def _cores() -> int:
    """The processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _styles() -> list[str]:
    from isovist.data.prompts import STYLES

    return list(STYLES)


def style_help(default: str = "") -> str:
    """The help of `--prompt-style`; `default` describes its default where that depends on other options."""
    from isovist.data.prompts import BUILT_IN, DEFAULT_STYLE, STYLES

    summaries = "; ".join(f"{name}: {BUILT_IN[name].summary if name in BUILT_IN else 'of a plug-in'}" for name in STYLES)
    return f"Format of the requested response ({summaries}) [default: {default or DEFAULT_STYLE}]."


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Source:
    """What is evaluated, and where the run is stored."""

    model: Annotated[
        object,
        Option(
            required=True,
            help=f"openai/gpt-4o-mini, anthropic/..., hf/FOLDER, simulated/random, simulated/deficit:left-right; {SERVED}",
        ),
    ]
    tasks: Annotated[
        str | Sequence[str],
        Option(
            is_argument=True,
            help="Task ids, suites, glob patterns, or Python files with a task; with --data, those of its tasks that are used.",
        ),
    ] = ()
    _: KW_ONLY
    out: Annotated[Path | str | None, Option(required=True, help="Run folder; the same command resumes the run.")] = None
    release: Annotated[
        str | Path, Option(metavar="NAME", help="Evaluate the items of a release, such as isovist-2026.12, or of its TOML file.")
    ] = ""
    form: Annotated[Literal["short", "full"] | None, Option(help="With --release: the number of items [default: short].")] = None
    secret: Annotated[
        Path | str | None,
        Option(
            metavar="FILE",
            default_here=lambda: os.environ.get("ISOVIST_SECRET") or None,  # `private_seeds.VARIABLE`, whose import is slow
            help="With --release: use the private seed of this secret file instead of the public one [default: the file in ISOVIST_SECRET].",
        ),
    ] = None
    paper: Annotated[
        str | None,
        Option(
            choices=lambda: list(PROTOCOLS),
            metavar="SUITE",
            help="Evaluate as the paper of this suite does: its tasks, numbers of items, prompts and decoding (--list prints them). Other "
            "options override single conditions.",
        ),
    ] = None
    items: Annotated[
        Path | str | None, Option(metavar="FILE", help="Use the items with the ids in this file, one a line, instead of new ones.")
    ] = None
    data: Annotated[Path | str | None, Option(help="Use the items of this dataset folder instead of new ones.")] = None
    shard: Annotated[
        str,
        Option(
            metavar="I/N",
            help="With --data: evaluate part I (from 0) of N, in a run folder of its own; `isovist merge` merges all N. "
            "--max-cost is per shard.",
        ),
    ] = ""


@dataclass(frozen=True, init=False, kw_only=True, repr=False, eq=False)
class RequestOptions:
    """The options of the requests to a model."""

    base_url: Annotated[
        str | Sequence[str], Option(help=f"{SERVER}; given several times, servers of one model that share the requests.")
    ] = ()
    max_connections: Annotated[
        int | Literal["auto"], Option(least=1, most=10_000, help="Concurrent requests; auto: as many as the servers take.")
    ] = 8
    temperature: Annotated[
        float | None,
        Option(least=0, most=1000, can_be_none=True, help="Sampling temperature; none: do not send one, for a model that refuses it."),
    ] = 0.0
    top_p: Annotated[
        float | None, Option(above=0, most=1, metavar="P", help="Sample from the most likely tokens with this total probability.")
    ] = None
    max_tokens: Annotated[
        int | None,
        Option(
            least=1,
            help="Token limit of a response; a longer one is truncated  [default: the limit of the model, 32768 if unknown].",
        ),
    ] = None
    timeout: Annotated[int, Option(least=1, help="Seconds for one request, with its retries.")] = 600
    system_prompt: Annotated[str, Option(metavar="TEXT", help="System prompt of every request.")] = ""
    stop: Annotated[str | Sequence[str], Option(metavar="TEXT", help="Text that ends a response (repeatable).")] = ()
    sampling_seed: Annotated[int | None, Option(least=0, help="Seed of the model's sampling; --seed is that of the items.")] = None
    reasoning_effort: Annotated[ReasoningEffort | None, Option(help="Reasoning effort, if the model has one.")] = None
    reasoning_tokens: Annotated[
        int | None, Option(least=0, help="Token limit of the reasoning (Anthropic, Bedrock, Google, OpenRouter).")
    ] = None
    model_args: Annotated[
        str | Sequence[str] | Mapping[str, Any],
        Option(
            flags=("--model-arg",),
            metavar="KEY=VALUE",
            help="A further field of the request body, such as top_k=20 (repeatable; OpenAI-compatible servers).",
        ),
    ] = ()
    image_detail: Annotated[ImageDetail, Option(help="Image detail (OpenAI's API).")] = "auto"
    image_format: Annotated[
        ImageFormat,
        Option(help="Convert the images before they are sent: png and webp without loss, jpeg with quality 95."),
    ] = "unchanged"


@dataclass(frozen=True, init=False, kw_only=True, repr=False, eq=False)
class Limits:
    """When a run stops."""

    max_attempts: Annotated[int, Option(least=1, help="Attempts at an item, over all sessions.")] = 5
    pricing: Annotated[Path | str | None, Option(help="TOML table of prices in place of the built-in one.")] = None
    max_cost: Annotated[float | None, Option(least=0, metavar="USD", help="Stop before the cost exceeds this amount.")] = None


@dataclass(frozen=True, init=False, kw_only=True, repr=False, eq=False)
class Presentation:
    """How an item is presented."""

    image_mode: Annotated[
        ImageMode,
        Option(help="joint: all images with the question; caption-first: describe each image, then answer from the descriptions."),
    ] = "joint"
    prompt_style: Annotated[str | None, Option(choices=_styles, help=style_help)] = None
    prompt_template: Annotated[
        Path | str | None,
        Option(metavar="FILE", help="A Jinja template of the prompt with {{ question }} and {{ options }} (docs/prompts-and-variants.md)."),
    ] = None


_RENDERINGS = "; ".join(f"{name}: {text}" for name, text in SUMMARIES.items())


@dataclass(frozen=True, init=False, kw_only=True, repr=False, eq=False)
class VariantOptions:
    """The variants of each item, besides the standard condition."""

    no_image: Annotated[bool, Option(help="Also present each item without its image.")] = False
    blank_image: Annotated[bool, Option(help="Also present each item with a white image.")] = False
    mismatched_image: Annotated[bool, Option(help="Also present each item with the image of another item.")] = False
    rendering: Annotated[
        str | Sequence[str],
        Option(
            choices=lambda: RENDERINGS,
            help=f"Also present each item in another rendering of its images ({_RENDERINGS}; repeatable).",
        ),
    ] = ()
    circular_eval: Annotated[bool, Option(help="Also present each choice with its options in every rotation (CircularEval).")] = False
    compare_prompt_styles: Annotated[str, Option(metavar="A,B,...", help="Also present each item in these prompt styles.")] = ""
    image_order: Annotated[
        str | Sequence[str],
        Option(metavar="ORDER", help="Also present each item with its images in another order: start, shuffled (repeatable)."),
    ] = ()
    shots: Annotated[
        int | Sequence[int],
        Option(
            least=1,
            most=8,
            metavar="K",
            help="Also present each item after K worked examples from the train split, with their images (1 to 8; repeatable).",
        ),
    ] = ()
    structured: Annotated[bool, Option(help="Also request each response in the JSON schema of its answer type.")] = False
    epochs: Annotated[int, Option(least=1, most=1000, shown=False, metavar="K", help="Present each item K times.")] = 1


@dataclass(frozen=True, init=False, kw_only=True, repr=False, eq=False)
class AdaptiveTesting:
    adaptive: Annotated[bool, Option(help="Adaptive testing: choose each problem size from the responses so far.")] = False
    ci_half_width: Annotated[
        float | None,
        Option(metavar="SIZES", help="Adaptive: target half-width of the 95% CI of the size threshold  [default: 1.0]."),
    ] = None
    max_items: Annotated[
        int | None, Option(least=10, help="Adaptive: item limit of each task  [default: 80, or 100 if chance is above 25%].")
    ] = None


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RunSpec(ItemOptions, AdaptiveTesting, VariantOptions, Presentation, Limits, RequestOptions, Source):
    """The options of one session of a run. Where one is None, its default counts."""

    workers: Annotated[int, Option(least=1, shown="all cores", default_here=_cores, help="Number of processes.")] = 1
    name: Annotated[str, Option(is_argument=True, help="Name of a function in results and reports.")] = ""
    batch_size: Annotated[
        int | None, Option(least=1, is_argument=True, help="Call a function with a list of up to this many `Request` objects.")
    ] = None
    progress: Annotated[
        bool, Option(is_argument=True, help="Show notices and progress on stderr: a bar, or in a log a line every 30 seconds.")
    ] = True
    given: frozenset[str] = frozenset()
    """The names that the command line set, also to their defaults; empty for Python, which sets what differs from its default."""

    def __post_init__(self) -> None:
        """Raises UserError for a value outside its limits, and for options that exclude or need each other."""
        for name, each in declared(RunSpec).items():
            value = getattr(self, name)
            if isinstance(value, Mapping):
                value = pairs(value, json.dumps if name == "model_args" else str)  # pyright: ignore[reportUnknownArgumentType]
            object.__setattr__(self, name, each.normal(value))
        object.__setattr__(self, "given", self.given or self.changed)
        if protocol := PROTOCOLS.get(self.paper or ""):
            for name, (value, _) in protocol.options.items():
                if name not in self.given:
                    object.__setattr__(self, name, value)
                elif name == "task_options":  # those of other names still hold
                    settings = ItemOptions(task_options=(str(value),)).settings() | ItemOptions(task_options=self.task_options).settings()
                    object.__setattr__(self, name, tuple(f"{setting}={chosen}" for setting, chosen in settings.items()))
            object.__setattr__(self, "tasks", self.tasks or protocol.tasks)
        check(self)
        _require_compatible(self)

    @property
    def paper_conditions(self) -> list[str]:
        """The names of the conditions of the paper that hold, because no other value was given."""
        if not self.paper:
            return []
        options, settings = PROTOCOLS[self.paper].options, self.settings()
        of_tasks = ItemOptions(task_options=options["task_options"][0]).settings() if "task_options" in options else {}
        kept = all(settings[name] == value for name, value in of_tasks.items())
        return [name for name, (value, _) in options.items() if (kept if name == "task_options" else getattr(self, name) == value)]

    @cached_property
    def changed(self) -> frozenset[str]:
        """The names whose values differ from the defaults."""
        return frozenset(name for name, each in declared(RunSpec).items() if getattr(self, name) != each.default)


def flag(name: str) -> str:
    """The option of the command line for a field of `RunSpec`."""
    return declared(RunSpec)[name].flags[0]


_RELEASE_DEFINES = (
    "tasks", "n", "seed", "split", "level", "image_size", "task_options", "preset", "adaptive", "prompt_style", "prompt_template", "shots",
    "data", "image_mode",
)  # fmt: skip
_OF_NEW_ITEMS = ("seed", "level", "image_size", "task_options", "preset")
_EXCLUSIVE = (  # an option, those that it excludes, what to do
    ("paper", ("release", "data", "adaptive", "prompt_template"), "Remove one of them."),
    ("prompt_style", ("prompt_template",), "Remove one of them."),
    ("items", ("tasks", "paper", "release", "data", "adaptive", "n", "split", *_OF_NEW_ITEMS), "The ids state the items; remove it."),
    ("adaptive", ("prompt_template", "shard"), "Remove one of them."),
    ("adaptive", ("data", "n", "preset"), "Remove it; --max-items limits the items."),
)
_NEEDED = (  # options, what they need, its name in the message, what to do
    (("form", "secret"), "release", "--release", "Name the release, such as --release isovist-2026.12."),
    (("shard",), "data", "--data", "Generate the items once (`isovist generate`), then add --data to every shard."),
    (("ci_half_width", "max_items"), "adaptive", "--adaptive", "Add --adaptive or remove the option."),
)


def _require_compatible(spec: RunSpec) -> None:
    """Raises UserError for options that exclude or need each other, or have no effect. A release refuses even a default that is given."""

    def flags(names: Iterable[str], among: frozenset[str]) -> list[str]:
        return ["TASKS" if name == "tasks" else declared(RunSpec)[name].flags[0] for name in names if name in among]

    changed = spec.changed
    if spec.release and (defined := flags(_RELEASE_DEFINES, spec.given)):
        raise UserError(f"The release defines the items and prompts: {', '.join(defined)} with --release. Remove one of the two.")
    for one, others, remedy in _EXCLUSIVE:
        if one in changed and (excluded := flags(others, changed)):
            raise UserError(f"Option incompatible with {declared(RunSpec)[one].flags[0]}: {excluded[0]}. {remedy}")
    if spec.adaptive and changed & declared(VariantOptions).keys():
        raise UserError("Variants are incompatible with --adaptive. Run them with `isovist run --data` on the data of the run.")
    for options, needed, where, remedy in _NEEDED:
        if needed not in changed and (alone := flags(options, changed)):
            raise UserError(f"Option without {where}: {alone[0]}. {remedy}")
    if spec.shots and spec.image_mode != "joint":
        raise UserError(f"Option incompatible with --image-mode {spec.image_mode}: --shots. Remove one of them.")
    if spec.data and (new := flags(_OF_NEW_ITEMS, changed)):
        raise UserError(f"Option without effect on stored items: {new[0]}. Remove it or --data.")
    if not (spec.data or spec.tasks or spec.release or spec.items):
        raise UserError("Missing tasks. Name tasks such as 'cdr/*', a release with --release, ids with --items, or a folder with --data.")


def config(spec: RunSpec) -> dict[str, object]:
    """The given options by key, for `config.toml`; files of tasks and releases with their whole path."""

    def whole(text: str, suffix: str) -> str:
        return str(Path(text).resolve()) if text.endswith(suffix) else text

    options = {name: each for name, each in declared(RunSpec).items() if name in spec.given and not each.option.is_argument}
    values = {each.key: getattr(spec, name) for name, each in options.items() if name != "secret"}
    values |= {each.key: "none" for name, each in options.items() if each.option.can_be_none and getattr(spec, name) is None}
    if spec.release:
        values["release"] = whole(str(spec.release), ".toml")
    return {"tasks": [whole(task, ".py") for task in several(str, spec.tasks)], **values}
