"""Digests of users' code, which distinguish an edited system from its earlier version."""

import ast
import shlex
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path

from .files import digest, file_digest

COMMAND = "$ "
"""Start of a target that is a command line."""

_INSTALLED = ("site-packages", "dist-packages")
"""Folders of installed packages."""

_OURS = __name__.partition(".")[0]
"""This package, whose version every log records."""


def code_digests(target: str) -> dict[str, str]:
    """Return the SHA-256 of a target's code, by file or module.

    It covers the local modules that the code imports, directly or indirectly. Imports inside
    functions count; modules imported by computed names do not.

    Args:
        target: `file.py:function`, `module:function` of a loaded module, or `$ COMMAND LINE`, in
            which each word that is a file counts.

    Returns:
        Digests; empty if the target is not code on this machine, e.g. an address.
    """
    digests: dict[str, str] = {}
    if target.startswith(COMMAND):
        for word in _split_command(target.removeprefix(COMMAND)):
            digests |= _digests_of_file(word)
        return digests
    location, _, function = target.rpartition(":")
    if location.endswith(".py"):
        return _digests_of_file(location)
    file = _file_of_module(location, function)
    if file is None:
        return {}
    root = _import_root(location, file)
    is_installed = root.name in _INSTALLED or root == Path(sysconfig.get_path("stdlib"))
    package = location.partition(".")[0] if is_installed else None
    files = _module_files(location, (root,))  # and the files of its parent packages, which run too
    return {location: _digest(files, (root,), package)}


def _split_command(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # the system reports it
        return []


def _digests_of_file(name: str) -> dict[str, str]:
    """Return the digest of a file and, for a module, of the modules that it imports."""
    with suppress(OSError, ValueError):  # most words of a command line are not paths
        path = Path(name).expanduser().absolute()
        if path.suffix == ".py" and path.is_file():
            return {name: _digest([path], (path.parent, Path.cwd()))}
        if path.is_file():
            return {name: file_digest(path)}
    return {}


def _file_of_module(name: str, function: str) -> Path | None:
    """Return the file of a loaded module with this function, or None."""
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    try:
        is_function = callable(reduce(getattr, function.split("."), module))
    except AttributeError:
        return None
    return Path(file) if file and is_function else None


def _import_root(module: str, file: Path) -> Path:
    """Return the folder in which the top-level package of a module lies."""
    depth = module.count(".") + (file.name == "__init__.py")
    return file.parents[depth]


def _digest(files: Iterable[Path], roots: tuple[Path, ...], package: str | None = None) -> str:
    """Return the digest of modules together with all local modules that they import.

    Args:
        files: Files of the modules.
        roots: Folders in which imported modules are found.
        package: The only top-level package to follow; None for all in these folders.
    """
    imported_files = sorted(_all_imported(files, roots, package))
    return digest(*map(file_digest, imported_files), length=64)


def _all_imported(files: Iterable[Path], roots: tuple[Path, ...], package: str | None) -> set[Path]:
    """Return modules together with all local modules that they import, directly or indirectly."""
    waiting = [*files]
    seen = set(waiting)
    while waiting:
        new_files = set(_find_imports(waiting.pop(), roots, package)) - seen
        seen |= new_files
        waiting += new_files
    return seen


def _find_imports(file: Path, roots: tuple[Path, ...], package: str | None) -> Iterator[Path]:
    """Yield the files of the local modules that a module imports itself."""
    for name, level in _import_statements(file):
        top_level = name.partition(".")[0]
        if level:
            yield from _module_files(name, [file.parents[level - 1]])
        elif top_level == package or (package is None and top_level != _OURS):
            yield from _module_files(name, roots)


def _import_statements(file: Path) -> Iterator[tuple[str, int]]:
    """Yield each imported name of a module, with the number of dots before it."""
    try:
        nodes = ast.walk(ast.parse(file.read_bytes()))
    except (SyntaxError, ValueError, RecursionError):  # its import reports it
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}" if node.module else alias.name
                yield name, node.level


def _module_files(name: str, folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the files of a module and its parent packages, from the first folder that has them."""
    for folder in folders:
        files = []
        path = folder
        for part in name.split("."):
            path = path / part
            files += [path / "__init__.py", path.with_name(f"{part}.py")]
        found_files = [file for file in files if file.is_file()]
        if found_files:
            yield from found_files
            return
