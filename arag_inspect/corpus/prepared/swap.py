"""Replace a prepared folder without losing both versions if interrupted."""

import logging
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..._util.errors import InputError

_LOGGER = logging.getLogger(__name__)
_SECONDS = 10.0
"""Seconds a reader waits for a folder that another process is replacing."""


@contextmanager
def folder_lock(out: Path) -> Iterator[None]:
    """Lock `out`, and remove files that an interrupted change left beside it.

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


def hidden_folder(out: Path, role: str) -> Path:
    """Return the folder for a copy of `out`: `partial`, `revised`, `new` or `old`."""
    return out.with_name(f".{out.name}.{role}")


@contextmanager
def stage_folder(out: Path, role: str) -> Iterator[Path]:
    """Yield an empty folder that replaces `out` at the end, within `folder_lock`.

    Args:
        out: Folder to make or to replace.
        role: See `hidden_folder`. An error removes the folder and leaves `out` as it was.
    """
    stage = hidden_folder(out, role)
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    try:
        yield stage
        replace_folder(stage, out)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        raise


def replace_folder(stage: Path, out: Path) -> None:
    """Replace an old folder by a complete new one; call it within `folder_lock`.

    The new folder is named `new` before the old one is moved away, so that the next reader that
    finds `out` missing can put it there; see `recover`.
    """
    if not out.exists():
        stage.rename(out)
        return
    new = hidden_folder(out, "new")
    old = hidden_folder(out, "old")
    stage.rename(new)
    out.rename(old)
    new.rename(out)
    shutil.rmtree(old)


def link(folder: Path, stage: Path, names: Iterable[str]) -> None:
    """Give files and folders of a folder a second name in another, or copy them."""
    for name in names:
        if (folder / name).is_dir():
            shutil.copytree(folder / name, stage / name, copy_function=_link)
        else:
            _link(folder / name, stage / name)


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or a file system without links
        shutil.copy2(source, target)


def recover(folder: Path) -> None:
    """Complete or undo an interrupted change of a prepared folder."""
    with suppress(OSError, RuntimeError, ValueError):  # readers report files still missing
        out = folder.resolve()
        if any(map(os.path.exists, _leftovers(out))):
            with _lock(out).acquire(timeout=0 if out.exists() else _SECONDS):
                _settle(out)


def is_recoverable(folder: Path) -> bool:
    """Return whether an interrupted change left a folder that `recover` puts in its place."""
    with suppress(OSError, RuntimeError, ValueError):
        out = folder.resolve()
        return not out.exists() and hidden_folder(out, "new").is_dir()
    return False


def _lock(out: Path) -> FileLock:
    return FileLock(out.with_name(f".{out.name}.lock"))


def _leftovers(out: Path) -> list[Path]:
    return [hidden_folder(out, role) for role in ("new", "old", "revised")]


def _settle(out: Path) -> None:
    new = hidden_folder(out, "new")
    if new.exists() and not out.exists():
        new.rename(out)
        _LOGGER.warning("completed the interrupted replacement of %s", out)
    for leftover in filter(os.path.exists, _leftovers(out)):
        shutil.rmtree(leftover, ignore_errors=True)
        _LOGGER.warning("removed %s, left by an interrupted change", leftover)
