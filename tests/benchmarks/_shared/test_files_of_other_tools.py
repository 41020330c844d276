"""Tests of importing other tools' question sets, results and traces.

`exports` has one file per format, and `expected.yaml` describes their contents. All ask the same
three questions, so everything that is read must be among the texts below.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.bounds import CELLS
from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks._shared.other_tools.columns import Use
from arag_inspect.benchmarks._shared.other_tools.record import Record
from arag_inspect.benchmarks._shared.other_tools.records import Records, read_records
from arag_inspect.benchmarks._shared.other_tools.results import read_results
from arag_inspect.corpus.documents import isolated
from arag_inspect.types.calls import to_calls
from arag_inspect.types.trace import Passage, Search
from tests.commands import call
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

EXPORTS = Path(__file__).parent / "exports"
EXPECTED: dict[str, dict[str, Any]] = tables_beside(__file__, "exports/expected.yaml")

ASKED = ("What did Quarrix earn in 2025?", "Who audits Quarrix?", "What did Quarrix pay in 1951?")
GOLD = ("It earned €12.5 million.", "Marn & Toll.", "Not answerable from the provided documents.")
SAID = ("€12.5 million", 'It\'s "Marn" & Toll', "")
READ = (
    "Profit was €12.5 million,\nafter 'tax'.",
    'The "auditor" is Marn & Toll.',
    "[Note 3] Fees of 2.",
)


def table(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return a CSV with the given columns."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def read(path: Path, text: str, use: Use, columns: str = "") -> Records:
    path.write_text(text, encoding="utf-8")
    return read_records(path, use=use, columns=columns)


def summary_of(records: Records) -> dict[str, Any]:
    items, first = records.items, records.items[0]
    sums: dict[str, float] = {}
    for item in items:
        for origin, scores in item.scores.items():
            for name, value in scores.items():
                key = f"{origin}.{name}"
                sums[key] = round(sums.get(key, 0) + (value or 0), 9)
    return {
        "references": sum(bool(item.references) for item in items),
        "unanswerable": sum(item.is_unanswerable for item in items),
        "answers": sum(bool(item.answer) for item in items),
        "passages": sum(len(item.passages) for item in items),
        "evidence": sum(len(item.evidence) for item in items),
        "documents": sum(len(item.documents) for item in items),
        "systems": sorted({item.system for item in items}),
        "made": sum(item.record_id.startswith("q-") for item in items),
        "effort": [first.input_tokens, first.output_tokens, first.cost_usd, first.latency_ms],
        "metadata": sorted({name for item in items for name in item.metadata}),
        "scores": sums,
        "notes": "; ".join(records.notes),
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_read_records_reads_files_of_other_tools(name: str) -> None:
    expected = dict(EXPECTED[name])
    use, columns = expected.pop("use"), expected.pop("columns", "")
    records = read_records(EXPORTS / name, use=use, columns=columns)
    contents = summary_of(records)
    assert {key: contents[key] for key in expected} == expected
    assert {item.question for item in records.items} <= {*ASKED}
    assert {item.answer for item in records.items if item.answer} <= {*SAID, *GOLD}
    assert {text for item in records.items for text in (*item.passages, *item.evidence)} <= {*READ}


def test_every_export_file_has_expected_contents_listed() -> None:
    files = {path.name for path in EXPORTS.iterdir() if path.name != "expected.yaml"}
    assert files == EXPECTED.keys()


def test_read_records_reads_ragas_parquet(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(EXPORTS / "ragas.csv")
    frame.assign(faithfulness=[1.0, None, 0.5]).to_parquet(tmp_path / "ragas.parquet")
    records = read_records(tmp_path / "ragas.parquet", use="results")
    contents = summary_of(records)
    counts = ("references", "unanswerable", "answers", "passages")
    assert [contents[name] for name in counts] == [3, 1, 2, 3]
    assert records.items[1].scores["ragas"]["faithfulness"] is None


def test_overlong_metadata_value_is_dropped_and_reported(tmp_path: Path) -> None:
    long = {"category": ["x" * 2001] * 3, "remark": ["y" * 2001] * 3}
    text = table({"question": ASKED, "answer": GOLD, **long})
    records = read(tmp_path / "long.csv", text, "questions")
    assert [item.metadata for item in records.items] == [{}, {}, {}]
    assert records.notes == ("not used: remark",)


DEEP = '{"rows": ' + "[" * 500 + "]" * 500 + "}"


@pytest.mark.parametrize(
    ("name", "text", "use", "columns", "message"),
    [
        *TABLES["rejected"],
        (
            "f.json",
            DEEP,
            "questions",
            "",
            "f.json is damaged after row 0 (lists and objects are nested more than 100 deep)",
        ),
        (
            "j.jsonl",
            json.dumps({"question": "q", "contexts": ["x"] * 1001}),
            "results",
            "",
            "j.jsonl, row 1: passages: has more than 1,000 passages",
        ),
    ],
)
def test_read_records_rejects_unrecognized_file_in_one_line(
    tmp_path: Path, name: str, text: str, use: Use, columns: str, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path / name, text, use, columns)
    assert raised.value.message.startswith(message) and "\n" not in raised.value.message


def test_split_selects_rows_and_unknown_split_lists_choices() -> None:
    path = EXPORTS / "project.json"
    records = read_records(path, use="results", split="holdout")
    assert [item.record_id for item in records.items] == ["p1", "p2"]
    assert records.notes == ("left out: 1 row of a split other than holdout",)
    with pytest.raises(InputError, match="project.json has no split 'test'; it has dev, holdout"):
        read_records(path, use="results", split="test")


def test_generated_ids_are_stable_when_rows_are_added_and_duplicates_reported(
    tmp_path: Path,
) -> None:
    before = read(tmp_path / "a.csv", table({"question": ASKED, "answer": GOLD}), "questions")
    more = [*ASKED, ASKED[0], f" {ASKED[1]} ", "New?"]
    gold = [*GOLD, "It lost money.", GOLD[1], "Yes."]
    after = read(tmp_path / "b.csv", table({"question": more, "answer": gold}), "questions")
    assert [item.record_id for item in after.items[:3]] == [item.record_id for item in before.items]
    assert [item.references[0] for item in after.items] == [*GOLD, "It lost money.", "Yes."]
    assert len({item.record_id for item in after.items}) == 5
    assert [*after.notes_on()] == ["left out: 1 row with a repeated question (row 5)"]


def test_question_set_of_several_systems_has_each_question_once(tmp_path: Path) -> None:
    runs = [
        {"system": system, "question": question, "reference": gold, "answer": system}
        for system in ("v1", "v2") for question, gold in zip(ASKED, GOLD, strict=True)
    ]  # fmt: skip
    numbered = [{"id": ASKED.index(run["question"]), **run} for run in runs]
    by_session = [{"session_id": run["system"], **run, "system": ""} for run in runs]
    for rows in (runs, numbered, by_session):
        records = read(tmp_path / "r.json", json.dumps(rows), "questions")
        assert [item.question for item in records.items] == [*ASKED]
        assert next(records.notes_on()).startswith("left out: 3 rows with a repeated question")
    numbered[3]["reference"] = "Another."
    with pytest.raises(InputError, match="row 4: id '0' occurs twice, first in r.json, row 1"):
        read(tmp_path / "r.json", json.dumps(numbered), "questions")


def test_ids_that_systems_do_not_share_are_replaced_by_questions(tmp_path: Path) -> None:
    rows = [
        {"id": f"t{system}{number}", "session_id": system, "question": question, "answer": "So."}
        for system in ("v1", "v2") for number, question in enumerate((*ASKED, ASKED[0]))
    ]  # fmt: skip
    records = read(tmp_path / "r.json", json.dumps(rows), "results")
    first, second = ([i for i in records.items if i.session == name] for name in ("v1", "v2"))
    assert [item.record_id for item in first] == [item.record_id for item in second]
    assert first[0].metadata["run_id"] == "tv10" and len(records.items) == 6
    assert [*records.notes_on("v2")] == ["left out: 1 row with a repeated question (row 8)"]
    shared = [{**row, "id": row["question"]} for row in rows]
    records = read(tmp_path / "r.json", json.dumps(shared), "results")
    assert records.items[0].record_id == ASKED[0] and not records.notes


@pytest.mark.parametrize(
    ("cells", "read_nothing", "note"),
    [
        (("['A']", "[]", "[]"), [False, True, True], []),
        (("['A']", "[]", ""), [False, True, False],
         ["passages: empty in 1 row, so it is unknown what was read there"]),
        (("[]", "[]", ""), [False] * 3,
         ["passages: empty in all rows, so it is unknown what was read"]),
        (("", "", ""), [False] * 3,
         ["passages: empty in all rows, so it is unknown what was read"]),
    ],
)  # fmt: skip
def test_empty_list_of_passages_means_that_nothing_was_read(
    tmp_path: Path, cells: tuple[str, ...], read_nothing: list[bool], note: list[str]
) -> None:
    text = table({"question": ASKED, "answer": ["So."] * 3, "contexts": cells})
    (tmp_path / "r.csv").write_text(text)
    records = read_results(tmp_path / "r.csv", "", "")
    assert [item.has_read_nothing for item in records.items] == read_nothing
    assert [*records.notes_on()] == note
    assert not [*_results(tmp_path, {}).notes_on()]  # without a column there is nothing to say


_CALLS = [
    call._asdict()
    for call in to_calls(
        [Search("keyword_search", "profit", [4, 7], [2.0, 1.0], loop=1)],
        [Passage(4, text=READ[0], loop=2), Passage(7, prefix="[Q3]", text=READ[1], loop=2)],
    )
]
"""A search and the reading of two chunks, as `predictions.jsonl` has them."""

_CALL_OF_ARAG = {**_CALLS[1], "passages": None}
"""Reading without the boundaries of chunks."""


@pytest.mark.parametrize(
    ("trace", "passages", "has_read_nothing"),
    [
        (_CALLS, READ[:2], False),
        ([_CALL_OF_ARAG], (f"{READ[0]}\n\n[Q3]\n{READ[1]}",), False),
        (_CALLS[:1], (), True),
        ([], (), False),
        ([{"step": "retrieve", "output": "found"}], (), False),
        ([{**_CALLS[1], "loop": float("inf")}], (), False),
        (["retrieve"], (), False),
    ],
)
def test_passages_of_exported_predictions_are_those_that_tool_calls_read(
    tmp_path: Path, trace: list[Any], passages: tuple[str, ...], has_read_nothing: bool
) -> None:
    rows = [
        {"id": name, "question": question, "predicted": "So.", "trace": calls}
        for name, question, calls in (("a", ASKED[0], trace), ("b", ASKED[1], _CALLS))
    ]
    file = tmp_path / "predictions.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    records = read_results(file, "", "")
    assert records.items[0].passages == tuple(text.strip() for text in passages)
    assert records.items[0].has_read_nothing == has_read_nothing
    assert records.items[1].passages == READ[:2]


def _results(tmp_path: Path, more: Mapping[str, Sequence[Any]], columns: str = "") -> Records:
    path = tmp_path / "results.csv"
    text = table({"question": ASKED, "answer": SAID, "reference": GOLD, **more})
    path.write_text(text, encoding="utf-8")
    return read_records(path, use="results", columns=columns)


@pytest.mark.parametrize(("role", "column"), [("company", "Firma"), ("period", "Jahr")])
def test_company_and_period_may_have_any_column(tmp_path: Path, role: str, column: str) -> None:
    values = {column: ("Arbol", "Brask", "")}
    mapped = _results(tmp_path, values, f"{role}={column}")
    assert [record.metadata.get(role) for record in mapped.items] == ["Arbol", "Brask", None]
    unmapped = _results(tmp_path, values)
    assert unmapped.items[0].metadata == {column: "Arbol"}
    titled = _results(tmp_path, {role.title(): ("Arbol", "Brask", "")})
    assert titled.items[0].metadata == {role: "Arbol"}


def test_results_without_reference_say_how_to_name_its_column(tmp_path: Path) -> None:
    text = table({"question": ASKED, "answer": SAID, "soll": GOLD})
    advice = "no column is known to hold the reference; if one does: --columns reference=COLUMN"
    assert advice in read(tmp_path / "r.csv", text, "results").notes
    assert advice not in read(tmp_path / "r.csv", text, "results", "reference=soll").notes


@pytest.mark.parametrize(
    ("column", "role"),
    [("Quotation", "evidence"), ("Zitat", "evidence"), ("File", "documents"), ("Seite", "page")],
)
def test_questions_say_which_columns_may_have_a_role(
    tmp_path: Path, column: str, role: str
) -> None:
    text = table({"question": ASKED, "answer": GOLD, column: SAID})
    advice = f"if columns hold what their names say: --columns {role}={column}"
    assert advice in read(tmp_path / "q.csv", text, "questions").notes
    assert advice not in read(tmp_path / "q.csv", text, "results").notes


@pytest.mark.parametrize("name", ["expected_output", "reference_answer", "ground_truth"])
def test_reference_of_trace_is_read_from_its_metadata(tmp_path: Path, name: str) -> None:
    trace = {"id": "t", "input": "Why?", "output": "So.", "metadata": {name: "So."}}
    (record,) = read_json(tmp_path / "t.json", [{**trace, "observations": []}])
    assert record.references == ("So.",) and name not in record.metadata


@pytest.mark.parametrize("name", ["context", "documents"])
def test_passages_in_metadata_of_promptfoo_response_are_read(tmp_path: Path, name: str) -> None:
    row = {
        "vars": {"question": "Why?", "context": "Not read."},
        "response": {"output": "So.", "metadata": {name: ["First.", "Second."]}},
    }
    (record,) = read_json(tmp_path / "r.json", {"results": {"results": [row]}})
    assert record.passages == ("First.", "Second.")


@pytest.mark.parametrize("name", ["latency", "Duration", "responseTime"])
def test_latency_without_unit_is_metadata_until_mapped_to_unit(tmp_path: Path, name: str) -> None:
    records = _results(tmp_path, {name: (1.5, 2, 3)})
    assert records.items[0].latency_ms is None
    assert records.notes == (
        f"{name} has no unit and is metadata; "
        f"name it: --columns latency_s={name} or latency_ms={name}",
    )
    mapped = _results(tmp_path, {name: (1.5, 2, 3)}, f"latency_s={name}")
    assert [record.latency_ms for record in mapped.items] == [1500, 2000, 3000]
    assert (mapped.notes, mapped.items[0].metadata) == ((), {})


@pytest.mark.parametrize(
    ("written", "score"), [("80%", 0.8), ("12.5 %", 0.125), ("99,5%", 0.995), ("0,75", 0.75)]
)
def test_percent_score_is_converted_to_fraction(tmp_path: Path, written: str, score: float) -> None:
    records = _results(tmp_path, {"faithfulness": (written, "", "100%")})
    scores = [record.scores["ragas"]["faithfulness"] for record in records.items]
    assert scores == [pytest.approx(score), None, 1.0]


def test_evidence_of_unanswerable_question_is_metadata_not_gold(tmp_path: Path) -> None:
    cells = {"question": ASKED, "answer": GOLD, "evidence_text": ("A", "B", "C")}
    records = read(tmp_path / "q.csv", table(cells), "questions")
    assert [item.evidence for item in records.items] == [("A",), ("B",), ()]
    assert records.items[2].metadata == {"evidence_text": ["C"]}


@pytest.mark.parametrize(("reference", "expected"), TABLES["unanswerable"])
def test_no_answer_reference_marks_question_unanswerable(
    tmp_path: Path, reference: str, expected: bool
) -> None:
    text = json.dumps([{"question": "q", "reference": reference}])
    (item,) = read(tmp_path / "q.json", text, "questions").items
    assert item.is_unanswerable is expected and item.references == (reference,)


@pytest.mark.parametrize(
    ("column", "value", "columns", "is_unanswerable"),
    [
        ("is_impossible", "VRAI", "", True),
        ("is_impossible", "WAHR", "", True),
        ("is_impossible", "FAUX", "", False),
        ("answerable", "FALSO", "", True),
        ("Sans issue", "vrai", "is_impossible=Sans issue", True),
        ("Sans issue", "faux", "is_impossible=Sans issue", False),
        ("Sans issue", "vrai", "", False),
        ("Typ", "Nicht beantwortbar", "question_type=Typ", True),
        ("category", "sans réponse", "", True),
        ("category", "unknown", "", False),
    ],
)
def test_column_marks_questions_as_unanswerable(
    tmp_path: Path, column: str, value: str, columns: str, is_unanswerable: bool
) -> None:
    text = table({"question": ["Why?"], "answer": ["So."], column: [value]})
    (record,) = read(tmp_path / "q.csv", text, "questions", columns).items
    assert record.is_unanswerable == is_unanswerable


@pytest.mark.parametrize(("column", "value", "pages", "note"), TABLES["pages"])
def test_evidence_pages_are_parsed_from_page_columns(
    tmp_path: Path, column: str, value: object, pages: list[int], note: str
) -> None:
    rows = [{"question": "Why?", column: value}, {"question": "Who?", column: None}]
    records = read(tmp_path / "q.json", json.dumps(rows), "questions")
    assert [list(item.pages) for item in records.items] == [pages, []]
    assert "; ".join(records.notes) == note


def write_workbook(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    """Write an Excel file whose first sheet is hidden and whose second sheet contains the rows."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["a hidden sheet"])
    book.active.sheet_state = "hidden"
    sheet = book.create_sheet("questions")
    for row in rows:
        sheet.append(row)
    for cell in sheet["B"][1:]:
        cell.number_format = "0.0%"
    sheet["H1"].number_format = "0%"  # a cell with a format and no value
    book.create_sheet("notes").append(["not read"])
    book.active = 1
    book.save(path)
    return path


