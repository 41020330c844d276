"""Timing, and the table of results."""

import gc
import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

_PACKAGES = ("arag-inspect", "inspect-ai", "numpy", "torch", "faiss-cpu", "sentence-transformers")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    ours: str
    plain: str = "-"
    """The same by the plain implementation; `-` where there is none."""

    ratio: float | None = None
    target: float | None = None
    at_most: bool = False
    """The target is an upper bound."""

    repeats: int = 1
    """Number of alternating repeats of which the best was taken."""

    @property
    def holds(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.ratio is None or self.target is None:
            return None
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target


def best(
    runs: Sequence[Callable[[], Any]], repeats: int, clock: Callable[[], float] = perf_counter
) -> list[tuple[float, Any]]:
    """Time functions in turn, several times over.

    Args:
        runs: Functions to time; each repeat runs all of them in turn.
        repeats: Turns of each.
        clock: Returns seconds; `time.process_time` leaves out what other programs take.

    Returns:
        For each function its shortest time in seconds, and its last result.
    """
    times = [float("inf")] * len(runs)
    results: list[Any] = [None] * len(runs)
    for _ in range(repeats):
        for place, run in enumerate(runs):
            gc.collect()
            gc.freeze()  # or a full collection, of all that is loaded, falls to one run in three
            start = clock()
            results[place] = run()
            times[place] = min(times[place], clock() - start)
    return list(zip(times, results, strict=True))


def show(rows: Sequence[Row]) -> None:
    """Print the table."""
    table = Table(title="arag-inspect against plain implementations, same machine, same run")
    table.add_column("what")
    for heading in ("ours", "plain", "ratio", "target", "holds?", "best of"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        sign = "<=" if row.at_most else ">="
        table.add_row(
            row.what,
            row.ours,
            row.plain,
            "-" if row.ratio is None else f"{row.ratio:.3g}x",
            "-" if row.target is None else f"{sign} {row.target:g}x",
            {True: "yes", False: "[bold red]no[/]", None: "-"}[row.holds],
            str(row.repeats),
        )
    Console(width=None if os.isatty(1) else 140).print(table)


def write_json(rows: Sequence[Row], path: Path, quick: bool) -> None:
    """Write the rows, and on what they were measured, to a file."""
    report = {
        "quick": quick,
        "machine": {
            "system": platform.platform(),
            "processor": processor(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES},
        },
        "rows": [{**asdict(row), "holds": row.holds} for row in rows],
    }
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def memory_of_process(field: str) -> float | None:
    """A figure of memory in MiB, by its name in `/proc/self/status`, None without it."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    values = [int(line.split()[1]) for line in lines if line.startswith(f"{field}:")]
    return values[0] / 1024 if values else None


def processor() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
