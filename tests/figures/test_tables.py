"""Tests of statements about tables, by kind; the cases are in `tables.yaml`."""

from typing import Any

import pytest

from arag_inspect.figures import extract_quantities, verify_claims
from arag_inspect.figures.checks.passage_index import PassageIndex
from tests.tables import tables_beside

KINDS = tables_beside(__file__)


def _cases() -> list[Any]:
    cases: list[Any] = []
    for kind, tables in KINDS.items():
        for entry in tables:
            for answer in (True, False):
                cases += [
                    pytest.param(entry["table"], statement, answer, id=f"{kind}: {statement}")
                    for statement in entry[answer]
                ]
    return cases


@pytest.mark.parametrize(("table", "statement", "supported"), _cases())
def test_statement_about_table_gets_expected_verdict(
    table: str, statement: str, supported: bool
) -> None:
    claims = verify_claims(statement, [table])
    assert claims and all(claim.verdict == "supported" for claim in claims) == supported


def test_rows_have_same_order_whatever_order_of_words() -> None:
    segments = ["alpha", "beta", "delta", "gamma", "kappa", "omega", "sigma", "theta"]
    lines = [f"| {segment} profit | {number} |" for number, segment in enumerate(segments, 1)]
    table = "\n".join(["| $ in millions | 2023 |", "|---|---|", *lines])
    claim = extract_quantities("Profit was 5.")[0]
    rows = PassageIndex([table]).rows(claim, frozenset([*segments, "profit"]))
    assert [row.line for row in rows] == lines
