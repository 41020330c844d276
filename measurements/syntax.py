"""Syntax trees of modules, parsed once for all measurements."""

import ast
from functools import cache
from pathlib import Path


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Parse a module; the module itself is the first of its nodes."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
