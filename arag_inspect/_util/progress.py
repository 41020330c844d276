"""Progress of long jobs."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as _Rich

Advance = Callable[[], None]
Progress = Callable[[int | None], AbstractContextManager[Advance]]
"""Context manager opened with the number of steps (or None); yields a function to call after each.
"""


@contextmanager
def silent(total: int | None) -> Iterator[Advance]:
    """Show nothing."""
    yield lambda: None


def bar(label: str) -> Progress:
    """Return a progress bar on standard error, invisible if that is not a terminal."""

    @contextmanager
    def progress(total: int | None) -> Iterator[Advance]:
        if total == 0:
            yield lambda: None
            return
        from rich.console import Console

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        console = Console(stderr=True)
        with _Rich(*columns, console=console, disable=not console.is_terminal) as display:
            task = display.add_task(label, total=total)
            yield lambda: display.advance(task)

    return progress
