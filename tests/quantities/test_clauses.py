"""Figures are read within their clause."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.quantities.mentions import Sentence
from arag_inspect.text.sentences import Span


def clause_of(sentence: str, start: int, end: int) -> Span:
    return Sentence(sentence, sentence, Span(0, len(sentence))).clause(start, end)


@pytest.mark.parametrize(
    ("sentence", "figure", "clause"),
    [
        ("revenue was $5 million, while costs were $3 million", "$3 million", "costs were $3 million"),
        ("revenue was $5 million, up 3%", "3%", "revenue was $5 million, up 3%"),
        ("it expects sales of $5 million and repaid $2 million of debt", "$2 million", "repaid $2 million of debt"),
        ("for fiscal 2022, we expect sales of $5 million; costs rose", "$5 million", "for fiscal 2022, we expect sales of $5 million"),
    ],
)  # fmt: skip
def test_clause_of_a_figure(sentence: str, figure: str, clause: str) -> None:
    start = sentence.index(figure)
    first, last = clause_of(sentence, start, start + len(figure))
    assert sentence[first:last] == clause


@given(st.text(alphabet="in for and, while;: up was $5 ", max_size=60), st.data())
def test_a_clause_holds_its_figure(sentence: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(sentence)))
    end = data.draw(st.integers(start, len(sentence)))
    first, last = clause_of(sentence, start, end)
    assert first <= start <= end <= last
