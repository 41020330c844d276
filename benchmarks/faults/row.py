"""A row of the table, and a process that can be killed."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Row:
    """What became of a number of tries."""

    fault: str
    tries: int = 0
    lost: int = 0
    """Work that was there before the fault, or should be there after the next run, and is not."""

    wrong: int = 0
    """Values that differ from what they must be, and faults that nobody is told of."""

    note: str = ""

    @property
    def survived(self) -> int:
        """Tries after which all was there and right."""
        return self.tries - self.lost - self.wrong

    def count(self, *, lost: bool = False, wrong: bool = False) -> None:
        """Count a try."""
        self.tries += 1
        self.lost += lost
        self.wrong += wrong and not lost


Bench = Callable[[bool, Path], Row]
"""Called with whether it is to be quick, and an empty folder."""


def forked(work: Callable[[], object]) -> int:
    """Start a function in a process of its own, silently; gives its id."""
    child = os.fork()
    if child:
        return child
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)
        work()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    except BaseException:
        if log := os.environ.get("FAULTS_LOG"):
            Path(log).write_text(traceback.format_exc(), encoding="utf-8")
        os._exit(70)
    os._exit(0)


def status(child: int) -> int:
    """Wait for a process; gives its exit status, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def prepared(out: Path) -> None:
    """Prepare four calls in a program of its own, so that this process stays without threads."""
    words = ["prepare", "synthetic", "--documents", "4", "--out", str(out)]
    program = [sys.executable, "-m", "arag_inspect.cli.main", *words]
    subprocess.run(program, check=True, capture_output=True)


def table(rows: list[Row]) -> str:
    """Return the rows as Markdown."""
    lines = ["| fault | tries | survived | lost | wrong | |", "|---|---:|---:|---:|---:|---|"]
    lines += [
        f"| {row.fault} | {row.tries:,} | {row.survived:,} | {row.lost} | {row.wrong} | {row.note} |"
        for row in rows
    ]
    return "\n".join(lines)


def say(text: str) -> None:
    """Tell how far the bench has come."""
    print(text, file=sys.stderr, flush=True)
