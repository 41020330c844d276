"""A row of the table, and processes that are bounded in time."""

import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

ENDLESS = 124
"""Exit status of a process that did not end in time."""


class TimeUp(Exception):
    """The time of a row is over."""


@dataclass
class Row:
    """What became of a number of tries."""

    fault: str
    tries: int = 0
    lost: int = 0
    """Work that was there before the fault, or should be there after the next run, and is not."""

    wrong: int = 0
    """Values that differ from what they must be, and faults that are not reported."""

    note: str = ""
    until: float = float("inf")
    """Moment after which no further try begins."""

    @property
    def survived(self) -> int:
        """Tries after which all was there and right."""
        return self.tries - self.lost - self.wrong

    def count(self, *, lost: bool = False, wrong: bool = False, what: str = "") -> None:
        """Count a try; `what` is printed where it failed.

        Raises:
            TimeUp: No further try should begin.
        """
        self.tries += 1
        self.lost += lost
        self.wrong += wrong and not lost
        if (lost or wrong) and what:
            say(f"{'lost' if lost else 'wrong'}: {what}")
        if monotonic() > self.until:
            raise TimeUp


Bench = Callable[[Row, bool, Path, Path], None]
"""Called with the row to fill, whether it is to be quick, an empty folder, and the material."""


def forked(work: Callable[[], object], *, silent: bool = True) -> int:
    """Start a function in a process of its own; gives its id."""
    child = os.fork()
    if child:
        return child
    try:
        if silent:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
        work()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            say(ended.code)
        os._exit(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    except BaseException:
        if log := os.environ.get("FAULTS_LOG"):
            with Path(log).open("a", encoding="utf-8") as file:
                file.write(traceback.format_exc())
        if not silent:
            traceback.print_exc()
        os._exit(70)
    os._exit(0)


def status(child: int, seconds: float = 120) -> int:
    """Wait for a process, and end one that takes longer.

    Returns:
        Its exit status, negative where a signal ended it, `ENDLESS` where time did.
    """
    watched = os.pidfd_open(child)
    ended, _, _ = select.select([watched], [], [], seconds)
    os.close(watched)
    if not ended:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if ended else ENDLESS


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    lines = ["| fault | tries | survived | lost | wrong | |", "|---|---:|---:|---:|---:|---|"]
    lines += [
        f"| {row.fault} | {row.tries:,} | {row.survived:,} | {row.lost} | {row.wrong} | {row.note} |"
        for row in rows
    ]
    return "\n".join(lines)


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)
