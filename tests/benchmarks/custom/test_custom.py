"""Tests of the `custom` benchmark: a user's own documents and questions about them."""

import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.dataset import json_dataset
from inspect_ai.util import registry_info

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.rows import read_rows
from arag_inspect.benchmarks import Options, Prepared, prepare_dataset
from arag_inspect.benchmarks._shared.gold_pages import gold_pages, main_pages
from arag_inspect.benchmarks._shared.question_file import read_question_file
from arag_inspect.benchmarks.custom.reader import read_documents
from arag_inspect.cli._outcomes import print_summary
from arag_inspect.corpus import Chunk, Corpus, Document, Section
from arag_inspect.corpus.chunking import PageStart
from arag_inspect.corpus.documents import isolated
from arag_inspect.corpus.documents.text import SUFFIXES, read_text
from arag_inspect.tasks import custom
from tests.commands import call
from tests.pdfs import write_pdf
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

HTML = """<html><head><title>no</title><script>alert(1)</script></head><body>
<h1>Results</h1><p>Demand for anvils&nbsp;was <b>strong</b> in Ohio.</p>
<table><tr><th></th><th>2020</th><th>2019</th></tr>
<tr><td>Revenue</td><td>$ 40</td><td>$ 50</td></tr></table>
</body></html>"""
QUESTIONS = TABLES["questions"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    (docs / "Reports").mkdir(parents=True)
    (docs / "Reports" / "acme.html").write_text(HTML)
    (docs / "zorg.md").write_text(
        "# Zorg\n\nZorg has been led by Ms. Zorg since 2011.\nIt makes pumps.\n"
    )
    (docs / "notes.txt").write_bytes(b"\xef\xbb\xbfPumps are sold\r\nin Europe.")
    (docs / "latin.txt").write_bytes(b"caf\xe9")
    (docs / "scan.pdf").write_bytes(b"")
    (docs / "logo.png").write_bytes(b"x")
    (docs / ".hidden.txt").write_text("hidden")
    (docs / "questions.csv").write_text(QUESTIONS)
    return docs


def prepare(folder: Path, **options: Any) -> Prepared:
    out = folder.parent / "c"
    return prepare_dataset(
        "custom",
        documents=folder,
        questions=folder / "questions.csv",
        options=Options(out=out, **options),
    )


def test_load_custom_reports_links_not_followed(folder: Path) -> None:
    (folder / "years").symlink_to(folder.parent, target_is_directory=True)
    (folder / "gone.txt").symlink_to(folder / "nothing.txt")
    (folder / "copy.md").symlink_to(folder / "zorg.md")
    prepared = prepare(folder)
    links = [file.name for file in prepared.skipped if "is a link" in file.reason]
    assert links == ["gone.txt", "years"]
    assert "copy.md" in Corpus.open(prepared.folder).doc_ids


def test_question_about_file_of_other_type_is_left_out_and_counted(folder: Path) -> None:
    (folder / "sites.csv").write_text("site,staff\nOslo,12\n")
    with (folder / "questions.csv").open("a") as file:
        file.write("q6,How many work in Oslo?,12,,sites.csv\n")
    prepared = prepare(folder)
    counts = prepared.manifest.counts
    assert (counts["documents_skipped"], counts["questions_left_out"]) == (4, 2)
    assert "sites.csv" in {file.name for file in prepared.skipped}


def test_prepare_custom_builds_documents_questions_and_gold(folder: Path) -> None:
    prepared = prepare(folder)
    corpus = Corpus.open(prepared.folder)
    assert corpus.doc_ids == ["Reports/acme.html", "notes.txt", "zorg.md"]
    acme = corpus.chunk(0)
    assert acme.prefix == "[DOCUMENT: Reports/acme.html]"
    assert "Demand for anvils was strong in Ohio." in acme.text.split("\n")
    assert "Revenue | $ 40 | $ 50" in acme.text.split("\n") and "alert" not in acme.text
    assert corpus.chunk(1).text == "Pumps are sold\nin Europe."
    samples = {s.id: s for s in json_dataset(str(prepared.folder / "samples.jsonl"))}
    assert list(samples) == ["q1", "q2", "q3", "q4"]  # q5's only document was skipped
    assert (samples["q3"].metadata or {})["doc_ids"] == ["zorg.md", "notes.txt"]
    assert (samples["q4"].metadata or {})["doc_ids"] == [] and samples["q4"].target == ""
    gold = json.loads((prepared.folder / "gold_chunk_map.json").read_text())
    assert gold == {"q1": [0], "q2": [0], "q3": [2], "q4": []}
    counts = prepared.manifest.counts
    assert (counts["documents_skipped"], counts["questions_left_out"]) == (3, 1)
    assert (counts["aligned_exact"], counts["aligned_fuzzy"]) == (2, 1)
    assert {file.name: file.reason for file in prepared.skipped} == {
        "logo.png": "is not one of " + ", ".join(suffix[1:] for suffix in SUFFIXES),
        "latin.txt": "is not UTF-8 text; save it as UTF-8",
        "scan.pdf": "is empty (0 bytes)",
    }
    assert prepared.manifest.split == "custom"
    assert set(prepared.manifest.source.inputs) == {"questions.csv", *corpus.doc_ids}


CELLS = [
    ["id", "question", "answer"],
    ["q1", "Why,\nand when – 5 €?", "So, then"],
    ["q2", "Who?", ""],
]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
@pytest.mark.parametrize(
    ("name", "sign", "first"),
    [("q.csv", ",", ""), ("q.csv", ";", "sep=;"), ("q.csv", "|", "sep=|"), ("q.tsv", "\t", "")],
)
@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_question_file_is_read_in_any_encoding_delimiter_and_line_ending(
    tmp_path: Path, name: str, sign: str, first: str, end: str, encoding: str
) -> None:
    if (encoding, end) == ("cp1252", "\r"):
        encoding = "mac_roman"  # Excel for Mac writes this with CR
    lines = [first] * bool(first)
    lines += [sign.join(f'"{cell}"' if len(cell) > 7 else cell for cell in row) for row in CELLS]
    (tmp_path / name).write_bytes((end.join(lines) + end).encode(encoding))
    questions, _ = read_question_file(tmp_path / name)
    assert [(item.text, item.answers) for item in questions] == [
        (CELLS[1][1], ("So, then",)),
        ("Who?", ()),
    ]


@pytest.mark.parametrize(("column", "value", "expected"), TABLES["styles"])
def test_question_file_keeps_known_style_and_no_second_type(
    tmp_path: Path, column: str, value: str, expected: dict[str, str]
) -> None:
    file = tmp_path / "q.csv"
    file.write_text(f"question,answer,{column}\nWhy?,So.,{value}\n")
    (question,), _ = read_question_file(file)
    assert question.extra_metadata == expected


def test_repeated_evidence_lists_gold_copies(tmp_path: Path) -> None:
    docs, questions = tmp_path / "docs", tmp_path / "q.jsonl"
    docs.mkdir()
    sales = "Net sales of Acme were $4,200 million in the year."
    costs = "Cost of sales at Acme rose by 3% to $1,200 million in the year."
    texts = {
        "a.txt": [sales, costs],
        "b.txt": ["Other text stands here.", sales],
        "c.txt": [costs, sales],
    }
    for name, parts in texts.items():
        filler = "The board met in Ohio. It thanked all who came. " * 4
        (docs / name).write_text(f"\n{filler}\n".join(parts))
    rows = [
        {"id": "any", "question": "?", "answer": "1", "evidence": [sales, costs]},
        {"id": "named", "question": "?", "answer": "1", "evidence": [sales],
         "doc_ids": ["b.txt", "c.txt"]},
        {"id": "one", "question": "?", "answer": "1", "evidence": [sales], "doc_ids": ["b.txt"]},
        {"id": "short", "question": "?", "answer": "1", "evidence": ["$4,200 million"]},
    ]  # fmt: skip
    questions.write_text("\n".join(json.dumps(row) for row in rows))
    options = Options(out=tmp_path / "c", chunk_tokens=32)
    prepared = prepare_dataset("custom", documents=docs, questions=questions, options=options)
    corpus = Corpus.open(prepared.folder)
    holders = {
        text: [c for c in range(len(corpus)) if text in corpus.chunk(c).text]
        for text in (sales, costs)
    }
    assert len(holders[sales]) == 3 and len(holders[costs]) == 2
    samples = {s.id: s.metadata or {} for s in json_dataset(str(prepared.folder / "samples.jsonl"))}
    assert samples["any"]["gold_chunk_ids"] == sorted(ids[0] for ids in holders.values())
    assert samples["any"]["gold_copies"] == {str(ids[0]): ids[1:] for ids in holders.values()}
    assert samples["named"]["gold_copies"] == {str(holders[sales][1]): holders[sales][2:]}
    assert "gold_copies" not in samples["one"] and "gold_copies" not in samples["short"]


@pytest.mark.parametrize(("questions", "message"), TABLES["faulty question files"])
def test_load_custom_rejects_faulty_question_files(
    folder: Path, questions: str, message: str
) -> None:
    (folder / "questions.csv").write_text(questions)
    with pytest.raises(InputError, match=message) as raised:
        read_documents(folder, folder / "questions.csv")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["answer", "exe_ans", "weight"])
