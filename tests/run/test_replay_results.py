"""Tests of importing other tools' results as logs: report, gate, and figures checked in pandas."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import EvalLog, read_eval_log

from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.judge import panel
from arag_inspect.report import frames, make_report
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.page.board import effort_columns
from arag_inspect.report.study import studies
from arag_inspect.types.trace import RetrievalTrace
from tests.commands import typed
from tests.logs import samples_of

NAMES = ("Arbol", "Brask", "Corvin", "Delmar", "Eskil", "Fennick", "Gorsk", "Halden", "Istra")
QUESTIONS = [f"What did {name} earn in 2025?" for name in NAMES]
EARNED = [f"{n + 3}.5 million" for n in range(len(NAMES))]
PASSAGES = [
    [f"{name} earned {earned} in 2025.", f"{name}'s board met in 'May'."]
    for name, earned in zip(NAMES, EARNED, strict=True)
]


def results(wrong: int) -> pd.DataFrame:
    """Return ragas results whose first answers are wrong, with one score missing."""
    count = len(NAMES)
    answers = ["Nothing." if n < wrong else f"It earned {EARNED[n]}." for n in range(count)]
    return pd.DataFrame(
        {
            "user_input": QUESTIONS,
            "retrieved_contexts": PASSAGES,
            "response": answers,
            "reference": EARNED,
            "faithfulness": [None, *((n + wrong) % 7 / 7 for n in range(1, count))],
            "noise_sensitivity(mode=relevant)": [n / 10 for n in range(count)],
            "desk": ["rates" if n % 2 else "credit" for n in range(count)],
        }
    )


def write(path: Path, wrong: int) -> pd.DataFrame:
    table = results(wrong)
    table.to_csv(path, index=False)
    return table


def logs_in(folder: Path) -> list[EvalLog]:
    return [read_eval_log(str(path)) for path in sorted(folder.rglob("*.eval"))]


def test_ragas_results_lead_to_report_and_gate(tmp_path: Path) -> None:
    before, after = write(tmp_path / "v10.csv", 8), write(tmp_path / "v11.csv", 0)
    printed = typed(tmp_path, "arag-inspect replay v10.csv v11.csv --report report")
    assert "v10: 9 questions" in printed and 'Read question from "user_input"' in printed
    assert "Right answer: v11" in printed and (tmp_path / "report/report.html").is_file()
    gate = typed(
        tmp_path,
        "arag-inspect gate logs/replay/v11 --against logs/replay/v10 --rule answer_match>=0.1",
    )
    (line,) = [line for line in gate.splitlines() if line.startswith(" replayed")]
    change = (8 + 0) / 9
    assert f"{change:+.3f}" in line and "kept" in line

    (alone,) = make_report(frames([str(tmp_path / "logs/replay/v11")])).studies
    assert "faithfulness (ragas) 0." in alone.headline
    values = frames([str(tmp_path / "logs/replay")])
    means = values.scores.groupby(["system", "measure"])["value"].mean()
    for name, table in (("v10", before), ("v11", after)):
        contained = [
            earned in message
            for earned, message in zip(table.reference, table.response, strict=True)
        ]
        assert means[name, "contain_match"] == pytest.approx(sum(contained) / 9)
        assert means[name, "ragas.faithfulness"] == pytest.approx(table["faithfulness"].mean())
        noise = "noise_sensitivity(mode=relevant)"
        assert means[name, f"ragas.{noise}"] == pytest.approx(table[noise].mean())


@pytest.mark.parametrize("column", [None, "group"])
def test_report_says_once_that_samples_without_document_or_group_count_as_independent(
    tmp_path: Path, column: str | None
) -> None:
    write(tmp_path / "v10.csv", 8)
    more = f"--columns {column}=desk" if column else ""
    printed = typed(tmp_path, f"arag-inspect replay v10.csv --report report {more}")
    says = "the 9 samples of replayed (replayed), task version 3 count as independent"
    assert printed.count(says) == (column is None)


def test_replayed_log_holds_passages_metadata_and_usage(tmp_path: Path) -> None:
    row = {
        "question": QUESTIONS[0],
        "ground_truth": EARNED[0],
        "answer": "3.5 million",
        "contexts": PASSAGES[0],
        "prompt_tokens": 70,
        "completion_tokens": 5,
        "cost_usd": 0.25,
        "latency_ms": 80,
        "style": "terse",
        "category": "profit",
        "judge": {"verdict": "correct", "note": "-"},
    }
    other = {**row, "question": QUESTIONS[1], "answer": "", "judge": {"verdict": "incorrect"}}
    (tmp_path / "r.json").write_text(json.dumps([row, other]))
    printed = typed(tmp_path, "arag-inspect replay r.json")
    assert "r: 2 questions, 1 empty answer" in printed
    (log,) = logs_in(tmp_path / "logs")
    first, second = sorted(samples_of(log), key=lambda sample: str(sample.input))
    trace = first.store_as(RetrievalTrace)
    assert [passage.text for passage in trace.passages] == PASSAGES[0]
    assert (trace.system, trace.context, trace.loops) == ("r", "retrieved", 0)
    assert (trace.input_tokens, trace.output_tokens) == (70, 5)
    assert (trace.cost_usd, trace.latency_ms) == (0.25, 80)
    assert first.metadata["category"] == first.metadata["question_type"] == "profit"
    assert first.metadata["question_style"] == "terse" and first.metadata["style"] == "qa"
    assert not [key for key in first.metadata if "answer" in key]
    assert first.scores and first.scores["judge"].value == {"verdict": 1}
    assert [passage.text for passage in second.store_as(RetrievalTrace).passages] == PASSAGES[0]
    assert second.scores and second.scores["judge"].value == {"verdict": 0}


def _traces(seconds: float) -> list[dict[str, object]]:
    """Return Langfuse traces, of which the first ended with an error."""
    failed = {"level": "ERROR", "statusMessage": "504 upstream timeout"}
    return [
        {"id": f"t{number}", "input": question, "output": None if number == 0 else "3",
         "latency": seconds + number, "totalCost": 0.25,
         "observations": [{"id": f"o{number}", "type": "GENERATION", "input": question,
                           "usageDetails": {"input": 70, "output": 5},
                           **(failed if number == 0 else {})}]}
        for number, question in enumerate(QUESTIONS)
    ]  # fmt: skip


def test_given_times_are_not_marked_as_measured_at_once(tmp_path: Path) -> None:
    for name in ("old", "new"):
        table = results(0).assign(latency_s=[number / 10 for number in range(len(NAMES))])
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        (tmp_path / f"{name}_traces.json").write_text(json.dumps(_traces(2.0)))
    for files in ("old.csv new.csv", "old_traces.json new_traces.json"):
        folder = f"logs {files}".replace(" ", "-")
        typed(tmp_path, f"arag-inspect replay {files} --log-dir {folder}")
        (report,) = make_report(frames([str(tmp_path / folder)]), []).studies
        board = effort_columns(report.study, report.leaderboard)
        columns = {column.name: column for column in board}
        assert [note for _, note in columns["Time, p90"].cells] == ["", ""]


def test_cost_and_tokens_of_failed_calls_count_in_total(tmp_path: Path) -> None:
    rows = [
        {"question": question, "answer": "" if number == 0 else "3", "cost_usd": 0.25,
         "error": "HTTP 504" if number == 0 else "", "input_tokens": 70, "output_tokens": 5}
        for number, question in enumerate(QUESTIONS)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "traces.json").write_text(json.dumps(_traces(2.0)))
    typed(tmp_path, "arag-inspect replay table.csv traces.json")
    answers = frames([str(tmp_path / "logs/replay")]).answers
    assert (answers["outcome"] == "errored").sum() == 2
    totals = answers.groupby("system")[["cost_usd", "input_tokens"]].sum()
    assert totals["cost_usd"].tolist() == [0.25 * len(NAMES)] * 2
    assert totals["input_tokens"].tolist() == [70 * len(NAMES)] * 2


def test_failed_call_is_error_of_sample_without_cost(tmp_path: Path) -> None:
    rows = [
        {"Nr": "1", "Frage": "Why?", "Antwort": "So.", "Fehler": ""},
        {"Nr": "2", "Frage": "Who?", "Antwort": "", "Fehler": "HTTP 504 Gateway Timeout"},
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "own.csv", index=False)
    write(tmp_path / "ragas.csv", 1)
    columns = "id=Nr,question=Frage,answer=Antwort,error=Fehler"
    printed = typed(tmp_path, f"arag-inspect replay own.csv ragas.csv --columns {columns}")
    assert "own: 2 questions, 1 failed call" in printed
    assert "ragas: 9 questions" in printed
    answers = frames([str(tmp_path / "logs/replay/own")]).answers.set_index("id")
    assert answers.loc["2", "outcome"] == "errored"
    assert answers.loc["2", "error"] == "HTTP 504 Gateway Timeout"
    assert pd.isna(answers.loc["2", "cost_usd"])


EMPTY = {"1": "", "2": "  ", "3": None}


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_empty_answers_are_wrong_and_counted(tmp_path: Path, suffix: str) -> None:
    ids = [str(number) for number in range(9)]
    whole = results(2).assign(id=ids)
    partial = whole.assign(
        response=[EMPTY.get(*pair) for pair in zip(ids, whole.response, strict=True)],
        faithfulness=0.5,
    )
    partial.loc[8, ["reference", "response"]] = ["NOT IN DOCUMENTS", ""]
    for name, table in (("whole", whole), ("partial", partial)):
        if suffix == ".csv":
            table.to_csv(tmp_path / f"{name}.csv", index=False)
        else:
            table.to_json(tmp_path / f"{name}.json", orient="records")
    files = f"whole{suffix} partial{suffix}"
    printed = typed(tmp_path, f"arag-inspect replay {files} --report report")
    assert "partial: 9 questions (1 unanswerable), 4 empty answers" in printed
    assert "partial gave 4 empty answers in 9 samples" in printed
    partial_frames = frames([str(tmp_path / "logs/replay/partial")])
    assert (partial_frames.answers["outcome"] == "empty").sum() == 4
    scores = partial_frames.scores[partial_frames.scores["id"].isin([*EMPTY, "8"])]
    assert scores.loc[scores["measure"] == "answer_match", "value"].tolist()[:3] == [0.0] * 3
    assert scores.loc[scores["measure"] == "contain_match", "value"].tolist()[:3] == [0.0] * 3
    assert scores.loc[scores["measure"] == "ragas.faithfulness", "value"].tolist() == [0.5] * 4
    declined = scores.loc[scores["measure"] == "rightly_declined", "value"]
    assert declined.isna().all()  # neither declined nor answered


def test_file_with_other_columns_needs_its_own_command(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Frage,Antwort\nWhy?,So\n")
    (tmp_path / "b.csv").write_text("Query,Said\nWhy?,So\n")
    command = "arag-inspect replay a.csv b.csv --columns question=Frage,answer=Antwort"
    printed = typed(tmp_path, command, code=1)
    assert "Error: b.csv has no answers" in printed
    assert "give one command for each file, then arag-inspect compare" in printed


def test_results_with_and_without_ids_are_paired_by_question(tmp_path: Path) -> None:
    write(tmp_path / "plain.csv", 7)
    results(0).assign(qid=NAMES).to_csv(tmp_path / "numbered.csv", index=False)
    typed(tmp_path, "arag-inspect replay plain.csv numbered.csv")
    better = (
        "arag-inspect gate logs/replay/numbered --against logs/replay/plain --rule "
        "contain_match>=0.1"
    )
    (line,) = [line for line in typed(tmp_path, better).splitlines() if ">= 0.1" in line]
    assert f"{7 / 9:+.3f}" in line and " 9 " in line
    worse = (
        "arag-inspect gate logs/replay/plain --against logs/replay/numbered --rule contain_match>=0"
    )
    printed = typed(tmp_path, worse, code=1)
    assert "broken: contain_match >= 0 of plain: the whole interval of -0.778" in printed


def test_report_and_compare_pair_answers_with_ids_of_traces_alike(tmp_path: Path) -> None:
    for version, wrong in (("v1", 7), ("v2", 0)):
        table = results(wrong).assign(id=[f"{version}-{name}" for name in NAMES])
        again = table[2:3].assign(id=f"{version}-again", response="Something else.")
        pd.concat([table, again] if version == "v2" else [table]).to_csv(
            tmp_path / f"{version}.csv", index=False
        )
    typed(tmp_path, "arag-inspect replay v1.csv v2.csv")
    logs = tmp_path / "logs/replay"
    both = frames([str(logs)])
    (change,) = studies(
        pair_runs(frames([str(logs / "v1")]), frames([str(logs / "v2")]), loose=True)
    )
    for study in (*studies(both), change):
        ids = [set(answers["id"]) for _, answers in study.by_system(study.answers)]
        assert sorted(map(len, ids)) == [9, 10] and len(ids[0] & ids[1]) == 9
        assert "v2-again" in ids[0] ^ ids[1]
    printed = typed(tmp_path, "arag-inspect compare logs/replay/v1 logs/replay/v2")
    assert "1 (1 with a repeated question)" in printed


def test_files_of_one_name_in_hidden_folders_are_named_by_visible_ones(tmp_path: Path) -> None:
    files = []
    for version, wrong in (("v1", 0), ("v2", 3)):
        folder = tmp_path / version / ".tool"
        folder.mkdir(parents=True)
        results(wrong).to_csv(folder / ".latest.csv", index=False)
        files.append(f"{version}/.tool/.latest.csv")
    typed(tmp_path, f"arag-inspect replay {' '.join(files)}")
    folders = {path.parent.name for path in (tmp_path / "logs/replay").rglob("*.eval")}
    assert folders == {"v1-latest", "v2-latest"}
    for version in ("v1", "v2"):
        run = {
            "identifier": f"run {version}",
            "testCases": [{"input": "Why?", "actualOutput": "3"}],
        }
        path = tmp_path / version / ".tool" / ".latest_test_run.json"
        path.write_text(json.dumps({"testRunData": run}))
        typed(tmp_path, f"arag-inspect replay {version}/.tool/{path.name} --log-dir runs")
    assert {path.parent.name for path in (tmp_path / "runs").rglob("*.eval")} == {
        "run-v1",
        "run-v2",
    }


def test_every_system_and_session_in_file_becomes_own_log(tmp_path: Path) -> None:
    items = [
        {"provider": {"id": model}, "vars": {"question": q, "reference": "3"},
         "response": {"output": model}}
        for model in ("big:1", "small:1") for q in QUESTIONS[:2]
    ]  # fmt: skip
    (tmp_path / "p.json").write_text(json.dumps({"results": {"results": items}}))
    traces: list[dict[str, object]] = [
        {"id": f"{session}{q}", "sessionId": session, "input": q, "output": session,
         "observations": []}
        for session in ("monday", "friday") for q in QUESTIONS[:2]
    ]  # fmt: skip
    (tmp_path / "t.json").write_text(json.dumps(traces))
    typed(tmp_path, "arag-inspect replay p.json t.json")
    answers = {
        path.parent.name: [s.output.completion for s in samples_of(read_eval_log(str(path)))]
        for path in (tmp_path / "logs/replay").rglob("*.eval")
    }
    assert answers == {
        "big-1": ["big:1"] * 2, "small-1": ["small:1"] * 2,
        "monday": ["monday"] * 2, "friday": ["friday"] * 2,
    }  # fmt: skip
    refused = typed(
        tmp_path, "inspect eval arag_inspect/replayed -T file=p.json --model none", code=1
    )
    assert "p.json holds answers of big:1, small:1; choose one: -T answered_by=NAME" in refused


def _prepare_corpus(folder: Path) -> None:
    """Prepare `corpus` with the documents, questions and evidence of the first three names."""
    (folder / "docs").mkdir()
    for name, texts in zip(NAMES[:3], PASSAGES, strict=False):
        (folder / "docs" / f"{name}.txt").write_text("\n".join(texts))
    asked = [
        {"id": name, "question": question, "answer": earned, "evidence": texts[0]}
        for name, question, earned,
        texts in zip(NAMES[:3], QUESTIONS, EARNED, PASSAGES, strict=False)
    ]  # fmt: skip
    (folder / "q.json").write_text(json.dumps(asked))
    options = Options(out=folder / "corpus", chunk_tokens=32)
    prepare_dataset(
        "custom", documents=folder / "docs", questions=folder / "q.json", options=options
    )


def test_results_are_compared_with_a_live_run_on_their_questions(tmp_path: Path) -> None:
    _prepare_corpus(tmp_path)
    results(3)[:3].to_csv(tmp_path / "v1.csv", index=False)
    typed(tmp_path, "arag-inspect replay v1.csv --corpus corpus --scorers no_grader")
    live = "run custom --systems naive_rag --model offline/extractive -T scorers=no_grader"
    typed(tmp_path, f"arag-inspect {live} -T corpus=corpus --log-dir live")
    printed = typed(tmp_path, "arag-inspect compare logs live")
    assert "task: replayed → custom" in printed and "top_k" not in printed
    assert "corpus: " not in printed
    (comparisons,) = (tmp_path / "report").rglob("comparisons.csv")
    rows = pd.read_csv(comparisons).set_index("measure")
    assert rows["n"]["Right answer"] == 3


def test_replayed_passages_are_located_in_corpus_with_gold(tmp_path: Path) -> None:
    _prepare_corpus(tmp_path)
    table = results(0)[:3]
    table.at[1, "retrieved_contexts"] = PASSAGES[2]
    table.to_csv(tmp_path / "r.csv", index=False)
    typed(tmp_path, "arag-inspect replay r.csv --corpus corpus")
    assert _recalls(tmp_path / "logs") == {"Arbol": 1, "Brask": 0, "Corvin": 1}
    table.at[0, "retrieved_contexts"] = []  # nothing was read
    table.at[1, "retrieved_contexts"] = None  # unknown
    table.to_csv(tmp_path / "e.csv", index=False)
    typed(tmp_path, "arag-inspect replay e.csv --corpus corpus --log-dir empty")
    assert _recalls(tmp_path / "empty") == {"Arbol": 0, "Brask": None, "Corvin": 1}


def _recalls(folder: Path) -> dict[str, float | None]:
    (log,) = logs_in(folder)
    recalls = {}
    for sample in samples_of(log):
        value = (sample.scores or {})["retrieval_pr"].value
        recalls[str(sample.id)] = value["recall"] if isinstance(value, dict) else None
    return recalls


@pytest.mark.parametrize(
    ("files", "text", "line"),
    [
        ("q.csv", "question,reference\nWhy?,So\n",
         "q.csv has no answers; name their column, e.g. --columns answer=COLUMN"),
        ("e.csv", "question,response\nWhy?,\n",
         "e.csv has no answers: response is empty in all rows"),
        ("n.csv", "a,b\n1,2\n", "n.csv has no column that is known to hold the question"),
        ("n.csv n.csv", "a,b\n1,2\n", "n.csv is given twice"),
        ("i.json", '[{"input": "Why?", "out": {"response": "So"}}]', "it has out.response"),
        ("d.json", '{"testRunData": "{\\"testCases\\": [{"}', "the JSON in testRunData is damaged"),
    ],
)  # fmt: skip
def test_replay_rejects_file_without_answers_in_one_line(
    tmp_path: Path, files: str, text: str, line: str
) -> None:
    (tmp_path / files.split()[0]).write_text(text)
    printed = typed(tmp_path, f"arag-inspect replay {files}", code=1)
    assert printed.startswith("Error: ") and line in printed
    assert not (tmp_path / "logs").exists()


def test_answer_that_is_damaged_json_is_read_as_it_is(tmp_path: Path) -> None:
    row = {"question": "Why?", "reference": "So.", "answer": '{"reason": ["So."'}
    (tmp_path / "r.json").write_text(json.dumps(row))
    typed(tmp_path, "arag-inspect replay r.json")
    (log,) = logs_in(tmp_path / "logs")
    (sample,) = samples_of(log)
    assert sample.output.completion == row["answer"]


def test_replay_rejects_judged_scorers_without_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    # Inspect keeps a model that another test of the process made with a key
    monkeypatch.setattr(panel, "DEFAULT_GRADER", "anthropic/claude-made-by-no-test")
    write(tmp_path / "r.csv", 1)
    for scorers, demand in (
        ("context_recall", "context_recall needs a judge"),
        ("answer_match,llm_accuracy,abstention", "llm_accuracy and abstention need a judge"),
    ):
        printed = typed(tmp_path, f"arag-inspect replay r.csv --scorers {scorers}", code=1)
        assert f"Error: {demand}: add --grader MODEL" in printed
    assert not (tmp_path / "logs").exists()


SETS = Path(__file__).parents[2].parent / "shared" / "cases" / "sets"


@pytest.mark.skipif(not SETS.is_dir(), reason="the shared cases are absent")
def test_project_versions_are_compared_in_pairs(tmp_path: Path) -> None:
    files = [SETS / f"project-v{n}.json" for n in (1, 2, 3)]
    typed(tmp_path, f"arag-inspect replay {' '.join(map(str, files))}")
    rows = [json.loads(file.read_text()) for file in files]
    right = [[row["judge"]["verdict"] == "correct" for row in version] for version in rows]
    expected = (sum(right[2]) - sum(right[0])) / len(right[0])
    printed = typed(
        tmp_path,
        (
            "arag-inspect compare logs/replay/project-v1 logs/replay/project-v3 --primary "
            "judge.verdict"
        ),
    )
    difference = re.search(r"project-v3 over project-v1, ([+-]\d\.\d+)", printed)
    assert difference and float(difference[1]) == pytest.approx(expected, abs=5e-4)
    gate = typed(
        tmp_path,
        (
            "arag-inspect gate logs/replay/project-v3 --against logs/replay/project-v1 --rule "
            "judge.verdict>=-0.9"
        ),
    )
    assert f"{expected:+.3f}" in gate and "kept" in gate


def test_mapped_question_type_and_group_structure_the_report(tmp_path: Path) -> None:
    rows = [
        {
            "Frage": f"Was war Wert {number}?",
            "Soll": "N/A" if number == 11 else str(number),
            "Antwort": str(number if number % 2 else 0),
            "Art": "Zahl" if number < 6 else "Name",
            "Kunde": f"Kunde {number % 6}",
        }
        for number in range(12)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "r.csv", index=False)
    columns = "question=Frage,reference=Soll,answer=Antwort,question_type=Art,group=Kunde"
    printed = typed(tmp_path, f"arag-inspect replay r.csv --columns {columns} --report report")
    assert 'question_type from "Art", group from "Kunde"' in printed
    assert "12 questions of 6 groups" in printed
    report = (tmp_path / "report/summarization_report.md").read_text(encoding="utf-8")
    kinds = report.split("By kind of question")[1].split("\n\n\n")[0]
    rows_of_kinds = [line for line in kinds.splitlines() if line.startswith("| type |")]
    kinds_in_order = dict.fromkeys(line.split(" | ")[1] for line in rows_of_kinds)
    assert [*kinds_in_order] == ["Name", "Zahl", "unanswerable"]
