"""Whether retrieval adds value: said only where the interval shows it."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.report.tables.length import key_finding
from tests.report import material as m


@pytest.mark.parametrize(
    ("gains", "count", "said"),
    [
        ([1], 2, "is not shown to add value"),  # too few for any winner
        ([0], 8, "is not shown to add value"),  # few that do not differ show nothing
        ([1, -1], 8, "is not shown to add value"),
        ([-1], 4, "is not shown to add value"),  # below zero, too few for any winner
        ([0], 80, "does not add value"),
        ([1, *[0] * 49, -1, *[0] * 49], 200, "does not add value"),
        ([-1, -1, 0], 30, "does not add value"),
        ([1, 1, 0], 30, "adds value"),
    ],
)
def test_no_evidence_of_a_gain_is_no_evidence_against_it(
    tmp_path: Path, gains: list[int], count: int, said: str
) -> None:
    def scored(add: bool, number: int) -> dict[str, Score]:
        gain = gains[number % len(gains)] if add else 0
        return {"geval_coverage": m.judged(3 + gain)}

    report = m.report_of(
        tmp_path,
        m.run_of("arag", lambda n: scored(True, n), count, company="C{}"),
        m.run_of("stuffing", lambda n: scored(False, n), count, company="C{}"),
    )
    text = key_finding(report.benchmark) or ""
    assert text.startswith(f"Retrieval {said} "), text
    assert ("a gain of more than 0.2 is excluded" in text) == (said[0] == "d" and sum(gains) == 0)
    assert f"(n {count})" in text if gains == [0] else " [" in text
