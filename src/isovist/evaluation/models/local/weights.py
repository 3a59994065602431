"""Loading of a model and its processor with transformers, with one-line errors."""

from __future__ import annotations

import importlib
import re
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from isovist.common.errors import MissingDependencyError, UserError
from isovist.common.installation import install_command
from isovist.evaluation.models.local.adapter import adapter
from isovist.evaluation.models.local.batches import one_line, out_of_memory
from isovist.evaluation.models.local.chat import Chat, chat
from isovist.evaluation.models.local.settings import Settings


@dataclass(frozen=True, slots=True)
class Weights:
    """A loaded model. Its libraries have no types, hence Any."""

    torch: Any
    transformers: Any
    model: Any
    processor: Any
    chat: Chat
    served_by: str


def load(settings: Settings, system_prompt: str = "") -> Weights:
    """The model, with its adapter if there is one, and its processor. Raises UserError, also for a system prompt that the model ignores."""
    torch, transformers = _libraries(settings)
    on_top = adapter(settings)
    settings = on_top.base if on_top else settings
    device = _device(torch, settings)
    common: dict[str, Any] = {"trust_remote_code": settings.trust_remote_code}
    if settings.hub:
        # without network, the hub client retries for minutes; cached files need no network
        common |= {"revision": settings.revision, "local_files_only": not _reachable(importlib.import_module("huggingface_hub"))}
    try:
        config = transformers.AutoConfig.from_pretrained(settings.path, **common)
        if commit := _commit(settings):
            common["revision"] = commit  # a branch may change during loading
        family = _family(transformers, config, settings)
        processor = _processor(transformers, on_top.processor if on_top else settings, common)
        if not hasattr(processor, "tokenizer") or not hasattr(processor, "image_processor"):
            raise UserError(
                f"No processor of text and images in transformers: --model {settings.name}. Serve the model and use --base-url."
            )
        chat_format = chat(processor, settings, system_prompt)  # before the weights, which take longer
        # only safetensors: pickle files could run code
        model, loading_info = family.from_pretrained(
            settings.path, dtype=settings.dtype, device_map=device, use_safetensors=True, output_loading_info=True, **common
        )
        _whole(loading_info, settings)
        if on_top:
            on_top.put_on(model)
    except UserError:
        raise
    except Exception as error:
        raise _load_error(error, settings, transformers.__version__) from error
    served_by = f"{settings.path}{f'@{commit}' if commit else ''}{f', adapter {on_top.folder}' if on_top else ''}"
    if settings.template is not None:  # the template affects responses and is not part of the model
        served_by += f", template {sha256(settings.template.encode()).hexdigest()[:12]}"
    return Weights(torch, transformers, model, processor, chat_format, served_by)


def _processor(transformers: Any, settings: Settings, common: dict[str, Any]) -> Any:
    of_hub = {} if settings.hub else {"revision": "main", "local_files_only": True}
    return transformers.AutoProcessor.from_pretrained(settings.path, **(common | of_hub))


def _libraries(settings: Settings) -> tuple[Any, Any]:
    try:
        torch: Any = importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
        importlib.import_module("accelerate")  # required by device_map
    except ImportError:
        raise MissingDependencyError(f"the model {settings.name}", "hf") from None
    transformers.utils.logging.set_verbosity_error()  # a run has its own progress bar and error messages
    importlib.import_module("huggingface_hub").utils.logging.set_verbosity_error()
    if not sys.stderr.isatty():
        transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def _device(torch: Any, settings: Settings) -> str:
    """The device map: all GPUs, unless a device is named."""
    device_counts = {
        "cuda": int(torch.cuda.device_count()) if torch.cuda.is_available() else 0,
        "mps": int(torch.backends.mps.is_available()),
    }
    kind, _, number = settings.device.partition(":")
    if kind == "auto":
        return "auto" if device_counts["cuda"] > 1 else "cuda:0" if device_counts["cuda"] else "mps" if device_counts["mps"] else "cpu"
    if kind != "cpu" and int(number or 0) >= device_counts[kind]:
        raise UserError(
            f"Device {settings.device} is not available in torch {torch.__version__}: --model {settings.name}. Remove the setting, or use device=cpu."
        )
    return settings.device


