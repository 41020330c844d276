"""Tests that only the lines of a column are joined."""

import textwrap
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.text.layout import unwrap
from arag_inspect.text.sentences import sentences, split_sentences

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


@pytest.mark.parametrize(
    "text",
    [
        "Apple Inc.\nOne Apple Park Way\nCupertino, California 95014\n(408) 996-1010",
        "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\n"
        "Rough winds do shake the darling buds of May,\n"
        "And summer's lease hath all too short a date;",
        "- Net sales rose strongly in all regions of the group\n"
        "- Operating costs fell in the same year",
        "(a) the consolidated balance sheets as of the end of the year\n"
        "(b) the statements of cash flows",
        "Tim Cook -- Chief Executive Officer\n"
        "Good day, and welcome to our call on the fiscal year.",
        "Operator\n" + "Thank you for joining us on this call, and good morning." * 4,
        "Net sales.......................  $ 48,612   $ 43,405\n"
        "Cost of sales...................    30,000     29,000",
        "Net sales of the continuing operations  48,612  43,405\n"
        "Cost of sales of these operations       30,000  29,000",
        "| Revenue of the continuing operations | 48,612 |\n"
        "| costs of the continuing operations | 30,000 |",
        "Revenue rose by four percent.\nCosts fell in all regions of the company.\nCash is flat.",
        "Date of the report: 3 November 2023\nRevenue of the group: 4.2 billion",
        "```\nrevenue of the first quarter of this year plus\nrevenue of the second quarter\n```",
    ],
)
def test_unwrap_keeps_other_lines(text: str) -> None:
    assert unwrap(text) == text.strip()


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        ("Revenue of the segment rose on a year-over-\nyear basis.", "a year-over-year basis."),
        (
            "The company has repaid all of its short-\nand long-term debt.",
            "its short- and long-term debt.",
        ),
        (
            "Revenue of the group rose, and for the reve-\nnue of next year. Revenue.",
            "for the revenue of next year.",
        ),
        (
            "Revenue of the group rose in this year, and so did the divi\u00ad\n"
            "dend of all shares.",
            "did the dividend of all",
        ),
        (
            "Die Umsatzerlöse der Gruppe lagen damit über denen der\nVorjahre.",
            "denen der Vorjahre.",
        ),
        (
            "The number of plants of the company fell in the year to\n12. Costs were flat.",
            "in the year to 12. Costs",
        ),
        (
            "Your company made in this year a profit of $12 million, which\n"
            "is 4 percent more than in the year before.  We thank\nyou for your trust.",
            "which is 4 percent more than in the year before. We thank you",
        ),
        (
            "当期の売上高は前年同期と比べて大きく増加し、営業\n利益も増えました。",
            "増加し、営業利益も増えました。",
        ),
    ],
)
def test_unwrap_joins_words_and_sentences_at_line_end(lines: str, joined: str) -> None:
    assert joined in unwrap(lines)


@given(st.text(alphabet=st.sampled_from("aA .-\n\t1|。売"), max_size=400))
def test_unwrap_keeps_letters_and_spans_match_text(text: str) -> None:
    assert [c for c in unwrap(text) if c.isalnum()] == [c for c in text if c.isalnum()]
    assert [text[a:b][:1] + text[a:b][-1:] for a, b in split_sentences(text)] == [
        s[:1] + s[-1:] for s in sentences(text)
    ]
