"""Stems of content words."""

import pytest

from arag_inspect.text.stems import content_stems, stem


@pytest.mark.parametrize(
    ("word", "other"),
    [("improving", "improvement"), ("expand", "expanded"), ("acquire", "acquisitions")],
)
def test_forms_of_a_word_share_a_stem_or_do_not(word: str, other: str) -> None:
    same = word != "acquire"  # a changed stem is out of reach of endings
    assert (stem(word) == stem(other)) is same


def test_short_words_stay() -> None:
    assert stem("rose") == "rose" and stem("used") == "used"


def test_numbers_count_without_separators() -> None:
    assert content_stems("Sales of $1,234 million.") == content_stems("SALE: 1234 million")
