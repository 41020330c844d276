"""Stop asking a judge whose replies cannot be read, before the money is gone."""

import math
from dataclasses import dataclass, field
from functools import cache
from weakref import WeakKeyDictionary

import anyio
from inspect_ai.hooks import Hooks, RunStart, hooks
from inspect_ai.model import Model

MOST_UNREADABLE = 20
"""Unreadable replies in a row after which a judge is not asked such a question again."""


@dataclass
class Streak:
    """A judge's replies to questions of one kind in this run."""

    unreadable: int = 0
    """Unreadable replies since the last readable one."""

    reason: str = ""
    """Why the last one was unreadable."""

    batch: bool = False
    """Whether the questions of a run are answered together."""

    turns: anyio.CapacityLimiter = field(init=False)
    """Held by questions in progress: no more than may still be unreadable, with two replies each,
    until a reply is readable.
    """

    def __post_init__(self) -> None:
        """Begin with as many questions as may be unreadable."""
        self.turns = anyio.CapacityLimiter(math.inf if self.batch else MOST_UNREADABLE // 2)

    @property
    def ended(self) -> str | None:
        """Why the judge is not asked; None if it is."""
        if self.unreadable < MOST_UNREADABLE:
            return None
        return (
            f"stopped asking after {MOST_UNREADABLE} unreadable replies in a row, the last: "
            f"{self.reason}"
        )

    def add(self, reason: str | None) -> None:
        """Count a reply.

        Args:
            reason: Why it is unreadable; None if it is not.
        """
        self.unreadable, self.reason = (self.unreadable + 1, reason) if reason else (0, "")
        left = MOST_UNREADABLE - self.unreadable
        waits = not self.batch and 0 < left < MOST_UNREADABLE
        self.turns.total_tokens = max(left // 2, 1) if waits else math.inf


def streak_of(grader: Model, prompt: str, shape: str) -> Streak:
    """Return the replies of a judge to questions of the same kind.

    These have the text before the first piece of data in common, and the shape of the verdict.
    """
    _register()
    kind = prompt.partition("<")[0], shape
    streaks = _streaks.setdefault(grader, {})
    if kind not in streaks:
        streaks[kind] = Streak(batch=bool(grader.config.batch))
    return streaks[kind]


_streaks: WeakKeyDictionary[Model, dict[tuple[str, str], Streak]] = WeakKeyDictionary()


class _NewRun(Hooks):
    """Forgets the replies of earlier runs in this process."""

    def enabled(self) -> bool:
        """Active once a judge was asked."""
        return bool(_streaks)

    async def on_run_start(self, data: RunStart) -> None:
        """Forget all replies."""
        _streaks.clear()


@cache
def _register() -> None:
    """Register the hooks when they are first needed: Inspect lists any in a banner."""
    hooks("arag_inspect/judges", "Asks every judge again in a new run.")(_NewRun)
