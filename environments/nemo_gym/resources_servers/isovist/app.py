"""The resource server of NeMo Gym for `isovist export --format nemo-gym`: `verify` gives the reward of the evaluation."""

from typing import ClassVar

from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseVerifyRequest,
    BaseVerifyResponse,
    ReverifyMode,
    SimpleResourcesServer,
)

from isovist.core.answers import read_key
from isovist.data.prompts import DEFAULT_STYLE
from isovist.training.rewards import has_valid_format, reward_credit


class IsovistConfig(BaseResourcesServerConfig):
    REVERIFY_MODE: ClassVar[ReverifyMode] = ReverifyMode.STATELESS


class IsovistVerifyRequest(BaseVerifyRequest):
    ground_truth: str
    """The typed key as JSON text."""
    style: str | None = None
    """The prompt style, on which the format depends."""


class IsovistVerifyResponse(BaseVerifyResponse):
    format_reward: float


class IsovistServer(SimpleResourcesServer):
    config: IsovistConfig

    async def verify(self, body: IsovistVerifyRequest) -> IsovistVerifyResponse:
        """The credit of the response as `reward`, and whether it has the requested format. An incomplete response has 0.

        Raises ValueError for an invalid key.
        """
        key, text = read_key(body.ground_truth), body.response.output_text
        truncated = body.response.status == "incomplete"
        formed = not truncated and has_valid_format(text, key, body.style or DEFAULT_STYLE)
        return IsovistVerifyResponse(
            **body.model_dump(), reward=reward_credit(text, key, truncated=truncated) or 0.0, format_reward=float(formed)
        )


if __name__ == "__main__":
    IsovistServer.run_webserver()