@pytest.mark.parametrize(
    "value", ["Infinity", "-Infinity", "[1, -Infinity]", "[NaN]", '[{"a": [1e999]}]']
)
def test_load_custom_rejects_numbers_that_are_not_finite(
    folder: Path, name: str, value: str
) -> None:
    path = folder / "q.jsonl"
    path.write_text(f'{{"id": 1, "question": "q", "answer": "5", "{name}": {value}}}\n')
    with pytest.raises(InputError, match=rf"q.jsonl, row 1: {name}: must be a finite number"):
        read_documents(folder, path)


@pytest.mark.parametrize("value", ["NaN", "[1, 2.5]", "[]", '"Infinity"'])
def test_load_custom_reads_finite_numbers_and_empty_cells(folder: Path, value: str) -> None:
    path = folder / "q.jsonl"
    path.write_text(f'{{"id": 1, "question": "q", "answer": "5", "weight": {value}}}\n')
    assert [question.text for question in read_documents(folder, path).questions] == ["q"]


def test_load_custom_rejects_infinite_weight_in_rubric_of_table(folder: Path) -> None:
    path = folder / "q.csv"
    path.write_text('question,rubric\nq,"[{""criterion"": ""a"", ""weight"": Infinity}]"\n')
    with pytest.raises(InputError, match=r"q.csv, row 1: rubric: must be a finite number, got inf"):
        read_documents(folder, path)


