"""Tests of splitting text into sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.text.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Revenue was $4.2 billion, up 7.5% from $3.9 billion.",
        "We are the No. 1 brand in the U.S. and Canada.",
        "Mr. J. P. Smith of Acme Inc. reported EPS of $1.10 vs. $0.95.",
        "The call starts at 5 p.m. Eastern on Jan. 5, 2021.",
        "Under U.S. GAAP, costs were approx. $12.5 million.",
        "Dr. A. Jones joined Widget Corp. from St. Louis.",
        "It was e.g. the Q3 vs. Q2 mix that helped.",
    ],
)
def test_abbreviations_and_numbers_do_not_split_sentence(sentence: str) -> None:
    assert sentences(f"It was a good year. {sentence} We are pleased.") == [
        "It was a good year.",
        sentence,
        "We are pleased.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Gemäß § 5 Abs. 3 Nr. 4 HGB waren es 41,2 Mio. Euro.|Das ist z. B. im 4. Quartal viel.",
        "Sie wurde am 3. November gegründet.|Stand 31. Dezember: ca. 5 Prozent, vgl. S. 12.",
        "M. Dupont cite l'art. 5 et la note no. 3.|Le total est d'env. 41,2 M€.|Il a dit oui.",
        "売上高は12億円でした。|増えましたか？|はい！",
        "राजस्व 12 करोड़ था।|लाभ बढ़ा।",
        "آمدنی بڑھی۔|منافع کم ہوا۔",
        "Net sales.......................  $ 48,612   $ 43,405",
        "Gross profit. . . . . . . . . . .  $ 18,612   $ 14,405",
    ],
)
def test_sentences_of_other_languages_and_rows_are_split(text: str) -> None:
    joined = text.replace("|", "" if "。" in text else " ")
    assert sentences(joined) == text.split("|")


@pytest.mark.parametrize(
    "parts",
    [
        ["We sell in the U.S.", " We also sell in Canada."],
        ["We bought Acme Inc.", " The price was low."],
        ["Dana Whitlock -- CFO", "\nThank you.", " Revenue grew.", "\n\n"],
        ["It grew 2.0 percent.", "Next year looks better."],
    ],
)
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
