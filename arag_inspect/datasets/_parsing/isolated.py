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
        process = subprocess.run(
            [*command, *limits],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenFileError(path, f"the parser did not end within {seconds:g} s") from None
    lines: list[Any] = [encodable(json.loads(line)) for line in process.stdout.split(b"\n")[:-1]]
    last = lines.pop() if lines and isinstance(lines[-1], dict) else None
    if last is None:
        location = f" on page {len(lines)}" if kind == "pdf" else ""
        raise BrokenFileError(path, f"the parser crashed{location} ({_ending(process)})")
    if "problem" in last:
        raise BrokenFileError(path, last["problem"])
    return lines


def _ending(process: subprocess.CompletedProcess[bytes]) -> str:
    if process.returncode < 0:
        return signal.Signals(-process.returncode).name
    return f"exit status {process.returncode}"
