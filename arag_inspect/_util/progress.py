"""Progress of long jobs."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as Bar

from .errors import echo

Advance = Callable[[], None]
Progress = Callable[[int | None], AbstractContextManager[Advance]]
"""Context manager opened with the number of steps (or None); yields a function to call after each.
"""

_LINES = 10
"""Maximum progress lines if standard error is not a terminal."""


@contextmanager
def no_progress(total: int | None) -> Iterator[Advance]:
    """Show nothing."""
    yield lambda: None


def bar(label: str) -> Progress:
    """Return a progress bar on standard error, invisible if that is not a terminal.

    The time next to it runs on during a long step. A bar without a total leaves no line behind.
    """

    @contextmanager
    def progress(total: int | None) -> Iterator[Advance]:
        console = Console(stderr=True)
        is_hidden = total == 0 or not console.is_terminal
        with _bar(console, is_counted=total is not None, disable=is_hidden) as display:
            task = display.add_task(label, total=total)
            yield lambda: display.advance(task)

    return progress


def _bar(console: Console, *, is_counted: bool, disable: bool = False) -> Bar:
    columns: list[ProgressColumn] = [TextColumn("{task.description}", markup=False), BarColumn()]
    if is_counted:
        columns.append(MofNCompleteColumn())
    columns.append(TimeElapsedColumn())
    return Bar(*columns, console=console, disable=disable, transient=not is_counted)


class SampleProgress:
    """Progress of a run's samples: a bar on a terminal, else a few lines."""

    def __init__(self, label: str) -> None:
        """Show nothing before the first task begins.

        Args:
            label: Text before the count.
        """
        console = Console(stderr=True)
        self._label = label
        self._total = 0
        self._ended = 0
        self._cancelled = 0
        self._is_terminal = console.is_terminal
        self._bar = _bar(console, is_counted=True, disable=not console.is_terminal)
        self._task = self._bar.add_task(label, total=0)

    def __enter__(self) -> "SampleProgress":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        if self._cancelled:
            echo(f"Samples cancelled: {self._cancelled:,}", err=True)

    def cancel(self) -> None:
        """Count a sample that was cancelled, and has not ended by itself."""
        self._cancelled += 1

    def expect(self, samples: int) -> None:
        """Add the samples of a task that begins."""
        self._total += samples
        self._bar.update(self._task, total=self._total)

    def advance(self) -> None:
        """Count a sample that has ended."""
        previous_count = self._ended
        self._ended += 1
        self._bar.advance(self._task)
        total = max(self._total, self._ended)
        is_due = previous_count * _LINES // total != self._ended * _LINES // total
        if is_due and not self._is_terminal:
            echo(f"{self._label}: {self._ended:,} of {total:,}", err=True)
