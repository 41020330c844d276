"""Parse untrusted files in a subprocess with limited time and memory."""

import json
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from ..._util.encodable import encodable
from ..._util.errors import InputError

_WORKER = Path(__file__).with_name("_worker.py")

SECONDS = 120.0
"""Time limit per file, in seconds."""

MEGABYTES = 2048
"""Memory limit of the subprocess, in MB."""


class BrokenFileError(InputError):
    """A file without readable text; the message names the file and the cause."""

    def __init__(self, path: Path, cause: str) -> None:
        super().__init__(f"{path}: {cause}")
        self.path, self.cause = path, cause


def parse_isolated(
    kind: Literal["pdf", "html"],
    path: Path,
    *,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
) -> list[str]:
    """Read the text of a file; a list of pages if it has pages.

    Runs in a subprocess that is killed when it takes too long. Safe to
    call from several threads, to read many files in parallel.

    Args:
        kind: Kind of file.
        path: The file.
        seconds: Time limit, in seconds.
        megabytes: Memory limit, in MB.

    Raises:
        BrokenFileError: The parser rejected the file, crashed, or exceeded a limit.
    """
    command = [sys.executable, "-P", str(_WORKER), kind, str(path.absolute())]
    limits = [str(math.ceil(seconds)), str(megabytes)]
    try:
        done = subprocess.run(
            [*command, *limits],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenFileError(path, f"the parser did not end within {seconds:g} s") from None
    read: list[Any] = [encodable(json.loads(line)) for line in done.stdout.split(b"\n")[:-1]]
    last = read.pop() if read and isinstance(read[-1], dict) else None
    if last is None:
        place = f" on page {len(read)}" if kind == "pdf" else ""
        raise BrokenFileError(path, f"the parser crashed{place} ({_ending(done)})")
    if "problem" in last:
        raise BrokenFileError(path, last["problem"])
    return read


def _ending(done: subprocess.CompletedProcess[bytes]) -> str:
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name
    return f"exit status {done.returncode}"