DEEP = '{"id": "b", "question": "q", "answer": ' + "[" * 200_000 + "]" * 200_000 + "}"
RIGHT = '{"id": "a", "question": "q", "answer": "x"}'


@pytest.mark.parametrize("form", ["%s\n%s\n", "[%s, %s]"], ids=["lines", "list"])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        (DEEP, "lists and objects are nested more than 100 deep"),
        (DEEP.replace("[" * 199_850, "").replace("]" * 199_850, ""), "more than 100 deep"),
        (
            f'{{"id": {"9" * 5000}, "question": "q"}}',
            "Exceeds the limit",
        ),
    ],
    ids=["deep", "less deep", "long number"],
)
def test_question_file_rejects_deep_nesting_and_overlong_numbers(
    tmp_path: Path, form: str, row: str, message: str
) -> None:
    questions = tmp_path / "q.json"
    questions.write_text(form % (RIGHT, row))
    with pytest.raises(InputError, match=rf"q.json is damaged after row [01] \(.*{message}"):
        read_question_file(questions)


def test_question_file_rejects_lone_surrogate(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "\\ud800", "question": "q"}')
    with pytest.raises(InputError, match=r"damaged after row 0 \(text contains a lone surrogate"):
        read_question_file(tmp_path / "q.jsonl")


@pytest.mark.parametrize("text", ["[]", " [ \n ]\n", "\n"])
def test_question_file_without_rows_is_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "q.json").write_text(text)
    with pytest.raises(InputError, match="q.json has no rows"):
        read_question_file(tmp_path / "q.json")


