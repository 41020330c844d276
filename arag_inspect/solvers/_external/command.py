"""A command-line agent as the system under test."""

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import anyio.to_thread

from ..._util.errors import InputError, one_line
from ..._util.secrets import check_arguments, redact
from ...corpus import Corpus
from .reply import TargetError

PREFIX = "$ "
"""Begins a target that is a command line."""

_FILE = re.compile(r"\b(\d{6,})\.txt\b")


class CommandSystem:
    """A program that reads a question from its input and writes its answer to its output.

    It runs, without a shell, in a folder that holds a file for each chunk of the corpus, named by
    the chunk's id. Chunks whose files its output or its errors name count as read.
    """

    redact = staticmethod(redact)

    def __init__(self, target: str, *, timeout: float) -> None:
        """Split the command line.

        Raises:
            InputError: The program is missing, or an argument holds a credential.
        """
        self._arguments, self._timeout = shlex.split(target.removeprefix(PREFIX)), timeout
        check_arguments(self._arguments)
        if not self._arguments or shutil.which(self._arguments[0]) is None:
            raise InputError(f"target {target!r} names no program that can be run")

    def written(self, fields: Mapping[str, Any]) -> str:
        """Return what `ask` sends."""
        return str(fields["question"])

    async def ask(self, fields: Mapping[str, Any], corpus: Corpus | None) -> object:
        """Run the program once.

        Raises:
            TargetError: It failed, or exceeded the time limit.
        """
        files = await anyio.to_thread.run_sync(_files, corpus) if corpus else None
        question = self.written(fields).encode()
        try:
            with anyio.fail_after(self._timeout):
                folder = files.name if files else None
                done = await anyio.run_process(
                    self._arguments, input=question, cwd=folder, check=False
                )
        except TimeoutError:
            raise TargetError(f"gave no answer within {self._timeout:g} s") from None
        except OSError as error:
            raise TargetError(f"cannot be run: {one_line(error)}") from None
        return _answer(done, len(corpus) if corpus else 0)


def _answer(done: CompletedProcess[bytes], chunks: int) -> dict[str, Any]:
    """Read the answer: a JSON object, the last line that is one, or the whole output."""
    output, errors = (part.decode(errors="replace").strip() for part in (done.stdout, done.stderr))
    if done.returncode:
        raise TargetError(f"ended with status {done.returncode}: {(errors or output)[-300:]}")
    answer: object = None
    for text in (output.rpartition("\n")[2], output):
        with suppress(ValueError, RecursionError):
            answer = json.loads(text)
    fields = answer if isinstance(answer, dict) else {"text": output}
    read = dict.fromkeys(int(number) for number in _FILE.findall(f"{output}\n{errors}"))
    return {"passages": [number for number in read if number < chunks], **fields}


@lru_cache(maxsize=4)
def _files(corpus: Corpus) -> TemporaryDirectory[str]:
    """Write a file for each chunk, kept until the process ends."""
    folder = TemporaryDirectory(prefix="arag-inspect-")
    for chunk_id in range(len(corpus)):
        chunk = corpus.chunk(chunk_id)
        path = Path(folder.name) / f"{chunk_id:06}.txt"
        path.write_text(f"{chunk.prefix}\n\n{chunk.text}\n", encoding="utf-8")
    return folder
