"""Recipes of training mixtures: TOML files that define the content. Some are built in.

seed = 0

[[parts]]
tasks = ["cdr/relative-*"]
n = 2000                     # per task; or paper = true
reasoning = 0.5              # proportion with a chain of thought

[general]
n = 1000                     # sampled from an external file
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from isovist.common.errors import UserError
from isovist.common.json_decoding import decode
from isovist.core.task import Split, Value
from isovist.data.prompts import STYLES

WHERE_THERE_IS = "where there is"
"""Value of `reasoning`, alone or after a proportion: tasks without a chain of thought give answers only."""
_SHARE = re.compile(rf"(?:(?P<share>\d+(?:\.\d+)?) )?{WHERE_THERE_IS}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureComponent:
    """Items of some tasks in a recipe."""

    tasks: tuple[str, ...]
    """Task ids or globs."""
    n: int | None = None
    """Number per task."""
    paper: bool = False
    """The number and settings of the paper."""
    split: Split = "train"
    reason: str = ""
    """The reason for training on test items."""
    seed: int | None = None
    """Default: the seed of the recipe."""
    levels: tuple[str, ...] = ()
    """Default: all levels of a task."""
    settings: dict[str, Value] = field(default_factory=dict[str, Value])
    reasoning: float | str = 0.0
    style: str | None = None
    """The prompt style. Default: direct for answers only, step by step for chains of thought."""

    @property
    def share(self) -> float:
        """Proportion of its items, 0 to 1, with a chain of thought."""
        if isinstance(self.reasoning, str):
            match = _SHARE.fullmatch(self.reasoning)
            return float(match["share"] or 1) if match else -1.0
        return self.reasoning

    @property
    def lenient(self) -> bool:
        """Whether tasks without a chain of thought give answers only instead of an error."""
        return isinstance(self.reasoning, str)

    def fault(self) -> str | None:
        """Return what is invalid, or None."""
        if not self.tasks:
            return "tasks: name at least one task"
        if self.paper == (self.n is not None):
            return "give either n, the number of items of each task, or paper = true"
        if self.n is not None and self.n < 0:
            return f"n = {self.n}: give a number from 0"
        if not 0 <= self.share <= 1:
            return f'reasoning = {self.reasoning!r}: give a share from 0 to 1, "{WHERE_THERE_IS}", or a share and these words'
        if self.style is not None and self.style not in STYLES:
            return f"style = {self.style!r}: choose one of {', '.join(STYLES)}"
        if self.split != "train" and not self.reason.strip():
            return f"split = {self.split!r}: a model that was trained on test items cannot be tested on them; give a reason if it has to be"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class General:
    """External data: conversations in the JSON format of LLaVA, which are sampled."""

    n: int
    name: str = "general"
    """The source name of its examples."""
    path: str | None = None
    """The JSON file, relative to the recipe; the command line may override it."""
    images: str | None = None
    """The image folder of its records; default: the folder of the JSON file."""
    licence: str = ""
    """Licence of the data, as text for the data card."""

    def fault(self) -> str | None:
        if self.n < 0:
            return f"n = {self.n}: give a number from 0"
        if not _NAME.fullmatch(self.name):
            return f"name = {self.name!r}: use letters, digits, dots, dashes and underscores"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureRecipe:
    """The content of a mixture."""

    about: str = ""
    seed: int = 0
    """Seed of items, sampling and order."""
    parts: tuple[MixtureComponent, ...] = ()
    general: General | None = None


@dataclass(frozen=True, slots=True)
class RecipeSource:
    """A recipe with its origin."""

    recipe: MixtureRecipe
    name: str
    values: dict[str, Any]
    """The parsed content of the file."""
    folder: Path | None
    """Folder of the file; None for a built-in recipe."""


def shipped() -> dict[str, str]:
    """Return the text of each built-in recipe by name."""
    entries = (files("isovist.training") / "recipes").iterdir()
    return {file.name.removesuffix(_SUFFIX): file.read_text(encoding="utf-8") for file in sorted(entries, key=lambda entry: entry.name)}


def read(name: str) -> RecipeSource:
    """Read a recipe file, or the built-in recipe of this name. Raises UserError."""
    known = shipped()
    if name in known:  # also if a folder of this name exists: a mixture is often written to a folder named like its recipe
        return parsed(known[name], name, None)
    path = Path(name)
    if not path.suffix and not path.exists():
        raise UserError(f"{name}: no recipe of Isovist is called that; there are {', '.join(known)}. Give one of them, or a TOML file.")
    try:
        text = path.read_text(encoding="utf-8")
    except IsADirectoryError:
        raise UserError(f"{path}: a folder; give a recipe, which is a TOML file.") from None
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; give a recipe, or a name that `isovist mix --list-recipes` shows.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not text in UTF-8; give a recipe, which is a TOML file.") from None
    return parsed(text, str(path), path.parent)


def parsed(text: str, name: str, folder: Path | None) -> RecipeSource:
    """Parse a recipe. Raises UserError with the location and the allowed values."""
    try:
        data = tomllib.loads(text)
        recipe = decode(MixtureRecipe, json.dumps(data, allow_nan=False).encode())
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name}: cannot be read as TOML ({error}).") from None
    except (ValueError, TypeError) as error:  # a date or infinity has no JSON form
        raise UserError(f"{name}: cannot be read as a recipe ({error}); `isovist mix NAME --print-recipe` prints one.") from None
    for place, component in enumerate(recipe.parts, 1):
        if fault := component.fault():
            raise UserError(f"{name}: part {place}: {fault}.")
    if recipe.general is not None and (fault := recipe.general.fault()):
        raise UserError(f"{name}: general: {fault}.")
    if abs(recipe.seed) >= 2**63:
        raise UserError(f"{name}: seed = {recipe.seed}: give a number of at most 18 digits.")
    return RecipeSource(recipe, name, data, folder)
