"""The state of a sample, as foreign solvers and data sets leave it."""

from collections.abc import Sequence

from inspect_ai.solver import TaskState

from .._util.encodable import encodable


def mend(state: TaskState) -> None:
    """Make a sample's metadata, messages, store and output encodable, where they are not."""
    state.metadata = encodable(state.metadata)
    if not _same(messages := encodable(list(state.messages)), state.messages):
        state.messages = messages
    state.output = encodable(state.output)
    for name, kept in list(state.store.items()):
        if (mended := encodable(kept)) is not kept:
            state.store.set(name, mended)


def _same(new: Sequence[object], old: Sequence[object]) -> bool:
    return all(one is other for one, other in zip(new, old, strict=True))
