"""Find scorer names hard-coded in rooms that should query measures instead."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .syntax import nodes_of

_WORD = re.compile(r"[a-z_0-9]+(?:\.[\w*]+)*")


@cache
def scorer_names(package: Path) -> frozenset[str]:
    """Return the names of all scorers, which are functions with the decorator `scorer`."""
    names = set()
    for path in package.rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef) and any(map(_registers, node.decorator_list)):
                names.add(node.name)
    return frozenset(names)


def _registers(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(function, ast.Name) and function.id.endswith("scorer")


def scorer_mentions(package: Path, room: str) -> list[str]:
    """List the scorers named in strings of a room, docstrings apart, and in its YAML files."""
    places = []
    for path in sorted((package / room).rglob("*.py")):
        for line, text in _strings(path):
            places += [f"{path}:{line} {name}" for name in _names(text, package)]
    for path in sorted((package / room).rglob("*.yaml")):
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            names = [name for name in _names(text, package) if re.search(r"[._]", name)]
            places += [f"{path}:{line} {name}" for name in names]
    return places


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    docstrings = {id(node.value) for node in nodes_of(path) if isinstance(node, ast.Expr)}
    for node in nodes_of(path):
        match node:
            case ast.Constant(value=str(text), lineno=line) if id(node) not in docstrings:
                yield line, text


def _names(text: str, package: Path) -> Iterator[str]:
    for word in _WORD.findall(text):
        if word.split(".")[0] in scorer_names(package):
            yield word
