"""Tests of report files: text stays text, and exports follow their schema."""

import csv
import gc
import io
import json
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
from inspect_ai.log import EvalError, EvalLog, convert_eval_logs
from inspect_ai.scorer import Score
from markdown_it import MarkdownIt

from arag_inspect._util.errors import InputError
from arag_inspect.report import Frames, Report, frames, make_report, studies, write_report
from arag_inspect.report.cells import P, Share, Signed, Usd, show
from arag_inspect.report.comparison.examples import choose_examples
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.output.run_log import log_rows, write_run_log
from arag_inspect.report.output.write import unique_slugs
from arag_inspect.report.page.render import render_page
from arag_inspect.report.table import Table
from arag_inspect.stats.estimates import Estimate
from arag_inspect.systems.replay import ReplayExtras
from arag_inspect.types.trace import ReturnedPassage
from tests.commands import call
from tests.logs import samples_of
from tests.report import material as m

NASTY = """<script>alert(1)</script> & <b>bold</b> | *stars* _under_ `code` [link](javascript:x)
# no heading
- no list
1. no number
=== ~~~ $x$ \\ 売上高は増加した Выручка выросла"""


def _log_rows(read: Frames) -> list[dict[str, str]]:
    return [row for study in studies(read) for row in log_rows(study)]


