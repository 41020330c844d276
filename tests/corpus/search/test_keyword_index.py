"""Tests of the keyword index, against scores computed with `str.count`."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arag_inspect.corpus.search.keyword_index import KeywordIndex
from arag_inspect.text.folding import fold, fold_keyword

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


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("of the Company’s total net sales", "the Company's total net sales"),
        ("of the Company's total net sales", "the Company’s total net sales"),
        ("Total net sales | $ | 391,035", "$391,035"),
        ("Total net sales | $ | 391,035", "total net sales $391,035"),
        ("Net loss | $ | (45 | ) | 12.5 | %", "$(45) 12.5%"),
        ("tel. (408)\xa0996‑1010", "(408) 996-1010"),
        ("the o\ufb03ce of  the\nchief", "Office of the Chief"),
        ("share\xadholders’ equity", "shareholders' equity"),
        ("the year-over-\nyear change", "year-over-year"),
        ("“forward-looking statements”", "forward-looking statements"),
        ("forward‐looking statements", '"forward-looking statements"'),
        ("Tim Cook — CEO", "Tim Cook -- CEO"),
        ("Net sales.........  $ 48,612", "Net sales $48,612"),
        ("$4.2 billion¹ in all", "$4.2 billion in all"),
        ("ＡＰＰＬＥ の売上\n高", "apple の売上高"),
        ("Die Straße", "STRASSE"),
    ],
)
def test_keyword_index_matches_typographic_variants(text: str, typed: str) -> None:
    assert KeywordIndex([text, "other"]).scores([typed]).tolist()[0] > 0
