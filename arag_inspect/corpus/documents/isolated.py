"""Parse files in subprocesses with limited time and memory."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, TypeVar

from ..._util.bounds import CELLS
from ..._util.encodable import encodable
from ..._util.errors import InputError

_WORKER = Path(__file__).with_name("_worker.py")

Item = TypeVar("Item")
Result = TypeVar("Result")

SECONDS = 120
"""Time limit per file, in seconds."""

MEGABYTES = 2048
"""Memory limit of the subprocess, in MB."""


class BrokenFileError(InputError):
    """A file without readable text; the message states the file and the cause."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path = path
        self.cause = cause


def read_in_parallel(read: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the result of each item, in order, with only a few in memory at a time.

    Args:
        read: Reads an item, in one of as many threads as there are cores, at most 8.
        items: Items to read.
    """
    workers = min(8, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        futures: list[Future[Result]] = []
        for item in items:
            futures.append(pool.submit(read, item))
            if len(futures) > 4 * workers:  # a slow item delays the others only when many wait
                yield futures.pop(0).result()
        for future in futures:
            yield future.result()


def parse_isolated(
    kind: Literal["pdf", "html", "xbrl", "office", "sheet"], path: Path, content: str = ""
) -> list[str]:
    """Read the text of a file; a list of pages or rows if it has them.

    Runs in a subprocess that is killed when it takes longer than `SECONDS` or more memory than
    `MEGABYTES`. Safe to call from several threads.

    Args:
        kind: Kind of file.
        path: The file.
        content: The decoded text of an HTML page, which is not read again.

    Raises:
        BrokenFileError: The parser rejected the file, crashed, or exceeded a limit.
    """
    command = [sys.executable, "-P", str(_WORKER), kind, str(path.absolute())]
    try:
        process = subprocess.run(
            [*command, str(SECONDS), str(MEGABYTES), str(CELLS.maximum)],
            input=content.encode(errors="replace"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenFileError(path, f"the parser did not finish within {SECONDS} s") from None
    lines: list[Any] = [encodable(json.loads(line)) for line in process.stdout.split(b"\n")[:-1]]
    last = lines.pop() if lines and isinstance(lines[-1], dict) else None
    if last is None:
        location = f" on page {len(lines)}" if kind == "pdf" else ""
        raise BrokenFileError(
            path, f"the parser crashed{location} (exit status {process.returncode})"
        )
    if "problem" in last:
        raise BrokenFileError(path, last["problem"])
    return lines
