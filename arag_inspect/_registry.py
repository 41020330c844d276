"""Entry point `inspect_ai`: everything that Inspect finds by name, and decorators for files."""
# ruff: noqa: F401

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import inspect_ai
from inspect_ai.util import registry_info

from . import scorers, solvers, tasks
from ._util.encodable import write_anything
from ._util.errors import InputError
from ._util.network import prepare_clients
from .models.offline import extractive
from .models.recorded import provider
from .systems import tools

prepare_clients()
write_anything()  # without a UTF-8 locale, Inspect's final table would end a run


def task(stub: Callable[[], None]) -> Any:
    """Register the task of this name for the file of a function, e.g. `tasks/ectsum.py`."""
    return inspect_ai.task(_delegate(stub, tasks))


def solver(stub: Callable[[], None]) -> Any:
    """Register the solver of this name for the file of a function, e.g. `solvers/arag.py`."""
    return inspect_ai.solver.solver(_delegate(stub, solvers))


def scorer(stub: Callable[[], None]) -> Any:
    """Register the scorer of this name for the file of a function, e.g. `scorers/rouge.py`."""
    delegate = _delegate(stub, scorers)
    register = inspect_ai.scorer.scorer(**registry_info(delegate.__wrapped__).metadata)
    return register(delegate)


def _delegate(stub: Callable[[], None], package: ModuleType) -> Any:
    """Wrap the package's function of the same name as a function of the stub's module."""
    original = getattr(package, stub.__name__)

    @wraps(original, ("__name__", "__doc__"), ())
    def delegate(**parameters: Any) -> Any:
        return original(**parameters)

    delegate.__module__ = stub.__module__
    return delegate