def _family(transformers: Any, config: Any, settings: Settings) -> Any:
    """The class that loads the model; remote code is often registered as a language model. Raises UserError."""
    auto_map: dict[str, str] = (getattr(config, "auto_map", None) or {}) if settings.trust_remote_code else {}
    names = ("AutoModelForImageTextToText", "AutoModelForCausalLM")
    class_name = next((name for name in names if name in auto_map), None)
    if not class_name and type(config) not in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        raise UserError(
            f"Model type {config.model_type} is not a vision-language model in transformers: --model {settings.name}. Choose another model."
        )
    return getattr(transformers, class_name or names[0])


def _commit(settings: Settings) -> str | None:
    """The commit of `revision`, from the cached configuration."""
    if not settings.hub:
        return None
    cached = importlib.import_module("huggingface_hub").try_to_load_from_cache(settings.path, "config.json", revision=settings.revision)
    return Path(cached).parent.name if isinstance(cached, str) else None


def _reachable(hub: Any) -> bool:
    if hub.constants.HF_HUB_OFFLINE:
        return False
    parts = urlsplit(str(hub.constants.ENDPOINT))
    if not parts.hostname or (getproxies().get(parts.scheme) and not proxy_bypass(parts.hostname)):
        return True  # a proxy resolves the host
    try:
        socket.create_connection((parts.hostname, parts.port or {"http": 80}.get(parts.scheme, 443)), timeout=10).close()
    except OSError:
        return False
    return True


def _whole(loading_info: dict[str, Any], settings: Settings) -> None:
    """Raises UserError if weights are missing: transformers only logs this and uses random weights."""
    missing = sorted(loading_info["missing_keys"])
    if missing:
        raise UserError(
            f"Missing weights of {len(missing)} parameters, such as {missing[0]}: --model {settings.name}. Use a whole model, with its adapter merged."
        )


def _load_error(error: Exception, settings: Settings, version: str) -> UserError:
    """The error for an exception of transformers or of the hub: the problem, the model name and the remedy."""
    chain = list(_chain(error))
    text = " ".join(map(str, chain))
    types = {base.__name__ for part in chain for base in type(part).__mro__}
    missing = next((part for part in chain if isinstance(part, ImportError)), None)
    detail = one_line(error)[:300]
    if "trust_remote_code" in text:
        problem, remedy = "Model has its own code", "If you trust this code, add trust_remote_code=1 to the name."
    elif missing:
        problem, remedy = "Missing package", _install(missing)
    elif "GatedRepoError" in types:
        problem, remedy = "Access to the model is restricted", "Request access on its Hugging Face page and set HF_TOKEN."
    elif "RevisionNotFoundError" in types:
        problem, remedy = f"Unknown revision {settings.revision!r}", "Correct the revision."
    elif "RepositoryNotFoundError" in types:
        problem, remedy = "No folder and no model on the Hugging Face hub", "Correct the name, or set HF_TOKEN for a private model."
    elif "LocalEntryNotFoundError" in types or (settings.hub and "connect" in text.lower()):
        problem, remedy = "No folder, and the Hugging Face hub cannot be reached", "Check the network; the model is not in the cache."
    elif "safetensors" in text.lower():
        problem, remedy = f"No readable weights ({detail})", "Use weights in safetensors format."
    elif "preprocessor_config.json" in text:
        problem, remedy = "No image processor", "Add preprocessor_config.json or processor_config.json of the base model."
    elif "does not recognize this architecture" in text:
        problem, remedy = f"transformers {version} does not support this architecture", "Serve the model and use --base-url."
    elif out_of_memory(error):
        problem, remedy = "Out of memory", "Add dtype=bfloat16 to the name, or use another device."
    else:
        problem, remedy = f"Cannot load model ({detail})", "Check its files."
    return UserError(f"{problem}: --model {settings.name}. {remedy}")


def _install(missing: ImportError) -> str:
    """How to install a missing package, by the message of the import error."""
    text = " ".join(str(missing).split())
    if "torchvision" in text.lower():
        return "Install the torchvision version for your torch version."
    packages = re.findall(r"`pip install ([^`]+)`", text) or ([missing.name] if missing.name else [])
    return f"Run `{install_command(package=packages[0])}`." if packages else f"{one_line(missing)}."


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
