"""Files that data sets add to a prepared folder: samples, gold chunks and alignments."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from .._util.errors import InputError
from ..corpus import Alignment
from .rows import read_models

SAMPLES = "samples.jsonl"
GOLD = "gold_chunk_map.json"
ALIGNMENT = "alignment.json"
GAPS = "gaps.json"

PAGES = "pages_located"
"""Count of the pages with evidence that were found."""


def sample_record(
    sample_id: str, question: str, target: str | list[str], /, **metadata: Any
) -> dict[str, Any]:
    """Return a sample as a line of `samples.jsonl`."""
    return {"id": sample_id, "input": question, "target": target, "metadata": metadata}


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """Write records as JSON Lines; dates and decimals of Parquet become text."""
    lines = (json.dumps(record, ensure_ascii=False, default=str) for record in records)
    return "".join(f"{line}\n" for line in lines)


def json_text(value: object) -> str:
    """Write a JSON value, indented."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def sample_files(
    samples: Sequence[Mapping[str, Any]], alignments: Mapping[str, Sequence[Alignment]]
) -> dict[str, str]:
    """Return the contents of the files with the samples, their gold chunks and alignments.

    Raises:
        InputError: Two samples have the same id, so that no command could read them.
    """
    for name, count in Counter(sample["id"] for sample in samples).items():
        if count > 1:
            raise InputError(f"{count} samples have the id {name!r}; give each question its own")
    alignment_rows = {}
    for name, items in alignments.items():
        alignment_rows[name] = [item.model_dump() for item in items]
    return {
        SAMPLES: json_lines(samples),
        GOLD: json_text(gold_chunks(samples)),
        ALIGNMENT: json_text(alignment_rows),
    }


def gold_chunks(samples: Iterable[Mapping[str, Any]]) -> dict[str, list[int]]:
    """Return the gold chunks of each sample."""
    return {sample["id"]: sample["metadata"]["gold_chunk_ids"] for sample in samples}


def aligned_chunks(alignments: Iterable[Alignment]) -> set[int]:
    """Return the chunks that contain any of the sentences."""
    chunk_ids: set[int] = set()
    for alignment in alignments:
        chunk_ids.update(alignment.chunk_ids)
    return chunk_ids


def count_alignments(alignments: Mapping[str, Sequence[Alignment]]) -> dict[str, int]:
    """Count alignments by how well they match."""
    counts: Counter[str] = Counter()
    for items in alignments.values():
        counts.update(alignment.match for alignment in items)
    return {
        "aligned_exact": counts["exact"],
        "aligned_fuzzy": counts["fuzzy"],
        "unaligned": counts["none"],
    }


class _SampleRow(BaseModel):
    """A line of the file; omits the sandbox, files and setup of Inspect's samples."""

    model_config = ConfigDict(extra="forbid")

    id: str
    input: str
    target: str | list[str] = ""
    metadata: dict[str, Any] = {}


def read_samples(path: Path, remedy: str) -> list[Sample]:
    """Read samples: JSON Lines with `id`, `input`, `target` and `metadata`; empty without a file.

    Args:
        path: JSON Lines.
        remedy: Command that recreates the file.

    Raises:
        InputError: A line is unreadable, has another form, or repeats an id.
    """
    rows = read_models(path, _SampleRow, remedy=f"run: {remedy}").values()
    return [Sample(id=row.id, **row.model_dump(exclude={"id"})) for row in rows]
