"""The chat template of a model, validated before the first request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isovist.common.errors import UserError
from isovist.core.answers.extraction.normalize import opened_thinking
from isovist.evaluation.models.local.batches import one_line
from isovist.evaluation.models.local.settings import Settings

_PROBE = "Which letter is it?"


@dataclass(frozen=True, slots=True)
class Chat:
    """The chat format of a model."""

    template: str | None
    """None for the template of the processor."""
    places: bool
    """Whether the template has image placeholders. If not, a prompt has one image at a fixed place, as in InstructBLIP."""
    opening: str
    """The opening tag of a thinking block, if the template adds it."""
    system: str = ""
    """The system prompt."""

    def messages(self, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The conversation of a request with this content."""
        user = {"role": "user", "content": content}
        return [{"role": "system", "content": [{"type": "text", "text": self.system}]}, user] if self.system else [user]


def chat(processor: Any, settings: Settings, system: str = "") -> Chat:
    """Validate the chat template by rendering a prompt, with the system prompt `system` if it is not empty. Raises UserError."""
    template = _template(processor, settings)

    def rendered(*content: dict[str, str]) -> str:
        prompt = [{"role": "user", "content": list(content)}]
        return str(processor.apply_chat_template(prompt, chat_template=template, add_generation_prompt=True, tokenize=False))

    picture, probe = {"type": "image"}, {"type": "text", "text": _PROBE}
    try:
        words, blind = rendered(picture, probe), rendered(probe)
    except Exception as error:
        problem = "No chat template" if "not have a chat template" in str(error) else f"Chat template fails ({one_line(error)})"
        raise UserError(f"{problem}: --model {settings.name}. Add template=FILE to the name.") from error
    # a model's own template that ignores images is for text only; a user's template may leave images to the processor
    if _PROBE not in words or "'type'" in words or (words == blind and not settings.template):
        raise UserError(f"Chat template does not support images: --model {settings.name}. Add template=FILE to the name.")
    try:
        places = rendered(picture, picture, probe) not in (words, blind)
    except Exception:  # noqa: BLE001 - a template may reject a second image with any exception
        places = False
    chat_format = Chat(template, places, opened_thinking(words), system)
    if system and system.strip() not in _rendered_with_system(processor, chat_format, [picture, probe]):
        raise UserError(f"Chat template does not support a system prompt: --model {settings.name}. Remove --system-prompt.")
    return chat_format


def _rendered_with_system(processor: Any, chat_format: Chat, content: list[dict[str, Any]]) -> str:
    """The prompt with the system prompt; "" if the template fails."""
    try:
        return str(
            processor.apply_chat_template(
                chat_format.messages(content), chat_template=chat_format.template, add_generation_prompt=True, tokenize=False
            )
        )
    except Exception:  # noqa: BLE001 - a template may reject a system prompt with any exception
        return ""


def _template(processor: Any, settings: Settings) -> str | None:
    """The user's template, else None for that of the processor, else that of the tokenizer (older models)."""
    if settings.template is None and getattr(processor, "chat_template", None) is not None:
        return None
    return settings.template or processor.tokenizer.chat_template
