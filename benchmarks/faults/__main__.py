"""Run the faults: `python -m benchmarks.faults [names...] [--quick]`.

The full form writes the table into docs/faults.md. Exits with 1 where anything was lost or wrong.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("INSPECT_DISPLAY", "none")

from .files import flips, hostile_files, manifests, no_room
from .kills import kills
from .provider import determinism, provider
from .replies import injections, verdicts
from .row import Bench, Row, say, table

_PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
_BEGIN, _END = "<!-- table -->", "<!-- end of table -->"
_BENCHES: dict[str, Bench] = {  # those that fork come first: no thread may run then
    "kills": kills,
    "no_room": no_room,
    "hostile_files": hostile_files,
    "manifests": manifests,
    "flips": flips,
    "verdicts": verdicts,
    "injections": injections,
    "provider": provider,
    "determinism": determinism,
}


def main() -> None:
    """Run what was asked for, and exit with 1 where anything was lost or wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(_BENCHES))
    parser.add_argument("--quick", action="store_true", help="fewer tries; writes no page")
    given = parser.parse_args()
    if unknown := set(given.names) - set(_BENCHES):
        parser.error(f"no bench is called {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ARAG_CACHE"] = str(Path(folder) / "cache")
        os.environ["INSPECT_LOG_DIR"] = str(Path(folder) / "logs")
        os.environ.pop("ARAG_DATASETS", None)
        for name in (name for name in _BENCHES if name in (given.names or _BENCHES)):
            started = perf_counter()
            place = Path(folder) / name
            place.mkdir()
            row = _BENCHES[name](given.quick, place)
            rows.append(row)
            say(
                f"{name}: {row.tries} tries, {row.lost} lost, {row.wrong} wrong, {perf_counter() - started:.0f} s"
            )
    print(table(rows))
    if not given.quick and not given.names:
        before, _, rest = _PAGE.read_text("utf-8").partition(_BEGIN)
        after = rest.partition(_END)[2]
        _PAGE.write_text(f"{before}{_BEGIN}\n\n{table(rows)}\n\n{_END}{after}", "utf-8")
    sys.exit(any(row.lost or row.wrong for row in rows))


if __name__ == "__main__":
    main()
