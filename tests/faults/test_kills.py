"""Tests of commands that are killed (SIGKILL) at random moments and run again."""

import os
import random
import signal
import time

import pytest

from tests.faults import FULL
from tests.faults.desk import COMMANDS, Desk
from tests.faults.processes import forked, status

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("name", COMMANDS)
def test_repeated_command_completes_after_kill(name: str, desk: Desk) -> None:
    moments = random.Random(name)
    [command] = desk.commands(name)
    desk.clear()
    started = time.perf_counter()
    assert command.whole() == 0
    seconds, expected = time.perf_counter() - started, command.found()
    assert expected is not None
    for _ in range(10 if FULL else 1):
        desk.clear()
        child = forked(command.type)
        moment = moments.uniform(0, seconds)
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
        status(child)
        assert command.whole() == 0, f"after a kill at {moment:.2f} of {seconds:.2f} s"
        assert command.found() == expected, f"after a kill at {moment:.2f} of {seconds:.2f} s"
