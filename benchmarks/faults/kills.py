"""Commands that are killed (SIGKILL) at random moments, and typed again."""

import os
import random
import signal
import time
from pathlib import Path

from .desk import Desk
from .row import Row, forked, status


def kills(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Kill each command, then type it again."""
    moments = random.Random(17)
    desk = Desk(material, folder / "w")
    each = 1 if quick else 10
    row.note = f"{each} of each"
    commands = desk.commands()
    whole = {}
    for command in commands:
        desk.clear()
        started = time.perf_counter()
        if code := command.whole():
            raise SystemExit(f"{command.name}: exit status {code}")
        whole[command.name] = time.perf_counter() - started, command.found()
    for command in commands * each:
        seconds, expected = whole[command.name]
        desk.clear()
        child = forked(command.type)
        moment = moments.uniform(0, seconds)
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
        status(child)
        code = command.whole()
        found = command.found()
        what = f"{command.name}, killed after {moment:.2f} of {seconds:.2f} s, then status {code}"
        row.count(lost=found is None, wrong=found != expected, what=f"{what}: {found}"[:500])
