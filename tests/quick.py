"""Speed up small evaluations in each test process; must be imported first."""

import gc
import os
from functools import cache
from importlib import metadata
from inspect import signature
from typing import Any

# Inspect reads the files of installed packages for each eval, which takes half a second
metadata.packages_distributions = cache(metadata.packages_distributions)
metadata.version = cache(metadata.version)
os.environ["INSPECT_EVAL_CTL_SERVER"] = "false"  # would start a server for each eval
gc.set_threshold(20_000, 20, 100)  # garbage collection took an eighth of the time

import zstandard
from inspect_ai import eval, eval_set
from inspect_ai.util import display_counter
from rich.live import Live
from rich.traceback import Traceback

# laying out tables of results, even without display, took most of the time
os.environ["INSPECT_DISPLAY"] = "none"
display_counter("", "")  # the first use in a process decides whether Inspect is quiet
del os.environ["INSPECT_DISPLAY"]
_refresh = Live.refresh
Live.refresh = lambda live: None if live.console.quiet else _refresh(live)  # type: ignore

for _run in (eval, eval_set):  # the database of running samples took a third of the time
    _given = signature(_run).parameters.items()
    _defaults = {name: one.default for name, one in _given if one.default is not one.empty}
    _run.__defaults__ = tuple({**_defaults, "log_realtime": False}.values())

_Compressor = zstandard.ZstdCompressor


def _in_one_thread(level: int = 3, **options: Any) -> zstandard.ZstdCompressor:
    """Avoid starting twelve threads for each sample, header and summary that Inspect writes."""
    return _Compressor(level, **{**options, "threads": 0})


zstandard.ZstdCompressor = _in_one_thread  # type: ignore

# formatting coloured tracebacks, which no test reads, took most of the time of failing samples
Traceback.__rich_console__ = lambda trace, console, options: iter(())  # type: ignore