def _scores(number: int) -> dict[str, Score]:
    return {
        "geval_coverage": m.judged(1 + number % 5),
        "geval_faithfulness": m.judged(4, name="geval_faithfulness"),
        "rouge": m.scored({"rouge2": number / 10}),
        "retrieval_pr": m.scored({"recall": 0.5, "precision": 1.0, "search_recall": 1.0}),
        "error_taxonomy": m.scored({"H": float(number == 0), "N": 0.0, "any": 0.0}),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    search = {"tool": "keyword_search", "query": ["sales"], "chunk_ids": [1, 3], "scores": [2, 1]}
    effort: dict[str, Any] = {
        "searches": [{**search, "loop": 1}],
        "passages": [m.passage(1, loop=2)],
    }
    effort |= {"stopped_by": "max_loops"}
    logs = [
        m.run_of(system, lambda n, add=add: _scores(n + add), answer=NASTY, effort=effort)  # type: ignore[misc]
        for add, system in enumerate(("arag", "stuffing"))
    ]
    return m.write(tmp_path_factory.mktemp("logs"), *logs)


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return make_report(frames(folder))


@pytest.fixture(scope="module")
def written(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(report, tmp_path_factory.mktemp("out") / "report").folder


class _Rendered(HTMLParser):
    """Text and tags of rendered Markdown."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_model_text_is_escaped_in_markdown(written: Path) -> None:
    markdown = (written / "summarization_report.md").read_text(encoding="utf-8")
    rendered = _Rendered(MarkdownIt("commonmark").enable("table").render(markdown))
    plain = "h1 h2 h3 h4 p strong table thead tbody tr th td blockquote br ul li img"
    assert rendered.tags <= set(plain.split())
    assert markdown.count("![") == len(list(written.glob("*/charts/*.svg"))) > 0
    text = "".join(rendered.text.split())
    for line in NASTY.splitlines():
        assert "".join(line.split()) in text
    assert "Ithink<b>" in text  # from the judge's reasoning


def test_examples_are_chosen_by_rule(report: Report) -> None:
    (study_report,) = report.studies
    examples = choose_examples(study_report.study)
    titles = [(example.title, example.sample_id) for example in examples]
    assert examples[0].rule.endswith(
        "Faithfulness (1-5), Coverage (1-5), Recall: here Coverage (1-5)"
    )
    # coverage is 1 + n % 5 for arag and 1 + (n + 1) % 5 for stuffing
    assert titles == [
        ("A-RAG: win", "s004"),
        ("A-RAG: win", None),
        ("Stuffing: win", "s000"),
        ("A-RAG: failure", "s000"),
    ]


def test_example_without_matching_sample_is_listed_as_missing(report: Report) -> None:
    measures = "Faithfulness (1-5), Coverage (1-5), Recall"
    sentence = f"largest lead of A-RAG over the best of the others on {measures}"
    assert f"| A-RAG: win | - | {sentence} |" in to_markdown(report)
    assert f"<td>-</td><td>{sentence}</td>" in render_page(report)


def test_win_example_has_largest_lead_on_any_primary_measure(tmp_path: Path) -> None:
    """Faithfulness leads by 1 of 4 in s001, recall by 0.5 of 1 in s002 and by 0.75 in s003."""
    leads = {1: (1.0, 0.0), 2: (0.0, 0.5), 3: (-2.0, 0.75)}

    def scores(number: int, leading: bool) -> dict[str, Score]:
        faithful, recall = leads.get(number, (0.0, 0.0)) if leading else (0.0, 0.0)
        grade = m.judged(3 + faithful, name="geval_faithfulness")
        return {"geval_faithfulness": grade, "retrieval_pr": m.scored({"recall": 0.25 + recall})}

    logs = [
        m.run_of("arag", lambda n: scores(n, True)),
        m.run_of("stuffing", lambda n: scores(n, False)),
        m.run_of("naive_rag", lambda n: scores(n, False)),
    ]
    examples = choose_examples(m.report_of(tmp_path, *logs).study)
    assert [(own.title, own.sample_id, own.measure.label) for own in examples[:3]] == [
        ("A-RAG: win", "s003", "Recall"),
        ("A-RAG: win", "s002", "Recall"),
        ("Stuffing: win", None, "Faithfulness (1-5)"),
    ]


@pytest.mark.parametrize(
    ("shares", "chosen"),
    [
        (((1.0, 1.0), (1.0, 0.0)), [("system1", "s007")]),
        (((0.0, 1.0), (1.0, 0.0)), [("system0", "s006"), ("system1", "s007")]),
        (((1.0, 1.0), (0.0, 0.5), (1.0, 0.5)), [("system1", "s006"), ("system2", "s007")]),
        (((0.0, 0.0), (0.0, 0.0)), []),
    ],
)
def test_answers_to_unanswerable_questions_come_first_among_examples(
    tmp_path: Path, shares: tuple[tuple[float, ...], ...], chosen: list[tuple[str, str]]
) -> None:
    examples = choose_examples(m.report_of(tmp_path, *m.runs_that_decline(*shares)).study)
    texts = [(f"{system}: answered an unanswerable question", name) for system, name in chosen]
    assert [(own.title, own.sample_id) for own in examples[: len(texts)]] == texts
    assert not any("unanswerable" in example.title for example in examples[len(texts) :])


def test_good_grades_are_counted_on_every_scale(tmp_path: Path) -> None:
    """From 4 on 1 to 5, from 7.5 on 0 to 10; the answers of every epoch count."""

    def logged(system: str, grades: Sequence[float], again: Sequence[float]) -> EvalLog:
        samples = []
        for epoch, row in enumerate((grades, again), 1):
            for number, grade in enumerate(row):
                ten = m.scored(2 * grade, scale=[0, 10])
                scores = {"geval_coverage": m.judged(grade), "geval_faithfulness": ten}
                samples.append(m.sample(number, scores, system=system, epoch=epoch))
        return m.log(samples, system=system)

    strong = logged("arag", (5, 4, 3, 1), (5, 4, 5, 2))
    weak = logged("naive_rag", (3, 3, 3, 4), (3, 3, 3, 3))
    table = m.table_of(m.report_of(tmp_path, strong, weak), "good_grades")
    shown = [tuple(map(show, row)) for row in table.rows]
    assert sorted(shown) == [
        ("Coverage (1-5)", "4.000", "62.5 % (n 4)", "12.5 % (n 4)"),
        ("Faithfulness (0-10)", "7.500", "62.5 % (n 4)", "12.5 % (n 4)"),
    ]
    header, first, _ = table.as_csv().splitlines()
    assert header == "measure,at least,A-RAG,A-RAG n,Naive RAG,Naive RAG n"
    assert first.endswith(",0.625,4,0.125,4")


def _schema(**properties: object) -> dict[str, object]:
    """Return a JSON schema of a record with exactly these fields."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


TEXT, COUNT, FLAG, LIST = ({"type": name} for name in ("string", "integer", "boolean", "array"))
NUMBER = {"type": ["number", "null"]}
GRADE, SHARE = NUMBER | {"minimum": 1, "maximum": 5}, NUMBER | {"minimum": 0, "maximum": 1}
CALL = _schema(loop=COUNT, tool_name=TEXT, arguments={"type": "object"}, tool_result=TEXT)
PREDICTION = _schema(
    **dict.fromkeys(("id", "source", "question", "ground_truth", "predicted"), TEXT),
    **dict.fromkeys(("loops", "input_tokens", "output_tokens", "word_count"), COUNT),
    **{"max_loops_reached": FLAG, "cost_usd": NUMBER, "latency_ms": NUMBER},
    trace=LIST | {"items": {**CALL, "additionalProperties": True}},
)
EVALUATED = _schema(
    **{"id": TEXT, "geval_faithfulness": GRADE, "geval_coverage": GRADE},
    **dict.fromkeys(("geval_faithfulness_reasoning", "geval_coverage_reasoning"), TEXT),
    **dict.fromkeys(
        ("retrieval_recall", "retrieval_precision", "rouge2_f1", "bertscore_f1"), SHARE
    ),
    **{"word_count": COUNT, "loops": COUNT, "cost_usd": NUMBER, "latency_ms": NUMBER},
    error_codes=LIST | {"items": TEXT},
)


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_exported_predictions_conform_to_aragpoc_schema(written: Path) -> None:
    (folder,) = written.glob("*/arag")
    predictions = _lines(folder / "predictions.jsonl")
    evaluated = _lines(folder / "predictions.eval.jsonl")
    assert len(predictions) == len(evaluated) == 8
    for record in predictions:
        extras = record.pop("replay")  # a field of this package
        assert isinstance(extras, dict) and extras["system"] == "arag"
        jsonschema.validate(record, PREDICTION)
    for record in evaluated:
        jsonschema.validate(record, EVALUATED)
    first, scores = predictions[0], evaluated[0]
    assert first["predicted"] == NASTY
    assert first["max_loops_reached"] is True
    assert [call["tool_name"] for call in first["trace"]] == ["keyword_search", "chunk_read"]  # type: ignore[attr-defined]
    assert scores["geval_coverage"] == 1.0 and scores["error_codes"] == ["H"]
    assert scores["bertscore_f1"] is None and scores["rouge2_f1"] == 0.0


def test_unreported_tokens_are_null_in_exports(tmp_path: Path) -> None:
    run = m.run_of("external", {"geval_coverage": m.judged(3)}, 2)
    for sample in run.samples or []:
        sample.store |= {f"RetrievalTrace:{name}_tokens": 0 for name in ("input", "output")}
        sample.store["RetrievalTrace:cost_usd"] = None
        sample.store["RetrievalTrace:returned"] = [{"chunk_ids": [4, 5], "given_id": None}]
    out = write_report(
        make_report(frames(m.write(tmp_path / "logs", run))), tmp_path / "out"
    ).folder
    (path,) = out.glob("*/*/predictions.jsonl")
    for record in _lines(path):
        unknown = ("input_tokens", "output_tokens", "cost_usd")
        assert [record[name] for name in unknown] == [None] * 3 and record["loops"] == 3
        extras = ReplayExtras.model_validate(record["replay"])
        assert extras.returned == [ReturnedPassage([4, 5])]


def test_answer_correctness_is_exported_when_measured(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        judged = m.scored({"correct": float(number % 2), "incorrect": 0.0, "refusal": 0.0})
        return {"llm_accuracy": judged, "contain_match": m.scored(float(number == 3))}

    number_only = Score(value="C", metadata={"signature": "numeric_match"})
    questions = m.run_of("arag", scores, 4, style="qa", task="arag_inspect/financebench")
    sums = m.run_of("arag", lambda n: {"numeric_match": number_only}, 1, task="arag_inspect/finqa")
    logs = m.write(tmp_path / "logs", questions, sums)
    out = write_report(make_report(frames(logs)), tmp_path / "out").folder
    exported = {path.parents[1].name: _lines(path) for path in out.glob("*/arag/*.eval.jsonl")}
    (of_finance,) = (rows for name, rows in exported.items() if name.startswith("financebench"))
    (of_finqa,) = (rows for name, rows in exported.items() if name.startswith("finqa"))
    correct = [(row["llm_correct"], row["contain_match"]) for row in of_finance]
    assert correct == [(0, 0), (1, 0), (0, 0), (1, 1)]
    assert all("numeric_match" not in row for row in of_finance)
    assert of_finqa[0]["numeric_match"] == 1 and "llm_correct" not in of_finqa[0]


def test_exported_scores_are_complete_in_csv_and_parquet(written: Path) -> None:
    table = pd.read_csv(written / "scores.csv")
    assert len(table) == 2 * 8 * 9
    whole = pd.read_parquet(written / "scores.parquet")
    nonempty = table.dropna(axis=1, how="all")
    pd.testing.assert_frame_equal(nonempty, whole[list(nonempty.columns)], check_dtype=False)
    for name, rows in {"answers": 16, "runs": 2, "verdicts": 32, "steps": 32}.items():
        assert len(pd.read_parquet(written / f"{name}.parquet")) == rows
    own = table[(table.system == "Stuffing") & (table.measure == "rouge.rouge2")]
    assert own.value.tolist() == [(n + 1) / 10 for n in range(8)]
    assert set(own.status) == {"scored"} and set(own.signature) == {"measure|version:1"}


def test_samples_csv_has_question_reference_answer_and_values_by_system(written: Path) -> None:
    table = pd.read_csv(written / "samples.csv")
    assert len(table) == 2 * 8
    assert table["system"].tolist()[:4] == ["A-RAG", "Stuffing"] * 2  # question by question
    first = table.iloc[0]
    answers = pd.read_parquet(written / "answers.parquet")
    asked = answers[answers["id"] == first["id"]].iloc[0]
    texts = first["question"], first["reference"], first["answer"], first["epoch"]
    assert texts == (asked["input"], asked["target"], NASTY, 1)
    assert (first["Coverage (1-5)"], first["ROUGE-2"], first["Recall"]) == (1, 0, 0.5)
    effort = table[["words", "cost (USD)", "latency (ms)"]]
    assert effort.notna().all().all() and table["unscored"].isna().all()


def test_samples_csv_says_why_values_are_missing(tmp_path: Path) -> None:
    lacking = Score.unscored(reason="no_reference")
    run = m.run_of(
        "arag", lambda n: {"rouge": lacking, "numeric_match": lacking if n else m.scored(1)}, 2
    )
    failed = m.sample(7, {}, answer="")
    failed.error = EvalError(message="no key", traceback="", traceback_ansi="")
    samples_of(run).append(failed)
    report = make_report(frames(m.write(tmp_path / "logs", run)))
    rows = list(
        csv.DictReader((write_report(report, tmp_path / "out").folder / "samples.csv").open())
    )
    assert [row["unscored"] for row in rows] == [
        "no_reference (rouge)",
        "no_reference (rouge, Right number)",
        "",
    ]
    assert [(row["Right number"], row["error"]) for row in rows] == [
        ("1.0", ""),
        ("", ""),
        ("", "no key"),
    ]


def test_evaluation_log_gains_row_per_new_run(
    report: Report, written: Path, tmp_path: Path
) -> None:
    def rows(text: str) -> list[dict[str, str]]:
        return list(csv.DictReader(text.splitlines()))

    first = (written / "evaluation_log.csv").read_text()
    assert [row["system"] for row in rows(first)] == ["A-RAG", "Stuffing"]
    assert float(rows(first)[0]["geval_coverage"]) == pytest.approx(2.625)
    path = tmp_path / "log.csv"
    path.write_text(first)
    write_run_log(studies(report.frames), path)
    assert path.read_text() == first
    run = m.run_of("naive_rag", lambda n: {"rouge": m.scored(n)})
    write_run_log(studies(frames([m.write(tmp_path / "logs", run)])), path)
    grown = rows(path.read_text())
    assert [row["system"] for row in grown] == ["A-RAG", "Stuffing", "Naive RAG"]
    assert grown[0] == rows(first)[0] and grown[2]["geval_coverage"] == ""


def test_concurrent_reports_all_keep_evaluation_log_rows(tmp_path: Path) -> None:
    systems = [f"system{number}" for number in range(3)]
    runs = {name: m.run_of(name, lambda n: {"rouge": m.scored(n)}) for name in systems}
    reports = [make_report(frames([m.write(tmp_path / name, run)])) for name, run in runs.items()]
    with ThreadPoolExecutor(len(reports)) as writers:
        list(writers.map(lambda report: write_report(report, tmp_path / "out"), reports))
    rows = csv.DictReader((tmp_path / "out" / "evaluation_log.csv").read_text().splitlines())
    assert sorted(row["system"] for row in rows) == systems
    assert not list((tmp_path / "out").rglob("*.partial"))


FORMULAS = ("=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "-")


def test_exported_csv_contains_no_spreadsheet_formulas(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        hostile = Score.unscored(reason=FORMULAS[number])
        return {
            "rouge": m.scored({"rouge2": number / 10}),
            "change": m.scored(-float(number) - 0.5, name="change"),
            "=broken": hostile,
        }

    logs = []
    for system in ("arag", "stuffing"):
        samples = [
            m.sample(number, scores(number), system=system, metadata={"company": FORMULAS[number]})
            for number in range(len(FORMULAS))
        ]
        for number, sample in enumerate(samples):
            sample.id = f"{FORMULAS[number]}{number}"
        logs.append(m.log(samples, system=system, model="=cmd()/-model"))
    report = make_report(frames([m.write(tmp_path / "logs", *logs)]))
    out = write_report(report, tmp_path / "out").folder
    write_report(report, out)  # rereads and rewrites the log of runs
    paths = list(out.rglob("*.csv"))
    cells = [
        (path.name, cell)
        for path in paths
        for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
        for cell in row
    ]
    names = {path.name for path in paths}
    assert {"samples.csv", "scores.csv", "evaluation_log.csv", "cost.csv", "reasons.csv"} <= names
    for name, cell in cells:
        if cell.startswith(("=", "+", "-", "@", "\t", "\r")):
            assert float(cell) is not None, (name, cell)
    score_cells = {cell for name, cell in cells if name == "scores.csv"}
    assert {f"'{FORMULAS[n]}{n}" for n in range(6)} | {"-0.5", "-6.5", "-6"} <= score_cells
    assert not any("''" in cell for _, cell in cells)
    parquet = pd.read_parquet(out / "scores.parquet")
    assert set(parquet.id) == {f"{text}{n}" for n, text in enumerate(FORMULAS)}


def test_evaluation_log_rows_identify_comparable_runs(tmp_path: Path) -> None:
    def row(name: str, *logs: EvalLog) -> dict[str, str]:
        (log_row,) = _log_rows(frames([m.write(tmp_path / name, *logs)]))
        return log_row

    def coverage(number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(number % 5 + 1)}

    whole, again = row("whole", m.run_of("arag", coverage)), row("again", m.run_of("b", coverage))
    assert float(whole["judge_usd"]) == pytest.approx(0.001)  # per question, like the system's cost
    assert float(whole["efficiency.cost_usd"]) == pytest.approx(0.01)
    assert (whole["answered"], whole["samples"]) == ("8", "8")
    same = ("questions", "signatures")
    assert [whole[key] for key in same] == [again[key] for key in same]
    fewer = row("fewer", m.run_of("arag", coverage, count=4))
    assert fewer["questions"] != whole["questions"] and fewer["signatures"] == whole["signatures"]
    elsewhere = m.run_of("arag", lambda n: {"geval_coverage": m.judged(n % 5 + 1, "another/j")})
    other = row("other", elsewhere)
    assert other["signatures"] != whole["signatures"] and other["questions"] == whole["questions"]
    unpriced = [m.sample(0, coverage(0)), m.sample(1, coverage(1), store=m.trace(cost_usd=None))]
    skipped = m.sample(
        2, store=m.trace(skipped="too long", stopped_by="skipped", cost_usd=0.0), answer=""
    )
    part = row("part", m.log([*unpriced, skipped]))
    assert part["efficiency.cost_usd"] == "" and part["answered"] == "2"


@pytest.mark.parametrize(
    "existing, viewer, message",
    [
        (b"my,own\nnotes,here\n", None, "has no column eval_id"),
        (b"caf\xe9", None, "has no column eval_id, so it is not a log of runs; move or rename it"),
        (b"", "javascript:alert(1)", "viewer must be an address like http://127"),
    ],
)
def test_invalid_evaluation_log_or_viewer_is_reported_in_one_line(
    report: Report, tmp_path: Path, existing: bytes, viewer: str | None, message: str
) -> None:
    (path := tmp_path / "evaluation_log.csv").write_bytes(existing)
    with pytest.raises(InputError, match=message):
        write_report(report, tmp_path, viewer=viewer)
    assert path.read_bytes() == existing and not list(tmp_path.glob("*.md"))
    with pytest.raises(InputError, match="cannot be written"):
        write_report(report, path)


def test_second_comparison_leaves_no_file_of_first_and_all_of_user(tmp_path: Path) -> None:
    """Also where the list of files names one outside the folder."""

    def run(name: str, *measures: str) -> Path:
        log = m.run_of("arag", lambda n: {measure: m.scored(n / 8) for measure in measures})
        return m.write(tmp_path / name, log)

    whole = run("whole", "rouge", "contain_match")
    less = run("less", "rouge")
    (tmp_path / "outside.txt").write_text("mine")
    out = tmp_path / "out"
    call("compare", whole, whole, "-o", out)
    first_paths = _paths(out)
    (tables,) = out.glob("*/tables")
    (tables / "notes.txt").write_text("mine")
    with (out / ".report-files").open("a") as file_list:
        file_list.write("../outside.txt\n")
    call("report", less, "-o", out)
    call("report", less, "-o", tmp_path / "new")
    notes = (tables / "notes.txt").relative_to(out).as_posix()
    assert _paths(out) == _paths(tmp_path / "new") | {notes}
    assert first_paths - _paths(out) and (tmp_path / "outside.txt").exists()


def _paths(folder: Path) -> set[str]:
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in files if path.name != ".lock"}


@pytest.mark.parametrize("name", ["samples.csv", "report.html"])
def test_file_of_user_is_not_overwritten_by_report(folder: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    printed = call("report", folder, "-o", tmp_path, code=1).output
    assert f"{tmp_path / name} was not written by a report; move or rename it" in printed
    assert (tmp_path / name).read_text() == "mine"


def test_converted_logs_give_same_frames(folder: Path, report: Report, tmp_path: Path) -> None:
    convert_eval_logs(str(folder), "json", str(tmp_path / "json"))
    again = frames(tmp_path / "json")
    for converted, original in zip(again[:4], report.frames[:4], strict=True):
        kept = [name for name in original if name not in ("location", "logs")]
        assert len(converted) and [*converted] == [*original]
        pd.testing.assert_frame_equal(converted[kept], original[kept])


def test_table_is_found_by_id_or_title_and_escaped_in_notebook(report: Report) -> None:
    (study, *_) = report.studies
    table = study.table("good_grades")
    assert table is not None and study.table("Good grades") is table
    assert study.table("Bad grades") is None
    row = replace(table, columns=("a < b", "c"), rows=(("<script>", Share(0.5)),))
    expected = "<tr><th>a &lt; b</th><th>c</th></tr><tr><td>&lt;script&gt;</td><td>50.0 %</td></tr>"
    assert expected in row._repr_html_()


def test_table_cells_are_rounded_for_display_and_exact_in_csv() -> None:
    cells = {
        None: "-", 1234: "1,234", 0.12345: "0.123", 123.45: "123.5", 12345.6: "12,346",
        -0.0001: "0.000", Share(0.125): "12.5 %", Usd(0.01234): "$0.0123", Usd(0.00505): "$0.0050",
        Usd(0.005050000000000001): "$0.0050",
        Usd(1234.5): "$1,234.50", P(0.0004): "< 0.001", P(0.0404): "0.040",
        Signed(0.5, 0.25, 0.75): "+0.500 [+0.250, +0.750]",
        Estimate(0.5, 0.25, 0.75, 9, 3): "0.500 [0.250, 0.750]",
    }  # fmt: skip
    assert {cell: show(cell) for cell in cells} == cells
    table = Table("t", "T", "", ("a", "b"), ((Estimate(1 / 3, 0.1, 0.5, 9, 3), "x"), (None, "y")))
    assert table.as_csv() == f"a,a low,a high,b\n{1 / 3},0.1,0.5,x\n,,,y\n"


def test_unique_slugs_gives_every_name_own_file() -> None:
    long = unique_slugs(["売" * 300, "売" * 301, "../" * 300 + "x" * 300])
    assert len(set(long)) == 3 and all(len(name.encode()) < 200 for name in long)
    assert unique_slugs(["a b", "a/b", "a-b", "売上"]) == ["a-b", "a-b-1", "a-b-2", "売上"]


def test_written_report_is_released_from_memory(folder: Path, tmp_path: Path) -> None:
    report = make_report(frames(folder))
    write_report(report, tmp_path / "report")
    kept = weakref.ref(report.studies[0].study)
    del report
    gc.collect()
    assert kept() is None
