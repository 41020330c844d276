"""Tests of splitting text into sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.text.sentences import split_sentences
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize("sentence", TABLES["whole"])
def test_abbreviations_and_numbers_do_not_split_sentence(sentence: str) -> None:
    assert sentences(f"It was a good year. {sentence} We are pleased.") == [
        "It was a good year.",
        sentence,
        "We are pleased.",
    ]


@pytest.mark.parametrize("text", TABLES["languages"])
def test_sentences_of_other_languages_and_rows_are_split(text: str) -> None:
    joined = text.replace("|", "" if "。" in text else " ")
    assert sentences(joined) == text.split("|")


@pytest.mark.parametrize("parts", TABLES["ends"])
def test_sentence_ends_after_abbreviation_line_break_or_missing_space(
    parts: list[str],
) -> None:
    assert sentences("".join(parts)) == [part.strip() for part in parts if part.strip()]


@pytest.mark.parametrize("marker", ["•", "▪", "–", "*", "o", "1.", "12)", "(a)", "(iv)"])
def test_list_item_is_split_into_sentences_with_marker(marker: str) -> None:
    text = f"  {marker} Net sales rose 9.9%. Income fell.\n{marker} Cash rose."
    assert [text[start:end] for start, end in split_sentences(text)] == [
        f"{marker} Net sales rose 9.9%.",
        "Income fell.",
        f"{marker} Cash rose.",
    ]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=300))
def test_split_sentences_keeps_every_letter_and_digit(text: str) -> None:
    spans = split_sentences(text)
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert all(before[1] <= right[0] for before, right in pairwise(spans))
    covered = {index for a, b in spans for index in range(a, b)}
    assert not any(text[i].isalnum() for i in range(len(text)) if i not in covered)
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)