def test_read_rows_streams_json_list_longer_than_buffer(tmp_path: Path) -> None:
    rows = [
        {"id": n, "question": "é" * (n * 997 % 90_000), "answer": [str(n)]} for n in range(1, 60)
    ]
    path = tmp_path / "q.json"
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=3), encoding="utf-8-sig")
    assert [row.values for row in read_rows(path)] == rows
    path.write_text(path.read_text(encoding="utf-8-sig") + " {}")
    with pytest.raises(InputError, match="after row 59 .there is text after the list"):
        list(read_rows(path))


def test_load_custom_skips_file_with_non_utf8_name(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff.txt")).write_text("Pumps.")
    skipped = read_documents(folder, folder / "questions.csv").skipped
    assert {file.name: file.reason for file in skipped}[
        "\\xff.txt"
    ] == "has a name that is not UTF-8"


def test_load_custom_rejects_ambiguous_document_name(folder: Path) -> None:
    shutil.copy(folder / "notes.txt", folder / "Reports" / "notes.md")
    with pytest.raises(
        InputError, match="document 'notes' is ambiguous: Reports/notes.md or notes.txt"
    ):
        (folder / "questions.csv").write_text("id,question,answer,doc_ids\nq,?,!,notes\n")
        read_documents(folder, folder / "questions.csv")


def test_document_names_match_across_unicode_forms_and_separators(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    composed, combining = "Soci\u00e9t\u00e9.txt", "Socie\u0301te\u0301.txt"
    for name in (combining, "sub\\f.txt", "\u30ac.txt", "\u30ab\u3099.txt"):
        (tmp_path / "docs" / name).write_text(f"Text of {name}.")
    questions = tmp_path / "docs" / "q.json"
    names = [composed, combining, "sub/f", "sub\\f.txt", "\u30ab\u3099"]
    questions.write_text(
        json.dumps(
            [{"id": n, "question": "?", "answer": "", "doc_ids": [d]} for n, d in enumerate(names)]
        )
    )
    documents = read_documents(tmp_path / "docs", questions)
    assert [item.doc_ids for item in documents.questions] == [
        (composed,), (composed,), ("sub/f.txt",), ("sub/f.txt",), ("\u30ac.txt",)
    ]  # fmt: skip
    (twin,) = documents.skipped
    assert "has the same name as another file" in twin.reason


def test_load_custom_rejects_missing_or_empty_inputs(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder .*nowhere does not exist"):
        read_documents(tmp_path / "nowhere", folder / "questions.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty has no txt, text, md, .* file"):
        read_documents(tmp_path / "empty", folder / "questions.csv")
    (tmp_path / "empty" / "scan.pdf").write_bytes(b"no pdf")
    (folder / "questions.csv").write_text("id,question,answer\nq,?,!\n")
    with pytest.raises(
        InputError, match=r"none of the 1 documents .* can be read: scan.pdf is not a PDF"
    ):
        read_documents(tmp_path / "empty", folder / "questions.csv")
    with pytest.raises(InputError, match="file .*none.csv does not exist"):
        read_documents(folder, tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("html", "cause"),
    [
        ("<div>" * 5_000 + "text", "is nested too deeply"),
        (
            f"<p {' '.join(f'a{n}=1' for n in range(300_000))}>text</p>",  # quadratic in libxml2
            "the parser did not finish within 1 s",
        ),
        (200_000_000, "has 200 MB, more than the 100 MB of a document"),
        ("<p>\xe9".encode("latin1"), "is not UTF-8 text; save it as UTF-8"),
        (b"<meta charset='undefined'><p>\xe9", "is not UTF-8 text; save it as UTF-8"),
        ("<html></html>", "contains no text"),
    ],
    ids=["deep", "slow", "large", "latin", "charset", "empty"],
)
def test_hostile_html_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, html: str | bytes | int, cause: str
) -> None:
    if "1 s" in cause:
        monkeypatch.setattr(isolated, "SECONDS", 1)
    path = tmp_path / "report.html"
    path.write_bytes(
        html.encode() if isinstance(html, str) else html if isinstance(html, bytes) else b""
    )
    if isinstance(html, int):
        os.truncate(path, html)
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}: {cause}')}$"):
        read_text(path)


def test_read_text_reads_unusual_html_completely(tmp_path: Path) -> None:
    path = tmp_path / "report.htm"
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(30))
    path.write_text(f'<!DOCTYPE html [<!ENTITY e0 "lol">{entities}]><p>Sales of &e30; rose.</p>')
    assert read_text(path)[0].endswith("Sales of &e30; rose.")
    path.write_text("<div>" * 300 + "Sales rose.")
    assert read_text(path)[0] == "Sales rose."
    path.write_text(f"<p>{'x' * 11_000_000}</p><p>Sales rose.</p>")
    assert read_text(path)[0].endswith("Sales rose.")


