"""What a summary was written from, wherever the log keeps it."""

from collections.abc import Callable
from typing import NamedTuple

from inspect_ai.solver import TaskState

from ..errors import InputError
from ..trace import RetrievalTrace

Context = str | Callable[[TaskState], list[str]]
"""`auto`, `passages`, `tools`, `input`, `metadata:KEY`, or a function of the state."""

_NAMES = ("passages", "tools", "input")


class Material(NamedTuple):
    """Texts that an answer can be checked against."""

    origin: str
    """`passages`, `tools`, `input`, `metadata:KEY` or `function`."""

    texts: list[str]


def check_context(context: Context) -> None:
    """Refuse a context that is none.

    Raises:
        InputError: It is unknown.
    """
    if callable(context) or context in ("auto", *_NAMES) or context.startswith("metadata:"):
        return
    known = ", ".join(("auto", *_NAMES, "metadata:KEY"))
    raise InputError(f"context {context!r} is unknown; choose from {known}")


def material(state: TaskState, context: Context = "auto") -> Material:
    """Find what the answer was written from.

    Args:
        state: The sample.
        context: `passages` of the trace, `tools` (text of tool messages), `input` of the sample, `metadata:KEY` (text or list of texts), a function, or `auto`: the first of the first three that holds anything.

    Returns:
        Where it was found, and the texts; no texts where there is nothing.
    """
    if callable(context):
        return Material("function", [text for text in context(state) if text.strip()])
    if context.startswith("metadata:"):
        value = state.metadata.get(context.removeprefix("metadata:"), [])
        texts = [value] if isinstance(value, str) else [str(item) for item in value]
        return Material(context, [text for text in texts if text.strip()])
    found = {
        "passages": lambda: [p.text for p in state.store_as(RetrievalTrace).passages],
        "tools": lambda: [m.text for m in state.messages if m.role == "tool"],
        "input": lambda: [state.input_text],
    }
    wanted = _NAMES if context == "auto" else (context,)
    for name in wanted:
        texts = [text for text in found[name]() if text.strip()]
        if texts:
            return Material(name, texts)
    return Material(wanted[-1], [])
