"""Prompt templates of users: a prompt style whose text is stored in `run.json`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from isovist.common.errors import UserError
from isovist.core.answers import Answer
from isovist.data.prompts import DEFAULT_STYLE, IMAGE, STYLES, prompt, with_placeholders

if TYPE_CHECKING:
    import jinja2

PREFIX = "template:"
VARIABLES = ("question", "options", "answer_format", "instruction", "task")
"""The variables of a template: the question with its image placeholders; the options, empty without any; the format of the answer type;
the format instruction of the default style; the task id."""
_LARGEST = 100_000  # bytes


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A Jinja template of a prompt."""

    text: str

    @property
    def name(self) -> str:
        """The name as a prompt style: `template:` and the start of the SHA-256 hash of the text, which identifies the template."""
        return PREFIX + sha256(self.text.encode()).hexdigest()[:12]

    def prompt(self, text: str, answer: Answer, images: int, task: str) -> str:
        """As `prompts.prompt`. Raises UserError if the template fails, or if the prompt does not contain question and options unchanged."""
        import jinja2

        question, options, answer_format = with_placeholders(text, images), answer.options_text(), answer.format_instruction()
        values = (question, options, answer_format, STYLES[DEFAULT_STYLE].closing.format(form=answer_format), task)
        try:
            rendered = _compiled(self.text).render(dict(zip(VARIABLES, values, strict=True))).strip("\n")
        except jinja2.TemplateSyntaxError as error:
            self._refuse(f"line {error.lineno}: {error.message}", "Correct it")
        except jinja2.UndefinedError as error:
            self._refuse(str(error), f"The variables are {', '.join(VARIABLES)}")
        except Exception as error:  # noqa: BLE001 - an expression in a template may raise any exception
            self._refuse(f"{type(error).__name__}: {error}", "Correct it")
        if rendered.count(question) != 1:
            times = f"{rendered.count(question)} times" if question in rendered else "not at all, or changed"
            self._refuse(f"a prompt of {task} has the question {times}", "Write {{ question }} once, without a filter")
        if rendered.count(IMAGE) != images:
            self._refuse(
                f"a prompt of {task} has {rendered.count(IMAGE)} {IMAGE} for {images} images", f"Remove {IMAGE}: the question has it"
            )
        if options and options not in rendered:
            self._refuse(f"a prompt of {task} does not have the options", "Write {{ options }}, without a filter")
        return rendered

    def _refuse(self, why: str, remedy: str) -> NoReturn:
        raise UserError(f"Invalid prompt template ({why.rstrip('.')}): {self.name}. {remedy}.")


def styled_prompt(text: str, answer: Answer, images: int, style: str | PromptTemplate, task: str) -> str:
    """The prompt in a style or of a template. Raises as `prompts.prompt` and `PromptTemplate.prompt` do."""
    return prompt(text, answer, images, style, task) if isinstance(style, str) else style.prompt(text, answer, images, task)


def read(path: Path) -> PromptTemplate:
    """The template of a file. Raises UserError for an unreadable or invalid one."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        text = content.decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UserError(f"Cannot read the prompt template ({reason}): {path}. Give a text file.") from None
    if len(content) > _LARGEST:
        raise UserError(f"Prompt template is larger than {_LARGEST:,} bytes: {path}. Shorten it.")
    return PromptTemplate(text.replace("\r\n", "\n").removeprefix("\ufeff"))


@lru_cache(maxsize=8)
def _compiled(text: str) -> jinja2.Template:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined, autoescape=False)
    del environment.filters["random"], environment.globals["lipsum"]  # the same item always has the same prompt
    return environment.from_string(text)