def test_question_set_in_excel_is_read_like_csv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[list[Any]] = [
        ["question", "answer", "Source file", "Year"],
        ["What was the\nmargin of Zorg?", 0.125, "zorg.txt", 2023],
        [None, None, None, None],
        ["Who leads Zorg?", "N/A", None, None],
    ]
    write_workbook(tmp_path / "q.xlsx", rows)
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/zorg.txt").write_text("The margin of Zorg was 12.5% in 2023.")
    line = "prepare custom --documents docs --questions q.xlsx --name mine"
    shown = call(line, "--columns", "documents=Source file", COLUMNS="200").output
    columns = 'question from "question", reference from "answer", documents from "Source file"'
    assert shown.startswith(f'Read {columns}; kept as metadata: "Year"\n')
    lines = Path("datasets/mine/samples.jsonl").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert (first["input"], first["target"]) == ("What was the\nmargin of Zorg?", "12.5%")
    assert (first["metadata"]["doc_ids"], first["metadata"]["Year"]) == (["zorg.txt"], "2023")
    assert second["metadata"]["question_type"] == "unanswerable"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        *TABLES["faulty tables"],
        ([["x"] * 1001, ["Why?"]], "q.xlsx: there are more than 1,000 columns"),
    ],
)
def test_faulty_excel_table_is_rejected_in_one_line(
    tmp_path: Path, cells: Sequence[Sequence[str]], message: str
) -> None:
    path = write_workbook(tmp_path / "q.xlsx", cells)
    with pytest.raises(InputError) as raised:
        read_records(path, use="questions")
    assert message in raised.value.message and "\n" not in raised.value.message


