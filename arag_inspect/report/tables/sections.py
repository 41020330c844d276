"""Sections and topics of documents that summaries use."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ..benchmark import Benchmark
from ..table import Cell, Over, Share, tabled

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
    counted = pd.DataFrame(rows).groupby(["kind", "name", "system"], sort=False)["drawn"]
    shares, counts = counted.mean(), counted.size()
    order = list(shares.index.droplevel("system").unique())
    for part in _frequent(order, counts):
        cells = ((*part, system) for system in benchmark.systems)
        yield (
            *part,
            *(
                Over(Share(float(shares[cell])), int(counts[cell])) if cell in shares else None
                for cell in cells
            ),
        )


def _frequent(order: list[tuple[str, str]], counts: "pd.Series[int]") -> Iterator[tuple[str, str]]:
    """Yield the most frequent parts of each kind, in the order of the documents."""
    totals = counts.groupby(["kind", "name"], sort=False).sum()
    for kind in _LISTED:
        own = [part for part in order if part[0] == kind]
        kept = set(sorted(own, key=lambda part: -totals[part])[:_MOST])
        yield from (part for part in own if part in kept)
