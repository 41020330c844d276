"""A Python function as the system under test."""

import contextvars
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from inspect_ai.util import LimitExceededError

from ..._util.errors import one_line
from ..._util.functions import Function
from ..._util.secrets import redact
from .reply import TargetError


async def call_function(
    function: Function, question: str, more: Mapping[str, Any], timeout: float
) -> object:
    """Call a function with a question, a synchronous one in its own thread.

    Args:
        function: The system.
        question: Its first argument.
        more: Further arguments by name; those it does not take are omitted.
        timeout: Time limit in seconds.

    Raises:
        TargetError: It raised, or exceeded the time limit.
    """
    arguments = _accepted_arguments(function, more)
    with anyio.move_on_after(timeout) as scope:
        try:
            if inspect.iscoroutinefunction(function):
                return await function(question, **arguments)
            answer = await _in_thread(lambda: function(question, **arguments))
            return await answer if inspect.isawaitable(answer) else answer
        except LimitExceededError:
            raise
        except (Exception, SystemExit) as error:
            raise TargetError(_describe_error(error, function)) from None
    if scope.cancelled_caught:
        raise TargetError(f"gave no answer within {timeout:g} s")
    raise AssertionError("unreachable")


def _accepted_arguments(function: Function, more: Mapping[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return dict(more)
    names = [p.name for p in list(parameters)[1:] if p.kind is not p.VAR_POSITIONAL]
    return {name: more[name] for name in names if name in more}


async def _in_thread(call: Callable[[], object]) -> object | Awaitable[object]:
    """Run a call in a daemon thread, so that a hanging call blocks no exit."""
    done, token = anyio.Event(), anyio.lowlevel.current_token()
    outcome: list[object] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(call())
        except BaseException as error:
            raised.append(error)
        try:
            anyio.from_thread.run_sync(done.set, token=token)
        except RuntimeError:  # the run has ended without waiting for this call
            return

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True).start()
    await done.wait()
    if raised:
        raise raised[0]
    return outcome[0]


def _describe_error(error: BaseException, function: Function) -> str:
    """Name an error and the last line of the function's own file that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(inspect.unwrap(function), "__code__", None)
    own_frames = [frame for frame in frames if code and frame.filename == code.co_filename]
    frame = next(reversed(own_frames or frames), None)
    position = f" ({Path(frame.filename).name}, line {frame.lineno})" if frame else ""
    return f"raised {type(error).__name__}: {redact(one_line(error))[:1000]}{position}"
