"""Count what there is to read: lines of code, long modules and functions, entries at the root.

Run it as `python -m benchmarks.size [FOLDER]`. A line counts if it holds a token
that is neither a comment nor part of a docstring.
"""

import ast
import sys
import tokenize
from pathlib import Path
from typing import NamedTuple

_LONGEST_MODULE = 400
_LONGEST_FUNCTION = 60
_IGNORED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """Size of one module."""

    path: Path
    code_lines: int
    total_lines: int
    long_functions: list[str]
    """`name (lines)` of the functions over 60 lines of code."""


def measure(path: Path) -> Size:
    """Measure one module."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    code = _code_lines(path) - _docstring_lines(tree)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = {
        f: len(code & set(range(f.lineno, (f.end_lineno or f.lineno) + 1))) for f in functions
    }
    long = [f"{f.name} ({n})" for f, n in lengths.items() if n > _LONGEST_FUNCTION]
    return Size(path, len(code), source.count("\n"), long)


def _code_lines(path: Path) -> set[int]:
    """Return the numbers of lines with a token that is no comment."""
    with path.open("rb") as file:
        return {
            line
            for token in tokenize.tokenize(file.readline)
            if token.type not in _IGNORED
            for line in range(token.start[0], token.end[0] + 1)
        }


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of lines of docstrings, those under attributes included."""
    strings = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
    return {n for s in strings for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)}


def main(folder: str = "arag_inspect") -> None:
    """Print the sizes of a package."""
    root = Path(folder)
    sizes = [measure(path) for path in sorted(root.rglob("*.py"))]
    print(f"lines of code      {sum(size.code_lines for size in sizes):,} in {len(sizes)} modules")
    entries = [p.name for p in root.iterdir() if p.name != "__pycache__"]
    print(f"entries at root    {len(entries)}")
    for size in sizes:
        if size.total_lines > _LONGEST_MODULE:
            print(f"long module        {size.path}: {size.total_lines} lines")
        for function in size.long_functions:
            print(f"long function      {size.path}: {function}")
    rooms: dict[str, int] = {}
    for size in sizes:
        room = size.path.relative_to(root).parts[0]
        rooms[room] = rooms.get(room, 0) + size.code_lines
    for room, lines in sorted(rooms.items(), key=lambda item: -item[1]):
        print(f"{lines:6,}  {room}")


if __name__ == "__main__":
    main(*sys.argv[1:])
