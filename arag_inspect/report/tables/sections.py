"""Sections and topics of documents that summaries use."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ..benchmark import Benchmark
from ..table import Cell, Share, mean_over, tabled

_LISTED = {"section": "sections", "topic": "topics"}
"""Key of the name, and of the list in the scorer's metadata."""

_MOST = 40
"""Most rows of a kind; the most frequent ones come first."""


def parts_of(details: object) -> list[dict[str, Any]]:
    """Return the sections and topics of an answer, each once: kind, name, drawn (used), read.

    Args:
        details: Metadata of `section_coverage`.
    """
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for kind, key in _LISTED.items():
        listed = details.get(key) if isinstance(details, Mapping) else None
        several = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ()
        for entry in (entry for entry in several if isinstance(entry, Mapping)):
            name = str(entry.get(kind, ""))
            part = parts.setdefault(
                (kind, name), {"kind": kind, "name": name, "drawn": False, "read": False}
            )
            part["drawn"] |= bool(entry.get("sentences"))
            part["read"] |= bool(entry.get("read"))
    return list(parts.values())


@tabled("sections")
def sections(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the share of summaries that use each part; None if not measured."""
    scores = benchmark.scores[benchmark.scores["scorer"] == "section_coverage"]
    first = scores.drop_duplicates("answer")
    rows = [
        part | {"system": system}
        for system, details in zip(first["system"], first["details"], strict=True)
        for part in parts_of(details)
    ]
    if not rows:
        return
    frame = pd.DataFrame(rows)
    sizes = frame.groupby(["kind", "name"], sort=False).size()
    kept = sizes[sizes.groupby("kind").rank(ascending=False, method="first") <= _MOST]
    drawn = dict(list(frame.groupby(["kind", "name", "system"])["drawn"]))
    for part in sorted(kept.index, key=lambda part: part[0]):
        yield *part, *(mean_over(drawn.get((*part, own), ()), Share) for own in benchmark.systems)
