"""Tests of FinQA, FinDER and DocFinQA: from source files to a corpus with gold, and errors."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import Sample, json_dataset

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks._shared.question_file import read_question_file
from arag_inspect.benchmarks._shared.question_set import Question, QuestionSet
from arag_inspect.benchmarks.docfinqa import reader as docfinqa
from arag_inspect.benchmarks.finder import reader as finder
from arag_inspect.benchmarks.finqa import reader as finqa
from arag_inspect.corpus import Chunk, Corpus, Source
from arag_inspect.text.sentences import Span
from tests.benchmarks._shared.sets_source import (
    DOCFINQA,
    FINDER,
    FINQA,
    OTHER,
    finqa_item,
    write_docfinqa,
    write_finder,
    write_finqa,
)
from tests.serving import FileServer, serving
from tests.tables import tables_beside

TABLES = tables_beside(__file__)


def prepare(name: str, out: Path, source: Path, **options: Any) -> Prepared:
    return prepare_dataset(name, source=source, options=Options(out=out / "c", **options))


def samples_of(prepared: Prepared) -> dict[Any, Sample]:
    return {sample.id: sample for sample in json_dataset(str(prepared.folder / "samples.jsonl"))}


def gold_of(prepared: Prepared) -> dict[str, list[int]]:
    return json.loads((prepared.folder / "gold_chunk_map.json").read_text())


def test_prepare_finqa_builds_samples_with_gold(tmp_path: Path) -> None:
    prepared = prepare("finqa", tmp_path, write_finqa(tmp_path / "FinQA"), chunk_tokens=40)
    counts = prepared.manifest.counts
    assert (counts["documents"], counts["samples"], counts["evidence"]) == (2, 3, 4)
    assert (counts["aligned_exact"], counts["unaligned"]) == (4, 0)
    samples, corpus = samples_of(prepared), Corpus.open(prepared.folder)
    change = samples["ZRG/2014/page_31.pdf-1"]
    assert change.input == (
        "In ZRG's 2014 annual report, page 31: what was the percent change in net revenue?"
    )
    assert change.target == "20%" and change.metadata is not None
    assert change.metadata["exe_ans"] == 0.2 and change.metadata["question_type"] == "table"
    assert change.metadata["evidence"] == ["net revenue | 2014: $ 120 | 2013: $ 100"]
    interest = samples["ZRG/2014/page_31.pdf-2"]
    assert interest.target == "12.5" and interest.metadata is not None
    assert interest.metadata["question_type"] == "table_and_text"
    gold = gold_of(prepared)
    for name, sample in samples.items():  # each gold chunk holds evidence, and none is missing
        texts = [corpus.chunk(chunk_id).text for chunk_id in gold[str(name)]]
        evidence = (sample.metadata or {})["evidence"]
        assert all(any(passage in text for text in texts) for passage in evidence)
        assert all(any(passage in text for passage in evidence) for text in texts)
    chunk = corpus.chunk(gold["ZRG/2014/page_31.pdf-1"][0])
    assert chunk.prefix == "[COMPANY: ZRG | TYPE: ANNUAL_REPORT | PERIOD: FY_2014 | PAGE: 31]"
    texts = [corpus.chunk(index).text for index in range(len(corpus))]
    assert any("operating expenses | 2014: 80 | 2013: ( 70 )" in text for text in texts)
    assert prepared.manifest.source.commit is None  # a local copy of an unknown revision


def test_finqa_page_with_two_texts_becomes_two_documents(tmp_path: Path) -> None:
    changed = {**OTHER, "post_text": ["the plant made hammers ."]}
    items = [*FINQA, finqa_item(2, changed, question="q?", exe_ans=1, gold_inds={})]
    question_set = finqa.read_finqa(source=write_finqa(tmp_path, items))
    assert [question.doc_ids for question in question_set.questions[2:]] == [
        ("ACM/2015/page_7.pdf",),
        ("ACM/2015/page_7.pdf#2",),
    ]
    limited = finqa.read_finqa(source=tmp_path / "dataset" / "test.json", limit=2)
    assert len(limited.questions) == 2 and len(list(limited.documents)) == 1


def test_prepare_finder_builds_samples_with_gold(tmp_path: Path) -> None:
    prepared = prepare("finder", tmp_path, write_finder(tmp_path / "train.parquet"))
    counts = prepared.manifest.counts
    assert (counts["documents"], counts["samples"], counts["samples_without_answer"]) == (3, 3, 1)
    assert (counts["aligned_exact"], counts["evidence"]) == (4, 4)
    assert gold_of(prepared) == {"a1": [0, 1], "a2": [2], "a3": [1]}
    samples = samples_of(prepared)
    assert samples["a2"].metadata is not None
    assert samples["a2"].metadata["question_reasoning"] == "Subtraction"
    assert samples["a2"].metadata["question_type"] == "Financials"
    assert samples["a3"].target == ""
    assert prepared.manifest.source.commit is None  # not the pinned file


def test_finder_passage_spanning_chunks_makes_every_chunk_gold(tmp_path: Path) -> None:
    passage = " ".join(f"Segment number {n} of the company sold {n * 11} pumps." for n in range(30))
    rows = [{**FINDER[0], "references": [passage]}, FINDER[1]]
    source = write_finder(tmp_path / "train.parquet", rows)
    prepared = prepare("finder", tmp_path, source, chunk_tokens=64)
    first = Corpus.open(prepared.folder).doc_ids[0]
    chunks = Corpus.open(prepared.folder).document_chunks([first])
    assert len(chunks) > 4 and gold_of(prepared)["a1"] == [chunk.chunk_id for chunk in chunks]
    assert prepared.manifest.counts["aligned_exact"] == 2


def test_prepare_docfinqa_merges_repeated_questions_and_shared_documents(tmp_path: Path) -> None:
    source = write_docfinqa(tmp_path / "test.json")
    prepared = prepare("docfinqa", tmp_path, source, chunk_tokens=128)
    counts = prepared.manifest.counts
    assert (counts["documents"], counts["samples"], counts["repeated_questions"]) == (2, 3, 1)
    first, second, third = samples_of(prepared).values()
    assert first.target == "35" and second.target == "yes" and third.target == "40"
    assert (first.metadata or {})["doc_ids"] == (second.metadata or {})["doc_ids"]
    assert (second.metadata or {})["question_type"] == "yes_no"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda items: items[1].pop("filename"),
         r"dataset/test.json, row 2: filename: Field required"),
        (lambda items: items[0]["qa"].update(exe_ans="much"),
         r"row 1: qa.exe_ans: Input should be a valid number"),
        (lambda items: items[0]["qa"].update(exe_ans="nan"),
         r"row 1: qa.exe_ans: must be a finite number, got nan"),
        (lambda items: items[0]["qa"].pop("question"), r"row 1: qa.question: Field required"),
        (lambda items: items[0].update(qa=None), r"row 1: qa: Input should be a valid dictionary"),
        (lambda items: items[0].update(table="none"),
         r"row 1: table: Input should be a valid list"),
        (lambda items: items.insert(0, "text"),
         r"row 1: expected an object with named values, got 'text'"),
        (lambda items: items.clear(), r"dataset/test.json has no rows"),
    ],
)  # fmt: skip
def test_load_finqa_rejects_faulty_rows(tmp_path: Path, change: Any, message: str) -> None:
    items = json.loads(json.dumps(FINQA))
    change(items)
    with pytest.raises(InputError, match=message) as raised:
        finqa.read_finqa(source=write_finqa(tmp_path, items))
    assert "\n" not in str(raised.value)


BARE = [{key: value for key, value in row.items() if key != "references"} for row in FINDER]


@pytest.mark.parametrize(
    ("read", "write", "name", "message"),
    [
        (finder.read_finder, lambda path: write_finder(path, BARE), "a.parquet",
         "row 1: references: Field required"),
        (docfinqa.read_docfinqa,
         lambda path: write_docfinqa(path, [{"Context": "a", "Question": "b"}]), "b.json",
         "row 1: Answer: Field required; it has Context, Question"),
        (docfinqa.read_docfinqa, lambda path: path.write_text(json.dumps(DOCFINQA)[:-20]), "c.json",
         r"c.json is damaged after row 3 \("),
        (finder.read_finder, lambda path: path.write_bytes(b"PAR1 nothing"), "d.parquet",
         "d.parquet is damaged after row 0"),
        (finder.read_finder, lambda path: path.mkdir(), "e",
         "train-00000-of-00001.parquet is missing; --source is"),
    ],
)  # fmt: skip
def test_finder_and_docfinqa_readers_reject_faulty_rows(
    tmp_path: Path, read: Any, write: Any, name: str, message: str
) -> None:
    write(tmp_path / name)
    with pytest.raises(InputError, match=message):
        read(source=tmp_path / name)


def test_load_finqa_downloads_again_after_damaged_file(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.dumps(FINQA).encode()
    server = FileServer(whole[:-20])
    with serving(server) as url:
        monkeypatch.setattr(finqa, "FILES", url)
        with pytest.raises(InputError, match="is damaged after row"):
            finqa.read_finqa()
        server.content = whole
        assert finqa.read_finqa().questions


def test_docfinqa_json_lines_and_finder_json_with_bom_are_read(tmp_path: Path) -> None:
    lines = tmp_path / "test.jsonl"
    lines.write_text("\n".join(json.dumps(row) for row in DOCFINQA) + "\n\n")
    assert len(docfinqa.read_docfinqa(source=lines).questions) == 3
    marked = tmp_path / "test.json"
    marked.write_bytes(b"\xef\xbb\xbf" + json.dumps(FINDER).encode())
    assert len(finder.read_finder(source=marked, limit=1).questions) == 1


ROWS = [
    "2024 | 2023 | 2022",
    "Products | $294,866 | $298,085 | $316,199",
    "Services | 96,169 | 85,200 | 78,129",
    "Total net sales | $391,035 | 2% | $383,285 | (3)% | $394,328",
]


@pytest.mark.parametrize(("evidence", "chunk_ids"), TABLES["located"])
def test_evidence_copied_from_table_is_located_in_chunks(
    evidence: str, chunk_ids: list[int]
) -> None:
    texts = ["Sales of the year.", "\n".join(ROWS[:3]), ROWS[3]]
    assert list(chunks_with(evidence, [texts])) == chunk_ids


def chunks_with(evidence: str, documents: list[list[str]]) -> tuple[int, ...]:
    """Return the ids of the chunks that hold an evidence text, given each document's chunks."""
    numbers = count()
    chunks = {
        str(name): [
            Chunk(next(numbers), str(name), "", "", "", "", text, 9, (Span(0, len(text)),))
            for text in texts
        ]
        for name, texts in enumerate(documents)
    }
    question = Question("q", "?", ("x",), (), (evidence,))
    extras = QuestionSet([], [question], Source()).annotate(chunks, "custom", "c")
    (alignment,) = json.loads("".join(extras.files["alignment.json"]))["q"]
    return tuple(alignment["chunk_ids"])