@pytest.mark.parametrize(
    ("lengths", "page", "gold"),
    [
        ((100, 200), 2, [1]),  # chunk 0 has only its first word
        ((100, 200), 1, [0]),
        ((130, 40, 130), 2, [0, 1]),  # no chunk has its middle there, so those that touch it
        ((130, 40, 130), 3, [1]),
    ],
)
def test_chunk_that_only_touches_a_page_is_not_its_gold(
    lengths: Sequence[int], page: int, gold: list[int]
) -> None:
    starts = [PageStart(sum(lengths[:number]), number) for number in range(len(lengths))]
    text = "".join(chr(ord("a") + n % 26) for n in range(sum(lengths)))
    section = Section("", text, "", pages=tuple(starts))
    cuts = [(0, 150), (150, 300)] if len(lengths) > 2 else [(0, 110), (110, 300)]
    chunks = [
        Chunk(number, "d", "", "", "", "", text[start:end], 1, (),
              section.page_at(start), section.page_at(end - 1))
        for number, (start, end) in enumerate(cuts)
    ]  # fmt: skip
    document = Document("d", "", "", (section,))
    (located,) = gold_pages([page], "d", {"d": chunks}, main_pages(document, chunks))
    assert list(located.chunk_ids) == gold
    whole = gold_pages([2], "d", {"d": chunks})  # without main pages, all that touch it
    assert [item.chunk_ids for item in whole] == [(0, 1)]


def test_prepare_custom_reads_200_page_pdf_and_locates_gold_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    rows = [f"Revenue of segment {page} was $ {page}.5" for page in range(200)]
    write_pdf(
        tmp_path / "docs" / "long.pdf", [f"Segment {n} of A\n{row}" for n, row in enumerate(rows)]
    )
    questions = tmp_path / "q.csv"
    questions.write_text(
        "id,question,answer,evidence,doc_ids,page\n"
        f"q,Revenue of 199?,199.5,{rows[-1]},long,200\n"
        f"first,Revenue of 41?,41.5,,long,42\n"
        f"both,Revenue of 7 and 9?,,,,p. 8; 10\n"
        f"beyond,Revenue of 300?,,,long,301\n"
        "never,Revenue of B?,Not in the documents,,,\n"
    )
    options = Options(out=tmp_path / "c")
    prepared = prepare_dataset(
        "custom", documents=tmp_path / "docs", questions=questions, options=options
    )
    corpus = Corpus.open(prepared.folder)
    text = "\n".join(corpus.chunk(index).text for index in range(len(corpus)))
    assert all(row in text for row in rows)
    lines = (prepared.folder / "samples.jsonl").read_text().splitlines()
    samples = {sample["id"]: sample["metadata"] for sample in map(json.loads, lines)}
    pages_by_name = {"q": [200], "first": [42], "both": [8, 10], "beyond": []}
    for name, pages in pages_by_name.items():
        gold_pages = samples[name].get("gold_pages", [])
        assert [page["page"] for page in gold_pages] == pages
        for page in gold_pages:
            texts = [corpus.chunk(chunk_id).text for chunk_id in page["chunk_ids"]]
            assert page["doc_id"] == "long.pdf"
            assert any(rows[page["page"] - 1] in text for text in texts)
    assert set(samples["q"]["gold_chunk_ids"]) <= set(samples["q"]["gold_pages"][0]["chunk_ids"])
    counts = prepared.manifest.counts
    assert (counts["pages_located"], counts["pages_not_located"]) == (4, 1)
    assert (counts["samples_with_evidence"], counts["samples_without_evidence"]) == (1, 3)
    print_summary(prepared)
    printed = capsys.readouterr().out
    assert "Pages not located:\n  beyond: 301 (not in long.pdf)\n" in printed
    assert "Samples without evidence in the file:\n  first\n  both\n  beyond\n" in printed
    gold = json.loads((prepared.folder / "gold_chunk_map.json").read_text())
    assert {name: ids for name, ids in gold.items() if ids} == {"q": [len(corpus) - 1]}
    assert not prepared.skipped


