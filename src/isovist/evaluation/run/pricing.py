"""Cost of requests by a table of prices: the built-in `prices.toml`, or that of a user.

[models."openai/gpt-4o-mini"]
input = 0.15    # US dollars per million input tokens, including images
output = 0.60   # per million output tokens
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import isfinite
from pathlib import Path

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode

_BUILT_IN = Path(__file__).with_name("prices.toml")
_DATE = re.compile(r"-20\d\d-?\d\d-?\d\d$")  # of a version, as in gpt-4o-mini-2024-07-18 and claude-haiku-4-5-20251001


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, usage: Mapping[str, int]) -> float:
        """US dollars of one request."""
        return (self.input * usage.get("input_tokens", 0) + self.output * usage.get("output_tokens", 0)) / 1e6


@dataclass(frozen=True, slots=True)
class BuiltInPrice(Price):
    """A price of `prices.toml`. `date`: when it was found, as in "2026-11-28"."""

    date: str


@dataclass(frozen=True, slots=True)
class _Table:
    """`sources`: by provider, where the prices were found at the date. A table of a user may be an edited copy of the built-in one."""

    models: dict[str, Price]
    date: str = ""
    sources: dict[str, str] = field(default_factory=dict[str, str])


def built_in_price(model: str) -> BuiltInPrice | None:
    """The built-in price of a model at its provider, None if it is unknown. A date at the end of the name counts if the table has it."""
    table = decode(_Table, json.dumps(tomllib.loads(_BUILT_IN.read_text(encoding="utf-8"))).encode())
    known = table.models.get(model) or table.models.get(_DATE.sub("", model))
    return BuiltInPrice(known.input, known.output, table.date) if known else None


def price(path: Path, model: str) -> Price:
    """The price of a model from a TOML table; its model names may be globs. Raises UserError."""
    try:
        table = decode(_Table, json.dumps(tomllib.loads(path.read_text(encoding="utf-8")), default=str).encode())
    except FileNotFoundError:
        raise UserError(f"File does not exist: {path}. Name a TOML file with --pricing.") from None
    except (ValueError, OSError) as error:
        raise UserError(f"Invalid table of prices ({' '.join(str(error).split())}): {path}. Correct the file.") from None
    model_price = table.models.get(model) or next((entry for name, entry in table.models.items() if fnmatchcase(model, name)), None)
    if model_price is None:
        raise UserError(f'No price of {model}: {path}. Add [models."{model}"] with input and output in US dollars per million tokens.')
    if not all(isfinite(amount) and amount >= 0 for amount in (model_price.input, model_price.output)):
        raise UserError(f"Invalid price of {model}: {path}. Give US dollars from 0.")
    return model_price


@dataclass(frozen=True, slots=True)
class RunLimits:
    """When a run stops. `attempts` limits the records of an item, over all sessions."""

    attempts: int = 5
    price: Price | None = None
    budget_usd: float | None = None
