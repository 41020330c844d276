"""Tests that only the lines of a column are joined."""

import textwrap
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.text.layout import unwrap
from arag_inspect.text.sentences import sentences, split_sentences
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

TEXT = (
    "The Company's gross profit margin declined to 31.4% in fiscal 1997. Interest expense rose by "
    "$1.1 million owing to borrowings under the revolving credit agreement."
)


def justified(text: str, width: int) -> str:
    *lines, last = textwrap.wrap(text, width)
    rows = []
    for line in lines:
        words = line.split()
        extra, most = divmod(width - len(line), max(1, len(words) - 1))
        gaps = [" " * (1 + extra + (place < most)) for place in range(len(words) - 1)]
        rows.append("".join(map("".join, zip(words, [*gaps, ""], strict=True))))
    return "\n".join([*rows, last])


def indented(text: str, width: int) -> str:
    return textwrap.indent(textwrap.fill(text, width), "     ")


def first_indented(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="   ")


@pytest.mark.parametrize("width", [60, 66, 72, 80, 100])
@pytest.mark.parametrize("lay", [textwrap.fill, justified, indented, first_indented])
def test_unwrap_joins_wrapped_paragraphs(lay: Callable[[str, int], str], width: int) -> None:
    laid = lay(TEXT, width)
    assert unwrap(f"Results\n\n{laid}\r\n\r\n{laid}").split("\n") == ["Results", "", TEXT, "", TEXT]
    assert sentences(laid) == sentences(TEXT) and len(sentences(TEXT)) == 2


def test_unwrap_joins_column_despite_one_wide_line() -> None:
    plants = "the plants of Mr. Hans Maria Weber and of Alder France"
    text = f"{TEXT} Sales of pumps rose most in {plants}."
    wide = (
        "See https://www.example.com/investors/results for all that the group has published so far"
    )
    laid = f"{wide},\nand the notes.\n\n{textwrap.fill(text, 72)}\n\n{textwrap.fill(text, 72)}"
    assert unwrap(laid).split("\n").count(text) == 2


@pytest.mark.parametrize("text", TABLES["kept"])
def test_unwrap_keeps_other_lines(text: str) -> None:
    assert unwrap(text) == text.strip()


@pytest.mark.parametrize(("lines", "joined"), TABLES["joined"])
def test_unwrap_joins_words_and_sentences_at_line_end(lines: str, joined: str) -> None:
    assert joined in unwrap(lines)


@given(st.text(alphabet=st.sampled_from("aA .-\n\t1|。売"), max_size=400))
def test_unwrap_keeps_letters_and_spans_match_text(text: str) -> None:
    assert [c for c in unwrap(text) if c.isalnum()] == [c for c in text if c.isalnum()]
    assert [text[a:b][:1] + text[a:b][-1:] for a, b in split_sentences(text)] == [
        s[:1] + s[-1:] for s in sentences(text)
    ]
