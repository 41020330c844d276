"""Helpers that run functions in subprocesses with time limits."""

import os
import select
import signal
import traceback
from collections.abc import Callable

ENDLESS = 124
"""Exit code of a process that timed out."""


def forked(work: Callable[[], object], *, silent: bool = True) -> int:
    """Run a function in a child process and return its id."""
    child = os.fork()
    if child:
        return child
    try:
        if silent:
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
        work()
    except SystemExit as ended:
        os._exit(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
    except BaseException:
        if not silent:
            traceback.print_exc()
        os._exit(70)
    os._exit(0)


def status(child: int, seconds: float = 300) -> int:
    """Wait for a process, and kill it when time is up.

    Returns:
        Its exit code: negative if ended by a signal, `ENDLESS` if it timed out.
    """
    watched = os.pidfd_open(child)
    ended, _, _ = select.select([watched], [], [], seconds)
    os.close(watched)
    if not ended:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if ended else ENDLESS


def apart(work: Callable[[], object], seconds: float = 1000) -> None:
    """Run a function in a child process, and fail if it fails."""
    assert status(forked(work, silent=False), seconds) == 0
