"""Isovist's items as an environment of OpenEnv: `reset` gives a question with its images, `step` takes the response and ends the episode."""

from __future__ import annotations

from itertools import count
from typing import Any

import uvicorn
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

import isovist
from isovist.core.answers import read_key
from isovist.data.dataset.pictures import data_url
from isovist.data.dataset.training_examples import TrainingExample
from isovist.data.prompts import DEFAULT_STYLE
from isovist.training.rewards import has_valid_format, reward_credit

_NEXT_SEED = count(1 << 32)
"""Seeds of episodes for which the client gives none."""


class IsovistAction(Action):
    response: str
    """The text of the model."""


class IsovistObservation(Observation):
    prompt: str = ""
    """The question, with one ``<image>`` for each image at its position; empty after the response."""
    images: list[str] = Field(default_factory=list)
    """PNG files as data URLs."""
    format_reward: float | None = None
    """After the response: 1 if it has the requested format, else 0."""


class IsovistEnvironment(Environment[IsovistAction, IsovistObservation, State]):
    """One question per episode. The state has the item id, which identifies the answer: do not show it to the model."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State()
        self._example: TrainingExample | None = None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, tasks: str | list[str] = "cdr/*", level: str | None = None,
        split: str = "train", style: str = DEFAULT_STYLE, **kwargs: Any,
    ) -> IsovistObservation:  # fmt: skip
        """Start an episode. The same seed and settings give the same item. Raises ValueError for an invalid setting."""
        del kwargs
        seed = next(_NEXT_SEED) if seed is None else seed
        self._example, self._style = next(isovist.stream(tasks, seed=seed, split=split, levels=level, style=style)), style
        self._state = State(episode_id=episode_id, step_count=0, item_id=self._example.id.rpartition("/")[0])
        return IsovistObservation(prompt=self._example.turns[0].content, images=[data_url(image) for image in self._example.images])

    def step(self, action: IsovistAction, timeout_s: float | None = None, **kwargs: Any) -> IsovistObservation:
        """Score the response and end the episode. Raises RuntimeError without an open episode."""
        del timeout_s, kwargs
        example, self._example = self._example, None
        if example is None:
            raise RuntimeError("The episode has not started or has ended. Call reset first")
        self._state.step_count += 1
        formed = has_valid_format(action.response, read_key(example.key), self._style)
        return IsovistObservation(done=True, reward=reward_credit(action.response, example.key), format_reward=float(formed))

    @property
    def state(self) -> State:
        return self._state


app = create_app(IsovistEnvironment, IsovistAction, IsovistObservation, env_name="isovist", max_concurrent_envs=256)


def main() -> None:
    uvicorn.run(app, host="0.0.0.0", port=8000)  # noqa: S104 - containers serve to other machines


if __name__ == "__main__":
    main()
