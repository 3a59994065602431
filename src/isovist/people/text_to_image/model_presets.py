"""Settings of diffusion models, with presets for the two of SRBench."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

UNKNOWN = "unknown, ask its maker"


@dataclass(frozen=True, slots=True)
class Settings:
    """A diffusion model and its options.

    `model` is a folder or a Hugging Face model id, `size` the width and height of an image in pixels, `tokens` the maximum sequence length
    of the text encoders (None if the pipeline has no such option).
    """

    name: str
    model: str
    steps: int
    guidance: float
    size: int = 1024
    tokens: int | None = None
    dtype: str = "bfloat16"
    licence: str = UNKNOWN

    @property
    def as_json(self) -> dict[str, Any]:
        """The settings that affect an image."""
        return {name: value for name, value in asdict(self).items() if name not in ("name", "licence")}


class DiffusionModel(Protocol):
    """Generates one image at a time, as PNG. The same text and seed give the same image on one machine."""

    settings: Settings
    made_with: str
    """The libraries with their versions."""

    def draw(self, text: str, seed: int) -> bytes: ...


FLUX = Settings(
    "flux", "black-forest-labs/FLUX.1-dev", steps=50, guidance=3.5, tokens=512,
    licence="FLUX.1 [dev] Non-Commercial License",
)  # fmt: skip
SD = Settings(
    "sd", "stabilityai/stable-diffusion-3.5-large", steps=28, guidance=3.5, tokens=256,
    licence="Stability AI Community License",
)  # fmt: skip
KNOWN = {"flux": FLUX, "sd": SD}


def settings(
    name: str, *, model: str | None = None, steps: int | None = None, guidance: float | None = None, size: int | None = None
) -> Settings:
    """The settings of a preset, or of another model, with the given changes."""
    known = KNOWN.get(name) or Settings(name, model or name, steps=28, guidance=3.5)
    changed: dict[str, Any] = {"steps": steps, "guidance": guidance, "size": size}
    if model and model != known.model:
        changed |= {"model": model, "licence": UNKNOWN}
    return replace(known, **{key: value for key, value in changed.items() if value is not None})
