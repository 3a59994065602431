"""How many answers a second the page of a study takes from people who answer all at once: `isovist study serve` in a process of its own,
and people who fetch a question and answer it as soon as it is there, with no time for a look. Afterwards every answer must be in the
file once, and every person have a place of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import httpx

TASKS = ("cdr/relative-compass-letter", "srbench/paper-folding")
PER_TASK, PRACTICE = 12, 2


async def person(client: httpx.AsyncClient, waits: list[float]) -> None:
    """One person from the consent to the last answer; `waits` gets the seconds until each answer was stored."""
    made = (await client.post("/api/begin", json={"agreed": True})).raise_for_status().json()
    code = {"X-Code": made["made"]}
    for number in range(made["total"]):
        question = (await client.get(f"/api/questions/{number}", headers=code)).raise_for_status().json()
        value = question["options"][number % len(question["options"])]["value"]
        start = time.perf_counter()
        answer = {"value": value, "seconds": 1.0, "pauses": 0}
        (await client.post(f"/api/questions/{number}", headers=code, json=answer)).raise_for_status()
        waits.append(time.perf_counter() - start)


async def all_at_once(url: str, people: int) -> tuple[float, list[float]]:
    """The seconds that all of them took together, and those until each answer was stored."""
    waits: list[float] = []
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_connections=people)) as client:
        start = time.perf_counter()
        await asyncio.gather(*(person(client, waits) for _ in range(people)))
        return time.perf_counter() - start, waits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--participants", type=int, default=50)
    people = parser.parse_args().participants
    isovist = [sys.executable, "-m", "isovist"]
    with tempfile.TemporaryDirectory() as into:
        data, folder = Path(into) / "data", Path(into) / "people"
        subprocess.run(
            [*isovist, "generate", *TASKS, "--n", str(PER_TASK + PRACTICE), "--out", data], check=True, stdout=subprocess.DEVNULL
        )
        serve = [*isovist, "study", "serve", data, "--per-task", str(PER_TASK), "--practice", str(PRACTICE), "--out", folder, "--port", "0"]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout
                (url,) = re.findall(r"http://\S+", server.stdout.readline())
                seconds, waits = asyncio.run(all_at_once(url, people))
            finally:
                server.terminate()
        with closing(sqlite3.connect(folder / "people.sqlite")) as db:
            (stored,) = db.execute("select count(*) from answers").fetchone()
            places = sorted(place for (place,) in db.execute("select place from people"))
    assert stored == len(waits) == people * len(TASKS) * (PER_TASK + PRACTICE), (stored, len(waits))
    assert places == list(range(people)), places
    ms = sorted(1000 * wait for wait in waits)
    print("| people | answers | answers/s | ms until an answer is stored, median | 95 of 100 | slowest |")
    print("|---|---|---|---|---|---|")
    slow = ms[int(0.95 * len(ms))]
    print(f"| {people} | {stored:,} | {stored / seconds:.0f} | {statistics.median(ms):.0f} | {slow:.0f} | {ms[-1]:.0f} |")


if __name__ == "__main__":
    main()
