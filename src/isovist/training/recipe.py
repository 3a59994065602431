"""Recipes of training mixes: TOML files that name what goes in. Some come with the package.

seed = 0

[[parts]]
tasks = ["cdr/relative-*"]
n = 2000                     # of each task; or paper = true
reasoning = 0.5              # the share that carries a chain of thought

[general]
n = 1000                     # sampled from a file of your own
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from isovist.core.task import Split, Value
from isovist.errors import UserError
from isovist.json_decoding import decode
from isovist.prompts import STYLES

WHERE_THERE_IS = "where there is"
"""What `reasoning` says, alone or after a share, if tasks without a chain of thought give bare answers."""
_SHARE = re.compile(rf"(?:(?P<share>\d+(?:\.\d+)?) )?{WHERE_THERE_IS}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureComponent:
    """Items of some tasks, as a recipe asks for them."""

    tasks: tuple[str, ...]
    """Ids or globs."""
    n: int | None = None
    """How many of each task."""
    paper: bool = False
    """As many as the tasks' paper has, with its settings."""
    split: Split = "train"
    reason: str = ""
    """Why test items are trained on."""
    seed: int | None = None
    """That of the recipe by default."""
    levels: tuple[str, ...] = ()
    """All of a task by default."""
    settings: dict[str, Value] = field(default_factory=dict[str, Value])
    reasoning: float | str = 0.0
    style: str | None = None
    """The prompt style; by default that of each kind: bare answers are asked for directly, reasoning step by step."""

    @property
    def share(self) -> float:
        """The share of its items, from 0 to 1, that carry a chain of thought."""
        if isinstance(self.reasoning, str):
            match = _SHARE.fullmatch(self.reasoning)
            return float(match["share"] or 1) if match else -1.0
        return self.reasoning

    @property
    def lenient(self) -> bool:
        """Whether tasks without a chain of thought give bare answers, and are not refused."""
        return isinstance(self.reasoning, str)

    def fault(self) -> str | None:
        """What is wrong with it, if anything."""
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
    """Data from elsewhere: conversations in LLaVA's JSON, of which some are drawn."""

    n: int
    name: str = "general"
    """What its examples name as their source."""
    path: str | None = None
    """The JSON file, from the recipe's folder; the command line may give another one."""
    images: str | None = None
    """The folder from which its records name their pictures; by default that of the JSON file."""
    licence: str = ""
    """What its owner allows, in words for the data card."""

    def fault(self) -> str | None:
        if self.n < 0:
            return f"n = {self.n}: give a number from 0"
        if not _NAME.fullmatch(self.name):
            return f"name = {self.name!r}: use letters, digits, dots, dashes and underscores"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureRecipe:
    """What goes into a mix."""

    about: str = ""
    seed: int = 0
    """Another seed: other items, another sample, another order."""
    parts: tuple[MixtureComponent, ...] = ()
    general: General | None = None


@dataclass(frozen=True, slots=True)
class RecipeSource:
    """A recipe, and where it came from."""

    recipe: MixtureRecipe
    name: str
    values: dict[str, Any]
    """As it stands in the file."""
    folder: Path | None
    """That of the file; None for one that comes with the package."""


def shipped() -> dict[str, str]:
    """The text of each recipe that comes with the package, by name."""
    entries = (files("isovist.training") / "recipes").iterdir()
    return {file.name.removesuffix(_SUFFIX): file.read_text(encoding="utf-8") for file in sorted(entries, key=lambda entry: entry.name)}


def read(name: str) -> RecipeSource:
    """The recipe in a file, or that of the package with this name. Raises UserError."""
    known = shipped()
    if name in known:  # whatever stands beside it: a mix is often written to a folder of its recipe's name
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
    """A recipe from its text. Raises UserError with a line that names the place and what is possible there."""
    try:
        data = tomllib.loads(text)
        recipe = decode(MixtureRecipe, json.dumps(data, allow_nan=False).encode())
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{name}: cannot be read as TOML ({error}).") from None
    except (ValueError, TypeError) as error:  # a date, or infinity, is nothing that JSON has
        raise UserError(f"{name}: cannot be read as a recipe ({error}); `isovist mix NAME --print-recipe` prints one.") from None
    for place, component in enumerate(recipe.parts, 1):
        if fault := component.fault():
            raise UserError(f"{name}: part {place}: {fault}.")
    if recipe.general is not None and (fault := recipe.general.fault()):
        raise UserError(f"{name}: general: {fault}.")
    if abs(recipe.seed) >= 2**63:
        raise UserError(f"{name}: seed = {recipe.seed}: give a number of at most 18 digits.")
    return RecipeSource(recipe, name, data, folder)
