"""The methods of a study as its authors state them: attention checks, completion, population and recruitment. Read from a TOML file."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator, Field

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.evaluation.run.study_facts import STATEMENTS

TEMPLATE = """\
# Methods of a human study, for `isovist study serve --methods`. Every line may be left out.
attention_checks = 2    # questions that state their own answer, for each participant; cannot be changed after the start
max_missed = 1          # participants who miss more are excluded from all results; cannot be changed after the start
completion_code = ""    # shown after the last answer, for the recruiting service
completion_url = ""     # opened after the last answer; {id} stands for the participant id of the recruiting service

[statements]            # for the report and `isovist study checklist`; an empty text counts as missing
""" + "".join(f'# {text}\n{name} = ""\n' for name, text in STATEMENTS.items())


def _matching(pattern: str, allowed: str) -> AfterValidator:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"give {allowed}")
        return text

    return AfterValidator(check)


_Count = Annotated[int, Field(ge=0, le=20)]
_Code = Annotated[str, _matching(r"[!-~]{0,100}", "at most 100 ASCII characters without spaces")]
_Url = Annotated[
    str, _matching(r"(https?://[A-Za-z0-9.-]+(:\d+)?([/?][!#-&(-;=?-\[\]-~]{0,1000})?)?", "a web address with https:// or http:// in ASCII")
]
_Name = Annotated[str, _matching("|".join(STATEMENTS), f"a name of {', '.join(STATEMENTS)}")]
_Statement = Annotated[
    str, _matching(r"[^\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]{0,2000}", "at most 2,000 printable characters")
]


@dataclass(frozen=True, slots=True)
class StudyMethods:
    """The content of the file."""

    attention_checks: _Count = 0
    max_missed: _Count = 0
    completion_code: _Code = ""
    completion_url: _Url = ""
    statements: dict[_Name, _Statement] = field(default_factory=dict[str, str])

    def completion(self, service_id: str | None) -> dict[str, str]:
        """What a participant gets after the last answer."""
        return {"code": self.completion_code, "url": self.completion_url.replace("{id}", quote(service_id or "", safe=""))}


def read(path: Path) -> StudyMethods:
    """The methods in a TOML file. Line ends within statements become spaces. Raises UserError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        methods = decode(StudyMethods, json.dumps(values, default=str).encode())
    except OSError as error:
        raise UserError(f"File of methods cannot be read ({error.strerror}): {path}. Correct --methods.") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"Invalid methods of a study ({error}): {path}. `isovist study methods` prints a template.") from None
    return replace(methods, statements={name: " ".join(text.split()) for name, text in methods.statements.items()})
