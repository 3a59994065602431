"""Loads a model and its processor with transformers, and says in one line what keeps them from loading."""

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

from isovist.errors import MissingDependencyError, UserError
from isovist.models.local.adapter import adapter
from isovist.models.local.batches import one_line, out_of_memory
from isovist.models.local.chat import Chat, chat
from isovist.models.local.settings import Settings


@dataclass(frozen=True, slots=True)
class Weights:
    """What was loaded. Its libraries are an extra without types of its own, so what is theirs is Any."""

    torch: Any
    transformers: Any
    model: Any
    processor: Any
    chat: Chat
    served_by: str


def load(settings: Settings) -> Weights:
    """The model, with its adapter if the folder holds one, and its processor. Raises UserError."""
    torch, transformers = _libraries(settings)
    on_top = adapter(settings)
    settings = on_top.base if on_top else settings
    device = _device(torch, settings)
    common: dict[str, Any] = {"trust_remote_code": settings.trust_remote_code}
    if settings.hub:
        # the hub's own client tries again for minutes; what is in its cache can be had without it
        common |= {"revision": settings.revision, "local_files_only": not _reachable(importlib.import_module("huggingface_hub"))}
    try:
        config = transformers.AutoConfig.from_pretrained(settings.path, **common)
        if commit := _commit(settings):
            common["revision"] = commit  # a branch may move while its files are loaded
        family = _family(transformers, config, settings)
        processor = _processor(transformers, on_top.processor if on_top else settings, common)
        if not hasattr(processor, "tokenizer") or not hasattr(processor, "image_processor"):
            raise UserError(
                f"--model {settings.name}: transformers finds no processor of words and pictures with it; serve it, and give --base-url."
            )
        chat_format = chat(processor, settings)  # before the weights, which may take minutes
        # weights in pickles could run code, so only safetensors are read
        model, loading_info = family.from_pretrained(
            settings.path, dtype=settings.dtype, device_map=device, use_safetensors=True, output_loading_info=True, **common
        )
        _whole(loading_info, settings)
        if on_top:
            on_top.put_on(model)
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"--model {settings.name}: {_reason(error, settings, transformers.__version__)}") from error
    served_by = f"{settings.path}{f'@{commit}' if commit else ''}{f', adapter {on_top.folder}' if on_top else ''}"
    if settings.template is not None:  # it is part of what answers, and stands in no file of the model
        served_by += f", template {sha256(settings.template.encode()).hexdigest()[:12]}"
    return Weights(torch, transformers, model, processor, chat_format, served_by)


def _processor(transformers: Any, settings: Settings, common: dict[str, Any]) -> Any:
    of_hub = {} if settings.hub else {"revision": "main", "local_files_only": True}
    return transformers.AutoProcessor.from_pretrained(settings.path, **(common | of_hub))


def _libraries(settings: Settings) -> tuple[Any, Any]:
    try:
        torch: Any = importlib.import_module("torch")
        transformers: Any = importlib.import_module("transformers")
        importlib.import_module("accelerate")  # puts weights where they belong while they are read
    except ImportError:
        raise MissingDependencyError(f"the model {settings.name}", "hf") from None
    transformers.utils.logging.set_verbosity_error()  # a run has one progress bar, and faults are told by it
    importlib.import_module("huggingface_hub").utils.logging.set_verbosity_error()
    if not sys.stderr.isatty():
        transformers.utils.logging.disable_progress_bar()
    return torch, transformers


def _device(torch: Any, settings: Settings) -> str:
    """Where the weights go: over all the GPUs there are, unless one device is named."""
    device_counts = {
        "cuda": int(torch.cuda.device_count()) if torch.cuda.is_available() else 0,
        "mps": int(torch.backends.mps.is_available()),
    }
    kind, _, number = settings.device.partition(":")
    if kind == "auto":
        return "auto" if device_counts["cuda"] > 1 else "cuda:0" if device_counts["cuda"] else "mps" if device_counts["mps"] else "cpu"
    if kind != "cpu" and int(number or 0) >= device_counts[kind]:
        raise UserError(
            f"--model {settings.name}: torch {torch.__version__} sees no device {settings.device} here; leave it out, or give cpu."
        )
    return settings.device


