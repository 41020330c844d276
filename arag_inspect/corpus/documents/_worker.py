"""Read the text of one file, in a subprocess because parsers may crash.

`python _worker.py pdf|html|xbrl|office|sheet FILE SECONDS MEGABYTES CELLS` writes one JSON line per
page (HTML has one, with its other data), and at the end `{"parts": n}`, or `{"problem":
"..."}`. Imports only modules of this folder, so that it starts in a tenth of a second.
"""

import json
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

_PACKAGE = "readers"
"""Name of this folder in the subprocess."""

MOST_CHARACTERS = 100_000_000
"""Maximum characters of a document."""


def main(kind: str, path: str, seconds: int, megabytes: int, cells: int) -> None:
    """Write the text of a file to standard output."""
    package = sys.modules[_PACKAGE] = ModuleType(_PACKAGE)
    package.__path__ = [str(Path(__file__).parent)]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a parser's loop in C would delay Python's
    _limit(seconds, megabytes)
    bounds = {"most_cells": cells} if kind in ("office", "sheet") else {}
    try:
        parts = length = 0
        for text in import_module(f"{_PACKAGE}._{kind}").read(path, **bounds):
            length += len(text)
            if length > MOST_CHARACTERS:
                raise ValueError(f"contains more than {MOST_CHARACTERS:,} characters")
            _write_line(text)
            parts += 1
        _write_line({"parts": parts})
    except ValueError as problem:
        _write_line({"problem": str(problem)})
    except MemoryError:
        _write_line({"problem": f"needs more than {megabytes:,} MB of memory"})


def _limit(seconds: int, megabytes: int) -> None:
    """Cap the process's memory and CPU time (the parent may be gone)."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the parent's clock remains
        return
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    memory = megabytes << 20
    if hard_limit == resource.RLIM_INFINITY or memory < hard_limit:
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard_limit))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _write_line(line: object) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
