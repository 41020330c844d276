"""The user's folders for caches and data, which may be read-only."""

import os
import tempfile
from pathlib import Path

from .errors import echo

_FOLDERS = {"XDG_CACHE_HOME": "~/.cache", "XDG_DATA_HOME": "~/.local/share"}
"""Variables with the folders, and their default locations on Linux."""


def replace_unwritable_folders() -> None:
    """Replace unwritable folders of the user by a temporary one, for this process.

    One line reports it. Models in the Hugging Face cache are still read where they are.
    """
    if os.name != "posix":
        return
    folders = {name: _folder(name) for name in _FOLDERS}
    unwritable = [name for name, folder in folders.items() if not _is_writable(folder)]
    if not unwritable:
        return
    os.environ.setdefault("HF_HOME", str(folders["XDG_CACHE_HOME"] / "huggingface"))
    replacement = tempfile.mkdtemp(prefix="arag-inspect-")
    os.environ.update(dict.fromkeys(unwritable, replacement))
    names = " and ".join(str(folders[name]) for name in unwritable)
    echo(f"{names} cannot be written: caches are in {replacement} for this run", err=True)


def _folder(variable: str) -> Path:
    path = os.environ.get(variable) or _FOLDERS[variable]
    return Path(os.path.expanduser(path))  # noqa: PTH111  unchanged if no home is known


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
