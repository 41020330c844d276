"""Run the faults: `python -m benchmarks.faults [names...] [--quick]`.

The full form writes the table into docs/faults.md. Exits with 1 where anything was lost or wrong.
"""

import argparse
import json
import os
import select
import signal
import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import monotonic

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ["INSPECT_DISPLAY"] = "none"

from ..page import machine, write_part
from .crowd import crowd
from .desk import make_material, preload
from .files import flips, hostile_files, manifests
from .kills import kills
from .long_texts import megabytes
from .machine import clock, full_disk, limits, read_only
from .provider import determinism, provider
from .replies import injections, verdicts
from .row import Bench, Row, TimeUp, forked, say, status, table

_MINUTES = 10.0
_AT_ONCE, _ALONE = 3, "crowd"
"""Rows that run at once (some wait much), and the row that measures time and so runs alone, last."""

_LONG = "megabytes"
"""Row that needs more time than the quick form has."""

_GRACE = 120.0
"""Seconds in which the last try of a row must end."""

_BENCHES: dict[str, tuple[str, Bench]] = {
    "kills": (
        "kill -9 at random moments: `inspect eval` and `eval-retry`, `run`, `prepare`, `facts`, `report`, `rejudge`, `references`, `meta-eval`",
        kills,
    ),
    "determinism": (
        "scores under other hash seeds, locales, time zones, thread counts and orders of samples",
        determinism,
    ),
    "full_disk": ("a full disk; then the same command again", full_disk),
    "read_only": ("a read-only folder; then the same command again", read_only),
    "limits": ("few descriptors, little memory; then the same command again", limits),
    "clock": ("the clock set back by a day between two runs of a command", clock),
    "hostile_files": ("hostile PDF, HTML, Parquet, JSON, YAML, CSV and text", hostile_files),
    "manifests": ("each field of a manifest replaced by something else", manifests),
    "flips": ("one byte changed in a prepared folder", flips),
    "verdicts": ("replies of judges, right and spoiled", verdicts),
    "injections": (
        "orders in documents, answers and references, by a judge that obeys outside of fences",
        injections,
    ),
    "megabytes": ("1 MB of repeated patterns in every text, each scorer by program", megabytes),
    "provider": (
        "three systems behind a Messages API with 60 % faults of eleven kinds; refused, or away, half-way and started again",
        provider,
    ),
    "crowd": ("128 samples at once: searches, event loop, memory", crowd),
}


def main() -> None:
    """Run what was asked for, and exit with 1 where anything was lost or wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(_BENCHES))
    parser.add_argument("--quick", action="store_true", help="fewer tries; writes no page")
    parser.add_argument(
        "--minutes", type=float, default=_MINUTES, help="after which a row begins no further try"
    )
    given = parser.parse_args()
    if unknown := set(given.names) - set(_BENCHES):
        parser.error(f"no bench is called {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["ARAG_CACHE"] = str(folder / "cache")
        os.environ["INSPECT_LOG_DIR"] = str(folder / "inspect-logs")
        os.environ.pop("ARAG_DATASETS", None)
        material = folder / "material"
        material.mkdir()
        if status(forked(lambda: make_material(material), silent=False), 600):
            raise SystemExit("the material of the bench could not be made")
        preload(material)
        wanted = given.names or (set(_BENCHES) - {_LONG} if given.quick else _BENCHES)
        names = [name for name in _BENCHES if name in wanted]
        rows = _rows(names, given.quick, 60 * given.minutes, folder)
    print(table(rows))
    if not given.quick and not given.names:
        write_part("faults.md", "table", f"{table(rows)}\n\nFull form, {machine()}.")
    sys.exit(any(row.lost or row.wrong for row in rows))


def _rows(names: list[str], quick: bool, seconds: float, folder: Path) -> list[Row]:
    """Fill rows, three at once, each in a process of its own that ends in any case."""
    waiting, found = list(names), dict[str, Row]()
    running: dict[int, tuple[str, int, float]] = {}
    while waiting or running:
        alone = waiting[:1] == [_ALONE] or any(name == _ALONE for name, _, _ in running.values())
        if waiting and len(running) < (1 if alone else _AT_ONCE):
            name = waiting.pop(0)
            child = forked(partial(_fill, name, quick, seconds, folder), silent=False)
            running[os.pidfd_open(child)] = name, child, monotonic()
            continue
        select.select(list(running), [], [], 1)
        for watched, (name, child, begun) in list(running.items()):
            spent = monotonic() - begun
            if spent > seconds + _GRACE:
                os.killpg(child, signal.SIGKILL)
            elif not select.select([watched], [], [], 0)[0]:
                continue
            del running[watched]
            os.close(watched)
            _, code, used = os.wait4(child, 0)
            row = found[name] = _filled(name, folder, os.waitstatus_to_exitcode(code))
            say(
                f"{name}: {row.tries} tries, {row.lost} lost, {row.wrong} wrong, {spent:.0f} s, "
                f"{used.ru_utime + used.ru_stime:.0f} s of processor time"
            )
    return [found[name] for name in names]


def _fill(name: str, quick: bool, seconds: float, folder: Path) -> None:
    """Fill a row, and write it as JSON."""
    os.setpgid(0, 0)
    title, bench = _BENCHES[name]
    row = Row(title, until=monotonic() + seconds)
    place = folder / name
    place.mkdir()
    try:
        bench(row, quick, place, folder / "material")
    except TimeUp:
        row.note += f"{'; ' if row.note else ''}no more in {seconds / 60:g} minutes"
    (folder / f"{name}.json").write_text(json.dumps(asdict(row)), "utf-8")


def _filled(name: str, folder: Path, code: int) -> Row:
    if code == 0:
        return Row(**json.loads((folder / f"{name}.json").read_text("utf-8")))
    note = "did not end in time" if code == -signal.SIGKILL else f"ended with status {code}"
    return Row(_BENCHES[name][0], tries=1, wrong=1, note=note)


if __name__ == "__main__":
    main()
