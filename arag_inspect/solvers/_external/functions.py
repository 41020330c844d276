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
    taken = _taken(function, more)
    with anyio.move_on_after(timeout) as scope:
        try:
            if inspect.iscoroutinefunction(function):
                return await function(question, **taken)
            answer = await _in_thread(lambda: function(question, **taken))
            return await answer if inspect.isawaitable(answer) else answer
        except LimitExceededError:
            raise
        except (Exception, SystemExit) as error:
            raise TargetError(_raised(error, function)) from None
    if scope.cancelled_caught:
        raise TargetError(f"gave no answer within {timeout:g} s")
    raise AssertionError("unreachable")


def _taken(function: Function, more: Mapping[str, Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return dict(more)
    names = [p.name for p in list(parameters)[1:] if p.kind is not p.VAR_POSITIONAL]
    return {name: more[name] for name in names if name in more}


async def _in_thread(call: Callable[[], object]) -> object | Awaitable[object]:
    """Run a call in a daemon thread, so that a hanging one blocks neither the run nor the exit."""
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


def _raised(error: BaseException, function: Function) -> str:
    """Name an error and the line that raised it, the last one in the function's own file."""
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = [frame for frame in frames if code and frame.filename == code.co_filename]
    last = next(reversed(own or frames), None)
    where = f" ({Path(last.filename).name}, line {last.lineno})" if last else ""
    return f"raised {type(error).__name__}: {one_line(error)[:1000]}{where}"
