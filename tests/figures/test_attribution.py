"""Tests that each figure of a sentence is matched with the words of its own clause."""

import pytest

from arag_inspect.figures import verify_claims
from tests.tables import tables_beside

KINDS = tables_beside(__file__)
ROWS = [(kind, *row) for kind, rows in KINDS.items() for row in rows]


@pytest.mark.parametrize(("kind", "source", "statement", "supported"), ROWS)
def test_statement_is_supported_only_when_figure_belongs_to_same_words(
    kind: str, source: str, statement: str, supported: bool
) -> None:
    claims = verify_claims(statement, [source])
    assert claims, kind
    assert all(claim.verdict == "supported" for claim in claims) == supported, kind


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_supported_and_unsupported_rows(kind: str) -> None:
    assert {supported for *_, supported in KINDS[kind]} == {True, False}
