"""Docstrings use plain words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import arag_inspect

QUAINT = re.compile(
    r"\b(anew|beware|lest|nobody|somebody|whoever|whosoever|borne out|bears? out|be had|told)\b"
)


def docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a module, those under attributes included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def test_docstrings_use_plain_words() -> None:
    package = Path(str(arag_inspect.__file__)).parent
    found = {
        f"{path.relative_to(package)}: {match[0]}"
        for path in package.rglob("*.py")
        for text in docstrings(path)
        for match in QUAINT.finditer(text)
    }
    assert not found
