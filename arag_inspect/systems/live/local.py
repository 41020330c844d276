"""A Python function or a command-line agent on this machine as the system under test."""

import contextvars
import inspect
import json
import os
import re
import shlex
import shutil
import signal
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.abc import ByteReceiveStream, Process
from inspect_ai.agent import agent_bridge
from inspect_ai.util import LimitExceededError

from arag_inspect._util.errors import InputError, one_line
from arag_inspect._util.functions import Function, load_function
from arag_inspect._util.secrets import check_address, check_arguments, redact
from arag_inspect._util.user_code import COMMAND
from arag_inspect.corpus import Corpus
from arag_inspect.systems.live.endpoint import MOST_BYTES
from arag_inspect.systems.live.reply import TargetError, no_answer_within


class FunctionSystem:
    """A function as a system: its first argument is the question."""

    redact = staticmethod(redact)

    def __init__(self, target: str, *, bridge: bool, timeout: float) -> None:
        """Load the function, as `external` describes it.

        Raises:
            InputError: It cannot be loaded or called.
        """
        self._function = load_function(target)
        self._timeout = timeout
        self._bridge: Callable[[], AbstractAsyncContextManager[Any]] = (
            agent_bridge if bridge else nullcontext
        )
        if bridge and not inspect.iscoroutinefunction(self._function):
            raise InputError(f"bridge needs an asynchronous function; {target} is not")
        self._parameters = list(inspect.signature(self._function).parameters.values())
        if not self._parameters:
            raise InputError(f"target {target} takes no arguments; its first must be the question")

    @property
    def searches_corpus(self) -> bool:
        """Whether the function is given the corpus."""
        return any(p.name == "corpus" or p.kind is p.VAR_KEYWORD for p in self._parameters)

    def request(self, fields: Mapping[str, Any]) -> str:
        """Return what `ask` sends."""
        return str(fields["question"])

    async def ask(self, fields: Mapping[str, Any], corpus: object) -> object:
        """Call the function, in a thread if it is synchronous.

        Raises:
            TargetError: It raised, or exceeded the time limit.
        """
        metadata = {name: value for name, value in fields.items() if name != "question"}
        extra_arguments = {"metadata": metadata, "corpus": corpus}
        if corpus is None and any(
            p.name == "corpus" and p.default is p.empty for p in self._parameters
        ):
            raise TargetError("takes `corpus`, but no corpus is set; doctor needs --corpus NAME")
        if not any(p.kind is p.VAR_KEYWORD for p in self._parameters):
            names = [p.name for p in self._parameters[1:] if p.kind is not p.VAR_POSITIONAL]
            extra_arguments = {
                name: extra_arguments[name] for name in names if name in extra_arguments
            }
        call = partial(self._function, fields["question"], **extra_arguments)
        try:
            with anyio.fail_after(self._timeout):
                async with self._bridge():
                    if inspect.iscoroutinefunction(self._function):
                        return await call()
                    answer = await _call_in_thread(call)
                    return await answer if inspect.isawaitable(answer) else answer
        except TimeoutError:
            raise TargetError(no_answer_within(self._timeout)) from None
        except LimitExceededError:
            raise
        except (Exception, SystemExit) as error:
            raise TargetError(_describe_error(error, self._function)) from None