LONG = "Revenue rose because of higher rates and more loans in the year. " * 20
ITEMS = TABLES["items"].replace("{LONG}", LONG)
INDEXED = TABLES["indexed"].replace("{LONG}", LONG)
BROKEN = '<hr style="page-break-after: always">'.join(
    f"<p>{page}</p>"
    for page in (
        "FORM 10-K</p><p>Acme Corporation",
        INDEXED.partition("Our year")[0].partition("\n")[2].replace("\n", "</p><p>"),
        *(f"{title}</p><p>{LONG}" for title in ("Business", LONG, "Risk Factors", *[LONG] * 3)),
        *(
            f"{title}</p><p>{LONG}"
            for title in ("Management's Discussion and Analysis", LONG, LONG)
        ),
        f"Financial Statements</p><p>{LONG}",
    )
)
"""The index of `INDEXED` on a page with page breaks."""

TAGGED = TABLES["tagged"].replace("{LONG}", LONG)


def test_load_custom_splits_filings_into_sections_and_counts_failures(tmp_path: Path) -> None:
    docs, questions = tmp_path / "docs", tmp_path / "q.csv"
    docs.mkdir()
    files = {"a.txt": ITEMS, "b.txt": INDEXED, "c.html": TAGGED, "e.html": BROKEN}
    files["d.txt"] = f"Acme said in its Form 10-K\nItem 1. Business\n{LONG}\n" * 3
    for name, text in files.items():
        (docs / name).write_text(text)
    pages = [re.sub("</?p>|(?<=year\\.) ", "\n", page) for page in re.split("<hr[^>]*>", BROKEN)]
    write_pdf(docs / "f.pdf", pages)
    questions.write_text("question\nWhat was the loss?\n")
    material = read_documents(docs, questions)
    sections = {
        document.doc_id: [section.title for section in document.sections]
        for document in material.documents
    }
    discussion = "Management's Discussion and Analysis"
    assert sections == {
        "a.txt": ["Cover and Contents", "Business", "Risk Factors", discussion,
                  "Financial Statements"],
        "b.txt": [""],
        "c.html": ["Cover and Contents", "Financial Statements", discussion, "Risk Factors"],
        "d.txt": [""],
        "e.html": ["Cover and Contents", "Business", "Risk Factors", discussion,
                   "Financial Statements"],
        "f.pdf": ["Cover and Contents", "Business", "Risk Factors", discussion,
                  "Financial Statements"],
    }  # fmt: skip
    assert material.counts["filings_without_sections"] == 1
    documents = {document.doc_id: document.sections for document in material.documents}
    last = documents["a.txt"][-1]
    assert last.prefix == "[DOCUMENT: a.txt | SECTION: Financial Statements]"
    assert last.text.endswith("Net loss (1,204) (310)")
    assert (
        documents["e.html"][2].text.startswith("Risk Factors") and not documents["e.html"][2].pages
    )
    assert documents["f.pdf"][2].pages
    assert "Net loss | $(1,204)" in documents["c.html"][1].text.split("\n")


@pytest.mark.parametrize(("row", "target", "parts"), TABLES["answer parts"])
def test_answer_parts_become_reference_only_without_answer(
    tmp_path: Path, row: dict[str, Any], target: list[str], parts: list[str] | None
) -> None:
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([{"question": "Who leads, and how many?", **row}]))
    ((question,), _) = read_question_file(path)
    assert list(question.answers) == target
    assert question.extra_metadata.get("answer_parts") == parts


