"""FAISS and torch in one process, and several processes on one machine."""

import os
import sys


def configure_openmp() -> None:
    """Make OpenMP runtimes get along; called before FAISS or torch is imported.

    Idle OpenMP threads wait asleep instead of spinning: where several processes
    or threads share the processor, as evaluations do, spinning ones slow every
    other tenfold, and alone they gain nothing measurable here. On macOS, where
    two runtimes with worker threads can crash a process, each gets one thread.
    What the user has set stays.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if sys.platform == "darwin":
        os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
