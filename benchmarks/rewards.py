"""How many rewards a second one core gives (its processor time): replies of each kind of answer, right, wrong and hedged, bare and after
reasoning. Then batches of all kinds in processes, by the clock.

python benchmarks/rewards.py
"""

from __future__ import annotations

import time
from itertools import cycle, islice

from rates import seconds

from isovist.core.answers import KINDS, Answer, Number, key_json
from isovist.data.items import generate
from isovist.suites import registry
from isovist.training.rewards import format_reward, reward, reward_credits

REPLIES = 300
BATCH = 20_000
THOUGHT = "I look at the picture from the left to the right and compare what is near with what is far. "


def keys_of(kind: str) -> list[Answer]:
    """Keys of one kind, of the first task that has it; no task asks for a number with a tolerance."""
    task = next((task for task in registry.tasks().values() if task.answers.type == kind), None)
    if task is None:
        return [Number(float(turn), 10, 0, 360, 360, "degrees", "clockwise") for turn in range(0, 360, 10)]
    return [item.answer for item in generate(task.id, n=32, split="train")]


def main() -> None:
    print(f"{'kind':<14}{'bare, rewards/s':>18}{'reasoned, rewards/s':>22}{'form, rewards/s':>18}")
    batch: list[tuple[str, str]] = []
    for kind in KINDS:
        keys = [key for _, key in zip(range(REPLIES), keys_of(kind) * REPLIES, strict=False)]
        key_texts = [key_json(key) for key in keys]
        answers = [
            (key.canonical(), key.wrong_answers()[0], f"{key.canonical()} or {key.wrong_answers()[0]}")[i % 3] for i, key in enumerate(keys)
        ]
        bare = [f"Answer: {text}" for text in answers]
        reasoned = [f"{6 * THOUGHT}\nAnswer: {text}" for text in answers]
        rates = (
            REPLIES / seconds(lambda: reward(bare, key_texts), time.process_time),  # noqa: B023 - called before the next kind
            REPLIES / seconds(lambda: reward(reasoned, key_texts), time.process_time),  # noqa: B023
            REPLIES / seconds(lambda: format_reward(reasoned, key_texts), time.process_time),  # noqa: B023
        )
        print(f"{kind:<14}{rates[0]:>18,.0f}{rates[1]:>22,.0f}{rates[2]:>18,.0f}")
        batch += zip(bare, key_texts, strict=True)
        batch += zip(reasoned, key_texts, strict=True)
    replies, key_column = zip(*islice(cycle(batch), BATCH), strict=True)
    for workers, clock, measure in (
        (1, time.process_time, "processor time"),
        (1, time.perf_counter, "clock"),
        (2, time.perf_counter, "clock"),
    ):
        rate = BATCH / seconds(lambda: reward_credits(replies, key_column, workers=workers), clock)  # noqa: B023
        print(f"{BATCH:,} replies, half of them with reasoning, {workers} process(es): {rate:,.0f} rewards/s by {measure}")


if __name__ == "__main__":
    main()
