"""The methods of a study as its authors state them: attention checks, completion, population and recruitment. Read from a TOML file."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.data.dataset.manifest_check import is_line
from isovist.evaluation.run.study_facts import STATEMENTS

TEMPLATE = """\
# Methods of a human study, for `isovist study serve --methods`. Every line may be left out.
attention_checks = 2    # questions that state their own answer, for each participant; cannot be changed after the start
max_missed = 1          # participants who miss more are excluded from all results; cannot be changed after the start
completion_code = ""    # shown after the last answer, for the recruiting service
completion_url = ""     # opened after the last answer; {id} stands for the participant id of the recruiting service

[statements]            # for the report and `isovist study checklist`; an empty text counts as missing
""" + "".join(f'{f"# {text}":.138}\n{name} = ""\n' for name, text in STATEMENTS.items())
_MOST_CHECKS = 20
_LONGEST = 2000  # characters of a statement


@dataclass(frozen=True, slots=True)
class StudyMethods:
    """The content of the file."""

    attention_checks: int = 0
    max_missed: int = 0
    completion_code: str = ""
    completion_url: str = ""
    statements: dict[str, str] = field(default_factory=dict[str, str])

    def fault(self) -> str:
        """What is wrong with a value; "" if nothing is."""
        if self.attention_checks not in range(_MOST_CHECKS + 1):
            return f"attention_checks: give a number from 0 to {_MOST_CHECKS}"
        if self.max_missed not in range(max(1, self.attention_checks)):
            return "max_missed: give a number from 0 to less than attention_checks"
        if not re.fullmatch(r"[!-~]{0,100}", self.completion_code):
            return "completion_code: give at most 100 ASCII characters without spaces"
        if self.completion_url and not re.fullmatch(r"https?://[^\s<>\"'\\\x00-\x1f\x7f]{1,1000}", self.completion_url):
            return "completion_url: give an address that begins with https:// or http://"
        for name, text in self.statements.items():
            if name not in STATEMENTS:
                return f"statements.{name}: unknown name; choose from {', '.join(STATEMENTS)}"
            if not is_line(text, _LONGEST):
                return f"statements.{name}: give at most {_LONGEST:,} characters on one line"
        return ""

    def completion(self, service_id: str | None) -> dict[str, str]:
        """What a participant gets after the last answer."""
        return {"code": self.completion_code, "url": self.completion_url.replace("{id}", quote(service_id or "", safe=""))}


def read(path: Path) -> StudyMethods:
    """The methods in a TOML file. Line ends within statements become spaces. Raises UserError."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        methods = decode(StudyMethods, json.dumps(values, default=str).encode())
        methods = replace(methods, statements={name: " ".join(text.split()) for name, text in methods.statements.items()})
        fault = methods.fault()
    except OSError as error:
        raise UserError(f"File of methods cannot be read ({error.strerror}): {path}. Correct --methods.") from None
    except (ValueError, RecursionError) as error:
        fault = str(error)
    else:
        if not fault:
            return methods
    raise UserError(f"Invalid methods of a study ({fault}): {path}. `isovist study methods` prints a template.")
