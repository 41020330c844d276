"""Tests that parsers of external text take time linear in its length."""

import inspect
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pkgutil import walk_packages

import pytest

import arag_inspect
from arag_inspect.benchmarks.perspectives.two_sided import normalize_id
from arag_inspect.corpus.documents.aligned_tables import write_bars
from arag_inspect.corpus.documents.page_cleanup import clean_pages
from arag_inspect.corpus.documents.transcripts import drop_time_codes
from arag_inspect.figures import extract_quantities, verify_claims
from arag_inspect.figures.answers.question import asked_part, question_in
from arag_inspect.judge.parsing import labels_form
from arag_inspect.text.citations import without_marks
from arag_inspect.text.matching import quotations
from arag_inspect.text.replies import ReplyParseError, prose, read_json, read_value
from arag_inspect.text.sentences import split_sentences
from tests.linear import is_linear, seconds

_SMALL = 2_500
_CODE = "abcdef"


def _verdict(reply: str) -> None:
    for text in (reply, f"{reply}\nVERDICT {_CODE}: {reply}"):
        with pytest.raises(ReplyParseError):
            labels_form(("a", "b")).read(text, _CODE)


def _json(reply: str) -> None:
    read_json(reply)
    read_value(reply)
    prose(reply)


def _verify_distinct(text: str) -> None:
    """Check figures that share a metric but all differ."""
    unit = text[: text.index(".") + 2]
    count = len(text) // len(unit)
    summary, source = (
        "".join(unit.format(number / 8) for number in range(start, start + count))
        for start in (0, count)
    )
    verify_claims(summary, [source])


@pytest.mark.parametrize(
    ("read", "units", "small"),
    [
        (
            extract_quantities,
            ["$1 ", "1-2-3-", "2020-01-02 ", "5 % ", "((1))", "sales, after 1, "],
            1_000,
        ),
        (lambda text: verify_claims(text, [f"{text}."]), ["$1 "], 200),
        (question_in, ["\n", "\n ", "a?\n", "What? "], _SMALL),
        (asked_part, ["after the loss ", "what, ", "in the year of ", "What? "], _SMALL),
        (normalize_id, [" ", "-", "doc "], _SMALL),
        (
            write_bars,
            ["a   1   2\n", "   a   b\n   2023   2022\n", "1   ", "a .   ", "1-2-3-   1\n"],
            _SMALL,
        ),
        (_verify_distinct, ["Revenue was ${} million. ", "Margin rose to {}%. "], 1_000),
        (split_sentences, ["- ", ". ", "Inc. ", "A.", "5 Mio. "], _SMALL),
        (quotations, ['"', "“a", "[.] "], _SMALL),
        (_json, ["\n", "{", "[", '{"a":', "```\n", "{}", ", ", "\nVERDICT "], _SMALL),
        (_verdict, ["\n", "{", "*", "a,", "VERDICT "], _SMALL),
    ],
)
def test_reader_time_is_linear_in_text_length(
    read: Callable[[str], object], units: list[str], small: int
) -> None:
    for unit in units:
        assert _is_linear(read, unit, small), unit


_UNITS = [
    *("$1 ", "5 % ", "1-2-3-", "((1))", "2020-01-02 ", "1,000,", "1.", "0", "a", "A", "aA", " "),
    *("\n", "\t", "- ", "* ", "#", "| ", "`", "```\n", "{", "[", "]", "(", ")", '"', "“", "'"),
    *("<", ">", "</", "<a ", ":", "; ", "a, ", "A. ", "a.", "Inc. ", "and ", "not ", "up 5% "),
    *("$", "-", "—", "1/2 ", "/", "http://", "a@", "_", "*a*", "Q1 2021 ", "year ", "million "),
    *("$1 million to ", "1 to ", "VERDICT ", "score 5 ", "[1] ", "P1 ", "Item 1. ", "(a) ", "…"),
]


