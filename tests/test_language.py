"""Tests that docstrings use plain words and local names are specific."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import arag_inspect

QUAINT = re.compile(
    r"\b(anew|beware|lest|nobody|somebody|whoever|whosoever|borne out|bears? out|be had|told)\b"
)

VAGUE = frozenset("own one ones found place places wanted known held shown asked".split())
"""Names that do not describe their values."""

PARTICIPLES = frozenset(
    "chosen declared given labelled made named read said stated telling told written".split()
)
"""Names that say what happened to a value, not what it is."""

PARTICIPLE = re.compile(r"_*(?!\w*(?:need|embed|feed)$)[a-z]+(?:ed|wn)")
"""A name of one word such as `joined`, which says neither what to do nor what is returned."""

GIVEN_NAMES = {"replayed", "recorded", "enabled"}
"""Names of a task, of a provider, and of a method of Inspect's hooks."""

ALIAS = re.compile(r"[A-Z]\w*[a-z]\w*")
"""Name of a public type alias, rather than of a constant."""

SHARED_NAMES = {"Scope"}
"""A type of figures with the name of a parameter of solvers."""

PACKAGE = Path(str(arag_inspect.__file__)).parent
TESTS = Path(__file__).parent


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Parse a module, once for all tests."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def docstrings(path: Path) -> Iterator[str]:
    """Yield a module's docstrings, including attributes' docstrings."""
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)


def test_docstrings_use_plain_words() -> None:
    quaint = {
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in PACKAGE.rglob("*.py")
        for text in docstrings(path)
        for match in QUAINT.finditer(text)
    }
    assert not quaint


def local_names(path: Path) -> Iterator[str]:
    """Yield the names that a module's functions bind, except parameters."""
    for function in nodes(path):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id


@pytest.mark.parametrize(
    ("folder", "names"), [(PACKAGE, VAGUE | PARTICIPLES), (TESTS, PARTICIPLES)]
)
def test_local_names_describe_values(folder: Path, names: frozenset[str]) -> None:
    vague = {
        f"{path.relative_to(folder)}: {name}"
        for path in folder.rglob("*.py")
        for name in local_names(path)
        if name.strip("_") in names
    }
    assert not vague


def function_names(path: Path) -> Iterator[str]:
    """Yield a module's functions and methods, except properties and inner functions."""
    for node in nodes(path):
        if isinstance(node, ast.Module | ast.ClassDef):
            for function in node.body:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    decorators = " ".join(map(ast.unparse, function.decorator_list))
                    if "property" not in decorators:
                        yield function.name


def test_functions_are_named_by_verbs_or_nouns() -> None:
    participles = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        for name in function_names(path)
        if PARTICIPLE.fullmatch(name) and name not in GIVEN_NAMES
    }
    assert not participles


def type_names(path: Path) -> Iterator[str]:
    """Yield the names of a module's classes, and of its public type aliases."""
    module, *_ = nodes(path)
    assert isinstance(module, ast.Module)
    for statement in module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ) if ALIAS.fullmatch(name) and not isinstance(value, ast.Call):
                yield name
    for node in nodes(path):
        if isinstance(node, ast.ClassDef):
            yield node.name


def test_names_of_types_are_unique() -> None:
    names = Counter(name for path in PACKAGE.rglob("*.py") for name in type_names(path))
    assert {name for name, count in names.items() if count > 1} == SHARED_NAMES
