"""Tests of figures that a statement computes from its source; the cases are in `computed.yaml`."""

import pytest

from arag_inspect.figures import verify_claims
from tests.tables import tables_beside

KINDS = tables_beside(__file__)


def _cases() -> list[tuple[str, str, str, bool]]:
    cases = []
    for kind, entries in KINDS.items():
        for entry in entries:
            for supported in (True, False):
                for statement in entry[supported]:
                    cases.append((kind, entry["source"], statement, supported))
    return cases


@pytest.mark.parametrize(("kind", "source", "statement", "supported"), _cases())
def test_computed_figure_is_supported_only_by_figures_that_statement_names(
    kind: str, source: str, statement: str, supported: bool
) -> None:
    claims = verify_claims(statement, [source])
    assert claims, kind
    assert all(claim.verdict == "supported" for claim in claims) == supported, kind
