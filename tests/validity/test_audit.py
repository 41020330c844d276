"""Command-line tests of the audit: one run, as table, Markdown, JSON and log."""

import json
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from arag_inspect.benchmark.scorers import is_judged
from arag_inspect.cli.main import main
from arag_inspect.types.trace import RetrievalTrace
from arag_inspect.validity import PerturbationReport, meta_evaluate
from arag_inspect.validity.cases import read_cases
from arag_inspect.validity.scorer_names import choose_scorers
from arag_inspect.validity.variant_comparison import KeyReport
from tests.report import material as m


@scorer(metrics=[mean()], name="audited_words")
def words() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=len(state.output.completion.split()))

    return score


@scorer(metrics=[mean()], name="audited_mute")
def mute() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score.unscored(reason="lost_for_words")

    return score


@scorer(metrics={"grade": [mean()], "source": [mean()]}, name="audited_fickle")
def fickle(*, step: int = 0) -> Scorer:
    reply_numbers = count()

    async def score(state: TaskState, target: Target) -> Score:
        text_read = "".join(p.text for p in state.store_as(RetrievalTrace).passages)
        assert text_read == "".join(state.metadata["passages"])
        return Score(value={"grade": step * next(reply_numbers), "source": len(text_read)})

    return score


class Run(NamedTuple):
    """One audit in every output format."""

    audit: PerturbationReport
    printed: str
    markdown: str
    logs: Path

    def key(self, name: str) -> KeyReport:
        return next(key for key in self.audit.keys if key.key == name)

    def rate(self, key: str, perturbation: str) -> float | None:
        found = next(one for one in self.key(key).noticed if one.worse == perturbation)
        return found.win_rate and found.win_rate.value