def _family(transformers: Any, config: Any, settings: Settings) -> Any:
    """The class that loads the model; code of its own often registers as a language model. Raises UserError."""
    auto_map: dict[str, str] = (getattr(config, "auto_map", None) or {}) if settings.trust_remote_code else {}
    names = ("AutoModelForImageTextToText", "AutoModelForCausalLM")
    class_name = next((name for name in names if name in auto_map), None)
    if not class_name and type(config) not in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        raise UserError(
            f"--model {settings.name}: transformers knows {config.model_type}, but not as a model that reads pictures and writes words."
        )
    return getattr(transformers, class_name or names[0])


def _commit(settings: Settings) -> str | None:
    """The commit of the hub that `revision` means, once its configuration is in the cache."""
    if not settings.hub:
        return None
    cached = importlib.import_module("huggingface_hub").try_to_load_from_cache(settings.path, "config.json", revision=settings.revision)
    return Path(cached).parent.name if isinstance(cached, str) else None


def _reachable(hub: Any) -> bool:
    if hub.constants.HF_HUB_OFFLINE:
        return False
    parts = urlsplit(str(hub.constants.ENDPOINT))
    if not parts.hostname or (getproxies().get(parts.scheme) and not proxy_bypass(parts.hostname)):
        return True  # a proxy knows the way
    try:
        socket.create_connection((parts.hostname, parts.port or {"http": 80}.get(parts.scheme, 443)), timeout=10).close()
    except OSError:
        return False
    return True


def _whole(loading_info: dict[str, Any], settings: Settings) -> None:
    """Raises UserError if weights are missing: transformers would put random ones in their place, and only log it."""
    missing = sorted(loading_info["missing_keys"])
    if missing:
        raise UserError(
            f"--model {settings.name}: its files hold no weights for {len(missing)} of its parameters, such as {missing[0]}; "
            "give a whole model, such as one with its adapter merged."
        )


def _reason(error: Exception, settings: Settings, version: str) -> str:
    chain = list(_chain(error))
    words = " ".join(str(part) for part in chain)
    kinds = {kind.__name__ for part in chain for kind in type(part).__mro__}
    where = f"the hub holds no model {settings.path}" if settings.hub else settings.path
    if "trust_remote_code" in words:
        return "it brings code of its own; if you trust that code, add trust_remote_code=1 to the name."
    if missing := next((part for part in chain if isinstance(part, ImportError)), None):
        return _needs(missing)
    if "GatedRepoError" in kinds:
        return "its owners ask for consent; give it on the hub's page, and set HF_TOKEN."
    if "RevisionNotFoundError" in kinds:
        return f"the hub knows no revision {settings.revision!r} of it."
    if "RepositoryNotFoundError" in kinds:
        return f"there is no folder {settings.path}, and {where} (for a private one, set HF_TOKEN)."
    if "LocalEntryNotFoundError" in kinds or (settings.hub and "connect" in words.lower()):
        return f"there is no folder {settings.path}, and to ask the hub for it there is no network; it is not in the cache either."
    if "safetensors" in words.lower():
        return f"no weights can be read ({one_line(error)}); they must be safetensors."
    if "preprocessor_config.json" in words:
        return "it holds no processor for pictures; put preprocessor_config.json or processor_config.json of the model it was made from beside it."
    if "does not recognize this architecture" in words:
        return f"transformers {version} does not know its family; serve it, and give --base-url."
    if out_of_memory(error):
        return "it does not fit into memory; give dtype=bfloat16, or another device."
    return f"it cannot be loaded ({one_line(error)[:300]})."


def _needs(missing: ImportError) -> str:
    words = " ".join(str(missing).split())
    if "torchvision" in words.lower():
        return "its processor needs torchvision; install the one that fits your torch."
    packages = re.findall(r"`pip install ([^`]+)`", words) or ([missing.name] if missing.name else [])
    return f"it needs a package that is not installed; try `pip install {packages[0]}`." if packages else one_line(missing)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
