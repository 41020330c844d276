"""Combine the error codes of several judges."""

import math
from collections import Counter
from collections.abc import Sequence


def agreed_codes(verdicts: Sequence[Sequence[str]]) -> list[str]:
    """Return the codes of at least half of the judges, else the most frequent codes."""
    times = Counter(code for verdict in verdicts for code in verdict)
    if not times:
        return []
    needed = min(math.ceil(len(verdicts) / 2), max(times.values()))
    return [code for code, count in times.items() if count >= needed]
