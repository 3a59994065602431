"""Ask a vision-language model with vLLM on a Ray cluster, in bulk, and write its responses for `isovist import predictions`.

    isovist generate 'cdr/*' --out /shared/data/cdr
    python vllm_batch.py /shared/data/cdr Qwen/Qwen2.5-VL-7B-Instruct responses/qwen2.5-vl-7b --engines 8
    isovist import predictions responses/qwen2.5-vl-7b --source-tool jsonl --data /shared/data/cdr --out runs/qwen2.5-vl-7b

Needs `pip install 'ray[data,llm]'`, which installs vLLM, on all nodes, and a GPU for each engine. All nodes must see the dataset folder. The
same command again asks only for the items without a response. A line has the item id, the response, why it ended, and its tokens.
"""

from __future__ import annotations

import argparse
import base64
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
FAILED = "__inference_error__"  # the column of ray.data.llm for failed rows


def preprocess(row: Row, max_tokens: int, temperature: float) -> Row:
    """A row of the dataset as a request: the unchanged images at their positions in the prompt."""
    content: list[Row] = []
    for place, text in enumerate(row["prompt"].split("<image>")):
        if place:
            data = base64.b64encode(row["images"][place - 1]["bytes"]).decode()
            content.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}})
        if text.strip():
            content.append({"type": "text", "text": text.strip()})
    sampling = {"max_tokens": max_tokens, "temperature": temperature}
    return {"messages": [{"role": "user", "content": content}], "sampling_params": sampling}


def postprocess(row: Row, max_tokens: int) -> Row:
    """What is kept of a response. Ray does not tell why it ended: one with as many tokens as are allowed was truncated."""
    tokens = row["num_generated_tokens"]
    return {
        "id": row["id"],
        "response": row["generated_text"],
        "finish_reason": "max_tokens" if tokens >= max_tokens else "stop",
        "input_tokens": row["num_input_tokens"],
        "output_tokens": tokens,
    }


def line(row: Row) -> Row:
    """A row of the processor as a line of the file. Ray returns a failed row without `postprocess`, and gives its columns to all rows."""
    if error := row.get(FAILED):
        return {"id": row["id"], "error": error}
    return {name: row[name] for name in ("id", "response", "finish_reason", "input_tokens", "output_tokens")}


def answered(path: Path) -> list[Row]:
    """The responses of an earlier, interrupted command; without failed ones and without a line that was not completed."""
    lines: list[Row] = []
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(text))
            except ValueError:
                break
    return [row for row in lines if "error" not in row]


def collect(path: Path, rows: Callable[[set[str]], Iterable[Row]]) -> int:
    """Append the lines of `rows(ids of answered items)` to the file as they come; returns the number of failed ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = answered(path)
    temporary = path.with_suffix(".tmp")
    temporary.write_text("".join(f"{json.dumps(row)}\n" for row in before), encoding="utf-8")
    temporary.replace(path)
    failed = 0
    with path.open("a", encoding="utf-8") as file:
        for row in rows({row["id"] for row in before}):
            written = line(row)
            failed += "error" in written
            file.write(f"{json.dumps(written)}\n")
            file.flush()
    return failed


def vllm(model: str, engines: int, max_tokens: int, temperature: float, engine_kwargs: Row) -> Any:
    """The processor of ray.data.llm: a dataset of items to a dataset of responses."""
    from ray.data.llm import build_processor, vLLMEngineProcessorConfig

    config = vLLMEngineProcessorConfig(
        model_source=model,
        engine_kwargs=engine_kwargs,
        concurrency=engines,
        batch_size=64,
        prepare_multimodal_stage={"enabled": True},
        should_continue_on_error=True,
    )
    return build_processor(
        config,
        preprocess=lambda row: preprocess(row, max_tokens, temperature),
        postprocess=lambda row: postprocess(row, max_tokens),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="dataset folder of isovist generate")
    parser.add_argument("model", help="model name of the Hugging Face hub, or a folder that all nodes see")
    parser.add_argument("out", type=Path, help="folder for the responses, named after the model")
    parser.add_argument("--engines", type=int, default=1, help="vLLM engines, each on its own GPUs")
    parser.add_argument("--max-tokens", type=int, default=2048)
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--engine", type=json.loads, default={}, help="other arguments of vLLM's engine as JSON")
    args = parser.parse_args()

    import ray

    processor = vllm(args.model, args.engines, args.max_tokens, args.temperature, args.engine)
    files = sorted(str(path.absolute()) for path in args.data.glob("*/*/test-*.parquet"))

    def rows(known: set[str]) -> Iterable[Row]:
        items = ray.data.read_parquet(files, columns=["id", "prompt", "images"])
        return processor(items.filter(lambda row: row["id"] not in known)).iter_rows()

    failed = collect(args.out / "responses.jsonl", rows)
    print(f"{failed} failed. Run the same command again to ask for them." if failed else "All items have a response.")  # noqa: T201


if __name__ == "__main__":
    main()
