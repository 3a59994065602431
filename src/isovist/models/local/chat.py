"""A model's chat template: found, and tried once before anything is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from isovist.errors import UserError
from isovist.models.local.batches import one_line
from isovist.models.local.settings import Settings

_PROBE = "Which letter is it?"


@dataclass(frozen=True, slots=True)
class Chat:
    """How a prompt becomes words for the tokenizer."""

    template: str | None
    """None: the processor's own."""
    places: bool
    """Whether there is a mark for each picture. If not, each prompt has one picture at a fixed place, as with InstructBLIP."""
    opening: str
    """The mark that opens a block of thinking, if the template puts it before the reply."""


def chat(processor: Any, settings: Settings) -> Chat:
    """Renders a prompt, to learn now what would fail with every request. Raises UserError."""
    template = _template(processor, settings)

    def rendered(*content: dict[str, str]) -> str:
        prompt = [{"role": "user", "content": list(content)}]
        return str(processor.apply_chat_template(prompt, chat_template=template, add_generation_prompt=True, tokenize=False))

    picture, probe = {"type": "image"}, {"type": "text", "text": _PROBE}
    try:
        words, blind = rendered(picture, probe), rendered(probe)
    except Exception as error:
        why = "it has no chat template" if "not have a chat template" in str(error) else f"its chat template fails ({one_line(error)})"
        raise UserError(f"--model {settings.name}: {why}; give one with template=FILE.") from error
    # a user's template may leave the picture to the processor; a model's own that does was made for words alone
    if _PROBE not in words or "'type'" in words or (words == blind and not settings.template):
        raise UserError(
            f"--model {settings.name}: its chat template does not take pictures and words in parts; give another with template=FILE."
        )
    try:
        places = rendered(picture, picture, probe) not in (words, blind)
    except Exception:  # noqa: BLE001 - a template may refuse a second picture in any way
        places = False
    opening = re.search(r"<think(?:ing)?>\s*\Z", words)
    return Chat(template, places, opening.group() if opening else "")


def _template(processor: Any, settings: Settings) -> str | None:
    """The user's, else the processor's own, else that of its tokenizer, where older models keep it."""
    if settings.template is None and getattr(processor, "chat_template", None) is not None:
        return None
    return settings.template or processor.tokenizer.chat_template
