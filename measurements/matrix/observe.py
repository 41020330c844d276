"""Observe what a setting changes in a process: the libraries' kernels, the locale, the clock."""

import locale
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

Observations = dict[str, str]


def observe() -> Observations:
    """Return what the libraries and Python report about this process."""
    import faiss
    import torch
    from threadpoolctl import threadpool_info

    log = _kernel_log()
    blas = {pool["architecture"] for pool in threadpool_info() if "architecture" in pool}
    return {
        "torch": torch.backends.cpu.get_cpu_capability(),
        "threads": str(torch.get_num_threads()),
        "oneDNN": _first(r"info,cpu,isa:(.+)", log),
        "MKL": _first(r"CNR:(\w+)", log),
        "FAISS": faiss.SIMDConfig.get_level_name(),
        "OpenBLAS": ", ".join(sorted(blas)),
        "order of a set": "".join(set("abcdefghijkl")),
        "local time": time.strftime("%H:%M %Z", time.localtime(0)),
        "locale": _locale(),
    }


def _kernel_log() -> str:
    """Return what oneDNN and MKL log of two small operations."""
    import torch

    ones = torch.ones(64, 64)
    with TemporaryFile("w+") as log:
        with _stdout_to(log), torch.backends.mkldnn.verbose(1), torch.backends.mkl.verbose(1):
            torch.nn.functional.linear(ones, ones)
            torch.nn.functional.gelu(ones.to_mkldnn())
        log.seek(0)
        return log.read()


@contextmanager
def _stdout_to(file: IO[str]) -> Iterator[None]:
    """Write what the process prints, C libraries included, to a file."""
    before = os.dup(1)
    os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        import ctypes

        ctypes.CDLL(None).fflush(None)
        os.dup2(before, 1)
        os.close(before)


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else "no log"


def _locale() -> str:
    try:
        return locale.setlocale(locale.LC_ALL, "")
    except locale.Error:
        return "not installed"
