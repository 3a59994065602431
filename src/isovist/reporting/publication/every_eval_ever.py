"""Results for Every Eval Ever: one JSON file with the results of a run, and one of JSON lines with its responses.

The fields, the folders and the names of the files are those of https://github.com/evaleval/every_eval_ever, schema version 0.3.0. A run with
a private seed has no file of responses: it would state prompts and keys. That file has no imported items either, as these have licences of
their own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import file_digest, sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

from isovist.common import canary, json_lines
from isovist.common.errors import UserError
from isovist.data.dataset.rows import ItemRow
from isovist.evaluation.run.records import AttemptRecord
from isovist.evaluation.run.run_folder import RUN, RunMetadata, parser
from isovist.reporting.analysis.collect import RunResults
from isovist.reporting.analysis.overall_performance import overall
from isovist.reporting.analysis.task_result import TaskResult
from isovist.reporting.publication.result_export import ResultRequest, Start
from isovist.reporting.reports.samples import record_of

SCHEMA = "0.3.0"
COLLECTION = "isovist"
_ENGINES = {"hf": "transformers", "vllm": "vllm", "sglang": "sglang", "ollama": "ollama", "simulated": "isovist", "embedded": "isovist"}
_DEVELOPERS = ("openai", "anthropic", "google", "deepseek")
"""Providers that serve their own models."""
_SERVICES = (*_DEVELOPERS, "openrouter", "together", "groq", "fireworks", "bedrock")
_RESERVED = r"(?:data|con|prn|aux|nul|(?:com|lpt)\d)(?:[./]|$)"  # names that the datastore or a file system refuses as folders
_PART = rf"(?!(?i:{_RESERVED}))[A-Za-z0-9](?:[\w.:+-]*[\w+-])?"
_MODEL = re.compile(rf"({_PART})/({_PART})", re.ASCII)

_WEIGHTS = {None: "unknown", True: "open_weights", False: "closed_weights"}

Json = dict[str, Any]


def check(run: Path, info: RunMetadata, request: ResultRequest) -> None:
    """Raises UserError if the developer of the model is unknown."""
    del run
    _model(info, request)


def write(result: RunResults, new: Path, request: ResultRequest, start: Start) -> list[str]:
    """Write the files; returns notes."""
    part, info = result.run.parts[0], result.info
    with part.folder.records.open("rb") as records:
        digest = sha256((part.folder.path / RUN).read_bytes() + file_digest(records, "sha256").digest())
    name = UUID(bytes=digest.digest()[:16], version=4)  # the same for the same run, so that a second export replaces the first
    finished = f"{datetime.fromisoformat(info.finished).timestamp():.0f}"
    model, card = _model(info, request), request.card
    relationship = "first_party" if card and card.who.casefold() == model["developer"].casefold() else "third_party"
    folder = Path("data", COLLECTION, *(part.replace(":", "_") for part in model["id"].split("/")))
    (new / folder).mkdir(parents=True)
    tasks = [task for task in result.tasks if task.accuracy]
    log: Json = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{COLLECTION}/{model['id']}/{finished}",
        "evaluation_timestamp": info.finished,
        "retrieved_timestamp": finished,  # the end of the run: the time of the export would differ each time
        "source_metadata": {
            "source_name": "Isovist",
            "source_type": "evaluation_run",
            "source_organization_name": card.who if card else "unknown",
            "evaluator_relationship": relationship if card else "other",
            "additional_details": _texts(link=card.link, tools=card.tools, sampling=card.sampling, notes=card.notes) if card else {},
        },
        "eval_library": {
            "name": "isovist",
            "version": info.versions.get("isovist", "unknown"),
            "additional_details": _texts(parser=parser(), scored_with_isovist=version("isovist"), responses_of_tool=info.source_tool),
        },
        "model_info": model,
        "evaluation_results": [_result(some, result, request) for some in ([tasks] if len(tasks) > 1 else []) + [[task] for task in tasks]],
    }
    samples, checksum, n = folder / f"{name}_samples.jsonl", sha256(), 0
    if not any(design.is_private for design in part.designs.values()):
        progress = start(result.n)
        with (new / samples).open("wb") as file:
            for row, record in _scored(result):
                line = json_lines.line(_sample(row, record, info, log), escaped=True).encode()  # readers may split lines at U+2028
                checksum.update(line)
                file.write(line)
                n += 1
                progress()
    if n:
        log["detailed_evaluation_results"] = {
            "format": "jsonl",
            "file_path": samples.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": checksum.hexdigest(),
            "total_rows": n,
        }
    else:
        (new / samples).unlink(missing_ok=True)
    (new / folder / f"{name}.json").write_text(json.dumps(log, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    notes = [] if card else ["Without --card, the organisation is `unknown`. `isovist submit card` prints a template."]
    if n < result.n:
        notes.append(f"{result.n - n} responses are left out: their items have a private seed or are imported.")
    return notes


# The model and its settings ---------------------------------------------------------------------------------------------


def _model(info: RunMetadata, request: ResultRequest) -> Json:
    """The field `model_info`. Raises UserError if the developer is unknown: the name of a run may also be a path."""
    is_named = not (info.options.base_url or info.source_tool)  # else the name is that of a server or of another tool
    provider, _, rest = info.model.partition("?")[0].partition("/") if is_named else ("", "", info.model)
    has_rest = not is_named or provider in {*_ENGINES, *_SERVICES} - {"simulated", "embedded", *_DEVELOPERS}
    given = request.model_id or (rest if has_rest else info.model)
    if not _MODEL.fullmatch(given):
        raise UserError(f"Developer of the model is unknown: {given}. Give --model-id DEVELOPER/MODEL.")
    engine, is_service = _ENGINES.get(provider, ""), provider in _SERVICES
    host = {"inference_engine": _texts(name=engine, version=info.versions.get(engine))} if engine else {"inference_platform": provider}
    served = info.usage.served_by if info.usage else ()
    return {
        "name": given.partition("/")[2],
        "id": given,
        "developer": given.partition("/")[0],
        **(host if engine or is_service else {}),
        "additional_details": _texts(
            deployment_type="self_deployed" if engine else "externally_managed" if is_service else "unknown",
            model_availability=_WEIGHTS[request.card.open_weights if request.card else None],
            served_by=", ".join(name for name in served if re.fullmatch(rf"{_PART}(?:/{_PART})*", name, re.ASCII)),  # not a path
            where=request.card.where if request.card else "",
        ),
    }


def _generation(info: RunMetadata) -> Json:
    """The field `generation_config`. The options of imported responses are unknown, and the arguments of a model may be paths."""
    options, epochs = info.options, info.variants.epochs
    has_sampling = not (info.source_tool or info.model.startswith("anthropic/"))  # its API takes neither temperature nor top_p
    thinks = options.reasoning_effort is not None or options.reasoning_tokens is not None
    args: Json = {
        "temperature": options.temperature if has_sampling else None,
        "top_p": options.top_p if has_sampling else None,
        "max_tokens": (options.max_tokens or None) if not info.source_tool else None,
        "reasoning": options.reasoning_effort != "none" and options.reasoning_tokens != 0 if thinks else None,
        "prompt_template": info.prompt_template or None,
    }
    left_out = {"seed", "top_p", "model_args"}
    more = {name: value for name, value in options.request_options().items() if name not in left_out}
    details = _texts(prompt_style=info.style, image_mode=info.image_mode, sampling_seed=options.seed, **more)
    repeated = _texts(repetitions=epochs, scored_repetition=1) if epochs > 1 else {}
    return {"generation_args": {name: value for name, value in args.items() if value is not None}, "additional_details": details | repeated}


# The results --------------------------------------------------------------------------------------------------------------


def _result(tasks: Sequence[TaskResult], result: RunResults, request: ResultRequest) -> Json:
    """One element of `evaluation_results`: a task, or the mean over several tasks."""
    means, is_task = overall([task.counted.scores for task in tasks]), len(tasks) == 1
    n, n_unscored = sum(task.n for task in tasks), sum(task.n_unscored for task in tasks)
    outcomes = sum((task.outcome_counts for task in tasks), Counter[Any]())
    method = "Wilson score interval of the effective sample size"
    about = (
        f"Mean credit of {tasks[0].task} (0 to 1). {tasks[0].summary}" if is_task else f"Mean accuracy of {len(tasks)} tasks, equal weights"
    )
    return {
        "evaluation_result_id": _name(tasks[0].task if is_task else ""),
        "evaluation_name": _name(tasks[0].task if is_task else ""),
        "source_data": _source({task.task for task in tasks}, n + n_unscored, result, request),
        "metric_config": {
            "evaluation_description": about.strip(),
            "metric_id": "accuracy" if is_task else "isovist.mean_accuracy",
            "metric_name": "Accuracy" if is_task else "Mean accuracy of tasks",
            "metric_kind": "accuracy",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
            "additional_details": {"aggregation": "mean of items" if is_task else "mean of tasks with equal weights"},
        },
        "score_details": {
            "score": means.accuracy.estimate,
            "details": _texts(
                chance=means.chance,
                chance_corrected=means.chance_corrected.estimate,
                chance_corrected_low=means.chance_corrected.low,
                chance_corrected_high=means.chance_corrected.high,
                n_tasks=len(tasks),
                n_unscored=n_unscored,
                n_clusters=len({cluster for task in tasks for cluster in task.rows.scored.clusters}),
                too_few_clusters=means.accuracy.too_few_clusters,
                **{f"n_{outcome}": count for outcome, count in sorted(outcomes.items())},
            ),
            "uncertainty": {
                "confidence_interval": {
                    "lower": means.accuracy.low,
                    "upper": means.accuracy.high,
                    "confidence_level": 0.95,
                    "method": f"{method}, widened to contain all possible credits of unscored items" if n_unscored else method,
                },
                "num_samples": n,
            },
        },
        "generation_config": _generation(result.info),
    }


def _source(tasks: set[str], n: int, result: RunResults, request: ResultRequest) -> Json:
    """The field `source_data`. Seeds of private items are secret, and settings of imported items may be paths."""
    designs = [design for design in result.run.parts[0].designs.values() if design.task in tasks]
    generated = [design for design in designs if not design.imported]
    facts: dict[str, Iterable[object]] = {
        "task": tasks if len(tasks) == 1 else (),
        "task_version": (design.version for design in designs) if len(tasks) == 1 else (),
        "split": (design.split for design in designs),
        "seed": (design.seed for design in generated if not design.is_private),
        "level": (design.level for design in generated if design.level),
        "settings": (f"{name}={value}" for design in generated for name, value in design.settings.items()),
        "renderer": (design.renderer for design in generated),
    }
    repository, _, revision = request.dataset.partition("@")
    details = _texts(
        samples_number=n,
        **{name: ", ".join(sorted(set(map(str, values)))) for name, values in facts.items()},
        release=result.info.release_text,
        commitment=result.info.commitment,
        data_hash=result.info.data_hash,
        revision=revision,
    )
    hub = {"source_type": "hf_dataset", "hf_repo": repository} if repository else {"source_type": "other"}
    return {"dataset_name": COLLECTION, **hub, "additional_details": details}


# The responses -------------------------------------------------------------------------------------------------------------


def _scored(result: RunResults) -> Iterator[tuple[ItemRow, AttemptRecord]]:
    """The scored items that are not imported, in the standard condition, with their records, in the order of the data."""
    part = result.run.parts[0]
    scored = part.rows.standard.scored
    places = dict(zip(scored.texts("item_id"), scored.places.tolist(), strict=True))
    for row in part.folder.rows(part.info, pictures=False):
        record = record_of(part, places[row.id]) if row.id in places and row.version else None
        if record:
            yield row, record


def _sample(row: ItemRow, record: AttemptRecord, info: RunMetadata, log: Json) -> Json:
    """One line of the file of responses. It has no `sample_hash`: that of the schema is one of the text alone, which many items share."""
    tokens = [record.usage.get(name) for name in ("input_tokens", "output_tokens")]
    parsed = record.parsed_answer
    return {
        "schema_version": SCHEMA,
        "evaluation_id": log["evaluation_id"],
        "model_id": log["model_info"]["id"],
        "evaluation_name": _name(row.task),
        "evaluation_result_id": _name(row.task),
        "sample_id": row.id,
        "interaction_type": "single_turn",
        "input": {"raw": row.prompt_in_style(info.prompt_style), "reference": [row.answer], "choices": list(row.choices) or None},
        "output": {"raw": [record.response], "reasoning_trace": [record.reasoning] if record.reasoning else None},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": parsed,
                "extraction_method": f"isovist parser {parser()}",
                "is_terminal": True,
            }
        ]
        if parsed is not None
        else [],
        "evaluation": {"score": record.credit, "is_correct": record.outcome == "correct"},
        "token_usage": {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)}  # type: ignore[arg-type]
        if None not in tokens
        else None,
        "performance": {"latency_ms": round(1000 * record.latency_s, 3)} if record.latency_s else None,
        "metadata": _texts(
            split=row.split,
            level=row.level,
            cluster=row.group,
            outcome=record.outcome,
            finish_reason=record.finish_reason,
            image_sha256_prefixes=" ".join(record.image_hashes),
            **({canary.NAME: canary.NOTICE} if canary.is_test(row.split) else {}),
        ),
    }


def _name(task: str) -> str:
    """The name of a result: ``isovist.cdr.relative-compass-letter`` for ``cdr/relative-compass-letter``."""
    return ".".join([COLLECTION, *filter(None, task.split("/"))])


def _texts(**values: object) -> dict[str, str]:
    """The known values as texts: the schema takes no others in details."""
    texts = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in values.items()}
    return {name: text for name, text in texts.items() if text not in ("", "None", "nan")}
