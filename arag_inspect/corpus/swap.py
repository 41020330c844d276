"""One prepared folder in the place of another, so that a kill at any moment loses neither."""

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from .._util.errors import InputError

_LOGGER = logging.getLogger(__name__)
_SECONDS = 10.0
"""How long a reader waits where a folder is away, because another process is replacing it."""


@contextmanager
def folder_lock(out: Path) -> Iterator[None]:
    """Hold the right to write `out`, with nothing left beside it by an interrupted change.

    Raises:
        InputError: Another process holds it.
    """
    try:
        lock = _lock(out).acquire(timeout=0)
    except Timeout:
        raise InputError(f"another process is preparing {out}; wait for it to end") from None
    with lock:
        _settle(out)
        yield


def hidden(out: Path, role: str) -> Path:
    """The folder beside `out` for a copy of it: `partial`, `revised`, `new` or `old`."""
    return out.with_name(f".{out.name}.{role}")


def replace_folder(stage: Path, out: Path) -> None:
    """Put a complete folder in the place of an old one; call it within `alone`.

    The new folder is named `new` before the old one is moved away, so that
    the next reader that finds `out` missing can put it there; see `recover`.
    """
    if not out.exists():
        stage.rename(out)
        return
    new, old = hidden(out, "new"), hidden(out, "old")
    stage.rename(new)
    out.rename(old)
    new.rename(out)
    shutil.rmtree(old)


def recover(folder: Path) -> None:
    """Complete, or clear away, what an interrupted change left beside a prepared folder."""
    with suppress(OSError, RuntimeError, ValueError):  # readers say what is still missing
        out = folder.resolve()
        if any(map(os.path.exists, _leftovers(out))):
            with _lock(out).acquire(timeout=0 if out.exists() else _SECONDS):
                _settle(out)


def _lock(out: Path) -> FileLock:
    return FileLock(out.with_name(f".{out.name}.lock"))


def _leftovers(out: Path) -> list[Path]:
    return [hidden(out, role) for role in ("new", "old", "revised")]


def _settle(out: Path) -> None:
    new = hidden(out, "new")
    if new.exists() and not out.exists():
        new.rename(out)
        _LOGGER.warning("%s was being replaced when that was interrupted; it is whole again", out)
    for left in filter(os.path.exists, _leftovers(out)):
        shutil.rmtree(left, ignore_errors=True)
        _LOGGER.warning("removed %s, which an interrupted change had left", left)
