"""A Python function as the system under test."""

import contextvars
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from inspect_ai.agent import agent_bridge
from inspect_ai.util import LimitExceededError

from ..._util.errors import InputError, one_line
from ..._util.registry import Function, load_function
from ..._util.secrets import redact
from .reply import TargetError


class FunctionSystem:
    """A function as a system: its first argument is the question."""

    redact = staticmethod(redact)

    def __init__(self, target: str, *, bridge: bool, timeout: float) -> None:
        """Load the function, as `external` describes it.

        Raises:
            InputError: It cannot be loaded or called.
        """
        self._function, self._timeout = load_function(target), timeout
        self._bridge: Callable[[], AbstractAsyncContextManager[Any]] = (
            agent_bridge if bridge else nullcontext
        )
        if bridge and not inspect.iscoroutinefunction(self._function):
            raise InputError(f"bridge needs an asynchronous function; {target} is not")
        self._parameters = list(inspect.signature(self._function).parameters.values())
        if not self._parameters:
            raise InputError(f"target {target} takes no arguments; its first must be the question")

    def written(self, fields: Mapping[str, Any]) -> str:
        """Return what `ask` sends."""
        return str(fields["question"])

    async def ask(self, fields: Mapping[str, Any], corpus: object) -> object:
        """Call the function, a synchronous one in its own thread.

        Raises:
            TargetError: It raised, or exceeded the time limit.
        """
        metadata = {name: value for name, value in fields.items() if name != "question"}
        more = {"metadata": metadata, "corpus": corpus}
        if corpus is None and any(
            p.name == "corpus" and p.default is p.empty for p in self._parameters
        ):
            raise TargetError("takes `corpus`, and none is given; doctor needs --corpus NAME")
        if not any(p.kind is p.VAR_KEYWORD for p in self._parameters):
            names = [p.name for p in self._parameters[1:] if p.kind is not p.VAR_POSITIONAL]
            more = {name: more[name] for name in names if name in more}
        call = partial(self._function, fields["question"], **more)
        try:
            with anyio.fail_after(self._timeout):
                async with self._bridge():
                    if inspect.iscoroutinefunction(self._function):
                        return await call()
                    answer = await _in_thread(call)
                    return await answer if inspect.isawaitable(answer) else answer
        except TimeoutError:
            raise TargetError(f"gave no answer within {self._timeout:g} s") from None
        except LimitExceededError:
            raise
        except (Exception, SystemExit) as error:
            raise TargetError(_describe_error(error, self._function)) from None


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
    code = getattr(inspect.unwrap(function), "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if code and frame.filename == code.co_filename]
    position = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    return f"raised {type(error).__name__}: {redact(one_line(error))[:1000]}{position}"
