"""Tests of passage matching, verbatim or by similarity, and of word stems."""

import pytest

from arag_inspect.text.content_words import content_stems
from arag_inspect.text.matching import locate
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

TEXT = "Margins were flat. Total revenue rose 7.5% to $4.2 billion in the quarter. Thank you."


@pytest.mark.parametrize(("target", "passage", "exact"), TABLES["located"])
def test_locate_returns_exact_or_most_similar_passage(
    target: str, passage: str | None, exact: bool
) -> None:
    located = locate(target, TEXT, 80)
    assert (located and TEXT[located.start : located.end]) == passage
    if located:
        assert located.exact is exact and (located.ratio == 100 or not exact)
        assert 0 <= located.target_start < located.target_end <= len(target)


@pytest.mark.parametrize(("words", "others", "same"), TABLES["stems"])
def test_content_stems_match_for_related_word_forms_only(
    words: str, others: str, same: bool
) -> None:
    assert (content_stems(words) == content_stems(others)) is same