STRANGE_COLUMNS = """question,answer,Source file,Quote from report,Kind,Deal,Parts
What does Zorg make?,,zorg,Zorg makes pumps.,product,spring,"[""pumps""]"
What does Birch make?,valves,birch.txt,Birch makes valves.,product,autumn,
"""


def test_reading_counts_questions_that_documents_do_not_answer(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("question,answer\nWho?,Ms Zorg\nWhen?,not disclosed\nWhy?,N/A\n")
    (_, reading) = read_question_file(path)
    assert reading[-1] == "2 questions without an answer in the documents (unanswerable)"


@pytest.mark.parametrize(
    ("styles", "reading"),
    [
        (
            ("qa", "qa", "query_focused"),
            (
                'Read question from "question", reference from "answer"; kept as metadata: "topic"',
                '"style" says what to write: qa (2) and query_focused (1)',
            ),
        ),
        (
            ("formal", "plain", ""),
            (
                'Read question from "question", reference from "answer"; '
                'kept as metadata: "topic", "style"',
            ),
        ),
    ],
)
def test_reading_counts_styles_that_decide_what_to_write(
    tmp_path: Path, styles: tuple[str, ...], reading: tuple[str, ...]
) -> None:
    path = tmp_path / "q.csv"
    rows = [f"Question {number}?,Yes,money,{style}" for number, style in enumerate(styles)]
    path.write_text("\n".join(["question,answer,topic,style", *rows]))
    assert read_question_file(path).reading == reading


@pytest.mark.parametrize(
    ("styles", "scorers", "checks_facts"),
    [
        (("qa", "query_focused"), "default", {"geval_coverage", "fact_coverage"}),
        (("", "query_focused"), "no_grader", {"fact_coverage"}),
        (("qa", "qa"), "default", set()),
        (("query_focused", "query_focused"), "default", set()),
    ],
)
def test_summaries_among_questions_are_checked_for_facts_by_default(
    tmp_path: Path, styles: tuple[str, ...], scorers: str, checks_facts: set[str]
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "zorg.txt").write_text("Zorg makes pumps. It sells valves.")
    rows = [f"What about Zorg {number}?,Pumps.,{style}" for number, style in enumerate(styles)]
    (docs / "questions.csv").write_text("\n".join(["question,answer,style", *rows]))
    prepare(docs)
    task = custom(corpus=str(tmp_path / "c"), scorers=scorers)
    names = {registry_info(one).name.rpartition("/")[2] for one in task.scorer or []}
    assert names & {"geval_coverage", "fact_coverage"} == checks_facts
    assert "answer_match" in names


def test_prepare_says_how_columns_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/zorg.txt").write_text("Zorg makes pumps.")
    Path("docs/birch.txt").write_text("Birch makes valves.")
    Path("q.csv").write_text(STRANGE_COLUMNS)
    line = "prepare custom --documents docs --questions q.csv --name mine --force"
    unmapped = call(line, COLUMNS="200").output
    assert unmapped.startswith(
        'Read question from "question", reference from "answer"; kept as metadata: "Source file", '
        '"Quote from report", "Kind", "Deal", "Parts"\n'
        "  if columns hold what their names say: --columns 'documents=Source file'\ndocuments "
    )
    assert "retrieval makes little difference; add documents, or make chunks smaller" in unmapped
    columns = (
        "documents=Source file,evidence=Quote from report,question_type=Kind,group=Deal,"
        "answer_parts=Parts"
    )
    mapped = call(line, "--columns", columns, COLUMNS="200").output
    assert mapped.startswith(
        'Read question from "question", reference from "answer", evidence from "Quote from '
        'report", documents from "Source file", question_type from "Kind", group from "Deal", '
        'answer_parts from "Parts"\ndocuments '
    )
    lines = Path("datasets/mine/samples.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["target"], first["metadata"]["answer_parts"]) == ("pumps", ["pumps"])
    for sample, document, deal in ((first, "zorg.txt", "spring"), (second, "birch.txt", "autumn")):
        metadata = sample["metadata"]
        assert (metadata["doc_ids"], metadata["group"]) == ([document], deal)
        assert metadata["question_type"] == "product" and metadata["gold_chunk_ids"]
