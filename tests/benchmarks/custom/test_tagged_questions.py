"""Tests of questions about figures tagged in inline XBRL filings."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import json_dataset

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks.custom.tagged_questions import MOST
from arag_inspect.corpus import Corpus
from arag_inspect.corpus.documents.tagged import read_tagged
from arag_inspect.corpus.documents.text import read_text
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

FILING = Path(__file__).with_name("tagged_filing.html")
ASKED = TABLES["asked"]
LEFT_OUT = (
    "10 questions about 18 tagged figures; left out: 3 in words, dashes or blank, 1 with "
    "dimensions, such as segments, 1 of other units or without a period, 1 that repeat another, 2 "
    "whose question has several answers"
)


def prepare(folder: Path, **filings: str) -> Prepared:
    docs = folder / "docs"
    docs.mkdir()
    for name, html in filings.items():
        (docs / f"{name}.html").write_text(html, encoding="utf-8")
    options = Options(out=folder / "c", chunk_tokens=64)
    return prepare_dataset("custom", documents=docs, xbrl="questions", options=options)


def answers(prepared: Prepared) -> dict[str, str]:
    samples = json_dataset(str(prepared.folder / "samples.jsonl"))
    return {str(sample.input)[5:-1]: str(sample.target) for sample in samples}


def test_xbrl_questions_have_evidence_at_tagged_figure(tmp_path: Path) -> None:
    prepared = prepare(tmp_path, a=FILING.read_text(encoding="utf-8"))
    assert answers(prepared) == ASKED
    assert [str(note) for note in prepared.skipped] == [f"inline XBRL {LEFT_OUT}"]
    corpus = Corpus.open(prepared.folder)
    for sample in json_dataset(str(prepared.folder / "samples.jsonl")):
        metadata = sample.metadata or {}
        (evidence,), (gold,) = metadata["evidence"], metadata["gold_chunk_ids"]
        assert evidence in corpus.chunk(gold).text
        figure = str(sample.target).lstrip("-")
        assert figure in evidence or (figure == "1,250.5" and "1.250,5" in evidence)


def test_read_tagged_returns_same_text_as_read_text(tmp_path: Path) -> None:
    tagged = read_tagged(FILING)
    assert tagged.text == read_text(FILING).text
    printed = [
        figure for figure in tagged.figures if any(map(str.isdigit, str(figure.printed or "")))
    ]
    assert all(figure.offset is not None for figure in printed)


def test_xbrl_question_is_dropped_when_filings_disagree(tmp_path: Path) -> None:
    first = FILING.read_text(encoding="utf-8")
    restated = first.replace(">1,188.0<", ">1,190.0<").replace(">21.5<", ">21.6<")
    answer_by_question = answers(prepare(tmp_path, a=first, b=restated))
    missing = ("March 31, 2024, in millions of US dollars", "in percent")
    assert answer_by_question == {
        question: answer
        for question, answer in ASKED.items()
        if not (question.endswith(missing) and ("revenue" in question or "tax" in question))
    }


def test_xbrl_questions_are_limited_to_forty_per_filing(tmp_path: Path) -> None:
    row = (
        '<p>Line {0} was <ix:nonFraction name="acme:Line{0}" contextRef="e" '
        'unitRef="usd">{0}</ix:nonFraction>.</p>'
    )
    rows = "".join(row.format(number) for number in range(100, 150))
    html = FILING.read_text(encoding="utf-8").replace("</body>", f"{rows}</body>")
    prepared = prepare(tmp_path, a=html)
    assert len(answers(prepared)) == MOST == 40
    assert "20 beyond 40 of a filing" in prepared.skipped[0].reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"xbrl": "questions"},
            "no figure tagged in inline XBRL can be asked for: 0 questions about 0 tagged figures",
        ),
        ({}, "give one of --questions FILE and --xbrl questions"),
    ],
)
def test_prepare_custom_rejects_missing_xbrl_tags_or_questions(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    (tmp_path / "a.html").write_text("<p>Sales rose to $5 million.</p>")
    with pytest.raises(InputError, match=message):
        prepare_dataset("custom", documents=tmp_path, **arguments)
