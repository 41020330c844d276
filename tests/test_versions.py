"""Tests that every module can be imported by all supported Python versions."""

import ast
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("arag_inspect", "tests", "measurements", "examples")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def problems(source: str) -> list[str]:
    """Return the syntax that Python versions newer than this one reject or warn about."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tree = ast.parse(source)
            compile(tree, "module", "exec", dont_inherit=True)
        except (SyntaxError, UnicodeError) as error:  # the second from 3.13 on, of a docstring
            return [str(error)]
    of_code = (SyntaxWarning, DeprecationWarning)  # not sockets left open by an earlier test
    found = [str(warning.message) for warning in caught if issubclass(warning.category, of_code)]
    if r"\ud" not in source:
        return found
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        docstring = ast.get_docstring(node) if isinstance(node, documented) else None
        if docstring and any("\ud800" <= letter <= "\udfff" for letter in docstring):
            found.append(f"a docstring cannot be encoded: {docstring[:40]!a}")
    return found


def test_modules_compile_without_warnings() -> None:
    found = {str(path): problems(path.read_text(encoding="utf-8")) for path in FILES}
    assert len(found) > 500
    assert not {path: lines for path, lines in found.items() if lines}


@pytest.mark.parametrize(
    "source",
    [
        r"def text():" "\n" r'    """After a truncated `\ud83d`."""',
        r'"""\udfff"""',
        r"class Text:" "\n" r'    """A half \ude00 of a pair."""',
        r'pattern = "\d+"',
        "same = 1 is 1",
        "def broken(:",
    ],
)
def test_source_invalid_in_other_python_versions_is_detected(source: str) -> None:
    assert problems(source)