def test_evidence_is_located_among_many_documents() -> None:
    documents = [
        [f"Company {n} sold {n * 13} pumps in the year. It has offices in many towns."]
        for n in range(120)
    ]
    assert chunks_with("Company 78 sold 1014 pumps in the year.", documents) == (78,)


DOCUMENTS = ("a.txt", "b.txt", "a;b.txt", "c.txt", "d.txt", "e.txt")


@pytest.mark.parametrize(("fields", "answers", "doc_ids"), TABLES["json lists"])
def test_question_file_parses_json_lists_within_strings(
    tmp_path: Path, fields: dict[str, object], answers: list[str], doc_ids: list[str]
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"id": 1, "question": "?", **fields}))
    (question,), _ = read_question_file(path, DOCUMENTS)
    assert [*map(list, (question.answers, question.doc_ids))] == [answers, doc_ids]


def test_unknown_doc_id_is_rejected_with_first_known_documents(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": 1, "question": "?", "doc_ids": "z.txt"}')
    with pytest.raises(InputError, match=r"choose from a.txt, .*, d.txt, \.\.\.$"):
        read_question_file(path, DOCUMENTS)


def test_samples_with_one_id_are_not_written() -> None:
    questions = [Question("q", "Why?", ()), Question("q", "Who?", ())]
    with pytest.raises(InputError, match="2 samples have the id 'q'"):
        QuestionSet([], questions, Source()).annotate({}, "custom", "c")
