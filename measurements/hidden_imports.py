"""Find import cycles, and dependencies that import-linter cannot see."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .syntax import nodes_of

_CHANGES = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear"}
_BENCHMARKS = "benchmarks"
"""Folder of the benchmarks' folders, before and after it is renamed."""


class Import(NamedTuple):
    """A name that a module imports from the package."""

    local: str
    module: str
    """Module it comes from, dotted."""

    name: str
    """Its name there; empty if it is the module itself."""


def _dotted(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules(package: Path) -> dict[str, Path]:
    return {_dotted(path, package): path for path in sorted(package.rglob("*.py"))}


@cache
def _imports(module: str, package: Path) -> tuple[Import, ...]:
    """Return a module's imports from the package, even in functions and under `TYPE_CHECKING`."""
    return tuple(_read_imports(module, package))


def _read_imports(module: str, package: Path) -> Iterator[Import]:
    modules = _modules(package)
    path = modules[module]
    parents = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in modules:
                    yield Import(alias.asname or alias.name, alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            above = parents[: len(parents) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                local = alias.asname or alias.name
                if f"{source}.{alias.name}" in modules:
                    yield Import(local, f"{source}.{alias.name}", "")
                elif source in modules:
                    yield Import(local, source, alias.name)


def circles(package: Path) -> list[str]:
    """List the groups of modules that import each other, directly or through others."""
    graph: dict[str, set[str]] = {}
    for module in _modules(package):
        graph[module] = {target.module for target in _imports(module, package)} - {module}
    reachable = {module: _reachable(module, graph) for module in graph}
    groups = set()
    for module, targets in reachable.items():
        members = {other for other in targets if module in reachable[other]}
        if members:
            groups.add(tuple(sorted(members | {module})))
    return [f"{len(group)} modules: {', '.join(group)}" for group in sorted(groups)]


def _reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()] - seen:
            seen.add(target)
            waiting.append(target)
    return seen


def named_modules(package: Path) -> list[str]:
    """List the strings of the form `module:name` whose module is in the package."""
    modules = _modules(package)
    places = []
    for module, path in modules.items():
        folder = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for node in nodes_of(path):
            text = _text(node, module)
            match = re.fullmatch(r"([\w.]+):[A-Za-z_]\w*", text)
            if match and {match[1], f"{folder}.{match[1]}"} & modules.keys():
                places.append(f"{path}:{node.lineno} {text}")  # type: ignore[attr-defined]
    return places


def _text(node: ast.AST, module: str) -> str:
    """Return a string's value at run time, where only `__name__` is interpolated."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    return ast.unparse(node)[2:-1].replace("{__name__}", module)


def configuring_variables(package: Path) -> list[str]:
    """List the ContextVars that hold a mapping: parameters that bypass intermediate functions."""
    places = []
    for path in _modules(package).values():
        for node in nodes_of(path):
            if isinstance(node, ast.AnnAssign):
                hint = ast.unparse(node.annotation)
                if hint.startswith("ContextVar") and re.search(r"Mapping|[dD]ict", hint):
                    places.append(f"{path}:{node.lineno} {ast.unparse(node.target)}")
    return places


def foreign_globals(package: Path) -> list[str]:
    """List the statements that change a global of another module of the package."""
    places = []
    for module, path in _modules(package).items():
        imports = _imports(module, package)
        bound = _bound_names(path)
        for node in nodes_of(path):
            changed = _changed(node)
            if changed is None:
                continue
            name = ast.unparse(changed)
            first, _, attribute = name.partition(".")
            for target in imports:
                is_global = target.name.isupper() or bool(not target.name and attribute)
                if target.local == first and is_global and first not in bound:
                    places.append(f"{path}:{changed.lineno} {target.module}: {name}")
                    break
        places += [f"{path}:{line}" for line in _registering_calls(path, imports)]
    return places


def _changed(node: ast.AST) -> ast.expr | None:
    """Return what a statement changes: `x` of `x[...] = ...`, `x.append(...)`, `x.y = ...`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        function = node.value.func
        if isinstance(function, ast.Attribute) and function.attr in _CHANGES:
            return function.value
    if isinstance(node, ast.Assign | ast.AugAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Subscript):
            return target.value
        if isinstance(target, ast.Attribute):
            return target
    return None


def _bound_names(path: Path) -> set[str]:
    """Return the names that a module assigns, which may not be what it imports."""
    names = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _registering_calls(path: Path, imports: tuple[Import, ...]) -> Iterator[str]:
    """Yield statements that call an imported function `add_...` or `register_...` on import."""
    functions = {target.local for target in imports if target.name}
    (module, *_) = nodes_of(path)
    for node in module.body if isinstance(module, ast.Module) else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            name = ast.unparse(node.value.func)
            if name in functions and name.startswith(("add_", "register_")):
                yield f"{node.lineno} {name}(...)"


def folder_names(package: Path) -> list[str]:
    """List the strings and imports outside a benchmark's folder that name it."""
    places = []
    for root in (package / name for name in _BENCHMARKS):
        folders = [path.parent for path in root.glob("[!_]*/__init__.py")]
        for folder in folders:
            places += _mentions(folder, package)
    return places


def _mentions(folder: Path, package: Path) -> list[str]:
    dotted = _dotted(folder, package)
    places = []
    for module, path in _modules(package).items():
        if path.is_relative_to(folder):
            continue
        names = {dotted, folder.name} if module.endswith("registry") else {dotted}
        for node in nodes_of(path):
            if isinstance(node, ast.Constant) and node.value in names:
                places.append(f"{path}:{node.lineno} {folder.name}")
        for target in _imports(module, package):
            if f"{target.module}.".startswith(f"{dotted}."):
                places.append(f"{path} imports {target.module}")
    return places
