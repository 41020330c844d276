"""Files of a report in its folder, which the next report replaces or removes."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from fsspec import AbstractFileSystem

from ..._util.errors import InputError
from ..._util.files import replace_file

File = tuple[str, str | bytes | Iterable[str]]
"""A file of a report: its path in the folder, and its content."""

_FILE_LIST = ".report-files"
"""File that lists the files that reports wrote into a folder, one path per line."""


def files_of_reports(folder: Path) -> list[str]:
    """Return the files that reports wrote into a folder, relative to it."""
    path = folder / _FILE_LIST
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    return [line for line in lines if _is_inside(PurePosixPath(line))]


def write_files(folder: Path, files: Iterable[File]) -> None:
    """Write the files of a report, and remove those that only an earlier report wrote.

    Raises:
        InputError: A file with the same name exists that no report wrote.
    """
    earlier = files_of_reports(folder)
    current = []
    with (folder / _FILE_LIST).open("a", encoding="utf-8") as file_list:
        for path, content in files:
            if path not in earlier:
                _check_free(folder / path, exists=(folder / path).exists())
                file_list.write(f"{path}\n")
                file_list.flush()
            replace_file(folder / path, content)
            current.append(path)
    for path in set(earlier).difference(current):
        _remove(folder, path)
    _write_list(folder, current)


def upload_files(folder: Path, store: AbstractFileSystem, root: str) -> None:
    """Copy the files of a report to a folder of a remote store, as `write_files` writes them.

    Args:
        folder: Folder with the report and no other one.
        store: The store.
        root: Folder in the store.

    Raises:
        InputError: See `write_files`; no file is written then.
    """
    current = files_of_reports(folder)
    earlier = _files_in_store(store, root)
    store.invalidate_cache()  # other programs may have written since
    existing = store.find(root)
    new = [path for path in current if path not in earlier]
    for path in new:
        _check_free(f"{root}/{path}", exists=f"{root}/{path}" in existing)
    _write_list(folder, [*earlier, *new])
    for path in (_FILE_LIST, *current):
        store.put_file(str(folder / path), f"{root}/{path}")
    for path in set(earlier).difference(current):
        if f"{root}/{path}" in existing:
            store.rm_file(f"{root}/{path}")
    _write_list(folder, current)
    store.put_file(str(folder / _FILE_LIST), f"{root}/{_FILE_LIST}")


def _files_in_store(store: AbstractFileSystem, root: str) -> list[str]:
    """Return the files that reports wrote into a folder of a store."""
    with TemporaryDirectory() as temporary:
        if store.exists(f"{root}/{_FILE_LIST}"):
            store.get_file(f"{root}/{_FILE_LIST}", str(Path(temporary, _FILE_LIST)))
        return files_of_reports(Path(temporary))


def _write_list(folder: Path, paths: Iterable[str]) -> None:
    replace_file(folder / _FILE_LIST, "".join(f"{path}\n" for path in paths))


def _check_free(location: object, *, exists: bool) -> None:
    """Raise if there is a file where a report is going to write one for the first time."""
    if exists:
        raise InputError(
            f"{location} was not written by a report; move or rename it, or name another folder"
        )


def _is_inside(path: PurePosixPath) -> bool:
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _remove(folder: Path, path: str) -> None:
    """Remove a file and the folders that it leaves empty, but nothing outside the folder."""
    file = folder / path
    if not file.parent.resolve().is_relative_to(folder.resolve()):
        return
    file.unlink(missing_ok=True)
    for parent in file.relative_to(folder).parents[:-1]:
        with suppress(OSError):  # it has other files
            (folder / parent).rmdir()
