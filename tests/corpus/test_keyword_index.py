from hypothesis import example, given
from hypothesis import strategies as st

from arag_inspect.corpus.keyword_index import KeywordIndex

LETTERS = st.text(alphabet="aAbß é-$1.\nİ ", max_size=25)


def plain(texts: list[str], keywords: list[str]) -> list[int]:
    """The definition, spelled out."""
    lowered = [text.lower() for text in texts]
    return [sum(text.count(k.lower()) * len(k.lower()) for k in keywords if k) for text in lowered]


@given(st.lists(LETTERS, max_size=6), st.lists(LETTERS, max_size=4))
@example(["a b a b a"], ["a b a"])
@example(["aaaa aaa"], ["aa", "a a", "aa aa"])
@example(["a  b", "a b"], ["a  b", " ", "  "])
@example(["ab ab ab"], ["b a", "ab ab", "b ab a"])
@example([""], ["a"])
def test_counts_as_str_count_does(texts: list[str], keywords: list[str]) -> None:
    assert KeywordIndex(texts).scores(keywords).tolist() == plain(texts, keywords)


@given(
    st.lists(
        st.lists(st.sampled_from(["cash", "cash,", "flow", "free", "Free", "of"]), max_size=30)
    ),
    st.lists(st.sampled_from(["free cash flow", "cash flow", "cash", "sh fl", "flow ", " of "])),
)
def test_counts_phrases(texts: list[list[str]], keywords: list[str]) -> None:
    joined = [" ".join(text) for text in texts]
    assert KeywordIndex(joined).scores(keywords).tolist() == plain(joined, keywords)


def test_phrase_of_frequent_words_is_counted_directly() -> None:
    texts = ["a b " * 50, "b a " * 40]
    assert KeywordIndex(texts).scores([" "]).tolist() == plain(texts, [" "])
    assert KeywordIndex(texts).scores(["a b"]).tolist() == plain(texts, ["a b"])
