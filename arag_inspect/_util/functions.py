"""Load user functions by module or file."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import InputError, one_line

Function = Callable[..., Any]


def load_function(
    target: str,
    *,
    what: str = "target",
    accepted: str = "module:function, file.py:function or http://...",
) -> Function:
    """Load `module:function` or `path/to/file.py:function`; runs the module's code.

    Args:
        target: Location of the function. Modules of the working directory are found too.
        what: Its name in messages.
        accepted: Accepted forms, for the message.

    Raises:
        InputError: The module cannot be imported, or has no such function.
    """
    location, _, name = target.rpartition(":")
    if not location or not name:
        raise InputError(f"{what} {target!r} is unknown; give {accepted}")
    try:
        module = _load_module(location, what)
    except InputError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {one_line(error)}"
        raise InputError(f"{what} {target} cannot be imported ({reason})") from error
    try:
        function: Any = reduce(getattr, name.split("."), module)
    except AttributeError:
        own = [
            k for k, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__
        ]
        names = f"; it has {', '.join(own[:10])}" if own else ""
        raise InputError(f"{what} {target}: {location} has no {name}{names}") from None
    if not callable(function):
        raise InputError(f"{what} {target} is not a function")
    return function  # type: ignore[no-any-return]


def _load_module(location: str, what: str) -> ModuleType:
    if not location.endswith(".py"):
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(location)
    path = Path(location).expanduser().absolute()
    if not path.is_file():
        raise InputError(f"{what} file {location} not found; it was looked for at {path}")
    if str(path.parent) not in sys.path:  # for imports of neighbouring files
        sys.path.insert(0, str(path.parent))
    name = f"arag_inspect_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{what} file {location} cannot be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
