"""Sections and topics of documents that summaries use."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..load.records import Benchmark, Run, SampleResult
from .table import Cell, Over, Share, Table

_SCORER = "section_coverage"
_LISTED = {"section": "sections", "topic": "topics"}
"""Key of the name, and of the list in the scorer's metadata."""

_MOST = 40
"""Most rows of a kind; the most frequent ones come first."""


class Part(NamedTuple):
    """A section or topic of a sample's documents."""

    kind: str
    """`section` or `topic`."""

    name: str
    drawn: bool
    """Whether the summary uses it."""

    read: bool
    """Whether the system read any of it; unknown for topics."""


class PartShare(NamedTuple):
    """Share of a system's summaries that use a section or topic of their documents."""

    kind: str
    name: str
    system: str
    share: float
    of: int


def parts_of(sample: SampleResult) -> list[Part]:
    """Return the sections and topics of a sample, each once; empty if not measured."""
    scoring = sample.scorings.get(_SCORER)
    parts: dict[tuple[str, str], Part] = {}
    for kind, key in _LISTED.items():
        for entry in _entries(scoring.metadata.get(key) if scoring else None):
            name = str(entry.get(kind, ""))
            part = parts.get((kind, name))
            drawn = bool(entry.get("sentences")) or (part is not None and part.drawn)
            read = bool(entry.get("read")) or (part is not None and part.read)
            parts[kind, name] = Part(kind, name, drawn, read)
    return list(parts.values())


def part_shares(benchmark: Benchmark) -> list[PartShare]:
    """Return shares by section or topic and by system, in the order of the documents."""
    counted = {run.system: _count(run) for run in benchmark.runs}
    frequent: dict[tuple[str, str], int] = {}
    for counts in counted.values():
        for part, (_, of) in counts.items():
            frequent[part] = frequent.get(part, 0) + of
    kept = {
        part
        for kind in _LISTED
        for part in sorted((p for p in frequent if p[0] == kind), key=lambda p: -frequent[p])[
            :_MOST
        ]
    }
    return [
        PartShare(*part, system, counts[part][0] / counts[part][1], counts[part][1])
        for kind in _LISTED
        for part in frequent
        if part in kept and part[0] == kind
        for system, counts in counted.items()
        if part in counts
    ]


def sections(benchmark: Benchmark) -> Table | None:
    """Return the share of summaries that use each part; None if not measured."""
    shares = part_shares(benchmark)
    if not shares:
        return None
    cells = {
        (part.kind, part.name, part.system): Over(Share(part.share), part.of) for part in shares
    }
    rows: list[tuple[Cell, ...]] = [
        (kind, name, *(cells.get((kind, name, system)) for system in benchmark.systems))
        for kind, name in dict.fromkeys((part.kind, part.name) for part in shares)
    ]
    return Table(
        "sections",
        "Sections and topics used",
        "Share of the summaries that use a section or topic, over the n whose documents have "
        "it, each epoch counted. A sentence belongs to the section of its nearest sentence in "
        "the text read; topics are found by their words.",
        ("kind", "name", *benchmark.systems),
        tuple(rows),
    )


def _count(run: Run) -> dict[tuple[str, str], tuple[int, int]]:
    """Count the summaries that use each part, and those whose documents have it."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for sample in run.samples:
        for part in parts_of(sample):
            drawn, of = counts.get((part.kind, part.name), (0, 0))
            counts[part.kind, part.name] = drawn + part.drawn, of + 1
    return counts


def _entries(listed: object) -> list[Mapping[str, object]]:
    several = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ()
    return [entry for entry in several if isinstance(entry, Mapping)]