def test_damaged_excel_file_and_missing_extra_are_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "q.xlsx"
    path.write_bytes(b"PK\x03\x04 half")
    with pytest.raises(InputError, match=r"q\.xlsx: is damaged, encrypted or not a xlsx file"):
        read_records(path, use="questions")
    blocked = tmp_path / "blocked"
    (blocked / "openpyxl").mkdir(parents=True)
    missing = "raise ModuleNotFoundError(name='openpyxl')"
    (blocked / "openpyxl" / "__init__.py").write_text(missing)
    monkeypatch.setenv("PYTHONPATH", str(blocked))
    with pytest.raises(InputError, match="needs openpyxl, .*install 'arag-inspect.office.'"):
        read_records(path, use="questions")


def test_excel_sheet_with_too_many_cells_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_workbook(tmp_path / "q.xlsx", [["question"], ["Why?"], ["Who?"]])
    monkeypatch.setattr(isolated, "CELLS", CELLS._replace(maximum=2))
    with pytest.raises(InputError, match="has more than 2 cells in its first sheet"):
        read_records(path, use="questions")


def read_json(path: Path, rows: Any, columns: str = "") -> tuple[Record, ...]:
    """Return the records of rows, or of a whole JSON object, as results."""
    return read(path, json.dumps(rows), "results", columns).items


