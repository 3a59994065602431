"""How much of the time of a run is the loop's own: `isovist run` against plain asyncio + httpx, on one dummy server.

python benchmarks/running.py              # 1,000 items a case, about six minutes
python benchmarks/running.py --n 5000     # one case of more items, so that what happens once weighs less
python benchmarks/running.py --auto       # --max-connections auto against the fixed default, about 15 minutes

The server is a process of its own that waits for a set time and says "Answer: A". Both clients are processes of their
own as well, send the same words and pictures over as many connections, and write one record an item. The clock starts when the client
is ready to send; the loop then asks its first item alone, so that it needs one reply's time more than plain httpx.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from isovist.data.dataset.load import load
from isovist.data.dataset.manifest import Manifest
from isovist.data.dataset.rows import SCHEMA
from isovist.data.prompts import IMAGE
from isovist.evaluation.run.run_summary import RunSummary

TASK = "cdr/relative-compass-letter"
CASES = ((0.0, 50), (0.2, 10), (1.0, 50), (2.0, 100))  # seconds a reply takes, requests at once
LONG = (1.0, 50)
SERVERS = {  # seconds a reply takes, requests that are worked on at once (others queue), and above what it refuses with 429
    "refuses above 4 at once": {"wait_s": 0.5, "most": 4},
    "refuses above 8 at once": {"wait_s": 0.5, "most": 8},
    "refuses above 32 at once": {"wait_s": 0.5, "most": 32},
    "refuses above 10 a second": {"wait_s": 0.5, "rate": 10},
    "refuses above 40 a second": {"wait_s": 0.5, "rate": 40},
    "queues above 4": {"wait_s": 0.5, "capacity": 4},
    "queues above 16": {"wait_s": 0.5, "capacity": 16},
    "queues above 64": {"wait_s": 0.5, "capacity": 64},
    "fast": {"wait_s": 0.05},
    "slow, without a limit": {"wait_s": 2.0},
}
N = 1000
REPLY = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "dummy",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Answer: A"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 70, "completion_tokens": 5, "total_tokens": 75},
}


# The server -------------------------------------------------------------------------------------------------------


def serve(wait_s: float, capacity: int = 0, most: int = 0, rate: float = 0) -> None:
    """Answers every POST after a while; prints its port first. With a limit, replies take 0.5 to 1.5 times as long, by chance."""
    body = json.dumps(REPLY).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    refusal = b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    room, spread = asyncio.Semaphore(capacity or 1_000_000), random.Random(0)
    active, tokens, filled = 0, rate, time.monotonic()

    def refuses() -> bool:
        nonlocal tokens, filled
        now = time.monotonic()
        tokens, filled = min(rate, tokens + rate * (now - filled)), now
        if (most and active >= most) or (rate and tokens < 1):
            return True
        tokens -= 1
        return False

    async def reply(writer: asyncio.StreamWriter) -> None:
        nonlocal active
        if refuses():
            writer.write(refusal)
            return
        active += 1
        async with room:
            await asyncio.sleep(wait_s * (spread.uniform(0.5, 1.5) if capacity or most or rate else 1))
        active -= 1
        writer.write(answer)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"GET"):  # it has no list of models
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    continue
                lines = head.lower().split(b"\r\n")
                length = next(int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:"))
                await reader.readexactly(length)
                await reply(writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=256, limit=2**22)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(main())


@contextmanager
def server(**behaviour: float) -> Generator[str]:
    with subprocess.Popen([sys.executable, __file__, "serve", json.dumps(behaviour)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.kill()


# The clients ------------------------------------------------------------------------------------------------------


Client = Callable[[], object]


def raw(data: Path, url: str, at_once: int, out: Path) -> Client:
    """The least a client can do: read rows, send them, append what came back."""
    import httpx

    async def main() -> None:
        limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
        rows = load(data, Manifest.read(data).parts)
        async with httpx.AsyncClient(limits=limits, timeout=60) as client:
            with (out / "records.jsonl").open("ab", buffering=0) as file:

                async def work() -> None:
                    for row in rows:
                        content: list[dict[str, Any]] = []
                        for i, words in enumerate(row.prompt.split(IMAGE)):
                            if i:
                                uri = f"data:image/png;base64,{base64.b64encode(row.images[i - 1]).decode()}"
                                content.append({"type": "image_url", "image_url": {"url": uri}})
                            if words.strip():
                                content.append({"type": "text", "text": words})
                        payload = {"model": "m", "messages": [{"role": "user", "content": content}], "temperature": 0, "max_tokens": 4096}
                        reply = await client.post(f"{url}/chat/completions", json=payload)
                        text = reply.json()["choices"][0]["message"]["content"]
                        file.write((json.dumps({"item_id": row.id, "reply": text}) + "\n").encode())

                await asyncio.gather(*(work() for _ in range(at_once)))

    out.mkdir()
    return lambda: asyncio.run(main())


def loop(data: Path, url: str, at_once: int, out: Path) -> Client:
    """What `isovist run` does once its items are looked at and its model is made."""
    from isovist.evaluation.console import Console
    from isovist.evaluation.models import GenerationConfig, model
    from isovist.evaluation.prepare import Work
    from isovist.evaluation.run.cost_estimate import CostEstimate
    from isovist.evaluation.run.fixed_trials import fixed_trials
    from isovist.evaluation.run.pricing import RunLimits
    from isovist.evaluation.run.run_folder import RunFolder, RunMetadata, data_hash, names, stored
    from isovist.evaluation.send import send

    options = GenerationConfig(url, concurrency=at_once) if at_once else GenerationConfig(url, auto_concurrency=True)
    parts = names(Manifest.read(data).parts)
    out.mkdir()
    info = RunMetadata("m", "final-line", options, stored(data, out), data_hash(data), parts)
    made = model("m", options)
    work = Work(RunFolder(out), info, fixed_trials(RunFolder(out), info))
    return lambda: send(work, made, RunLimits(), CostEstimate(), Console(shown=False))


CLIENTS = {"raw": raw, "loop": loop}


def client(kind: str, data: Path, url: str, at_once: int, out: Path) -> dict[str, float]:
    """One client in a process of its own: seconds, CPU seconds, MB at most."""
    command = [sys.executable, __file__, "client", kind, str(data), url, str(at_once), str(out)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert sum(1 for _ in (out / "records.jsonl").open()) == Manifest.read(data).parts[0].n
    return json.loads(output)


def as_client(kind: str, data: str, url: str, at_once: str, out: str) -> None:
    work = CLIENTS[kind](Path(data), url, int(at_once), Path(out))
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    summary = work()
    spent = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    costs = {"seconds": spent, "cpu": cpu, "mb": after.ru_maxrss / 1024, "mb_before": before.ru_maxrss / 1024}
    if isinstance(summary, RunSummary):
        costs |= {"errors": summary.outcomes["request_error"], "connections": summary.connections}
    print(json.dumps(costs))


# The benchmarks ---------------------------------------------------------------------------------------------------


def made(folder: Path, n: int, pictures: int, size: int = 500) -> Path:
    """Items with so many pictures each."""
    subprocess.run(
        [sys.executable, "-m", "isovist", "generate", TASK, "--n", str(n), "--image-size", str(size), "--out", folder], check=True
    )
    for path in folder.glob(f"{TASK}/*.parquet") if pictures > 1 else ():
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        for place, row in enumerate(rows):
            row["images"] = [rows[(place + i) % len(rows)]["images"][0] for i in range(pictures)]
            row["prompt"] = f"{IMAGE}\n" * (pictures - 1) + row["prompt"]
        pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)
    return folder


def speed(home: Path, n: int) -> None:
    print(f"{'':<40}{'seconds':>10}{'of raw':>9}{'CPU ms a request':>19}{'MB':>7}")
    for pictures in (1, 4) if n <= N else (1,):
        data = made(home / f"data-{pictures}", n, pictures)
        for wait_s, at_once in CASES if n <= N else (LONG,):
            costs: dict[str, dict[str, float]] = {}
            for kind in ("raw", "loop"):
                with server(wait_s=wait_s) as url:
                    costs[kind] = client(kind, data, url, at_once, home / f"{kind}-{pictures}-{wait_s}-{at_once}")
            for kind, cost in costs.items():
                name = f"{pictures} x 500x500, {wait_s:g} s x {at_once}, {kind}"
                share = costs["raw"]["seconds"] / cost["seconds"]
                print(f"{name:<40}{cost['seconds']:>10.2f}{share:>9.3f}{1e3 * cost['cpu'] / n:>19.2f}{cost['mb']:>7.0f}", flush=True)


def connections(home: Path, n: int) -> None:
    """Eight connections, the default, against `--max-connections auto`, one after the other, each with a server of its own."""
    print(f"{'':<28}{'fixed, s':>10}{'errors':>8}{'auto, s':>10}{'errors':>8}{'settled at':>12}{'gain':>7}")
    data = made(home / "data", n, 1, 96)
    for name, behaviour in SERVERS.items():
        costs: list[dict[str, float]] = []
        for at_once in (8, 0):
            with server(**behaviour) as url:
                costs.append(client("loop", data, url, at_once, home / f"{name}-{at_once}"))
        fixed, auto = costs
        print(
            f"{name:<28}{fixed['seconds']:>10.1f}{fixed['errors']:>8.0f}{auto['seconds']:>10.1f}{auto['errors']:>8.0f}"
            f"{auto['connections']:>12.0f}{fixed['seconds'] / auto['seconds']:>7.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--auto", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (connections if args.auto else speed)(Path(name), args.n)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(**json.loads(sys.argv[2]))
    elif sys.argv[1:2] == ["client"]:
        as_client(*sys.argv[2:])
    else:
        main()
