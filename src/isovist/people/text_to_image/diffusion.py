"""A diffusion pipeline of the library `diffusers`. Heavy imports are lazy."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import numpy as np

from isovist.common.errors import MissingDependencyError, UserError
from isovist.people.text_to_image.model_presets import Settings
from isovist.world.render.image_encoding import png

_SHARED_MEMORY = ("out of memory", "allocate memory", "not enough memory")


class Diffusion:
    """A local text-to-image pipeline."""

    def __init__(self, settings: Settings, pipeline: Any, made_with: str) -> None:
        self.settings = settings
        self.made_with = made_with
        self._pipeline = pipeline
        self._parameters = inspect.signature(pipeline.__call__).parameters

    def draw(self, text: str, seed: int) -> bytes:
        """A PNG file. Raises UserError if memory is insufficient, or the pipeline rejects the settings."""
        torch: Any = importlib.import_module("torch")
        settings = self.settings
        arguments: dict[str, Any] = {
            "prompt": text,
            "num_inference_steps": settings.steps,
            "guidance_scale": settings.guidance,
            "height": settings.size,
            "width": settings.size,
            "generator": torch.Generator("cpu").manual_seed(seed),  # CPU: the same noise on every device
            "max_sequence_length": settings.tokens,
        }
        supported = {name: value for name, value in arguments.items() if value is not None and name in self._parameters}
        try:
            (image,) = self._pipeline(**supported).images
        except (RuntimeError, ValueError, MemoryError) as error:
            message = str(error).strip().partition("\n")[0][:200]
            if isinstance(error, MemoryError) or any(words in str(error).lower() for words in _SHARED_MEMORY):
                raise UserError(f"Out of memory: {settings.model}. Add --offload or decrease --image-size.") from None
            raise UserError(f"Cannot generate an image ({message}): {settings.model}. Change the settings.") from None
        return png(np.asarray(image.convert("RGB"), np.uint8))


def load(settings: Settings, *, offload: bool = False) -> Diffusion:
    """The pipeline of these settings. Only safetensors weights are read, and no remote code is run.

    With `offload`, idle parts of the model are in CPU memory. Raises UserError if the model cannot be loaded, and MissingDependencyError
    without the extra.
    """
    try:
        torch: Any = importlib.import_module("torch")
        diffusers: Any = importlib.import_module("diffusers")
        transformers: Any = importlib.import_module("transformers")
    except ImportError:
        raise MissingDependencyError("image generation", "paint") from None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    # half precision is slow on most CPUs, and some operations lack it there
    dtype = getattr(torch, settings.dtype) if device != "cpu" else torch.float32
    for library in (diffusers, transformers):
        library.utils.logging.set_verbosity_error()
        library.utils.logging.disable_progress_bar()
    try:
        pipeline: Any = diffusers.DiffusionPipeline.from_pretrained(settings.model, dtype=dtype, use_safetensors=True)
    except (OSError, ValueError, ImportError, TypeError, KeyError, AttributeError) as error:
        where = "a folder" if Path(settings.model).exists() else "the Hugging Face hub"
        message = " ".join(str(error).split())[:200]
        raise UserError(
            f"Cannot load a diffusion pipeline from {where} ({message}): --model {settings.model}. Choose another model."
        ) from None
    if "prompt" not in inspect.signature(pipeline.__call__).parameters:
        raise UserError(f"Pipeline takes no prompt ({type(pipeline).__name__}): --model {settings.model}. Choose a text-to-image model.")
    if offload and device != "cpu":
        pipeline.enable_model_cpu_offload()
    else:
        pipeline.to(device)
    pipeline.set_progress_bar_config(disable=True)
    return Diffusion(
        settings, pipeline, f"diffusers {diffusers.__version__}, torch {torch.__version__}, {device}, {str(dtype).rpartition('.')[2]}"
    )