def span(number: int, name: str, parent: str = "", **more: Any) -> dict[str, Any]:
    row = {"trace_id": "t", "span_id": f"s{number}", "parent_id": parent or None, "name": name}
    return {**row, "start_time": f"2025-02-01T09:00:0{number}Z", **more}


@pytest.mark.parametrize(("name", "kind"), TABLES["chains"])
def test_answer_of_chain_named_after_retrieval_is_not_a_passage(
    tmp_path: Path, name: str, kind: Mapping[str, Any]
) -> None:
    root = span(1, name, input="Why?", output="Because.", **kind)
    search = span(2, "find", "s1", span_kind="RETRIEVER", input="Why?", output=["A", "B"])
    (record,) = read_json(tmp_path / "spans.json", [root, search])
    assert (record.answer, record.passages) == ("Because.", ("A", "B"))


def promptfoo_row(label: str, prompt: int, name: str) -> dict[str, Any]:
    provider = {"id": "openai:small", "label": label}
    grading = {"pass": True, "score": 0.75, "namedScores": {"tone": 0.5}}
    return {
        "provider": provider, "promptIdx": prompt, "prompt": {"label": name, "raw": "Q: Why?"},
        "testCase": {"metadata": {"desk": "EU"}},
        "vars": {"question": "Why?"}, "response": {"output": "So."}, "score": 0.75,
        "namedScores": {"tone": 0.5}, "gradingResult": grading,
    }  # fmt: skip


