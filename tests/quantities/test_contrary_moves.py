"""Directions that the figures of a text deny."""

import pytest

from arag_inspect.quantities.extract import extract_quantities
from arag_inspect.quantities.moves import contrary_moves


@pytest.mark.parametrize(
    ("text", "contrary"),
    [
        ("EPS was $3.00, up from $3.07 a year ago.", ["$3.00"]),
        ("EPS was $3.00, down from $3.07 a year ago.", []),
        ("EPS was $0.54, down 20% from $0.45.", ["$0.54"]),
        ("EPS was $0.54, up 20% from $0.45.", []),
        ("Revenue fell to $27.2 million from $25.3 million.", ["$27.2 million"]),
        ("A loss of $27.2 million was up from a loss of $30 million.", []),
        ("Revenue was $133 million, down from $0.36 a share.", []),
        ("Revenue rose to $5 to $6 million from $7 million.", []),
        ("Revenue rose. It was $6 million a year ago.", []),
        ("Revenue of $950 million was up from $1.02 billion a year ago.", ["$950 million"]),
        ("Revenue of $300 million was up 5% sequentially but down 8% from $326 million in the prior year.", []),
        ("Gross margin rose 90 basis points sequentially to 41.2%, versus 42.0% in the prior year.", []),
        ("Volumes increased to 40,000 tons at an average price of $310 versus $355 last year.", []),
        ("The efficiency ratio improved to 55% from 58%.", []),
        ("Quarterly revenue increased to $210 million, compared with $800 million for all of last year.", []),
    ],
)  # fmt: skip
def test_a_direction_is_held_against_the_figure_compared_with(
    text: str, contrary: list[str]
) -> None:
    assert [figure.text for figure in contrary_moves(text, extract_quantities(text))] == contrary
