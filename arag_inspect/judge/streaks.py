"""Streaks of unreadable replies, after which a judge is not asked again."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from inspect_ai.hooks import Hooks, RunStart
from inspect_ai.model import Model

from ..models.hooks import register

MOST_UNREADABLE = 20
"""Consecutive unreadable replies after which a judge gets no more questions of the kind."""


@dataclass
class Streak:
    """A judge's replies to questions of one kind in this run."""

    unreadable: int = 0
    """Unreadable replies since the last readable reply."""

    reason: str = ""
    """Why the last reply was unreadable."""

    @property
    def ended(self) -> str | None:
        """Why the judge is no longer asked; None if it is asked."""
        if self.unreadable < MOST_UNREADABLE:
            return None
        return (
            f"stopped asking after {MOST_UNREADABLE} unreadable replies in a row, the last: "
            f"{self.reason}"
        )

    def add(self, reason: str | None) -> None:
        """Count a reply.

        Args:
            reason: Why it is unreadable; None if it is readable.
        """
        self.unreadable, self.reason = (self.unreadable + 1, reason) if reason else (0, "")


def streak_of(grader: Model, prompt: str, shape: str) -> Streak:
    """Return the replies of a judge to questions of the same kind.

    They share the prompt text before the first piece of data, and the shape of the verdict.
    """
    register(_NewRun, "judges", "Asks every judge again in a new run.")
    kind = prompt.partition("<")[0], shape
    return _streaks.setdefault(grader, {}).setdefault(kind, Streak())


_streaks: WeakKeyDictionary[Model, dict[tuple[str, str], Streak]] = WeakKeyDictionary()


class _NewRun(Hooks):
    """Forgets the replies of earlier runs in this process."""

    def enabled(self) -> bool:
        """Active once a judge was asked."""
        return bool(_streaks)

    async def on_run_start(self, data: RunStart) -> None:
        """Forget all replies."""
        _streaks.clear()
