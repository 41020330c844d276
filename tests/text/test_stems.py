"""Stems of content words."""

import pytest

from arag_inspect.text.content_words import content_stems


@pytest.mark.parametrize(
    ("words", "others", "same"),
    [
        ("litigating", "litigation", True),
        ("refinancing", "refinanced", True),
        ("acquire", "acquisitions", False),  # a changed stem is out of reach of endings
        ("Sales of $1,234 million.", "SALE: 1234 million", True),
    ],
)
def test_forms_of_a_word_share_a_stem_or_do_not(words: str, others: str, same: bool) -> None:
    assert (content_stems(words) == content_stems(others)) is same
