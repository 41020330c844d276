"""Tests that logs are read unmodified, and that problems are reported in one line."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalError, EvalLog, write_eval_log
from inspect_ai.scorer import Score

from arag_inspect._util.errors import InputError
from arag_inspect._util.log_files import PURPOSE
from arag_inspect.models.families import model_family
from arag_inspect.report import Frames, frames, make_report, studies
from tests.commands import call
from tests.report import material as m


def _only_run(folder: Path, log: EvalLog) -> Frames:
    return frames(m.write(folder, log))


def _rouge(number: int) -> dict[str, Score]:
    return {"rouge": m.scored(number)}


def _texts(read: Frames, level: str) -> list[str]:
    """Return the notices of reading and comparing."""
    return [notice.text for notice in m.notices(read) if notice.level == level]


def test_every_score_is_numeric_or_unscored_with_reason(tmp_path: Path) -> None:
    scores = {
        "rouge": m.scored({"rouge1": 0.25, "rouge2": float("nan")}),
        "nli": m.scored(True),
        "word": Score(value="C"),
        "prose": Score(value="rather good"),
        "skipped": Score.unscored(reason="skipped"),
    }
    failed = EvalError(message="RuntimeError: no\nmore", traceback="", traceback_ansi="")
    samples = [
        m.sample(0, scores),
        m.sample(1, {"rouge": Score.unscored(reason="no_reference")}),
        m.sample(2, error=failed),
        m.sample(3, store=m.trace("stuffing", skipped="too long", stopped_by="skipped")),
    ]
    run = _only_run(tmp_path, m.log(samples))
    names = ("rouge.rouge1", "rouge.rouge2", "nli", "word", "skipped")
    assert any("prose holds texts (e.g. 'rather good')" in text for text in _texts(run, "warning"))
    first, second, third, fourth = (m.marks(run, f"s00{n}") for n in range(4))
    assert tuple(first) == run.runs["measures"][0] == names
    assert first["rouge.rouge1"] == (0.25, "scored", None)
    assert first["rouge.rouge2"] == (None, "unscored", "no_value")
    assert first["nli"] == (1.0, "scored", None)
    assert first["word"] == (1.0, "scored", None)
    assert first["skipped"][1] == "skipped"
    assert second["rouge.rouge1"] == (None, "unscored", "no_reference")
    assert second["nli"][1] == "missing"
    assert third["nli"] == (None, "errored", "RuntimeError: no")
    assert fourth["nli"] == (None, "skipped", "too long")
    assert [*run.answers["outcome"]] == ["answered", "answered", "errored", "skipped"]


def test_unknown_cost_is_warned_about_first(tmp_path: Path) -> None:
    judged = m.judged(3, "anthropic/claude-unheard")
    (judged.metadata or {})["judges"][0]["cost_usd"] = None
    samples = [
        m.sample(0, {"geval_coverage": judged}, store=m.trace(cost_usd=None)),
        m.sample(1, {"geval_coverage": m.judged(4, "anthropic/claude-unheard")}),
    ]
    results = frames([m.write(tmp_path, m.log(samples, model="other/unheard"))])
    first, second, *_ = _texts(results, "warning")
    assert "cost of A-RAG (other/unheard) is unknown for some calls" in first
    assert "judge anthropic/claude-unheard of A-RAG is unknown for some calls" in second


def test_unknown_cost_of_model_is_one_warning_for_all_its_systems(tmp_path: Path) -> None:
    judged = m.judged(3, "anthropic/claude-unheard")
    (judged.metadata or {})["judges"][0]["cost_usd"] = None
    logs = []
    for system in ("arag", "naive_rag"):
        store = m.trace(system, cost_usd=None)
        samples = [m.sample(0, {"geval_coverage": judged}, system=system, store=store)]
        logs.append(m.log(samples, system=system, model="other/unheard"))
    unknown = [
        text for text in _texts(frames(m.write(tmp_path, *logs)), "warning") if "cost" in text
    ]
    advice = "give its price in the next run (see Prices in docs/costs.md)"
    assert unknown == [
        f"the cost of A-RAG and Naive RAG (other/unheard) is unknown and not counted; {advice}",
        "the cost of the judge anthropic/claude-unheard of A-RAG and Naive RAG is unknown and not "
        f"counted; {advice}",
    ]


def test_duplicate_samples_in_log_count_once(tmp_path: Path) -> None:
    twice = [m.sample(n, {"rouge": m.scored(score)}) for score in (0.1, 0.9) for n in range(3)]
    write_eval_log(m.log(twice), str(tmp_path / "log.json"))
    results = frames(tmp_path / "log.json")
    assert [*results.scores["value"]] == [0.9] * 3
    assert _texts(results, "warning")[0].endswith(
        "holds 3 duplicate samples; the last of each counts"
    )


def test_answers_and_verdicts_are_read_from_trace(tmp_path: Path) -> None:
    search = {"tool": "keyword_search", "query": ["a"], "chunk_ids": [1, 2], "scores": [2, 1]}
    store = m.trace("arag", searches=[{**search, "loop": 1}], passages=[m.passage(2, loop=2)])
    scores = {"geval_coverage": m.judged({"a/x": 4, "b/y": 5})}
    run = _only_run(tmp_path, m.log([m.sample(0, scores, store=store)]))
    (sample,) = run.answers.itertuples()
    effort = (sample.loops, sample.cost_usd, sample.latency_ms, sample.input_tokens)
    assert effort == (3, 0.01, 1000.0, 1000)
    assert (sample.words, sample.company, sample.gold_missed) == (5, "ABM", (1,))
    assert sample.passages[0].text == "Sales rose." and sample.searches[0].chunk_ids == [1, 2]
    verdicts = run.verdicts
    assert verdicts[["judge", "value", "cost_usd"]].to_numpy().tolist() == [
        ["a/x", 4.0, 0.001],
        ["b/y", 5.0, 0.001],
    ]
    assert "I think <b>4</b>" in verdicts["text"].iloc[0]
    assert run.runs["graders"][0] == ("a/x", "b/y")


@pytest.mark.parametrize(
    ("judges", "scorers", "graders"),
    [
        ({"geval_coverage": "mock/new"}, ["geval_coverage"], ("mock/new",)),
        ({"llm_accuracy": "mock/new"}, ["llm_accuracy", "rouge"], ("mock/new",)),
        (
            {"geval_coverage": "mock/first", "geval_coverage1": "mock/new"},
            ["geval_coverage", "geval_coverage"],
            ("mock/first", "mock/new"),
        ),
        (
            {"geval_coverage": "mock/new"},
            ["geval_coverage", "model_graded_qa"],
            ("mock/first", "mock/new"),
        ),
    ],
)
def test_graders_are_those_that_judged_not_those_of_first_scoring(
    tmp_path: Path, judges: dict[str, str], scorers: list[str], graders: tuple[str, ...]
) -> None:
    scores = {name: m.judged(4, judge, name) for name, judge in judges.items()}
    log = m.log(
        [m.sample(0, scores)],
        scorers=[{"name": name} for name in scorers],
        model_roles={"grader": {"model": "mock/first"}},
    )
    assert _only_run(tmp_path, log).runs["graders"][0] == graders


@pytest.mark.parametrize(
    ("scorer", "verdict", "shares", "value", "said"),
    [
        ("citation_accuracy", {"supported": [1], "partial": []}, {"a/x": 1.0}, 1.0, ""),
        ("context_relevance", {"relevant": [1, 2]}, {"a/x": 0.5}, 0.5, ""),
        ("context_recall", {"stated": []}, {"a/x": 0.0}, 0.0, ""),
        ("abstention", "REFUSED", {}, 1.0, "REFUSED"),
        ("abstention", "ANSWERED", {}, 0.0, "ANSWERED"),
        ("context_sufficiency", "SUFFICIENT", {}, 1.0, "SUFFICIENT"),
    ],
)
def test_verdicts_in_lists_and_words_have_values(
    tmp_path: Path, scorer: str, verdict: Any, shares: dict[str, float], value: float, said: str
) -> None:
    judges = [{"grader": "a/x", "verdict": verdict, "reason": None}]
    score = m.scored(value, scorer, judges=judges, verdicts=shares)
    run = _only_run(tmp_path, m.log([m.sample(0, {scorer: score})]))
    (row,) = run.verdicts.itertuples()
    assert (row.value, row.said) == (value, said)


@pytest.mark.parametrize(
    "outcome, odd",
    [
        ("refused", {"stop_reason": "content_filter"}),
        ("truncated", {"stop_reason": "max_tokens"}),
        ("empty", {"answer": " "}),
    ],
)
def test_outcome_is_refused_truncated_or_empty(
    tmp_path: Path, outcome: str, odd: dict[str, Any]
) -> None:
    run = _only_run(tmp_path, m.log([m.sample(0, _rouge(1), **odd)]))
    assert [*run.answers["outcome"]] == [outcome]


def test_repeated_scorer_is_new_measure_only_with_other_judge(tmp_path: Path) -> None:
    scores = {
        "geval_coverage": m.judged(4),
        "geval_coverage-1": m.judged(3),
        "geval_coverage2": m.judged(2, judge="other/judge"),
    }
    run = _only_run(tmp_path, m.log([m.sample(0, scores)]))
    assert run.runs["measures"][0] == ("geval_coverage", "geval_coverage2")
    assert [*run.scores["value"]] == [4.0, 2.0]
    assert run.verdicts[["measure", "judge", "repeat", "value"]].to_numpy().tolist() == [
        ["geval_coverage", "mock/judge", 0, 4.0],
        ["geval_coverage", "", 1, 3.0],
        ["geval_coverage", "mock/judge", 1, 3.0],
        ["geval_coverage2", "other/judge", 0, 2.0],
    ]


def test_error_codes_of_answer_are_those_above_zero(tmp_path: Path) -> None:
    codes = m.scored({"H": 1, "N": 0, "any": 1})
    run = _only_run(tmp_path, m.log([m.sample(0, {"error_taxonomy": codes}), m.sample(1, {})]))
    assert [*run.answers["codes"]] == [("H",), None]


def test_runs_are_grouped_into_benchmarks_and_named(tmp_path: Path) -> None:
    folder = m.write(
        tmp_path,
        m.run_of("stuffing", _rouge),
        m.run_of("arag", _rouge, params={"max_loops": 5}),
        m.run_of("arag", _rouge, params={"max_loops": 22}),
        m.run_of("arag", _rouge, params={"max_loops": None, "mcp": None}),
        m.run_of("arag", _rouge, version=2),
    )
    results = frames(folder)
    assert [study.systems for study in studies(results)] == [
        ("A-RAG", "A-RAG (max_loops=5)", "A-RAG (max_loops=22)", "Stuffing"),
        ("A-RAG",),
    ]
    (versions,) = [text for text in _texts(results, "warning") if "versions 1 and 2" in text]
    assert "reported separately" in versions
    assert any("only one system" in text for text in _texts(results, "note"))


def test_system_names_include_model_when_models_differ(tmp_path: Path) -> None:
    names = ("anthropic/claude-sonnet-4-6", "openai/gpt-5")
    logs = [m.run_of("arag", _rouge, model=name) for name in names]
    results = frames([m.write(tmp_path, *logs)])
    assert studies(results)[0].systems == ("A-RAG · claude-sonnet-4-6", "A-RAG · gpt-5")
    assert any("was run with" in text for text in _texts(results, "note"))


def test_newest_successful_run_of_system_counts(tmp_path: Path) -> None:
    logs = []
    for day, status in ((3, "cancelled"), (2, "success"), (1, "success")):
        created = f"2026-01-0{day}T00:00:00+00:00"
        scores = _rouge(day)
        logs.append(m.run_of("arag", scores, created=created, status=status))
    results = frames([m.write(tmp_path, *logs)])
    assert len(results.runs) == 1 and {*results.scores["value"]} == {2.0}
    assert sum("another run of the same system" in text for text in _texts(results, "note")) == 2


def test_copy_of_run_with_most_scores_counts(tmp_path: Path) -> None:
    def both(number: int) -> dict[str, Score]:
        return {**_rouge(number), "nli": m.scored(1)}

    names: list[Any] = [{"name": "rouge"}, {"name": "nli"}]
    logs = [
        m.run_of("arag", scores, eval_id="same", run_id="same", scorers=scorers)
        for scores, scorers in ((both, names), (_rouge, names[:1]))
    ]
    results = frames(m.write(tmp_path, *logs))
    assert studies(results)[0].catalogue.keys == ("rouge", "nli")
    assert any("is the same run as" in text for text in _texts(results, "note"))


@pytest.mark.parametrize("field", ["run_id", "task", "model"])
def test_foreign_run_with_same_id_does_not_replace_run(tmp_path: Path, field: str) -> None:
    names: list[Any] = [{"name": "rouge"}, {"name": "nli"}, {"name": "x"}]
    ours = m.run_of("arag", _rouge, eval_id="same", scorers=names[:1])
    foreign = m.run_of("arag", _rouge(9), eval_id="same", scorers=names)
    setattr(foreign.eval, field, "another")
    foreign.eval.created = "2101-02-03T04:05:06+00:00"
    results = frames(m.write(tmp_path, ours, foreign))
    assert {*results.scores["value"]} == set(range(len(results.answers)))
    assert any("which is another run" in text for text in _texts(results, "error"))


def test_unreadable_logs_are_reported_and_others_are_kept(tmp_path: Path) -> None:
    folder = m.write(
        tmp_path / "logs",
        m.run_of("arag", _rouge),
        m.run_of("naive_rag", _rouge, count=3, status="started"),
        m.log([], system="stuffing", status="started"),
        m.log([m.sample(0, {"match": Score(value="C")}, store={})], task="other/task"),
        m.log([m.sample(0, store={})], task="other/without"),
    )
    (folder / "2026-01-01T10-00-09-00-00_log.eval").write_bytes(b"no zip")
    empty = tmp_path / "empty"
    empty.mkdir()
    results = frames(
        [folder, empty, tmp_path / "nowhere", "nosuch://x", "http://127.0.0.1:9/x.eval"]
    )
    assert [*results.runs["system"]] == ["A-RAG", "Naive RAG", "A-RAG"]
    errors = "\n".join(_texts(results, "error"))
    assert "has no finished sample" in errors
    assert "has no scores on its 1 sample; add them with inspect score" in errors
    assert "cannot be read" in errors
    assert "contains no logs" in errors
    assert "nosuch://x cannot be read" in errors
    assert "http://127.0.0.1:9/x.eval cannot be read" in errors
    with pytest.raises(InputError, match="the path of a log is empty"):
        frames([folder, ""])
    assert "no such file or folder" in errors
    assert any("Naive RAG is still running: 3 of 3" in t for t in _texts(results, "warning"))
    assert any("they share 3" in text for text in _texts(results, "note"))


@pytest.mark.parametrize(
    ("failures", "said"),
    [
        (
            ["no key", "no key", "away"],
            (
                "all of its 3 samples failed, 2 with 'no key'; fix the cause and rerun them with "
                "inspect eval-retry"
            ),
        ),
        (
            ["", "line 1\nline 2"],
            "all of its 2 samples failed, 1 with 'no message'; fix the cause",
        ),
        (["no key", None], "on its 2 samples, 1 of which failed; add them with inspect score"),
        ([None], "on its 1 sample; add them with inspect score"),
    ],
)
def test_log_without_scores_is_reported_with_sample_failures(
    tmp_path: Path, failures: list[str | None], said: str
) -> None:
    errors = [
        None if text is None else EvalError(message=text, traceback="", traceback_ansi="")
        for text in failures
    ]
    samples = [m.sample(number, store={}, error=error) for number, error in enumerate(errors)]
    folder = m.write(tmp_path, m.log(samples, task="other/task"))
    result = call("report", folder, code=1)
    assert said in result.output and "Traceback" not in result.output


@pytest.mark.parametrize("make", [lambda folder: folder, lambda folder: folder / "none.eval"])
def test_empty_input_is_reported_in_one_line(tmp_path: Path, make: object) -> None:
    with pytest.raises(InputError, match="no log to report in .*") as error:
        frames([make(tmp_path)])  # type: ignore[operator]
    assert "\n" not in str(error.value)


def test_measures_with_different_signatures_cause_warning(tmp_path: Path) -> None:
    def scores(version: int, judge: str) -> dict[str, Score]:
        return {
            "rouge": m.scored(1, f"rouge|stemmer:yes|version:{version}"),
            "geval_coverage": m.judged(4, judge=judge),
        }

    folder = m.write(
        tmp_path,
        m.run_of("arag", lambda n: scores(1, "anthropic/claude-haiku-4-5")),
        m.run_of("naive_rag", lambda n: scores(2, "openai/gpt-5"), model="openai/gpt-4o"),
    )
    warnings = _texts(frames(folder), "warning")
    for scorer, parts in (("rouge", "version:1"), ("geval_coverage", "judge:")):
        message = f"{scorer} was computed in different ways"
        (text,) = [text for text in warnings if text.startswith(message)]
        assert parts in text and "stemmer" not in text
    (family,) = [text for text in warnings if "same family" in text]
    assert "openai/gpt-5 judged Naive RAG" in family and "openai/gpt-4o" in family


def test_warning_says_why_results_of_tools_were_the_source(tmp_path: Path) -> None:
    def scores(origin: str, _: int) -> dict[str, Score]:
        return {"geval_faithfulness": m.scored(4, f"geval_faithfulness|against:context:{origin}")}

    origins = {"arag": "tools", "naive_rag": "passages"}
    runs = [m.run_of(name, partial(scores, origin)) for name, origin in origins.items()]
    warnings = _texts(frames(m.write(tmp_path, *runs)), "warning")
    cause = "tools: no passage was read, so results of tools were the source)"
    assert any(text.endswith(cause) for text in warnings)


def test_closed_book_without_passages_does_not_cause_warning(tmp_path: Path) -> None:
    def scores(context: str, _: int) -> dict[str, Score]:
        return {"error_taxonomy": m.scored({"H": 0.0}, f"error_taxonomy|context:{context}")}

    contexts = {"arag": "passages", "naive_rag": "passages", "closed_book": "tools"}
    runs = [m.run_of(name, partial(scores, context)) for name, context in contexts.items()]
    warnings = _texts(frames(m.write(tmp_path, *runs)), "warning")
    assert not [text for text in warnings if "in different ways" in text]


@pytest.mark.parametrize("with_runs", [True, False])
def test_check_of_doctor_is_ignored_beside_runs(tmp_path: Path, *, with_runs: bool) -> None:
    purpose = {PURPOSE: "the check of doctor --system"}
    check = m.log([m.sample(0, system="external")], system="external", metadata=purpose)
    systems = ("arag", "naive_rag")
    runs = [m.log([m.sample(0, _rouge(1), system=name)], system=name) for name in systems]
    all_frames = frames(m.write(tmp_path, check, *(runs if with_runs else ())))
    notes = _texts(all_frames, "note")
    ignored = [text for text in notes if text.endswith("doctor --system and is ignored")]
    assert len(ignored) == with_runs
    assert set(all_frames.runs["system"]) == ({"A-RAG", "Naive RAG"} if with_runs else {"external"})
    if not with_runs:
        assert not any("scores" in text for text in _texts(all_frames, "warning"))
        (report,) = make_report(all_frames).studies
        assert "There are no scores; add them with inspect score" in report.headline + " ".join(
            finding.text for finding in report.findings
        )


def test_samples_without_scores_are_counted(tmp_path: Path) -> None:
    samples = [m.sample(0, {"rouge": m.scored(1)}), m.sample(1, {}), m.sample(2, None)]
    other = m.log([m.sample(0, system="stuffing")], system="stuffing")
    results = frames(m.write(tmp_path, m.log(samples), other))
    warnings = _texts(results, "warning")
    assert any("A-RAG has missing scores on 2 of 3 samples" in text for text in warnings)
    assert "Stuffing has no scores" in warnings


@pytest.mark.parametrize(
    "model, family",
    [
        ("anthropic/claude-haiku-4-5-20251001", "claude"), ("openai/o3-mini", "gpt"),
        ("openrouter/anthropic/claude-sonnet-4-6", "claude"), ("openai/gpt-4o", "gpt"),
        ("bedrock/anthropic.claude-3-5-sonnet", "claude"), ("google/gemini-2.5-pro", "gemini"),
        ("together/meta-llama/Llama-3.3-70B", "llama"), ("hf/Qwen/Qwen2.5-7B", "qwen"),
        ("offline/extractive", "extractive"),
    ],
)  # fmt: skip
def test_model_family_is_derived_from_model_name(model: str, family: str) -> None:
    assert model_family(model) == family


@pytest.mark.parametrize("listed", [False, True])
def test_unscored_scorer_takes_keys_from_log_metrics(tmp_path: Path, listed: bool) -> None:
    mean = {"name": "mean"}
    keyed = {"any": [mean], "*": [mean]}
    scorer = {"name": "error_taxonomy", "metrics": [keyed, mean] if listed else keyed}
    flagged = {"error_taxonomy": m.scored({"H": 1, "any": 1})}
    unscored = {"error_taxonomy": Score.unscored(reason="no_grades")}
    arag = m.run_of("arag", flagged)
    all_frames = frames(m.write(tmp_path, arag, m.run_of("stuffing", unscored, scorers=[scorer])))
    assert studies(all_frames)[0].catalogue.keys == ("error_taxonomy.H", "error_taxonomy.any")
    mark = m.marks(all_frames, "s000", "Stuffing")["error_taxonomy.any"]
    assert mark == (None, "unscored", "no_grades")


def test_foreign_data_under_reserved_names_is_ignored(tmp_path: Path) -> None:
    odd = Score(value=[1, 2], metadata={"judges": 3, "signature": 5, "codes": None})
    more = Score(value={"a": None, "b": "C"}, metadata={"judges": ["x", {"criteria": 1, "raw": 2}]})
    scores = {"odd": odd, "more": more, "rouge": m.scored(0.5)}
    store = {"RetrievalTrace:loops": "many", "RetrievalTrace:system": "arag"}
    about = {"gold_chunk_ids": "x", "company": {"a": 1}}
    samples = [m.sample(n, scores, store=store, metadata=about) for n in range(4)]
    run = _only_run(tmp_path, m.log(samples, metadata={"corpus": "a name"}))
    marks = m.marks(run, "s000")
    assert run.runs["corpus"][0] is None and [*marks] == ["more.a", "more.b", "rouge"]
    assert any("odd holds lists" in notice.text for notice in run.notices)
    assert marks["more.b"][0] == 1.0 and run.answers["company"][0] == ""
    assert len(run.verdicts) == 4
    assert make_report(frames(tmp_path)).studies


def test_report_warns_of_added_tools_that_no_answer_used(tmp_path: Path) -> None:
    tools = ["keyword_search", "tools.py:find_outlook", "finance.tools:find_margin"]
    search = {"tool": "find_outlook", "query": "q", "chunk_ids": [], "scores": [], "loop": 1}
    samples = [m.sample(n, _rouge(n), store=m.trace(searches=[search])) for n in range(2)]
    run = _only_run(tmp_path, m.log(samples, params={"tools": tools}))
    (warning,) = [text for text in _texts(run, "warning") if "gave the agent" in text]
    assert warning.endswith("gave the agent finance.tools:find_margin, which was never used")