_BOUNDED = {
    "arag_inspect.text.layout": "_FIGURES",
    "arag_inspect.models.provider_faults": "_ACCOUNT_OR_MODEL",
    "arag_inspect.benchmarks.legal.reader": "_NAME",
    "arag_inspect.benchmarks.financebench.filings": "_NAME",
    "arag_inspect.benchmarks.ectsum.reader": "_NAME",
}
"""Patterns never applied to long texts, by module: table rows have at most 2,000 characters,
providers' reasons 300, file names 255."""

_SENTENCES = ("lexicon",)
"""Modules whose patterns are applied only to sentences of at most 2,000 characters."""

_METHODS = "fullmatch|match|search|findall|finditer|subn?|split"


def _patterns() -> dict[str, Callable[[str], object]]:
    """Return the regular expressions held by the package's modules, as they use them."""
    patterns_found: dict[str, Callable[[str], object]] = {}
    for info in walk_packages(arag_inspect.__path__, "arag_inspect."):
        last = info.name.rpartition(".")[2]
        if last == "_worker" or last in _SENTENCES:  # the first is a program
            continue
        module = import_module(info.name)
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            for one in value.values() if isinstance(value, dict) else [value]:
                if not isinstance(one, re.Pattern) or not isinstance(one.pattern, str):
                    continue
                uses = set(re.findall(rf"\b{name}\.({_METHODS})\b", source))
                is_anchored = bool(uses) and uses <= {"fullmatch", "match"}
                if name.startswith("_") and _BOUNDED.get(info.name) != name:
                    patterns_found[one.pattern] = one.fullmatch if is_anchored else one.findall
    return patterns_found


def test_regular_expressions_run_in_linear_time() -> None:
    patterns = _patterns()
    assert len(patterns) > 100
    for pattern, reader in patterns.items():
        for unit in _UNITS:
            spent = seconds(partial(reader, _repeated(unit, _SMALL)))
            if spent > 0.004:  # faster work poses no risk at this length
                assert _is_linear(reader, unit), (pattern, unit)


@pytest.mark.parametrize("unit", ["1 ", "1-", " 1 aa", "1 of 1 ", "Page 1 "])
def test_clean_pages_runs_in_linear_time(unit: str) -> None:
    """For one page of a document, searched for running heads."""
    assert _is_linear(lambda text: clean_pages([text, text]), unit)


@pytest.mark.parametrize("unit", ["\t", " \t", "  "])
def test_time_codes_are_removed_in_linear_time(unit: str) -> None:
    assert _is_linear(lambda text: drop_time_codes(f"A.{text}x"), unit)


@pytest.mark.parametrize(
    "token", ["</s>", "</s> ", "<|im_end|>\n", "<end_of_turn></s>", "verdict:", ":"]
)
def test_judge_reply_with_many_end_tokens_is_read_in_linear_time(token: str) -> None:
    assert _is_linear(lambda text: _verdict(f"{text * 8}x"), token)


@pytest.mark.parametrize(
    ("start", "unit", "end"),
    [
        *(("", unit, "") for unit in ("(", "[1", "\n[^1", "¹-", "[see ")),
        *(("(", " ", ""), ("[see", " \t", ""), ("Sources:\n", "x p. 1\n", "y")),
    ],
)
def test_source_marks_are_removed_in_linear_time(start: str, unit: str, end: str) -> None:
    def read(text: str) -> None:
        hostile = f"{start}{text}{end}"
        assert len(without_marks(hostile)) <= len(hostile)

    assert _is_linear(read, unit, small=15_000)


def test_split_sentences_takes_linear_time_in_list_marks() -> None:
    (span,) = split_sentences("- " * 1_000 + "It rose.")
    assert span == (0, 2_008)
    assert is_linear(lambda length: split_sentences("- " * length + "It rose."), 5_000)


def _is_linear(read: Callable[[str], object], unit: str, small: int = _SMALL) -> bool:
    """Return whether reading time is linear in the number of repetitions of a unit."""
    return is_linear(lambda length: read(_repeated(unit, length)), small)


def _repeated(unit: str, length: int) -> str:
    return (unit * length)[:length]
