"""Run benchmarks: `python -m measurements [names...] [--quick] [--source DIR] [--json FILE]`."""

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as the package sets it: same for both sides
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from .agents import agents
from .embedding import embedding
from .filings import SOURCE, filings
from .intervals import intervals
from .judges import judges
from .keyword import keyword_search
from .loop import loop
from .measure import Row, show, write_json
from .scorers import scorers

BENCHMARKS: dict[str, Callable[[bool], list[Row]]] = {
    "keyword": keyword_search,
    "embedding": embedding,
    "agents": agents,
    "loop": loop,
    "filings": filings,
    "scorers": scorers,
    "judges": judges,
    "intervals": intervals,
}


def main() -> None:
    """Run what was asked for, and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m measurements", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="small sizes, no targets")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    parser.add_argument(
        "--source",
        type=Path,
        default=SOURCE,
        metavar="DIR",
        help="copy of the FinanceBench repository, for filings [default: %(default)s]",
    )
    given = parser.parse_args()
    benchmarks = dict(BENCHMARKS)
    benchmarks["filings"] = partial(filings, source=given.source)
    unknown = set(given.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    for name in given.names or BENCHMARKS:
        start = perf_counter()
        print(f"{name} ...", file=sys.stderr, end=" ", flush=True)
        rows += benchmarks[name](given.quick)
        print(f"{perf_counter() - start:.0f} s", file=sys.stderr)
        if given.json:
            write_json(rows, given.json, given.quick)
    show(rows)
    sys.exit(any(row.holds is False for row in rows))


if __name__ == "__main__":
    main()
