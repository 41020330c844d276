"""Measure the shape of the package against its targets: size, circles, hidden imports, density.

Run it as `python -m measurements.size [--test-time M:SS] [--details]`. A line counts if it holds a
token that is neither a comment nor part of a docstring. `--details` also lists what is behind each
row, the long modules, and the lines of each room.
"""

import argparse
import ast
import tokenize
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .hidden_imports import (
    circles,
    configuring_variables,
    folder_names,
    foreign_globals,
    named_modules,
)
from .scorer_names import scorer_mentions
from .syntax import nodes_of

PACKAGE = Path("arag_inspect")
_LONGEST_MODULE = 400
_LONGEST_FUNCTION = 50
_LONGEST_COMPREHENSION = 7
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_IGNORED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


class Row(NamedTuple):
    """A figure and its target."""

    name: str
    today: float
    target: float
    places: tuple[str, ...] = ()
    """Locations of what is counted."""

    @property
    def reached(self) -> bool:
        return self.today <= self.target


class Size(NamedTuple):
    """Size of one module."""

    path: Path
    total_lines: int
    long_functions: tuple[str, ...]
    long_comprehensions: tuple[str, ...]
    vague_names: tuple[str, ...]

    @property
    def code_lines(self) -> int:
        return len(_code_lines(self.path))


@cache
def measure(path: Path) -> Size:
    """Measure one module."""
    source = path.read_text(encoding="utf-8")
    nodes = nodes_of(path)
    return Size(
        path,
        source.count("\n"),
        tuple(_long_functions(path, nodes)),
        tuple(_long_comprehensions(path, nodes)),
        tuple(f"{path}:{line}" for line in _lines_binding("own", nodes)),
    )


@cache
def _code_lines(path: Path) -> frozenset[int]:
    """Return the numbers of lines with a token other than a comment or a docstring."""
    lines: set[int] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in _IGNORED:
                lines.update(range(token.start[0], token.end[0] + 1))
    return frozenset(lines - _docstring_lines(nodes_of(path)))


def _docstring_lines(nodes: Iterable[ast.AST]) -> set[int]:
    """Return the numbers of lines of docstrings, those under attributes included."""
    lines: set[int] = set()
    for node in nodes:
        text = node.value if isinstance(node, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            lines.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return lines


def _long_functions(path: Path, nodes: Iterable[ast.AST]) -> Iterable[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if len(lines) <= _LONGEST_FUNCTION:
                continue
            count = len(_code_lines(path).intersection(lines))
            if count > _LONGEST_FUNCTION:
                yield f"{path}:{node.lineno} {node.name} ({count} lines)"


def _long_comprehensions(path: Path, nodes: Iterable[ast.AST]) -> Iterable[str]:
    for node in nodes:
        if isinstance(node, _COMPREHENSIONS):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > _LONGEST_COMPREHENSION:
                yield f"{path}:{node.lineno} ({lines} lines)"


def _lines_binding(name: str, nodes: Iterable[ast.AST]) -> Iterable[int]:
    """Yield the lines where a local or an argument gets this name."""
    for node in nodes:
        match node:
            case ast.Name(id=bound, ctx=ast.Store()) | ast.arg(arg=bound) if bound == name:
                yield node.lineno


def sizes(folder: Path) -> list[Size]:
    """Measure every module of a folder."""
    return [measure(path) for path in sorted(folder.rglob("*.py"))]


def rows(test_minutes: float | None = None) -> list[Row]:
    """Return every figure that has a target, except those that need a manual test.

    Args:
        test_minutes: How long `make test` takes on two quiet cores, which is not measured here.
    """
    figures = shape_rows()
    for name, folder, target in (("package", PACKAGE, 29_400), ("tests", Path("tests"), 21_000)):
        lines = sum(size.code_lines for size in sizes(folder))
        figures.append(Row(f"lines of code, {name}", lines, target))
    if test_minutes is not None:
        figures.append(Row("make test, minutes", test_minutes, 4))
    return figures


def shape_rows() -> list[Row]:
    """Return counts in the package that should be zero."""
    package = sizes(PACKAGE)
    figures = [
        _row("circles of modules", circles(PACKAGE)),
        _row("strings that name a module", named_modules(PACKAGE)),
        _row("ContextVars with parameters", configuring_variables(PACKAGE)),
        _row("globals changed by another module", foreign_globals(PACKAGE)),
        _row("names of benchmark folders elsewhere", folder_names(PACKAGE)),
    ]
    for room in ("report", "stats", "workflows", "run", "cli"):
        if (PACKAGE / room).is_dir():
            figures.append(_row(f"scorer names in {room}", scorer_mentions(PACKAGE, room)))
    long_functions = [function for size in package for function in size.long_functions]
    long_comprehensions = [place for size in package for place in size.long_comprehensions]
    figures += [
        _row(f"functions over {_LONGEST_FUNCTION} lines", long_functions),
        _row(f"comprehensions of {_LONGEST_COMPREHENSION + 1} lines or more", long_comprehensions),
        _row("`own` as a name", [place for size in package for place in size.vague_names]),
    ]
    return figures


def _row(name: str, places: Iterable[str]) -> Row:
    """Return a row for a count that should be zero."""
    found_at = tuple(places)
    return Row(name, len(found_at), 0, found_at)


def _minutes(text: str) -> float:
    minutes, _, seconds = text.partition(":")
    return int(minutes) + int(seconds or 0) / 60


def _shown(figure: float) -> str:
    return f"{figure:,}" if isinstance(figure, int) else f"{figure:.2f}"


def _print_details(figures: Iterable[Row]) -> None:
    for row in figures:
        for place in row.places:
            print(f"{row.name}: {place}")
    package = sizes(PACKAGE)
    for size in package:
        if size.total_lines > _LONGEST_MODULE:
            print(f"long module: {size.path}: {size.total_lines} lines")
    rooms: dict[str, int] = {}
    for size in package:
        room = size.path.relative_to(PACKAGE).parts[0]
        rooms[room] = rooms.get(room, 0) + size.code_lines
    for room, lines in sorted(rooms.items(), key=lambda item: -item[1]):
        print(f"{lines:6,}  {room}")


def main() -> None:
    """Print today's figures beside their targets."""
    parser = argparse.ArgumentParser(prog="python -m measurements.size")
    parser.add_argument("--test-time", type=_minutes, metavar="M:SS")
    parser.add_argument("--details", action="store_true")
    given = parser.parse_args()
    figures = rows(given.test_time)
    print(f"{'':38} {'today':>8} {'target':>8}")
    for row in figures:
        mark = "reached" if row.reached else ""
        print(f"{row.name:38} {_shown(row.today):>8} {_shown(row.target):>8}  {mark}".rstrip())
    if given.details:
        _print_details(figures)


if __name__ == "__main__":
    main()
