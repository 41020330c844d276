"""Readers of foreign text take processor time in proportion to its length."""

import time
from collections.abc import Callable

import pytest

from arag_inspect._util.json_reply import ReplyParseError, prose, read_json, read_value
from arag_inspect.judge.parsing import labels_form
from arag_inspect.quantities import extract_quantities, verify_claims
from arag_inspect.quantities.trends import read_directions
from arag_inspect.text.quote_matching import quotations
from arag_inspect.text.sentences import split_sentences

_SMALL = 2_500
_TIMES = 4
_CODE = "abcdef"


def _verdict(reply: str) -> None:
    for text in (reply, f"{reply}\nVERDICT {_CODE}: {reply}"):
        with pytest.raises(ReplyParseError):
            labels_form(("a", "b")).read(text, _CODE)


def _json(reply: str) -> None:
    read_json(reply)
    read_value(reply)
    prose(reply)


@pytest.mark.parametrize(
    ("read", "units"),
    [
        (extract_quantities, ["$1 ", "1-2-3-", "2020-01-02 "]),
        (lambda text: verify_claims(text, [f"{text}."]), ["$1 "]),
        (lambda text: list(read_directions(text)), ["revenue up 5% ", "up "]),
        (split_sentences, ["- ", ". ", "Inc. ", "A."]),
        (quotations, ['"', "“a", "[.] "]),
        (_json, ["\n", "{", "[", '{"a":', "```\n", "{}", ", ", "\nVERDICT "]),
        (_verdict, ["\n", "{", "*", "a,", "VERDICT "]),
    ],
)
def test_time_grows_with_the_length(read: Callable[[str], object], units: list[str]) -> None:
    for unit in units:
        small, large = (_spent(read, unit, _SMALL * times) for times in (1, _TIMES))
        assert large < 0.3 or large < 2 * _TIMES * small, unit  # quadratic: 16 times as long


def test_a_line_of_a_thousand_list_marks_is_split() -> None:
    (span,) = split_sentences("- " * 1_000 + "It rose.")
    assert span == (0, 2_008)


def _spent(read: Callable[[str], object], unit: str, length: int) -> float:
    text = (unit * length)[:length]
    started = time.process_time()
    read(text)
    return time.process_time() - started
