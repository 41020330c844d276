"""Tests of the keyword index, against scores computed with `str.count`."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arag_inspect.corpus.search.keyword_index import KeywordIndex
from arag_inspect.text.folding import fold, fold_keyword
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

LETTERS = st.text(alphabet="aAbß é-$1.\nİ ", max_size=25)


def reference_scores(texts: list[str], keywords: list[str]) -> list[int]:
    """The authors' definition, written out."""
    lowered = [text.lower() for text in texts]
    return [sum(text.count(k.lower()) * len(k) for k in keywords) for text in lowered]


def folded_reference_scores(texts: list[str], keywords: list[str]) -> list[int]:
    """The same definition on folded texts."""
    words = list(filter(None, map(fold_keyword, keywords)))
    return reference_scores(list(map(fold, texts)), words)


@given(st.lists(LETTERS, max_size=6), st.lists(LETTERS, max_size=4))
@example(["a b a b a"], ["a b a"])
@example(["aaaa aaa"], ["aa", "a a", "aa aa"])
@example(["a  b", "a b"], ["a  b", " ", "  "])
@example(["ab ab ab"], ["b a", "ab ab", "b ab a"])
@example([""], ["a"])
def test_keyword_index_scores_equal_str_count(texts: list[str], keywords: list[str]) -> None:
    assert KeywordIndex(texts).scores(keywords).tolist() == folded_reference_scores(texts, keywords)


@given(
    st.lists(
        st.lists(st.sampled_from(["cash", "cash,", "flow", "free", "Free", "of"]), max_size=30)
    ),
    st.lists(st.sampled_from(["free cash flow", "cash flow", "cash", "sh fl", "flow ", " of "])),
)
def test_keyword_index_scores_phrases_like_str_count(
    texts: list[list[str]], keywords: list[str]
) -> None:
    joined = [" ".join(text) for text in texts]
    assert KeywordIndex(joined).scores(keywords).tolist() == reference_scores(joined, keywords)


def test_keyword_index_counts_phrase_of_frequent_words() -> None:
    texts = ["a b " * 50, "b a " * 40]
    assert KeywordIndex(texts).scores([" "]).tolist() == [0, 0]
    assert KeywordIndex(texts).scores(["a b"]).tolist() == reference_scores(texts, ["a b"])


@pytest.mark.parametrize(("text", "typed"), TABLES["variants"])
def test_keyword_index_matches_typographic_variants(text: str, typed: str) -> None:
    assert KeywordIndex([text, "other"]).scores([typed]).tolist()[0] > 0
