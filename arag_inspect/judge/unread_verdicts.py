"""Verdicts that could not be read, from the scores of a log."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ..types.score_metadata import JudgeRecord, read_metadata


def unread_by_judge(scores: Iterable[Mapping[str, Any] | None]) -> dict[str, list[str | None]]:
    """Return by judge, for each requested score, why its verdict could not be read.

    The reason is None if it could, even if another judge of the panel gave no verdict. For several
    questions about one part of an answer, such as its claims, one readable reply suffices; the text
    read and the whole document are two parts.

    Args:
        scores: Metadata of the scores of one scorer, hostile data from a log.
    """
    reasons_by_judge: dict[str, list[str | None]] = defaultdict(list)
    for metadata in scores:
        for judge, reasons_by_part in _reasons_by_part(metadata).items():
            unread_reasons = (
                reasons[0] for reasons in reasons_by_part.values() if None not in reasons
            )
            reasons_by_judge[judge].append(next(unread_reasons, None))
    return reasons_by_judge


def _reasons_by_part(
    metadata: Mapping[str, Any] | None,
) -> dict[str, dict[str, list[str | None]]]:
    """Return why replies could not be read, by judge and part of the answer; None if readable."""
    by_judge: dict[str, dict[str, list[str | None]]] = defaultdict(lambda: defaultdict(list))
    view = read_metadata(metadata)
    for material, records in enumerate((view.judges, view.judges_context)):
        for record in records:
            by_judge[record.grader][f"{material} {record.part}"].append(_reason_unread(record))
    return by_judge


def _reason_unread(record: JudgeRecord) -> str | None:
    # `fact_match` records rates instead of one verdict
    is_read = record.verdict is not None or record.f1 is not None
    return None if is_read else record.reason
