"""Files that data sets add to a prepared folder: samples, gold chunks, alignments."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

SAMPLES, GOLD, ALIGNMENT = "samples.jsonl", "gold_chunk_map.json", "alignment.json"


class Alignment(Protocol):
    """A text located in the chunks."""

    @property
    def match(self) -> str:
        """`exact`, `fuzzy` or `none`."""

    def model_dump(self) -> dict[str, Any]:
        """Return the fields as JSON values."""


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


def alignment_text(alignments: Mapping[str, Sequence[Alignment]]) -> str:
    """Write `alignment.json`: the alignments of each sample."""
    return json_text(
        {
            name: [alignment.model_dump() for alignment in items]
            for name, items in alignments.items()
        }
    )


def count_alignments(alignments: Mapping[str, Sequence[Alignment]]) -> dict[str, int]:
    """Count alignments by how well they match."""
    matches = [alignment.match for items in alignments.values() for alignment in items]
    return {
        "aligned_exact": matches.count("exact"),
        "aligned_fuzzy": matches.count("fuzzy"),
        "unaligned": matches.count("none"),
    }
