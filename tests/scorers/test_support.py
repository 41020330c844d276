"""The scorer `support`: its counts and its value."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.quantities.sentence_support import Signs, read_support, support_value
from arag_inspect.scorers import support
from tests.scorers.cases import Case, run_cases

SOURCE = (
    "Revenue rose 5% to $20 million in Europe. Anna Smith expects more hiring. "
    "The board did not approve the merger with Contoso. Costs were 7 million."
)


def signs(summary: str) -> Signs:
    [sentence] = read_support(summary, [SOURCE])
    return sentence.signs


@pytest.mark.parametrize(
    ("summary", "counted"),
    [
        ("Revenue rose 5% to $20 million in Europe.", {}),
        ("Revenue rose 6% to $20 million.", {"figures": 1}),
        ("Revenue in Asia rose 5%.", {"new_names": 1}),
        ("All costs were 7 million.", {"limits": 1}),
        ("The board did not approve the merger.", {}),
        ("Revenue fell 5%.", {"figures": 1, "opposes": 1}),
        ("Revenue fell in Europe.", {"opposes": 1}),
        ("Revenue rose only 5%, but costs were 7 million.", {"limits": 1}),
    ],
)
def test_what_is_counted(summary: str, counted: dict[str, float]) -> None:
    assert {name: count for name, count in signs(summary)._asdict().items() if count} == counted


def test_a_denial_counts_where_no_near_sentence_denies() -> None:
    source = "Revenue rose 5% in Europe. Costs were 7 million."
    [denied] = read_support("Costs were not 7 million.", [source])
    assert denied.signs.denies == 1
    [both] = read_support("Costs were not 7 million.", [f"{source} Costs did not rise."])
    assert both.signs.denies == 0


def test_nothing_that_is_counted_speaks_for_a_summary() -> None:
    plain = support_value(read_support("Revenue rose 5% to $20 million in Europe.", [SOURCE]))
    for summary in ("Revenue rose 6%.", "Revenue in Asia rose 5%.", "Revenue fell 5%."):
        assert support_value(read_support(summary, [SOURCE])) < plain


@pytest.mark.usefixtures("logs")
def test_scores_and_refusals_to_score(tmp_path: Path) -> None:
    ran = run_cases(
        {
            "good": Case(answer="Revenue rose 5% to $20 million.", source=SOURCE),
            "bad": Case(answer="Revenue rose 6% to $30 million.", source=SOURCE),
            "empty": Case(answer="", source=SOURCE),
        },
        [support()],
    )
    good, bad = ran.score("good", "support"), ran.score("bad", "support")
    assert isinstance(good.value, float) and isinstance(bad.value, float)
    assert good.value > 0.5 > bad.value
    assert "figures 2" in (bad.explanation or "")
    empty: Score = ran.score("empty", "support")
    assert empty.reason
