"""Ids of documents as models write them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.sisters.perspectives.two_sided import normalize_id

URL = "https://example.org/a/(1)?q=2"


@pytest.mark.parametrize(
    ("given_id", "meant"),
    [
        (3, 3), ("3", 3), ("Doc 3", 3), ("doc_3", None), ("[3]", 3), ("Document #12.", 12),
        ("doc id: 7", 7), (" Source 4 ", 4), (3.0, 3), (3.5, None), (float("nan"), None),
        (True, None), (None, None), ([3], None), ("three", None), ("3 and 4", None), (URL, URL),
        (f"see <{URL.split('(')[0]}>.", URL.split("(")[0]),
        ("Doc https://example.org/x,", "https://example.org/x"),
    ],
)  # fmt: skip
def test_ids_are_normalized(given_id: Any, meant: Any) -> None:
    assert normalize_id(given_id) == meant


@given(
    st.integers(0, 10**9), st.sampled_from(["{}", "Doc {}", "document {}", "[{}]", "#{}", "ID {}"])
)
def test_every_number_is_found_in_its_dress_and_stays_what_it_is(number: int, dress: str) -> None:
    assert normalize_id(dress.format(number)) == normalize_id(normalize_id(number)) == number


@given(st.text() | st.floats() | st.integers() | st.none())
def test_no_id_breaks_the_reader(value: Any) -> None:
    once = normalize_id(value)
    assert once is None or normalize_id(once) == once