async def _call_in_thread(call: Callable[[], object]) -> object | Awaitable[object]:
    """Run a call in a daemon thread, so that a hanging call does not block exit."""
    done = anyio.Event()
    token = anyio.lowlevel.current_token()
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
    """Return an error with the last line of the function's file in its traceback."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [frame for frame in frames if code and frame.filename == code.co_filename]
    position = (
        f" ({Path(own_frames[-1].filename).name}, line {own_frames[-1].lineno})"
        if own_frames
        else ""
    )
    return f"raised {type(error).__name__}: {redact(one_line(error))[:1000]}{position}"


_FILE = re.compile(r"\b(\d{6,12})\.txt\b")


class CommandSystem:
    """A program that reads a question from its input and writes its answer to its output.

    It runs, without a shell, in a read-only folder that contains a file for each chunk of the
    corpus, named by the chunk's id. Chunks whose file names occur in its output or errors count as
    read.
    """

    redact = staticmethod(redact)
    searches_corpus = False
    """It searches the files."""

    def __init__(self, target: str, *, timeout: float) -> None:
        """Split the command line.

        Raises:
            InputError: The program is missing, or an argument contains a credential.
        """
        check_address(target, "target")
        try:
            arguments = shlex.split(target.removeprefix(COMMAND))
        except ValueError as error:
            raise InputError(f"target {target!r} is not a command line: {error}") from None
        check_arguments(arguments)
        program = shutil.which(arguments[0]) if arguments else None
        if program is None:
            raise InputError(f"target {target!r} is not a program that can be run")
        self._arguments = [str(Path(program).absolute()), *arguments[1:]]
        self._timeout = timeout

    def request(self, fields: Mapping[str, Any]) -> str:
        """Return what `ask` sends."""
        return str(fields["question"])

    async def ask(self, fields: Mapping[str, Any], corpus: Corpus | None) -> object:
        """Run the program once.

        Raises:
            TargetError: It failed, exceeded the time limit, or wrote too much.
        """
        files = await anyio.to_thread.run_sync(_files, corpus) if corpus else None
        question = self.request(fields).encode()
        try:
            with anyio.fail_after(self._timeout):
                status, *output_streams = await _run(
                    self._arguments, question, files.name if files else None
                )
        except TimeoutError:
            raise TargetError(no_answer_within(self._timeout)) from None
        except OSError as error:
            raise TargetError(f"cannot be run: {one_line(error)}") from None
        if max(map(len, output_streams)) > MOST_BYTES:
            raise TargetError(f"wrote more than {MOST_BYTES:,} bytes")
        output, errors = (part.decode(errors="replace").strip() for part in output_streams)
        if status:
            reason = redact((errors or output)[-10_000:])[-300:]
            raise TargetError(f"ended with status {status}: {reason}")
        return _answer(output, errors, len(corpus) if corpus else 0)


async def _run(
    arguments: list[str], question: bytes, folder: str | None
) -> tuple[int, bytes, bytes]:
    """Return a program's status, output and errors; kill it and its children if the wait ends."""
    output = bytearray()
    errors = bytearray()
    async with await anyio.open_process(arguments, cwd=folder, start_new_session=True) as process:
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_collect_output, process, process.stdout, output)
                group.start_soon(_collect_output, process, process.stderr, errors)
                assert process.stdin is not None
                with suppress(anyio.BrokenResourceError):  # it may ignore its input
                    await process.stdin.send(question)
                    await process.stdin.aclose()
            return await process.wait(), bytes(output), bytes(errors)
        except BaseException:
            _kill(process)
            raise


async def _collect_output(
    process: Process, stream: ByteReceiveStream | None, part: bytearray
) -> None:
    assert stream is not None
    async for block in stream:
        part += block
        if len(part) > MOST_BYTES:
            _kill(process)
            return


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _answer(output: str, errors: str, chunks: int) -> dict[str, Any]:
    """Read the answer: a JSON object, a last line with a JSON object, or the whole output."""
    answer: object = None
    for text in (output.rpartition("\n")[2], output):
        with suppress(ValueError, RecursionError):
            answer = json.loads(text)
    fields = answer if isinstance(answer, dict) else {"text": output}
    numbers = dict.fromkeys(map(int, _FILE.findall(f"{output}\n{errors}")))
    return {"passages": [number for number in numbers if number < chunks], **fields}


@lru_cache(maxsize=4)
def _files(corpus: Corpus) -> TemporaryDirectory[str]:
    """Write a file for each chunk; the files stay unchanged until the process ends."""
    folder = TemporaryDirectory(prefix="arag-inspect-")
    for chunk_id in range(len(corpus)):
        chunk = corpus.chunk(chunk_id)
        path = Path(folder.name) / f"{chunk_id:06}.txt"
        path.write_text(f"{chunk.prefix}\n\n{chunk.text}\n", encoding="utf-8")
        path.chmod(0o444)
    Path(folder.name).chmod(0o555)
    return folder
