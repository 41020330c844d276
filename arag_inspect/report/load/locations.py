"""Find the logs at the locations that a user names."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import fsspec
from inspect_ai.log import list_eval_logs

from ..._util.errors import InputError, unreadable
from ..frames import Notice

_TIMED = re.compile(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d")
_LOG = re.compile(rb'\s*\{\s*"version"\s*:\s*\[?\s*\d+\s*\]?\s*,\s*"status"')


def find_logs(paths: Sequence[str | Path], notices: list[Notice]) -> Iterator[tuple[str, float]]:
    """Yield the logs at some locations, each with its time of change, 0 if unknown.

    Args:
        paths: Files and folders, local or any address that Inspect can read.
        notices: Takes what is left out.

    Raises:
        InputError: A path is empty.
    """
    for path in map(str, paths):
        if not path.strip():
            raise InputError("the path of a log is empty; give a file or a folder")
        try:
            files, root = fsspec.core.url_to_fs(path)
            is_folder, exists = files.isdir(root), files.exists(root)
            logs = list(_in_folder(files, root, path)) if is_folder else []
        except Exception as error:  # a remote location's library can raise any error
            notices.append(left_out(path, f"it cannot be read ({unreadable(error)})"))
            continue
        if is_folder and not logs:
            notices.append(left_out(path, "the folder holds no logs"))
        if not exists:
            notices.append(left_out(path, "it is not there"))
        yield from logs
        if exists and not is_folder:
            yield path, 0.0


def left_out(location: str, why: str) -> Notice:
    """Return the notice of a log, or folder, that does not count."""
    return Notice("error", f"{location} is left out: {why}", location)


def _in_folder(
    files: fsspec.AbstractFileSystem, root: str, path: str
) -> Iterator[tuple[str, float]]:
    """Yield the logs of a folder; Inspect does not list `.json` logs whose names hold no time."""
    yield from ((log.name, log.mtime or 0.0) for log in list_eval_logs(path))
    for name in files.find(root):
        if name.endswith(".json") and not _TIMED.match(name.split("/")[-1]):
            try:
                is_log = bool(_LOG.match(files.head(name, 200)))
            except OSError:
                is_log = True  # its reader says why it cannot be read
            if is_log:
                yield files.unstrip_protocol(name), 0.0
