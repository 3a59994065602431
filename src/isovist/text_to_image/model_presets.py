"""Painters: what draws a picture from words and a seed, and the settings of the two of SRBench."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

UNKNOWN = "unknown, ask its maker"


@dataclass(frozen=True, slots=True)
class Settings:
    """A diffusion model and how it is asked. `model` is a folder, or an id of the Hugging Face hub; `size` the side of a picture in
    pixels; `tokens` how much of a description its text encoders read at most, None where the pipeline has no such setting.
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
        """Those on which a picture depends."""
        return {name: value for name, value in asdict(self).items() if name not in ("name", "licence")}


class DiffusionModel(Protocol):
    """Draws one picture at a time: the bytes of a PNG file. The same words and seed give the same picture on one machine."""

    settings: Settings
    made_with: str
    """The library with its version."""

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
    """The settings of a known painter, or of another model under a name of its own, with what is given changed."""
    known = KNOWN.get(name) or Settings(name, model or name, steps=28, guidance=3.5)
    changed: dict[str, Any] = {"steps": steps, "guidance": guidance, "size": size}
    if model and model != known.model:
        changed |= {"model": model, "licence": UNKNOWN}
    return replace(known, **{key: value for key, value in changed.items() if value is not None})