def run_cli(*line: str) -> Result:
    line = ("meta-eval", "audit", *line)
    return CliRunner().invoke(main, line, env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def run(synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("audit")
    perturbation_reports: list[PerturbationReport] = []

    @wraps(meta_evaluate)
    def keep(*args: Any, **options: Any) -> PerturbationReport:
        perturbation_reports.append(meta_evaluate(*args, **options))
        return perturbation_reports[0]

    with patch("arag_inspect.validity.meta_evaluate", keep):
        for name in ("audit.md", "audit.json"):  # the second resumes the logs of the first
            result = run_cli(
                str(synthetic_folder),
                "--scorers",
                "rouge,arag_inspect/factual_consistency,audited_words,audited_mute,audited_fickle",
                *("-S", "audited_fickle.step=2", "--lower-is-better", "audited_words"),
                *("--limit", "2", "--log-dir", str(folder / "logs"), "-o", str(folder / name)),
            )
            assert result.exit_code == 0, result.output
    document, page = ((folder / name).read_text() for name in ("audit.json", "audit.md"))
    return Run(perturbation_reports[1], document, page, folder / "logs")


def test_audit_reports_rate_of_noticed_perturbations_per_key(run: Run) -> None:
    assert (run.audit.cases, run.audit.summaries) == (2, "evidence")
    assert run.rate("supported", "number_changed") == 1
    assert run.rate("supported", "shuffled") == run.rate("supported", "doubled") == 0.5
    assert run.rate("numerical_precision", "direction_flipped") == 0.5
    assert run.rate("audited_words", "doubled") == 1
    assert run.rate("audited_words", "sentence_dropped") == 0
    assert run.key("supported").mean == 1, "key sentences stand in the source"
    assert run.key("rouge1").extremes["reference"] == 1
    assert 0.1 < (run.key("rouge1").mean or 0) < 0.9
    assert run.key("rouge2").extremes["empty"] == 0


def test_audit_reports_retest_noise_and_passes_source(run: Run) -> None:
    assert run.key("rouge1").retest_agreement == 1 and run.key("rouge1").noise == 0
    assert run.key("grade").retest_agreement == 0 and (run.key("grade").noise or 0) >= 2
    assert (run.key("source").mean or 0) > 1000


def test_scorer_without_any_score_is_reported(run: Run) -> None:
    assert run.key("audited_mute").unscored == {"lost_for_words": 2}
    assert "audited_mute: nothing was scored (lost_for_words 2)." in run.markdown
    assert not any(line.startswith("| audited_mute") for line in run.markdown.splitlines())


def test_json_and_markdown_agree(run: Run) -> None:
    found = json.loads(run.printed)
    assert found == json.loads(json.dumps(run.audit.as_dict()))
    rows = [
        line.split(" | ")
        for line in run.markdown.splitlines()
        if line.startswith(r"| factual\_consistency/supported |")
    ]
    assert float(rows[0][1].strip("()")) == run.rate("supported", "number_changed")
    assert rows[2][:3] == [r"| factual\_consistency/supported", "clean", "number changed"]
    assert r"| audited\_words ↓ |" in run.markdown
    assert "audited_fickle/source: every text has the same score." in run.markdown
    assert "Only program scorers ran; add judged scorers with --grader MODEL." in run.markdown


def test_terminal_output_has_both_tables(run: Run) -> None:
    with patch("arag_inspect.validity.meta_evaluate", lambda *_, **__: run.audit):
        printed = run_cli("corpus").stdout
    assert "2 summaries (evidence)" in printed and "ref. > other" in printed
    rows = [line for line in printed.splitlines() if line.strip().startswith("rougeLsum ")]
    assert len(rows) == 3  # the second table is too wide for a single one
    assert "Every comparison" in run.markdown and "Every comparison" not in printed


def test_logged_answers_serve_as_clean_summaries(run: Run) -> None:
    """The audit's own log qualifies as a log with answers."""
    [log] = run.logs.rglob("*.eval")
    cases = read_cases(str(log), None, None, 0)
    clean = next(case for case in cases if case.case_id.endswith("/clean"))
    assert clean.clean == "\n".join(clean.metadata["evidence"])
    assert clean.context == "document" and clean.source == "\n".join(clean.metadata["passages"])
    assert not any(case.case_id.endswith("/empty") for case in cases)
    assert all(case.other and case.other != case.clean for case in cases)
    references = read_cases(str(log), "reference", 3, 0)
    assert len(references) == 3
    assert references[0].reference == "\n".join(references[0].metadata["evidence"])
    assert references[0].clean != references[0].reference


def test_unanswerable_questions_give_no_good_summary(tmp_path: Path) -> None:
    kinds = ["single", "multi", "unanswerable"]
    samples = [
        m.sample(n, {}, metadata={"company": f"C{n}", "question_type": kind})
        for n, kind in enumerate(kinds)
    ]
    for question in samples:
        question.target = f"Sales rose {question.id}."
    (path,) = m.write(tmp_path, m.log(samples)).glob("*.eval")
    cases = read_cases(str(path), "gold", None, 0)
    assert [case.case_id for case in cases] == ["s000", "s001"]


def test_unusable_audit_sources_are_reported(synthetic_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "no.eval").write_bytes(b"no log")
    assert (
        "cannot be read as a log (it is truncated, or not a log)"
        in run_cli(str(tmp_path / "no.eval")).output
    )
    log = tmp_path / "one.eval"
    sample = EvalSample(
        id="a", epoch=1, input="?", target="Sales rose.", metadata={"company": "ACME"}
    )
    sample.output = ModelOutput.from_content("m", "Sales rose by 3%.")
    spec = EvalSpec(
        created="2026-01-01", task="t", dataset=EvalDataset(), model="m", config=EvalConfig()
    )
    write_eval_log(EvalLog(eval=spec, samples=[sample]), str(log))
    assert (
        "all summaries are about ACME; also prepare documents of another"
        in run_cli(str(log)).output
    )
    assert (
        "contains no texts for --summaries evidence; choose another kind"
        in run_cli(str(log), "--summaries", "evidence").output
    )
    sample.output = ModelOutput()
    write_eval_log(EvalLog(eval=spec, samples=[sample]), str(log))
    assert "contains no texts for --summaries answers" in run_cli(str(log)).output
    sample.target, sample.output = "", ModelOutput.from_content("m", "Sales rose.")
    write_eval_log(EvalLog(eval=spec, samples=[sample]), str(log))
    assert "no sample of" in run_cli(str(log)).output


def test_default_scorers_without_grader_are_programs_only() -> None:
    by_program, usual = choose_scorers(judged=False), choose_scorers()
    assert not any(map(is_judged, by_program)) and len(by_program) == 6
    assert sum(map(is_judged, usual)) == len(usual) - len(by_program) == 6
