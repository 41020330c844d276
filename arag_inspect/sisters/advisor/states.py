"""Facts of a client's file, for `fact_match`."""

from collections.abc import Iterator
from typing import Any

from arag_inspect.scorers._facts import labelled, leaf

from .client_file import DYNAMIC, STATIC, histories, row_label, tracked_values


def read_states(row: dict[str, Any], path: str) -> Iterator[str] | None:
    """Return the facts of a row with a static part and states; None for another object.

    If a row has several states of a value, each state is a fact that says whether it is an
    earlier one or the latest, and when it was said.
    """
    return _states(row, path) if row.keys() == {STATIC, DYNAMIC} else None


def _states(row: dict[str, Any], path: str) -> Iterator[str]:
    path = labelled(path, row_label(row))
    for states in histories(tracked_values(row)):
        for number, state in enumerate(states, 1):
            order = "latest" if number == len(states) else "earlier"
            when = f"{order}, said at {state.text('call_time')}" if len(states) > 1 else ""
            yield from leaf(f"{path}.{state.field}", state.fact["value"], state.fact, when)
