"""Optional packages: which extra installs them, and their settings."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Literal

from .errors import InputError

LOADING = threading.RLock()
"""Lock under which worker threads import packages and load models.

If two threads first import packages that import each other, such as nltk and rouge-score, they
deadlock or see half a package. Loading a model changes global settings of torch.
"""


@contextmanager
def extra(name: Literal["retrieval", "report", "lance", "office"]) -> Iterator[None]:
    """Import packages of an extra; a missing one raises a one-line error.

    Args:
        name: Name of the extra.

    Raises:
        InputError: A package is not installed; the message has the package and the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "a package").partition(".")[0]
        if package == "arag_inspect":
            raise
        raise InputError(
            f"this needs {package}, which is not installed; run: pip install 'arag-inspect[{name}]'"
        ) from error


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def configure_openmp() -> None:
    """Make OpenMP runtimes compatible; call before importing FAISS or torch.

    Idle OpenMP threads sleep instead of spinning. If several processes or threads share the
    processor, as in evaluations, spinning slows the others tenfold, without a measurable gain in a
    single process. On macOS, where two runtimes with worker threads can crash a process, each
    runtime gets one thread. Settings of the user are kept.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if sys.platform == "darwin":
        os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