@pytest.mark.parametrize(("rows", "systems"), TABLES["promptfoo systems"])
def test_each_prompt_of_a_promptfoo_provider_is_a_system(
    tmp_path: Path, rows: Sequence[tuple[str, int, str]], systems: Sequence[str]
) -> None:
    records = read_json(tmp_path / "r.json", {"results": [promptfoo_row(*row) for row in rows]})
    assert [record.system for record in records] == systems
    assert records[0].scores == {"promptfoo": {"score": 0.75, "tone": 0.5}}
    assert records[0].metadata["desk"] == "EU"


@pytest.mark.parametrize(("cell", "answer", "scores"), TABLES["promptfoo cells"])
def test_verdict_and_reason_in_promptfoo_csv_are_not_the_answer(
    tmp_path: Path, cell: str, answer: str, scores: Mapping[str, float | None]
) -> None:
    text = table({"question": ["Why?", "Who?"], "[local] Answer": [cell, "[PASS] He."]})
    record = read(tmp_path / "r.csv", text, "results").items[0]
    assert record.answer == answer and record.scores == {"promptfoo": scores}


@pytest.mark.parametrize(("cells", "scores"), TABLES["promptfoo columns"])
def test_scores_beside_outputs_in_promptfoo_csv_are_read(
    tmp_path: Path, cells: Sequence[str], scores: Mapping[str, float]
) -> None:
    names = ("[local] Answer", "Status", "Score", "Named Scores")
    columns = {name: [cell] for name, cell in zip(names, cells, strict=True)}
    record = read(tmp_path / "r.csv", table({"question": ["Why?"], **columns}), "results").items[0]
    assert (record.answer, record.metadata) == ("So.", {"prompt.label": "Answer"})
    assert record.scores == {"promptfoo": scores}


@pytest.mark.parametrize("column", ["error", "error_message", "Fehler"])
def test_scores_and_zero_effort_of_failed_call_are_missing(tmp_path: Path, column: str) -> None:
    rows = {
        column: ("", "", "429"),
        "score": (0, 1, 0),
        "cost_usd": (0, 0.5, 0),
        "latency_ms": (9, 8, 0),
        "input_tokens": (9, 8, 7),
    }
    records = _results(tmp_path, rows, f"error={column}")
    assert [record.scores["given"]["score"] for record in records.items] == [0, 1, None]
    assert [record.cost_usd for record in records.items] == [0, 0.5, None]
    assert records.items[2].latency_ms is None
    assert records.items[2].input_tokens == 7
    assert [record.has_failed for record in records.items] == [False, False, True]
    assert records.items[2].error == "429"


@pytest.mark.parametrize(("status", "error"), TABLES["failed traces"])
def test_trace_with_status_of_error_and_no_answer_is_failed_call(
    tmp_path: Path, status: Mapping[str, Any], error: str
) -> None:
    attributes = [{"key": "input.value", "value": {"stringValue": "Why?"}}]
    span = {
        "traceId": "a",
        "spanId": "1",
        "name": "ask",
        "attributes": attributes,
        "status": status,
    }
    (record,) = read_json(
        tmp_path / "t.json", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    )
    assert (record.error, record.has_failed) == (error, bool(error))


def test_different_questions_with_one_id_are_read_and_reported(tmp_path: Path) -> None:
    records = _results(tmp_path, {"id": ("a", "b", "b")})
    names = [record.record_id for record in records.items]
    assert names[0] == "a" and names[1].startswith("b q-") and names[2].startswith("b q-")
    assert len({*names}) == 3
    assert records.notes == (
        "several questions share an id (b), so theirs are made of it and the question",
    )


def test_repeated_rows_are_counted_apart_if_their_answers_differ(tmp_path: Path) -> None:
    rows = {
        "id": ["a", "a", "b", "b"],
        "question": ["Why?", "Why?", "Who?", "Who?"],
        "answer": ["So.", "No.", "He.", "He."],
    }
    records = read(tmp_path / "r.csv", table(rows), "results")
    assert [record.answer for record in records.items] == ["So.", "He."]
    assert [*records.notes_on()] == [
        "left out: 1 row with another answer to a repeated question, of which the first counts "
        "(row 2); for answers of several systems: --columns system=COLUMN",
        "left out: 1 row with a repeated question (row 4)",
    ]


def test_notes_on_rows_name_their_system_and_the_first_rows(tmp_path: Path) -> None:
    again = [ASKED[0]] * 5
    rows = [{"system": "v1", "question": q, "answer": "So."} for q in ASKED]
    rows += [{"system": "v2", "question": q, "answer": "So."} for q in (*ASKED, *again)]
    records = read(tmp_path / "r.json", json.dumps(rows), "results")
    assert not [*records.notes_on("v1")]
    assert [*records.notes_on("v2")] == [
        "left out: 5 rows with a repeated question (row 7, row 8, row 9, ...)"
    ]


def test_question_may_be_its_own_id(tmp_path: Path) -> None:
    records = _results(tmp_path, {}, "id=question")
    assert [record.record_id for record in records.items] == [*ASKED]


