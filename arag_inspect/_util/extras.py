"""Packages that only a part of this one needs: which extra installs them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Literal

from .errors import InputError


@contextmanager
def extra(name: Literal["retrieval", "report", "lance"]) -> Iterator[None]:
    """Import packages of an extra; a missing one raises a one-line error.

    Args:
        name: Name of the extra.

    Raises:
        InputError: A package is not installed; names it and the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "a package").partition(".")[0]
        if package == "arag_inspect":
            raise
        raise InputError(
            f"this needs {package}, which is not installed; run: pip install 'arag-inspect[{name}]'"
        ) from error


def installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False
