"""End-to-end tests of the question sets with the offline model."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.report import frames, make_report
from arag_inspect.report.cells import Over
from arag_inspect.tasks import custom, docfinqa, finder, finqa
from arag_inspect.types.trace import RetrievalTrace
from tests.benchmarks._shared.sets_source import write_docfinqa, write_finder, write_finqa
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Script, columns, recorded, run, scripted

Logs = Mapping[tuple[str, str], EvalLog]
JUDGE: Any = {"grader": STEADY}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a corpus for each set."""
    root = tmp_path_factory.mktemp("sets")
    data = root / "datasets"
    sources = {
        "finqa-test": write_finqa(root / "F"),
        "finder": write_finder(root / "a.parquet"),
        "docfinqa-test": write_docfinqa(root / "b.json"),
    }
    for name, source in sources.items():
        options = Options(out=data / name, chunk_tokens=200)
        prepare_dataset(name.removesuffix("-test"), source=source, options=options)
    (root / "docs").mkdir()
    (root / "docs" / "zorg.txt").write_text("Zorg makes pumps.\nDemand for pumps grew in 2014.")
    (root / "docs" / "acme.txt").write_text("Acme makes anvils. Nobody wants anvils.")
    rows = [
        {"id": 1, "question": "What does Zorg make?", "answer": "pumps",
         "evidence": "Zorg makes pumps.", "doc_ids": "zorg"},
        {"id": 2, "question": "Who wants anvils?", "answer": "nobody"},
    ]  # fmt: skip
    (root / "q.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    own: dict[str, Any] = {"documents": root / "docs", "questions": root / "q.jsonl"}
    prepare_dataset("custom", **own, options=Options(out=data / "custom"))
    return root


@pytest.fixture(scope="module")
def logs(folder: Path) -> Logs:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        tasks = {
            ("finqa", "arag"): finqa(system="arag"),
            ("finqa", "stuffing"): finqa(system="stuffing"),
            ("finder", "arag"): finder(system="arag"),
            ("docfinqa", "naive_rag"): docfinqa(system="naive_rag"),
            ("docfinqa", "stuffing"): docfinqa(system="stuffing", system_args={"max_tokens": 300}),
            ("custom", "naive_rag"): custom(system="naive_rag"),
            ("summary", "stuffing"): custom(
                system="stuffing", task_type="summary", target_length=20, scorers="no_grader"
            ),
        }
        found = {
            name: run(task, "offline/extractive", model_roles=JUDGE) for name, task in tasks.items()
        }
        weak = scripted(Script(recorded("docfinqa_repetition")))
        found["docfinqa", "weak"] = run(docfinqa(system="naive_rag"), weak, model_roles=JUDGE)
        return found


def values(log: EvalLog, scorer: str) -> list[float | None]:
    """Return each sample's value in the order of ids, None if unscored."""
    samples = sorted(samples_of(log), key=lambda sample: str(sample.id))
    scores = [scores_of(sample)[scorer] for sample in samples]
    return [None if unscored(one) else one.as_float() for one in scores]


def unscored(score: Score) -> bool:
    return isinstance(score.value, float) and math.isnan(score.value)


def test_every_question_task_gives_each_score_or_reason(logs: Logs) -> None:
    for (name, system), log in logs.items():
        assert log.status == "success", (name, system, log.error)
        for sample in samples_of(log):
            for scorer, score in scores_of(sample).items():
                assert not unscored(score) or score.reason, (name, system, scorer)
                assert score.explanation or score.metadata, (name, system, scorer)


def test_question_task_answers_are_scored_and_grouped(logs: Logs) -> None:
    assert values(logs["custom", "naive_rag"], "contain_match")[0] == 1
    assert values(logs["finqa", "stuffing"], "numeric_match").count(None) == 0
    results = logs["finder", "arag"].results
    assert results is not None
    metrics = {score.name: score.metrics for score in results.scores}
    assert {"type_Financials"} < set(metrics["correct"])
    assert {"Financials", "Company overview"} < set(metrics["contain_match"])
    assert values(logs["finder", "arag"], "contain_match")[2] is None  # no gold answer


def test_finder_scores_are_grouped_by_reasoning_in_log_and_report(logs: Logs) -> None:
    log = logs["finder", "arag"]
    assert log.results
    metrics = {score.name: score.metrics for score in log.results.scores}
    found = values(log, "contain_match")
    assert metrics["contain_match"]["Subtraction"].value == found[1]
    (one,) = make_report(frames(log.location)).studies
    table = one.table("by_question")
    assert table is not None
    shown = {row[:3]: row[3] for row in table.rows}
    label = "Contains gold answer"
    assert shown["reasoning", "Subtraction", label] == Over(found[1] or 0.0, 1)
    assert shown["type", "Financials", label] == Over(found[1] or 0.0, 1)  # a3 has no gold answer
    assert shown["type", "Company overview", label] == Over(found[0] or 0.0, 1)
    assert ("reasoning", "", label) not in shown


def test_log_browser_has_columns_only_for_scored_values(logs: Logs) -> None:
    for name, log in logs.items():
        shown = columns(log)
        assert len(set(shown)) == len(shown), name
        scores = [score for sample in samples_of(log) for score in scores_of(sample).items()]
        keys = {
            (scorer, key)
            for scorer, score in scores
            for key in (score.value if isinstance(score.value, dict) else {scorer: score.value})
        }
        assert {scorer for scorer, _ in shown} == {scorer for scorer, _ in scores}, name
        scored = {scorer for scorer, score in scores if not unscored(score)}
        assert {column for column in shown if column[0] in scored} <= keys, name


def test_arag_retrieves_all_gold_on_finqa_and_finder(logs: Logs) -> None:
    for name, system in (("finqa", "arag"), ("finder", "arag")):
        samples = samples_of(logs[name, system])
        recalls = [scores_of(sample)["retrieval_pr"].as_dict()["recall"] for sample in samples]
        assert recalls and all(recall == 1 for recall in recalls)
    first, second = samples_of(logs["custom", "naive_rag"])
    assert scores_of(first)["retrieval_pr"].as_dict()["recall"] == 1
    assert scores_of(second)["retrieval_pr"].reason == "no_gold"


def test_docfinqa_search_is_limited_to_filing_of_question(logs: Logs) -> None:
    for sample in samples_of(logs["docfinqa", "naive_rag"]):
        ids_read = {passage.doc_id for passage in sample.store_as(RetrievalTrace).passages}
        assert ids_read == set(sample.metadata["doc_ids"])
        assert scores_of(sample)["retrieval_pr"].reason == "no_gold"  # no location is given


def test_stuffing_skips_docfinqa_sample_over_token_limit(logs: Logs) -> None:
    log = logs["docfinqa", "stuffing"]
    samples = {sample.input: sample for sample in samples_of(log)}
    skipped = samples["did segment 2 earn more than segment 1?"]
    assert scores_of(skipped)["numeric_match"].reason == "skipped"
    assert scores_of(samples["what was the price, in millions?"])["numeric_match"].value == 1


def test_repetitive_answer_is_scored_wrong_not_unscored(logs: Logs) -> None:
    log = logs["docfinqa", "weak"]
    assert len(samples_of(log)) == 3
    for scorer in ("numeric_match", "contain_match"):
        assert values(log, scorer) == [0, 0, 0]
    for sample in samples_of(log):
        scores = scores_of(sample)
        assert scores["llm_accuracy"].reason is None
        assert scores["efficiency"].as_dict()["word_count"] == 116


def test_custom_summary_sample_has_target_length_and_summary_scorers(logs: Logs) -> None:
    sample = samples_of(logs["summary", "stuffing"])[0]
    assert sample.metadata["style"] == "query_focused" and sample.metadata["target_length"] == 20
    assert {"rouge", "retrieval_pr", "factual_consistency"} <= set(scores_of(sample))


def test_question_tasks_reject_bad_parameters(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match="task_type 'talk' is unknown; choose from qa, summary"):
        custom(task_type="talk")
    with pytest.raises(InputError, match="corpus finqa-test holds finqa test, not custom"):
        custom(corpus="finqa-test")
    with pytest.raises(InputError, match="run: arag-inspect prepare finqa --split dev"):
        finqa(split="dev")
    for arguments, message in (
        ({"scorers": "rouge,rogue"}, "scorer 'rogue' is unknown; choose from"),
        (
            {"scorers": "rouge", "scorer_args": {"nli_contradiction": {"model": "x"}}},
            "scorer_args 'nli_contradiction' is unknown; ",
        ),
        ({"scorers": "rouge", "scorer_args": {"rouge": {"x": 1}}}, "scorer rouge has no parameter"),
        ({"scorer_args": 3}, "scorer_args must be parameters by scorer"),
    ):
        with pytest.raises(InputError, match=message):
            finder(**arguments)


def test_custom_questions_without_gold_use_reference_free_scorers(
    folder: Path, tmp_path: Path
) -> None:
    rows = [
        {"id": 1, "question": "What does Zorg make?", "group": 7},
        {"id": 2, "question": "What grew?", "group": 7},
        {"id": 3, "question": "Who wants anvils?", "doc_ids": "acme"},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments: dict[str, Any] = {"documents": folder / "docs", "questions": tmp_path / "q.jsonl"}
    prepare_dataset("custom", **arguments, options=Options(out=tmp_path / "open"))
    own = {"geval_faithfulness": {"scale": "0,10"}, "context_relevance": {"context": "passages"}}
    task = custom(corpus=str(tmp_path / "open"), system="naive_rag", scorer_args=own)
    log = run(task, "offline/extractive", model_roles=JUDGE)
    assert log.samples and log.results
    faithful = [scores_of(sample)["geval_faithfulness"] for sample in log.samples]
    assert all((score.metadata or {"scale": [0, 10]})["scale"] == [0, 10] for score in faithful)
    names = {score.scorer for score in log.results.scores}
    assert {"context_relevance", "citation_accuracy"} < names and "llm_accuracy" not in names
    answers = frames(log.location).answers
    assert list(answers["company"]) == ["7", "7", "acme.txt"]