@pytest.mark.parametrize("column", ["example_id", "datasetItemId"])
def test_id_of_question_precedes_id_of_run(tmp_path: Path, column: str) -> None:
    records = _results(tmp_path, {"id": ("r1", "r2", "r3"), column: ("e1", "e2", "e3")})
    assert [record.record_id for record in records.items] == ["e1", "e2", "e3"]


@pytest.mark.parametrize(("written", "amounts", "unread"), TABLES["amounts"])
def test_amounts_with_decimal_commas_are_read_or_counted(
    tmp_path: Path, written: Sequence[str], amounts: Sequence[float | None], unread: int
) -> None:
    records = _results(tmp_path, {"Kosten": written}, "cost_usd=Kosten")
    assert [record.cost_usd for record in records.items] == amounts
    assert len(records.notes) == bool(unread)
    assert all(note.startswith(f"Kosten: left out {unread} value") for note in records.notes)


@pytest.mark.parametrize(("role", "written", "amounts"), TABLES["amounts with units"])
def test_amounts_with_units_and_separated_thousands_are_read(
    tmp_path: Path, role: str, written: Sequence[str], amounts: Sequence[float | None]
) -> None:
    records = _results(tmp_path, {role: written})
    field = role.replace("latency_s", "latency_ms")
    assert [getattr(record, field) for record in records.items] == amounts


@pytest.mark.parametrize(("names", "use", "field"), TABLES["numbered passages"])
def test_numbered_columns_of_passages_are_read_as_one(
    tmp_path: Path, names: Sequence[str], use: Use, field: str
) -> None:
    cells = dict(zip(names, (("A", "B", ""), ("C", "", "")), strict=True))
    text = table({"question": ASKED, "reference": GOLD, "response": GOLD, **cells})
    records = read(tmp_path / "r.csv", text, use)
    passages = [getattr(record, field) for record in records.items]
    assert passages[:2] == [("A", "C"), ("B",)] and not records.metadata


def test_single_numbered_column_and_mapped_ones_remain_as_they_are(tmp_path: Path) -> None:
    assert _results(tmp_path, {"context_1": READ}).metadata == ("context_1",)
    columns = {"context_1": READ, "context_2": SAID}
    mapped = _results(tmp_path, columns, "passages=context_2")
    assert mapped.items[0].passages == (SAID[0],) and mapped.metadata == ("context_1",)


@pytest.mark.parametrize(
    ("columns", "advice"),
    [
        ("answer=A,answer=B", "repeat the command with the other and another --log-dir"),
        ("passages=A,passages=B", "without --columns, context_1 and context_2 are read as one"),
    ],
)
def test_two_columns_for_a_role_are_rejected_with_advice(
    tmp_path: Path, columns: str, advice: str
) -> None:
    with pytest.raises(InputError, match=advice):
        _results(tmp_path, {"A": SAID, "B": SAID}, columns)


@pytest.mark.parametrize(("column", "cells", "sums"), TABLES["score cells"])
def test_scores_in_cells_with_json_are_read_or_listed(
    tmp_path: Path, column: str, cells: Sequence[str], sums: Mapping[str, float]
) -> None:
    records = _results(tmp_path, {column: cells})
    assert summary_of(records)["scores"] == sums
    assert records.scores == tuple(sums)
    unread = [*records.metadata, *(note for note in records.notes if column in note)]
    assert bool(unread) != bool(sums)


@pytest.mark.parametrize("reference", TABLES["without an answer"])
def test_abbreviated_reference_means_that_no_answer_exists(tmp_path: Path, reference: str) -> None:
    records = _results(tmp_path, {"reference": ("So.", reference, "So.")})
    assert [record.is_unanswerable for record in records.items] == [False, True, False]


@pytest.mark.parametrize("reference", TABLES["with an answer"])
def test_similar_reference_is_an_answer(tmp_path: Path, reference: str) -> None:
    records = _results(tmp_path, {"reference": ("So.", reference, "So.")})
    assert not any(record.is_unanswerable for record in records.items)


def test_scores_beside_passages_are_not_passages(tmp_path: Path) -> None:
    cells = ('[["A", 0.9], ["B", 0.2]]', '[[{"text": "A"}, 1]]', "[4, 7]")
    records = _results(tmp_path, {"contexts": cells})
    assert [record.passages for record in records.items] == [("A", "B"), ("A",), ("4", "7")]


@pytest.mark.parametrize(("steps", "latency"), TABLES["steps without parent"])
def test_latency_of_trace_without_root_is_from_first_start_to_last_end(
    tmp_path: Path, steps: Sequence[tuple[str, int, int]], latency: float
) -> None:
    observations = [
        {"id": str(n), "traceId": "t", "type": kind, "name": kind, "input": "Why?",
         "output": ["A"] if kind == "RETRIEVER" else "So.",
         "startTime": f"2025-02-01T10:00:{start / 1000:06.3f}Z",
         "endTime": f"2025-02-01T10:00:{end / 1000:06.3f}Z",
         "inputUsage": 3, "outputUsage": 2}
        for n, (kind, start, end) in enumerate(steps)
    ]  # fmt: skip
    (record,) = read_json(tmp_path / "o.json", observations)
    assert (record.latency_ms, record.answer) == (latency, "So.")
    assert record.input_tokens == 3 * len(steps)
    assert record.passages == (("A",) if len(steps) > 1 else ())


