"""OpenMP settings for FAISS and torch in one process, and for several processes."""

import os
import sys


def configure_openmp() -> None:
    """Make OpenMP runtimes compatible; call before importing FAISS or torch.

    Idle OpenMP threads wait asleep instead of spinning: if several processes
    or threads share the processor, as in evaluations, spinning slows every
    other one tenfold, and gains nothing measurable in a single process. On macOS, where
    two runtimes with worker threads can crash a process, each gets one thread.
    Settings of the user are kept.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if sys.platform == "darwin":
        os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")
        os.environ.setdefault("OMP_NUM_THREADS", "1")
