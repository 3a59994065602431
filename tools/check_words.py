"""Refuses retired words in names of the source and in the docs; `retired_words.toml` lists them.

    python tools/check_words.py [FOLDER]

Exit code 1 and one line for each place: file, line, the word and what to write in its place.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
NAMES_IN = ("src",)
TEXTS_IN = ("src", "docs", "tests", "benchmarks", "tools", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "scripts", "justfile")
TEXT_FILES = {".py", ".md", ".j2", ".html", ".js", ".toml", ".txt", ""}


def names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a module binds, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name, node.lineno
            case ast.alias(asname=str(name)):
                yield name, node.lineno
            case _:
                pass


def files(root: Path, places: tuple[str, ...]) -> Iterator[Path]:
    for place in map(root.joinpath, places):
        yield from sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place] if place.exists() else []


def retired(root: Path, words: dict[str, dict[str, str]]) -> Iterator[str]:
    """One line for each retired word in use."""
    for path in files(root, NAMES_IN):
        if path.suffix != ".py":
            continue
        if path.stem in words["names"]:
            yield f"{path.relative_to(root)}: a module called {path.stem}; write: {words['names'][path.stem]}"
        for name, line in names(ast.parse(path.read_text(encoding="utf-8"))):
            if name in words["names"]:
                yield f"{path.relative_to(root)}:{line}: {name}; write: {words['names'][name]}"
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words['options']))})(?![\w-])")
    for path in files(root, TEXTS_IN):
        if path.suffix not in TEXT_FILES or path.name in ("retired_words.toml", "test_words.py"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in pattern.finditer(line):
                yield f"{path.relative_to(root)}:{number}: {match[0]}; write: {words['options'][match[0]]}"


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    lines = list(retired(root, tomllib.loads((ROOT / "tools" / "retired_words.toml").read_text(encoding="utf-8"))))
    print("\n".join(lines) or "no retired word")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
