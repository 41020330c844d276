"""Check that processor time grows linearly with input length."""

import time
from collections.abc import Callable

_NEGLIGIBLE = 0.3
"""Seconds below which growth cannot be measured."""


def is_linear(work: Callable[[int], object], small: int, times: int = 4) -> bool:
    """Compare the processor time of an input of length `small` with one `times` as long.

    Args:
        work: Function of the input's length.
        small: The smaller length.
        times: The larger length, as a multiple of the smaller.

    Returns:
        Whether one of three trials takes at most twice the linear time; quadratic time would
        be `times` the linear time.
    """
    for _ in range(3):  # other processes disturb even processor time
        large = seconds(lambda: work(small * times))
        if large < _NEGLIGIBLE or large < 2 * times * seconds(lambda: work(small)):
            return True
    return False


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    started = time.process_time()
    work()
    return time.process_time() - started
