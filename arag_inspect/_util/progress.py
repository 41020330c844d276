"""Progress of long jobs."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import MofNCompleteColumn
from rich.progress import Progress as Bar

Advance = Callable[[], None]
Progress = Callable[[int | None], AbstractContextManager[Advance]]
"""Context manager opened with the number of steps (or None); yields a function to call after each.
"""


@contextmanager
def no_progress(total: int | None) -> Iterator[Advance]:
    """Show nothing."""
    yield lambda: None


def bar(label: str) -> Progress:
    """Return a progress bar on standard error, invisible if that is not a terminal."""

    @contextmanager
    def progress(total: int | None) -> Iterator[Advance]:
        console = Console(stderr=True)
        columns = (*Bar.get_default_columns(), MofNCompleteColumn())
        is_hidden = total == 0 or not console.is_terminal
        with Bar(*columns, console=console, disable=is_hidden) as display:
            task = display.add_task(label, total=total)
            yield lambda: display.advance(task)

    return progress
