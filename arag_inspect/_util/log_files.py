"""Read Inspect's logs safely: a crafted log could exhaust the memory of its reader."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import fsspec
from fsspec.implementations.local import LocalFileSystem
from inspect_ai.event import SpanBeginEvent, SpanEndEvent
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from .errors import InputError, unreadable

LARGEST_PART = 64 * 2**20
"""Maximum bytes of a part of an `.eval` log, uncompressed."""

LARGEST_JSON = 128 * 2**20
"""Maximum bytes of a `.json` log."""

MOST_VALUES = 4_000_000
"""Maximum values in a part or a `.json` log; each takes up to 150 bytes when parsed."""

HIGHEST_RATIO = 100
"""Maximum compression ratio of a log larger than a part may be; 3 to 20 is usual."""

PURPOSE = "arag_purpose"
"""Key in the metadata of a log that reports leave out; the value says what the log is."""

VALIDATION = "the result of a validation"
"""Purpose of a log whose samples are the parts of a validation, not answers."""

_SAMPLES = "samples/"
"""Start of the names of the parts that contain samples."""

_WHOLE = "the log"
"""Name for a whole `.json` log instead of a part."""

_POINTER = b"version https://git-lfs"
_METHODS = (ZIP_STORED, ZIP_DEFLATED, 93)
"""Compression methods of Inspect, which are decoded piece by piece; 93 is zstandard."""

_JSON_LOG = re.compile(
    rb'(\xef\xbb\xbf)?\s*\{\s*"(eval"\s*:\s*\{|version"\s*:\s*\[?\s*\d+\s*\]?\s*,\s*"status")'
)
"""Start of a `.json` log, also if its keys were sorted."""

_SPAN: TypeAdapter[SpanBeginEvent | SpanEndEvent] = TypeAdapter(SpanBeginEvent | SpanEndEvent)

_PIECE = 4096
"""Bytes read at a time; zstandard can unpack them to 30,000 times their number."""


def find_logs(path: str) -> Iterator[tuple[str, float]]:
    """Yield the logs at a location, each with its modification time, 0 if unknown.

    Inspect does not list a folder's `.json` logs without a time in their names.
    """
    files, root = fsspec.core.url_to_fs(path)
    if not files.isdir(root):
        if not files.exists(root):
            raise FileNotFoundError("no such file or folder")
        yield path, 0.0
        return
    logs = {log.name: log.mtime or 0.0 for log in list_eval_logs(path)}
    for name in files.find(root):
        if name.endswith(".json") and files.unstrip_protocol(name) not in logs:
            start = b'{"version":2,"status"'  # of a file that the reader reports as unreadable
            with suppress(OSError):
                start = files.head(name, 200)
            if _JSON_LOG.match(start):
                logs[files.unstrip_protocol(name)] = 0.0
    if not logs:
        raise FileNotFoundError("the folder contains no logs")
    yield from logs.items()


def is_within(location: str, path: str) -> bool:
    """Return whether a log is the one at a path, or in the folder there."""
    log, folder = _address(location), _address(path)
    return log == folder or log.startswith(f"{folder}/")


def _address(path: str) -> str:
    """Return a path, which may be relative, as an address."""
    files, root = fsspec.core.url_to_fs(path)
    return str(files.unstrip_protocol(root)).rstrip("/")


def open_log(location: str, **options: Any) -> EvalLog:
    """Read a log given by a user.

    Args:
        location: The log, local or any address that Inspect can read.
        options: Further arguments of `read_log`.

    Raises:
        InputError: The log is unreadable.
    """
    try:
        return read_log(location, **options)
    except Exception as error:  # a file that is not a log can raise any error
        raise InputError(f"{location} cannot be read as a log ({unreadable(error)})") from None


def read_log(
    location: str,
    *,
    header_only: bool = False,
    exclude_fields: Set[str] = frozenset(),
    **options: Any,
) -> EvalLog:
    """Read a log after checking its size.

    Args:
        location: The log, local or any address that Inspect can read.
        header_only: Whether to skip the samples; they are then None, or empty if the log has
            none.
        exclude_fields: Fields of samples to remove before Inspect's reader sees them, so that it
            may not know all events; an `.eval` log is then parsed once, in half its time. The
            beginning and end of the solvers stay in `events`, for their times, and a first system
            message stays in `messages`.
        options: Further arguments of Inspect's `read_eval_log`.

    Raises:
        ValueError: It is over a bound; the message says which.
        Exception: Any error of Inspect's reader, if the file is not a log.
    """
    samples: dict[str, EvalSample] = {}
    has_samples = False
    with _local_copy(location, header_only) as path:
        source: str | BytesIO = path
        for name, value in _checked_parts(path, header_only):
            if name.startswith(_SAMPLES):
                has_samples = True
                if exclude_fields and not header_only:
                    samples[name] = EvalSample.model_validate(_drop_fields(value, exclude_fields))
            elif name == _WHOLE and isinstance(value, dict):
                has_samples = bool(value.get("samples"))
                if exclude_fields or header_only:
                    stored = [] if header_only else value.get("samples") or []
                    shortened = [_drop_fields(sample, exclude_fields) for sample in stored]
                    source = BytesIO(json.dumps({**value, "samples": shortened}).encode())
        value = None  # a whole log takes much memory
        header_only |= bool(samples)
        left_out = set(exclude_fields) - {"events", "messages"} or None
        log = read_eval_log(source, header_only, exclude_fields=left_out, **options)
    log.location = location
    if samples:
        log.samples = list(samples.values())
    if not has_samples:
        log.samples = []
    return log


def is_appended_score(key: str, scorer: str) -> bool:
    """Return whether Inspect gave a key to a further score of a scorer: `NAME1` or `NAME-1`."""
    return re.fullmatch(rf"{re.escape(scorer)}-?\d+", key) is not None


def _drop_fields(sample: Any, names: Set[str]) -> dict[str, Any]:
    """Return a sample without some of its fields; empty if it is not a record."""
    fields = sample if isinstance(sample, dict) else {}
    shortened = {key: value for key, value in fields.items() if key not in names}
    if "events" in names:
        shortened["events"] = list(_solver_spans(fields.get("events")))
    if "messages" in names:
        shortened["messages"] = _system_messages(fields.get("messages"))
    return shortened


def _system_messages(messages: Any) -> list[dict[str, str]]:
    """Return the first message, if it is a system message with a text."""
    first = messages[0] if isinstance(messages, list) and messages else None
    if not isinstance(first, dict) or first.get("role") != "system":
        return []
    content = first.get("content")
    return [{"role": "system", "content": content}] if isinstance(content, str) else []


def _solver_spans(events: Any) -> Iterator[dict[str, Any]]:
    """Yield the valid events at which the solvers begin and end."""
    solver_ids: set[str] = set()
    for event in events if isinstance(events, list) else ():
        if not (isinstance(event, dict) and "working_start" in event):
            continue
        if event.get("event") not in ("span_begin", "span_end"):
            continue
        with suppress(ValidationError):
            span = _SPAN.validate_python(event)
            if isinstance(span, SpanBeginEvent) and span.type == "solvers":
                solver_ids.add(span.id)
            if span.id in solver_ids:
                yield event


@contextmanager
def _local_copy(location: str, header_only: bool = False) -> Iterator[str]:
    """Yield the location of a log, or of a local copy if a remote one will be read in full."""
    files, path = fsspec.core.url_to_fs(location)
    if header_only or isinstance(files, LocalFileSystem):
        yield path if isinstance(files, LocalFileSystem) else location
        return
    with TemporaryDirectory() as folder:
        copy = f"{folder}/log{PurePosixPath(path).suffix}"
        files.get_file(path, copy)
        yield copy


def _checked_parts(location: str, header_only: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each part of a log, or of a whole `.json` log.

    Unlike Inspect, this compares the directory of an `.eval` log with its parts before it parses
    them.

    Args:
        location: The log.
        header_only: Whether the samples are not read; the value is then None.

    Raises:
        ValueError: A part is too large, has too many values, is nested too deeply or compressed
            too far, or the directory is wrong.
        zipfile.BadZipFile: It is not an archive.
    """
    with fsspec.open(location, "rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        if file.read(len(_POINTER)) == _POINTER:
            raise ValueError("it is a Git LFS pointer; fetch the log with git lfs pull")
        file.seek(0)
        if location.endswith(".json"):
            _check_size(size, LARGEST_JSON, "the log")
            yield _WHOLE, _checked_json(file.read().removeprefix(BOM_UTF8), _WHOLE)
            return
        with ZipFile(file) as archive:
            parts = archive.infolist()
            total = sum(part.file_size for part in parts)
            _check_size(total, max(LARGEST_PART, size * HIGHEST_RATIO), "the log, unpacked,")
            for part in parts:
                is_skipped = header_only and part.filename.startswith(_SAMPLES)
                content = b"null" if is_skipped else _read_part(archive, part)
                yield part.filename, _checked_json(content, part.filename)


def _read_part(archive: ZipFile, part: ZipInfo) -> bytes:
    stated_size = part.file_size
    _check_size(stated_size, LARGEST_PART, part.filename)
    if part.compress_type not in _METHODS:
        raise ValueError(f"{part.filename} is compressed in a way that logs are not")
    part.file_size = stated_size + 1  # the directory may understate the size
    content = bytearray()
    with archive.open(part) as file:
        while piece := file.read(_PIECE):
            content += piece
    if len(content) != stated_size:
        raise ValueError(f"{part.filename} differs in length from the archive's directory")
    return bytes(content)


def _checked_json(content: bytes, name: str) -> Any:
    if content.count(b",") > MOST_VALUES:
        raise ValueError(f"{name} has more than {MOST_VALUES:,} values")
    try:
        try:
            return from_json(content)
        except ValueError as error:
            if "recursion" in str(error):
                raise RecursionError from None
            return json.loads(content)  # like Inspect, accept lone surrogates
    except RecursionError:
        raise ValueError(f"lists and objects of {name} are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{name} is not JSON: {error}") from None


def _check_size(size: int, size_limit: int, name: str) -> None:
    if size > size_limit:
        raise ValueError(
            f"{name} has {size / 2**20:,.1f} MB; the limit is {size_limit / 2**20:,.1f} MB"
        )
