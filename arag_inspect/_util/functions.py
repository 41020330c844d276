"""Load users' functions by name."""

import importlib
import sys
from collections.abc import Callable
from functools import reduce
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import InputError, one_line

Function = Callable[..., Any]


def load_function(
    target: str,
    *,
    kind: str = "target",
    accepted: str = "module:function, file.py:function or http://...",
) -> Function:
    """Load `module:function` or `path/to/file.py:function`; runs the module's code.

    Args:
        target: Location of the function. Modules of the working directory are found too.
        kind: Noun for the function in messages.
        accepted: Accepted forms, for the message.

    Raises:
        InputError: The module cannot be imported, or has no such function.
    """
    location, _, name = target.rpartition(":")
    if not location or not name:
        raise InputError(f"{kind} {target!r} is unknown; use {accepted}")
    try:
        module = _load_file(location) if location.endswith(".py") else _import(location)
    except Exception as error:
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise InputError(f"{kind} {target} cannot be imported ({reason})") from error
    try:
        function: Any = reduce(getattr, name.split("."), module)
    except AttributeError:
        functions = ", ".join(_functions_of(module)) or "none"
        raise InputError(
            f"{kind} {target}: {location} has no function {name!r}; its functions: {functions}"
        ) from None
    if not callable(function):
        raise InputError(f"{kind} {target} is not a function")
    return function  # type: ignore[no-any-return]


def _functions_of(module: ModuleType) -> list[str]:
    """Return the names of the public functions that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    ]


def _import(name: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def _load_file(location: str) -> ModuleType:
    path = Path(location).expanduser().absolute()
    if str(path.parent) not in sys.path:  # for imports of neighbouring files
        sys.path.insert(0, str(path.parent))
    name = f"arag_inspect_target_{path.stem}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # the name ends in .py
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
