"""Repair sample state left by other packages' solvers and data sets."""

from inspect_ai.solver import TaskState

from .._util.encodable import encodable, same_items


def replace_surrogates(state: TaskState) -> None:
    """Make a sample's metadata, messages, store and output encodable."""
    state.metadata = encodable(state.metadata)
    if not same_items(messages := encodable(list(state.messages)), state.messages):
        state.messages = messages
    state.output = encodable(state.output)
    for name, value in list(state.store.items()):
        if (replaced := encodable(value)) is not value:
            state.store.set(name, replaced)