MLFLOW_INFO = {
    "trace_id": "tr",
    "trace_metadata": {
        "mlflow.trace.session": "s1",
        "mlflow.trace.tokenUsage": '{"input_tokens": 9, "output_tokens": 4}',
    },
    "assessments": [
        {"assessment_name": "expected_response", "expectation": {"value": "So."}},
        {"assessment_name": "relevance", "feedback": {"value": True}},
        {"assessment_name": "tone", "feedback": {"value": 0.5}},
    ],
}


@pytest.mark.parametrize(("usage", "tokens"), [({}, 9), ({"mlflow.chat.tokenUsage": 7}, 7)])
def test_info_of_mlflow_trace_is_read(
    tmp_path: Path, usage: Mapping[str, int], tokens: int
) -> None:
    usage_of_call = {
        name: f'{{"input_tokens": {count}, "output_tokens": 4}}' for name, count in usage.items()
    }
    root = span(1, "ask", parent_span_id=None, attributes={"mlflow.spanInputs": '"Why?"'})
    call = span(2, "llm", "s1", parent_span_id="s1", attributes=usage_of_call)
    data = {"spans": [root, call]}
    (record,) = read_json(tmp_path / "m.json", [{"info": MLFLOW_INFO, "data": data}])
    assert (record.input_tokens, record.output_tokens, record.session) == (tokens, 4, "s1")
    assert record.references == ("So.",)
    assert record.scores == {"given": {"relevance": 1.0, "tone": 0.5}}


def test_no_break_spaces_booleans_and_older_encodings_are_read(tmp_path: Path) -> None:
    rows = [
        {"question": "Is\u00a0it\u202fso?", "answer": True, "reference": False},
        {"question": "Is it so?", "answer": "true", "reference": False},
    ]
    records = read(tmp_path / "b.json", json.dumps(rows), "results")
    (record,) = records.items
    assert (record.question, record.answer, record.references) == ("Is it so?", "true", ("false",))
    assert [row.has_other_answer for row in records.repeated] == [False]
    for encoding, line_end in (("cp1252", "\n"), ("mac_roman", "\r"), ("utf-8", "\n")):
        text = line_end.join(("question,answer", "Où?,Là", ""))
        (tmp_path / "e.csv").write_bytes(text.encode(encoding))
        records = read_records(tmp_path / "e.csv", use="results")
        assert records.items[0].question == "Où?"
        guessed = f"not UTF-8, so read as {encoding}; if letters are wrong, save it as UTF-8"
        assert records.notes == (() if encoding == "utf-8" else (guessed,))


def test_numbers_of_the_user_are_kept_as_measures_if_mapped(tmp_path: Path) -> None:
    marks = {
        "my critic": (0, 1, 0.5),
        "Human rating": (4, 5, 2),
        "Year": (2023, 2024, 2025),
        "verified": (True, False, True),
    }
    columns = "score.my_critic=my critic,score.Human_rating=Human rating"
    mapped = _results(tmp_path, marks, columns)
    assert mapped.items[1].scores == {"given": {"my_critic": 1.0, "Human_rating": 5.0}}
    assert mapped.notes == () and mapped.metadata == ("Year", "verified")
    assert 'score.my_critic from "my critic"' in mapped.describe_columns()
    with pytest.raises(InputError, match="column question holds values that are not numbers"):
        _results(tmp_path, marks, "question=question,score.why=question")


@pytest.mark.parametrize(("written", "grades"), TABLES["grades"])
def test_scores_with_decimal_commas_are_read(
    tmp_path: Path, written: Sequence[str], grades: Sequence[float]
) -> None:
    records = _results(tmp_path, {"Klarheit": written}, "score.clarity=Klarheit")
    assert [record.scores["given"]["clarity"] for record in records.items] == grades


def test_scores_that_may_have_separated_thousands_are_refused(tmp_path: Path) -> None:
    grades = {"Klarheit": ("1,234", "12,345", "10,000")}
    with pytest.raises(InputError, match="column Klarheit holds values that are not numbers"):
        _results(tmp_path, grades, "score.clarity=Klarheit")


@pytest.mark.parametrize(
    ("cell", "passages"),
    [("One.|Two.", ("One.", "Two.")), ("| a | b |\n|---|---|", ("| a | b |\n|---|---|",))],
)
def test_passages_joined_by_deepeval_are_split(
    tmp_path: Path, cell: str, passages: Sequence[str]
) -> None:
    cells = {"input": ["Why?"], "expected_output": ["So."], "context": [cell]}
    records = read(tmp_path / "goldens.csv", table(cells), "questions")
    assert records.items[0].evidence == passages


LANGFUSE: dict[str, Any] = {
    "id": "t",
    "timestamp": "2025",
    "sessionId": None,
    "tags": [],
    "totalCost": 0.1,
}


@pytest.mark.parametrize(
    "scores",
    [
        {"scores": {"help": [0.5, 1], "tone": ["good"]}},
        {"help": [0.75], "tone": ["good"]},
        {"scores": '[{"name": "help", "value": 0.75}]'},
    ],
)
def test_scores_in_lists_of_langfuse_are_read(tmp_path: Path, scores: Mapping[str, Any]) -> None:
    (record,) = read_json(
        tmp_path / "ui.json", [{**LANGFUSE, "input": "Why?", "output": "So.", **scores}]
    )
    assert record.scores == {"langfuse": {"help": 0.75}}


