"""Model cards: what a submitter states about a run, read from a TOML file."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode

TEMPLATE = """\
# Model card of a submission. Every field is required; link and notes may be empty texts.
who = "Example Lab"              # who ran the model
where = "2 H100 GPUs, vLLM 0.9"  # hardware and server, or the provider
date = "2026-12-31"              # the last day of the run
sampling = "temperature 0"       # how responses were sampled
shots = 0                        # worked examples in the prompt; a submission has the standard condition, without any
tools = "none"                   # tools that the model used, such as a Python interpreter
open_weights = true              # whether the weights are public
link = "https://example.org"     # a page about the model or the run
notes = ""
"""
_LONGEST = 1000  # characters of a field


@dataclass(frozen=True, slots=True)
class ModelCard:
    """The statements of a submitter. Isovist verifies none of them, except that they do not contradict the run."""

    who: str
    where: str
    date: str
    """The last day of the run, as YYYY-MM-DD."""
    sampling: str
    shots: int
    tools: str
    open_weights: bool
    link: str
    """A web address, or empty."""
    notes: str

    def fault(self) -> str:
        """What is wrong with a value; "" if nothing is."""
        texts = {field.name: value for field in fields(self) if isinstance(value := getattr(self, field.name), str)}
        for name, text in texts.items():
            if len(text) > _LONGEST or not all(letter.isprintable() or letter == "\n" for letter in text):
                return f"{name}: give at most {_LONGEST:,} characters, without control characters"
            if not text.strip() and name not in ("link", "notes"):
                return f"{name}: give a text"
        if self.link and not re.fullmatch(r"https?://[^\s<>\"']+", self.link):
            return "link: give an address that begins with https:// or http://"
        try:
            date.fromisoformat(self.date)
        except ValueError:
            return "date: give a day as YYYY-MM-DD"
        return "" if self.shots == 0 else f"shots = {self.shots}: a submission has the standard condition, without worked examples; give 0"


def read(path: Path) -> ModelCard:
    """Read a model card. Raises UserError for an unreadable file, and for missing, unknown or invalid fields."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
        card = decode(ModelCard, json.dumps(values, default=str).encode())
        fault = card.fault()
    except OSError as error:
        raise UserError(f"Model card cannot be read ({error.strerror}): {path}. Correct --card.") from None
    except (ValueError, RecursionError) as error:
        fault = str(error)
    else:
        if not fault:
            return card
    raise UserError(f"Invalid model card ({fault}): {path}. `isovist submit card` prints a template.")
