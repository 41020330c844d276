"""Compute the same figures in many settings of the process, and compare them.

    python -m measurements.matrix FOLDER --ectsum DIR

Each setting runs twice. The results are kept in FOLDER, so an interrupted command continues where
it was. The exit status is 1 where a figure differs.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

from .runs import Matrix, RunError
from .settings import QUICK, SETTINGS, is_possible
from .table import table

_SHOWN = 10
"""Maximum differences printed for a run."""


def main() -> int:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m measurements.matrix",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="folder of the results")
    parser.add_argument(
        "--ectsum",
        type=Path,
        metavar="DIR",
        help="copy of the ECTSum repository; without it calls are synthetic",
    )
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--searches", type=int, default=400)
    parser.add_argument(
        "--quick", action="store_true", help="only the settings that differ most, once"
    )
    parser.add_argument(
        "--only", nargs="+", metavar="SETTING", help=", ".join(one.name for one in SETTINGS)
    )
    given = parser.parse_args()
    matrix = Matrix(given.folder, given.ectsum, given.calls, given.searches)
    settings = QUICK if given.quick else SETTINGS
    differing = 0
    try:
        for setting, repeat in product(settings, (1,) if given.quick else (1, 2)):
            if is_possible(setting) and (not given.only or setting.name in given.only):
                seconds = matrix.result(setting, repeat)["seconds"]
                faults = matrix.compare(setting, repeat).faults
                differing += bool(faults)
                print(
                    f"{setting.name} {repeat}: {seconds:.0f} s, {len(faults)} differences",
                    flush=True,
                )
                print("".join(f"  {fault}\n" for fault in faults[:_SHOWN]), end="", flush=True)
        shown = table(matrix, settings)
    except RunError as error:
        print(error, file=sys.stderr)
        return 1
    print(shown)
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