@pytest.mark.parametrize(("total", "tokens"), [(1050, 1000), (None, 1000), (850, 800)])
def test_trace_of_langfuse_keeps_cached_tokens_labels_and_metadata(
    tmp_path: Path, total: int | None, tokens: int
) -> None:
    usage = {"input": 800, "input_cached_tokens": 200, "output": 50, "total": total}
    label = {"name": "tone", "value": 1, "stringValue": "good", "dataType": "CATEGORICAL"}
    trace = {
        "id": "t", "input": "Why?", "output": "So.", "metadata": {"desk": "EU"}, "tags": ["prod"],
        "scores": [label, {"name": "help", "value": 0.5}],
        "observations": [{"id": "o", "type": "GENERATION", "usageDetails": usage}],
    }  # fmt: skip
    (record,) = read_json(tmp_path / "trace.json", {"data": [trace]})
    assert (record.input_tokens, record.output_tokens) == (tokens, 50)
    assert record.scores == {"langfuse": {"help": 0.5}}
    kept = {"desk": "EU", "tags": ["prod"], "tone": "good"}
    assert {name: record.metadata[name] for name in kept} == kept


@pytest.mark.parametrize("name", ["version", "release", "service.version"])
def test_version_in_traces_can_name_the_system(tmp_path: Path, name: str) -> None:
    def text(key: str, value: str) -> dict[str, Any]:
        return {"key": key, "value": {"stringValue": value}}

    spans: list[Any] = []
    traces: list[Any] = []
    for version in ("v1", "v2"):
        attributes = [
            text("input.value", "Why?"), text("output.value", version), text("output", version),
            text("expected_output", "So."), text("category", "why"),
        ]  # fmt: skip
        if name != "service.version":
            attributes.append(text(f"langfuse.{name}", version))
        root = {"traceId": version, "spanId": "1", "name": "ask", "attributes": attributes}
        resource = {"attributes": [text("service.version", version)]}
        spans.append({"resource": resource, "scopeSpans": [{"spans": [root]}]})
        traces.append({"id": version, "input": "Why?", "output": version, name: version,
                       "metadata": {"expected_output": "So."}, "observations": []})  # fmt: skip
    for rows in ({"resourceSpans": spans}, traces):
        records = read_json(tmp_path / "t.json", rows, f"system={name}")
        assert [(item.system, item.answer) for item in records] == [("v1", "v1"), ("v2", "v2")]
        assert [item.references for item in records] == [("So.",)] * 2
    (record,) = read_json(tmp_path / "t.json", {"resourceSpans": spans[:1]})
    assert record.question_type == record.metadata["category"] == "why"
    assert "output" not in record.metadata


@pytest.mark.parametrize("tool", ["", "retrieve"])
def test_trace_whose_search_returned_nothing_has_read_nothing(tmp_path: Path, tool: str) -> None:
    rows = [
        span(1, "ask", input="Why?", output="So."),
        span(2, tool or "think", "s1", input="Why?", output=[]),
        span(3, "ask", trace_id="t2", input="Who?", output="He."),
        span(4, "retrieve", "s3", trace_id="t2", input="Who?", output=["He."]),
    ]
    first, second = read_json(tmp_path / "t.json", rows)
    assert first.has_read_nothing == bool(tool) and not first.passages
    assert second.passages == ("He.",) and not second.has_read_nothing


def test_scores_that_a_question_set_ignores_may_be_missing(tmp_path: Path) -> None:
    metrics = '[{"name": "Relevancy", "score": NaN}]'
    case = f'{{"input": "Why?", "expectedOutput": "So.", "metricsData": {metrics}}}'
    text = f'{{"testRunData": {{"identifier": "v7", "testCases": [{case}]}}}}'
    (record,) = read(tmp_path / "r.json", text, "questions").items
    assert record.references == ("So.",)
    (record,) = read(tmp_path / "r.json", text, "results").items
    assert record.system == "v7"


def test_column_that_occurs_twice_with_equal_cells_is_read(tmp_path: Path) -> None:
    text = "id,question,id,answer\n1,Why?,1,So.\n"
    (record,) = read(tmp_path / "q.csv", text, "questions").items
    assert (record.record_id, record.references) == ("1", ("So.",))
    with pytest.raises(InputError, match="q.csv: column id occurs twice; remove one"):
        read(tmp_path / "q.csv", f"{text}2,Who?,3,He.\n", "questions")


def test_run_of_langsmith_keeps_feedback_metadata_and_example(tmp_path: Path) -> None:
    run = {
        "id": "r", "trace_id": "r", "parent_run_id": None, "run_type": "chain", "name": "rag",
        "inputs": {"question": "Why?"}, "outputs": {"output": "So."},
        "reference_example_id": "e1", "extra": {"metadata": {"desk": "EU"}},
        "feedback_stats": {"correctness": {"n": 2, "avg": 0.5}},
    }  # fmt: skip
    (record,) = read_json(tmp_path / "runs.json", [run])
    assert (record.record_id, record.metadata["desk"]) == ("e1", "EU")
    assert record.scores == {"given": {"correctness": 0.5}}


def test_questions_nested_as_in_squad_have_the_paragraph_as_evidence(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        {"id": f"s{n}", "question": text, "answers": []} for n, text in enumerate(ASKED)
    ]
    paragraphs = [{"context": READ[0], "qas": asked[:2]}, {"context": READ[1], "qas": asked[2:]}]
    asked[0]["answers"] = [{"text": "It grew.", "answer_start": 0}]
    text = json.dumps({"version": "v2.0", "data": [{"title": "Q", "paragraphs": paragraphs}]})
    records = read(tmp_path / "squad.json", text, "questions").items
    assert [record.record_id for record in records] == ["s0", "s1", "s2"]
    assert (records[0].references, records[0].evidence) == (("It grew.",), (READ[0],))
    assert records[2].is_unanswerable
