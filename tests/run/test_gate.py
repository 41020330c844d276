"""Tests of the gate: passed, failed or undecided, with exit code, table and JUnit file."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalLog, EvalSample, ProvenanceData
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect import gate, read_rules
from arag_inspect._util.errors import InputError
from arag_inspect.report import frames, studies
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.study import Choices
from arag_inspect.scorers import abstention, answer_match
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.report import material as m
from tests.scripted import Script, run, scripted

RULE = "geval_coverage >= -0.2"

Grade = Callable[[int], float]


def _logs(folder: Path, grade: float, wave: float = 0.0, n: int = 20) -> Path:
    """Write a run whose grades are `wave` above and below a grade in turn."""
    return _graded(folder, lambda number: grade + wave * (-1) ** number, n)


def _graded(folder: Path, grade: Grade, n: int, company: str | None = "C{}") -> Path:
    def scores(number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(grade(number))}

    return m.write(folder, m.run_of("arag", scores, n, company=company))


def _gate(
    new: object, base: object, *options: object, rule: str = RULE, code: int = 0, **env: str
) -> str:
    """Return what a gate prints; `base` is None where the new run is judged alone."""
    against = ("--against", base) if base else ()
    return call("gate", new, *against, "--rule", rule, *options, code=code, **env).output


@pytest.mark.parametrize(
    "grade, wave, options, code, verdict",
    [
        (3.0, 0.1, (), 0, "kept"),
        (2.5, 0.1, (), 1, "broken"),
        (2.8, 0.5, (), 2, "undecided"),
        (2.8, 0.5, ("--undecided", "pass"), 0, "undecided"),
    ],
)
def test_gate_rule_is_kept_broken_or_undecided(
    tmp_path: Path, grade: float, wave: float, options: tuple[str, ...], code: int, verdict: str
) -> None:
    new, base = _logs(tmp_path / "new", grade, wave), _logs(tmp_path / "base", 3.0)
    file, junit, markdown = (tmp_path / name for name in ("rules.yaml", "gate.xml", "gate.md"))
    file.write_text(f"- {RULE}\n")
    outputs = ("--junit", junit, "--markdown", markdown)
    printed = call("gate", new, "--against", base, "--rules", file, *outputs, *options, code=code)
    change = f"{grade - 3:+.3f}".replace("+0.000", "0.000")
    row = f"| A-RAG | geval\\_coverage &gt;= -0.2 | 20 | {change}"
    result = "failed: geval_coverage >= -0.2 of A-RAG is" if code else "passed: 1"
    assert printed.output.splitlines()[-1] == f"Gate {result} {verdict}"
    cell = f"{verdict} ({'fails' if code else 'passes'})" if verdict == "undecided" else verdict
    assert row in markdown.read_text() and f"| {cell} |" in markdown.read_text()
    assert markdown.read_text().rstrip().endswith(f" {verdict}**")
    assert re.search(rf"A-RAG +geval_coverage >= -0\.2 .* {verdict}\b", printed.output)
    assert change in printed.output and "\\_" not in printed.output
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(int(code != 0)))
    (case,) = suite
    assert case.get("name") == RULE
    rules = read_rules(file=str(file))
    assert rules == read_rules([], file) == read_rules(RULE)
    gated = gate(frames(new), frames(base), rules)
    assert gated.verdict == verdict and gated.passed is (verdict == "kept")
    assert repr(gated).startswith(f"Gate: {verdict}\n") and RULE in repr(gated)
    assert not gated._replace(left_out=("a log",)).passed


@pytest.mark.parametrize(
    ("text", "bound"),
    [("1.", 1.0), (".5", 0.5), ("1e-3", 0.001), ("-2.5E+1", -25.0), ("+0.2", 0.2)],
)
def test_rule_has_any_number_as_bound(text: str, bound: float) -> None:
    assert read_rules(f"rouge.rouge2 >= {text}") == [("rouge.rouge2", 1, bound)]


@pytest.mark.parametrize("text", [".", "1e", "1.2.3", "5 %", "e3"])
def test_rule_without_a_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not MEASURE"):
        read_rules(f"rouge.rouge2 >= {text}")


def test_gate_notes_verdict_on_few_samples(tmp_path: Path) -> None:
    new, base = (_logs(tmp_path / name, 3.0, n=2) for name in ("new", "base"))
    assert _gate(new, base, code=2).count("only 2 samples") == 1
    assert _gate(new, None, "--rule", RULE).count("only 2 samples") == 1
    assert "only 30" not in _gate(_logs(tmp_path / "more", 3.0, n=30), None)


@pytest.mark.parametrize(("new_count", "base_count"), [(7, 36), (36, 7), (7, 7), (31, 36)])
def test_gate_counts_samples_that_both_runs_have(
    tmp_path: Path, new_count: int, base_count: int
) -> None:
    new, base = (_run_limited_to(n) for n in (new_count, base_count))
    output = _gate(m.write(tmp_path / "new", new), m.write(tmp_path / "base", base))
    shared = min(new_count, base_count)
    assert (f"only {shared} samples\n" in output) is (shared < 30)
    missing = f"A-RAG: only {shared} of {base_count} samples of the earlier run are in the new one"
    assert (missing in output) is (new_count < base_count)
    assert "only 36" not in output


def _run_limited_to(n: int) -> EvalLog:
    log = m.run_of("arag", lambda _: {"geval_coverage": m.judged(3)}, n, company="C{}")
    log.eval.config = log.eval.config.model_copy(update={"limit": n})
    return log


@pytest.mark.parametrize(("n", "code"), [(5, 2), (6, 0)])
def test_gate_is_undecided_where_few_samples_all_agree(tmp_path: Path, n: int, code: int) -> None:
    new, base = (_logs(tmp_path / name, 3.0, n=n) for name in ("new", "base"))
    text = f"undecided: {RULE} of A-RAG: n = {n}: too few to tell, although every one keeps"
    assert (text in _gate(new, base, code=code)) is (code == 2)
    _gate(new, base, "--undecided", "pass")
    alone = _gate(new, None, rule="geval_coverage >= 2.9", code=2)
    assert f"the interval of {n} samples reaches beyond 2.9" in alone


@pytest.mark.parametrize(("grade", "is_said"), [(4.0, True), (2.9, True), (2.5, False)])
def test_undecided_rule_says_that_every_one_of_few_samples_keeps_it(
    tmp_path: Path, grade: float, is_said: bool
) -> None:
    new, base = _logs(tmp_path / "new", grade, n=5), _logs(tmp_path / "base", 3.0, n=5)
    output = _gate(new, base, code=2)
    assert ("every one keeps the rule; `--undecided mean` accepts that" in output) is is_said


@pytest.mark.parametrize(
    ("grade", "wave", "code", "reason"),
    [
        (2.9, 0.0, 0, "too few to tell"),
        (2.5, 0.4, 0, "undecided"),
        (2.5, 0.0, 2, "every one breaks the rule"),
    ],
)
def test_undecided_pass_rejects_few_samples_only_if_all_break_the_rule(
    tmp_path: Path, grade: float, wave: float, code: int, reason: str
) -> None:
    new, base = _logs(tmp_path / "new", grade, wave, n=5), _logs(tmp_path / "base", 3.0, n=5)
    assert reason in _gate(new, base, "--undecided", "pass", code=code)


@pytest.mark.parametrize(
    ("grades", "rule", "code"),
    [
        ([1.0] * 4, "geval_coverage >= 2.5", 2),
        ([2.0, 2.4, 2.2, 2.3], "geval_coverage >= 2.5", 2),
        ([2.5] * 4, "geval_coverage <= 2", 2),
        ([2.0, 2.4, 2.2, 2.5], "geval_coverage >= 2.5", 0),
    ],
)
def test_undecided_pass_rejects_run_where_every_sample_breaks_rule(
    tmp_path: Path, grades: list[float], rule: str, code: int
) -> None:
    new = _logs_of_grades(tmp_path, grades)
    output = call("gate", new, "--rule", rule, "--undecided", "pass", code=code).output
    assert "undecided" in output and ("every one breaks the rule" in output) is (code == 2)


@pytest.mark.parametrize(
    ("grades", "code"), [([3.0] * 4, 0), ([3.0, 3.0, 3.0, 2.8], 0), ([3.0, 3.0, 3.0, 1.0], 2)]
)
def test_undecided_mean_decides_by_mean_alone(
    tmp_path: Path, grades: list[float], code: int
) -> None:
    """Passing all undecided rules would accept the last run, too few to be broken."""
    new, base = _logs_of_grades(tmp_path / "new", grades), _logs(tmp_path / "base", 3.0, n=4)
    change = ("gate", new, "--against", base, "--rule", "geval_coverage >= -0.1")
    assert call(*change, "--undecided", "mean", code=code).output.count("undecided")
    assert call(*change, "--undecided", "pass", code=0)
    alone = ("gate", new, "--rule", "geval_coverage >= 2.9")
    call(*alone, "--undecided", "mean", code=code)


def test_undecided_mean_rejects_missing_values(tmp_path: Path) -> None:
    log = _good(_run(24))
    samples_of(log)[0].scores = {"geval_coverage": Score.unscored(reason="grader_failed")}
    new = m.write(tmp_path, log)
    call("gate", new, "--rule", "geval_coverage >= 2", "--undecided", "mean", code=2)


def test_gate_shows_small_costs_so_that_they_differ(tmp_path: Path) -> None:
    for name, step in (("new", 0.0002), ("base", 0.0)):

        def scores(number: int, step: float = step) -> dict[str, Score]:
            cost = 0.0006 + step * (number % 4)
            return {"efficiency": m.scored({"cost_usd": cost}, "efficiency")}

        m.write(tmp_path / name, m.run_of("arag", scores, 12, company="C{}"))
    printed = _gate(tmp_path / "new", tmp_path / "base", rule="efficiency.cost_usd <= 0", code=1)
    assert "lost most: s003 (0.0006 → 0.0012)" in printed


@pytest.mark.parametrize(("grade", "code"), [(2.8, 0), (2.7999, 1)])
def test_change_equal_to_bound_keeps_rule(tmp_path: Path, grade: float, code: int) -> None:
    """2.8 - 3.0 is a little less than -0.2 in floating-point arithmetic."""
    new, base = _logs(tmp_path / "new", grade), _logs(tmp_path / "base", 3.0)
    call("gate", new, "--against", base, "--rule", "geval_coverage >= -0.2", code=code)


def _logs_of_grades(folder: Path, grades: list[float]) -> str:
    def scores(number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(grades[number])}

    return str(m.write(folder, m.run_of("arag", scores, len(grades), company="C{}")))


def test_gate_shows_costs_in_dollars(tmp_path: Path) -> None:
    for name, dollars in (("new", 0.0041), ("base", 0.001)):

        def scores(number: int, dollars: float = dollars) -> dict[str, Score]:
            cost = dollars + 0.0001 * (number % 3)
            return {"efficiency": m.scored({"cost_usd": cost}, "efficiency")}

        m.write(tmp_path / name, m.run_of("arag", scores, 12, company="C{}"))
    new, base = tmp_path / "new", tmp_path / "base"
    printed = _gate(new, base, rule="efficiency.cost_usd <= 0.0001", code=1)
    assert "+$0.0031 is above 0.0001 on every sample" in printed
    assert "all 12 samples lost the same" in printed and "lost most" not in printed
    alone = _gate(new, None, rule="efficiency.cost_usd <= 0.01")
    assert re.search(r"\$0\.0042 \[\$0\.004\d, \$0\.004\d\]", alone)


@pytest.mark.parametrize(("has_cost", "named"), [(True, "cost"), (False, "tokens")])
def test_gate_names_tokens_that_rose_only_where_cost_is_unknown(
    tmp_path: Path, *, has_cost: bool, named: str
) -> None:
    for side, factor in (("new", 2), ("base", 1)):
        effort = {"input_tokens": 1000 * factor, "cost_usd": 0.01 * factor if has_cost else None}
        log = m.run_of(
            "arag", lambda _: {"geval_coverage": m.judged(3)}, company="C{}", effort=effort
        )
        m.write(tmp_path / side, log)
    output = _gate(tmp_path / "new", tmp_path / "base")
    names = [name for name in ("cost", "tokens") if f"{name} per question" in output]
    assert names == [named]


def test_gate_suggests_remedy_when_undecided(tmp_path: Path) -> None:
    base, alone = _logs(tmp_path / "base", 3.0), "geval_coverage >= 2.8"
    new, near = (_logs(tmp_path / str(grade), grade, 0.5) for grade in (2.8, 2.9))
    undecided = (
        "the interval of 20 samples reaches beyond -0.2; more samples would narrow it (no "
        "realistic number of samples would decide it at this change, with 80 % power)\n"
    )
    assert undecided in _gate(new, base, code=2)
    remedy = "so would a comparison with an earlier run (--against)"
    assert remedy in _gate(new, None, rule=alone, code=2)
    enough = r"more samples would narrow it \(about 2(09|10) samples would decide it at this"
    assert re.search(f"{enough} change", _gate(near, base, code=2))
    assert re.search(f"{enough} mean", _gate(near, None, rule=alone, code=2))


def test_gate_asks_for_groups_where_samples_are_grouped(tmp_path: Path) -> None:
    new = _graded(tmp_path / "new", lambda number: 3 - 0.4 * (number % 3), 12, None)
    base = _graded(tmp_path / "base", lambda number: 3 - 0.1 * (number % 3), 12, None)
    assert re.search(
        r"more companies would narrow it \(about [\d,]+ companies with [\d,]+ samples would decide",
        _gate(new, base, rule="geval_coverage >= -0.2", code=2),
    )


@pytest.mark.parametrize("rule", ["geval_coverage >= -0.2", "geval_coverage <= 0.2"])
def test_gate_names_samples_that_lost_most(tmp_path: Path, rule: str) -> None:
    sign = 1 if ">=" in rule else -1
    losses = (1, 0.5, 2, 1, 1, 1, 1, -0.5)
    new = _graded(tmp_path / "new", lambda number: 3 - sign * losses[number], 8)
    base, markdown = _logs(tmp_path / "base", 3.0, n=8), tmp_path / "gate.md"
    printed = _gate(new, base, "--markdown", markdown, rule=rule, code=1)
    worst, second = (
        ("s002 (3 → 1)", "s000 (3 → 2)") if sign > 0 else ("s002 (3 → 5)", "s000 (3 → 4)")
    )
    assert f"lost most: {worst}, {second}, " in printed
    assert f"lost most: {worst}, {second}, " in markdown.read_text()
    assert "s005" in printed and "s006" not in printed and "and 2 more\n" in printed
    assert "lost most" not in _gate(new, base, rule=rule.replace("0.2", "5"))


def test_gate_explains_break_where_compare_names_no_winner(tmp_path: Path) -> None:
    """One of six companies does not differ, so p of the exact test cannot fall below 0.05."""
    grades = (1.0, 2.0, 1.0, 2.0, 1.0, 3.0)
    new, base = _graded(tmp_path / "new", lambda n: grades[n], 6), _logs(tmp_path / "base", 3, n=6)
    doubt = "p is 0.062 by randomisation and cannot be below 0.05 with a difference in only 5"
    alone = "the 95 % interval alone decides the rule; compare shows no difference, because"
    gated = _gate(new, base, rule="geval_coverage >= -0.1", code=1)
    assert f"{alone} {doubt} companies\n" in gated
    compared = call("compare", base, new, "-o", tmp_path / "report").output
    assert f", but {doubt} companies" in " ".join(compared.split())


def test_gate_adds_markdown_to_summary_of_github_job(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Tests\n")
    new, rule = _logs(tmp_path / "new", 3.0), "geval_coverage >= 2"
    assert rule in _gate(new, None, rule=rule, GITHUB_STEP_SUMMARY=str(summary))
    assert summary.read_text().startswith("# Tests\n- **note:** only 20 samples")
    assert "| geval\\_coverage &gt;= 2 |" in summary.read_text()


def test_gate_is_undecided_when_run_is_compared_with_itself(tmp_path: Path) -> None:
    new = _logs(tmp_path / "new", 3.0, 0.1)
    remedy = "the same run is on both sides; make another run with a new --log-dir"
    assert remedy in _gate(new, new, code=2)


def test_gate_and_report_accept_key_without_scorer(tmp_path: Path) -> None:
    def scores(number: int) -> dict[str, Score]:
        return {"rouge": m.scored({"rouge1": 0.6, "rouge2": 0.4 + 0.01 * (number % 3)}, "rouge")}

    logs = m.write(tmp_path / "logs", m.run_of("arag", scores, 12, company="C{}"))
    assert "rouge.rouge2 >= 0.3" in _gate(logs, None, rule="rouge2 >= 0.3")
    call("report", logs, "--primary", "rouge2", "--out", tmp_path / "report")
    wrong = call("report", logs, "--primary", "rouge3", code=1).output
    assert "primary measure 'rouge3' is unknown" in wrong and "did you mean rouge.rouge" in wrong


@pytest.mark.parametrize(
    "options, told",
    [
        (("--rule", "tone >= 0"), "measure 'tone' is unknown; choose from geval_coverage"),
        (("--rule", "geval_coverage"), "rule 'geval_coverage' is not MEASURE >= NUMBER"),
        ((), "give at least one --rule"),
        (("--rules", "nowhere.yaml"), "rules nowhere.yaml cannot be read"),
    ],
)
def test_gate_reports_invalid_rule_in_one_line(
    tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    logs = _logs(tmp_path / "new", 3.0)
    result = call("gate", logs, "--against", logs, *options, code=3)
    assert result.output.startswith("Error: ") and told in result.output
    assert len(result.output.splitlines()) == 1


def test_gate_reports_logs_of_other_task_in_one_line(tmp_path: Path) -> None:
    new = m.write(tmp_path / "new", m.log([m.sample(0)], task="arag_inspect/finqa"))
    printed = _gate(new, _logs(tmp_path / "base", 3.0), rule="geval_coverage >= 0", code=3)
    assert len(printed.splitlines()) == 1
    contents = "(finqa (ectsum-val), task version 1: A-RAG)"
    assert f"the new logs {contents} and the earlier ones" in printed


WORST = range(8)
"""The samples on which an untampered run loses."""


def _run(number_of_samples: int = 12, **spec: Any) -> EvalLog:
    """A run with 8 samples far below the earlier run's 3 and 4 as good."""

    def scores(number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(1.0 if number in WORST else 3.0)}

    corpus = {"corpus": {"chunks_sha256": "a" * 64}}
    return m.run_of("arag", scores, number_of_samples, company="C{}", metadata=corpus, **spec)


def _good(log: EvalLog) -> EvalLog:
    for sample in samples_of(log):
        sample.scores = {"geval_coverage": m.judged(3.0)}
    return log


def _on_worst(change: Callable[[EvalSample], object]) -> Callable[[EvalLog], object]:
    """Tamper with the samples on which the run loses."""
    return lambda log: [change(sample) for sample in samples_of(log)[: len(WORST)]]


def _on_all(change: Callable[[EvalSample], object]) -> Callable[[EvalLog], object]:
    """Tamper with every sample of a run that is as good as the earlier run."""
    return lambda log: [change(sample) for sample in samples_of(_good(log))]


def _drop(log: EvalLog) -> None:
    log.samples = samples_of(log)[len(WORST) :]


def _drop_silently(log: EvalLog) -> None:
    _drop(log)
    log.eval.dataset.sample_ids = [sample.id for sample in samples_of(log)]


def _error(sample: EvalSample) -> None:
    sample.error = EvalError(message="the service is away", traceback="", traceback_ansi="")
    sample.scores = None


def _skip(sample: EvalSample) -> None:
    sample.store["RetrievalTrace:skipped"] = "too long"
    sample.scores = {"geval_coverage": Score.unscored(reason="skipped")}


def _score(value: float, judge: str = "mock/judge") -> Callable[[EvalSample], object]:
    return lambda sample: scores_of(sample).update(geval_coverage=m.judged(value, judge))


def _invalidate(sample: EvalSample) -> None:
    sample.invalidation = ProvenanceData(author="them", reason="why not")


def _set(**fields: Any) -> Callable[[Any], object]:
    return lambda record: vars(record).update(fields)


def _ask_something_else(sample: EvalSample) -> None:
    sample.input = "Say hello."


def _expect_something_else(sample: EvalSample) -> None:
    sample.target = "Hello."


def _corpus(log: EvalLog) -> None:
    _good(log).eval.metadata = {"corpus": {"chunks_sha256": "b" * 64}}


def _store(**fields: Any) -> Callable[[EvalSample], object]:
    return lambda sample: sample.store.update(m.trace(**fields))


@pytest.mark.parametrize(
    "doctor, code, reason",
    [
        (_drop, 1, "missing for 8 samples: 8 requested but not run"),
        (_drop_silently, 2, "missing for 8 samples: 8 not in the new run"),
        (_on_worst(_error), 2, "missing for 8 samples: 8 errored (the service is away)"),
        (_on_worst(_skip), 2, "missing for 8 samples: 8 skipped (skipped)"),
        (_on_worst(_score(float("nan"))), 2, "missing for 8 samples: 8 unscored"),
        (_on_worst(_invalidate), 2, "missing for 8 samples: 8 invalidated"),
        (_on_worst(_set(scores=None)), 2, "missing for 8 samples: 8 without a score"),
        (_on_all(_set(scores={"other": m.scored(1.0)})), 2,
         "missing for 12 samples: 12 without a score; no sample remains"),
        (_on_worst(_score(3, "mock/mild")), 2, "missing for 8 samples: 8 measured differently"),
        (lambda log: _set(status="started")(_good(log)), 2,
         "the new run is not finished (started)"),
        (lambda log: _set(status="error")(_good(log)), 2, "the new run is not finished (error)"),
        (_on_all(_score(3, "mock/mild")), 2, "judge:mock/judge → judge:mock/mild"),
        (_corpus, 2, "corpus: aaaaaaaaaaaa → bbbbbbbbbbbb"),
        (_on_all(_ask_something_else), 2, "questions: 12 of 12 differ"),
        (_on_all(_expect_something_else), 2, "references: 12 of 12 differ"),
        (_on_all(_store(cost_usd=-5.0)), 2,
         "the new run has 12 impossible values, left out: sample s000, cost_usd -5;"),
        (_on_all(_score(99)), 2, "24 impossible values, left out: sample s000, geval_coverage 99;"),
        (_on_all(_score(99)), 2,
         "missing for 12 samples: 12 unscored (out_of_range); no sample remains"),
    ],
)  # fmt: skip
def test_gate_does_not_pass_doctored_run(
    tmp_path: Path, doctor: Callable[[EvalLog], object], code: int, reason: str
) -> None:
    """Not even if few samples are required to pass."""
    log = _run()
    doctor(log)
    arguments = _arguments(tmp_path, log)
    result = call("gate", *arguments, "--undecided", "pass", code=code)
    assert reason in result.stdout
    failure = ElementTree.parse(tmp_path / "gate.xml").getroot().find(".//failure")
    assert failure is not None and reason in failure.get("message", "")


def _arguments(folder: Path, new: EvalLog, base: EvalLog | None = None) -> list[str]:
    """Return a gate's arguments, with a rule that the doctored samples would break."""
    new_logs = m.write(folder / "new", new)
    base_logs = m.write(folder / "base", base or _good(_run()))
    return [
        *(str(new_logs), "--against", str(base_logs), "--rule", "geval_coverage >= -0.2"),
        *("--junit", str(folder / "gate.xml")),
    ]


def test_gate_fails_for_undoctored_run(tmp_path: Path) -> None:
    call("gate", *_arguments(tmp_path, _run()), code=1)


def test_gate_is_undecided_when_log_is_missing(tmp_path: Path) -> None:
    arguments = _arguments(tmp_path, _good(_run()))
    call("gate", *arguments)
    result = call("gate", tmp_path / "nowhere", *arguments, "--undecided", "pass", code=2)
    assert "nowhere cannot be read: no such file or folder" in result.stdout


def test_gate_allows_missing_samples_up_to_limit(tmp_path: Path) -> None:
    log = _good(_run())
    _drop(log)
    arguments = _arguments(tmp_path, log)
    refused = call("gate", *arguments, "--allow-missing", "7", code=1)
    assert "8 requested but not run; --allow-missing 8 allows that" in refused.stdout
    result = call("gate", *arguments, "--allow-missing", "8", "--undecided", "pass")
    assert "missing for 8 samples (allowed)" in result.stdout


def test_gate_never_passes_without_any_sample_left(tmp_path: Path) -> None:
    log = _run()
    _on_all(_error)(log)
    arguments = (*_arguments(tmp_path, log), "--undecided", "pass")
    result = call("gate", *arguments, "--allow-missing", "24", code=2)
    assert "missing for 12 samples: 12 errored" in result.stdout
    assert "no sample remains" in result.stdout
    assert "allows that" not in call("gate", *arguments, code=2).stdout


@pytest.mark.parametrize("limit", [{"limit": 4}, {"sample_id": ["s008", "s009"]}])
def test_gate_ignores_samples_excluded_by_run_limit(tmp_path: Path, limit: dict[str, Any]) -> None:
    log = _good(_run())
    _drop_silently(log)
    log.eval.config = log.eval.config.model_copy(update=limit)
    result = call("gate", *_arguments(tmp_path, log), "--undecided", "pass")
    assert "missing" not in result.stdout


def test_gate_ignores_samples_skipped_in_both_runs(tmp_path: Path) -> None:
    new, base = _good(_run(24)), _good(_run(24))
    for log in (new, base):
        _on_worst(_skip)(log)
    call("gate", *_arguments(tmp_path, new, base))


def _unscored(log: EvalLog, *reasons: str) -> None:
    """Leave the first samples of a log unscored, each for its reason."""
    for sample, reason in zip(samples_of(log), reasons, strict=False):
        sample.scores = {"geval_coverage": Score.unscored(reason=reason)}


def test_gate_mean_excludes_samples_to_which_measure_does_not_apply(tmp_path: Path) -> None:
    log = _good(_run(24))
    _unscored(log, "no_reference", "no_gold", "unanswerable", "no_documents")
    printed = _gate(m.write(tmp_path, log), None, rule="geval_coverage >= 2.5")
    left_out = re.search(r"4 samples left out: the measure does not apply \((.*)\)", printed)
    assert left_out and "missing for" not in printed
    reasons = {"no reference: 1", "no gold: 1", "unanswerable: 1", "no documents: 1"}
    assert {*left_out[1].split(", ")} == reasons


@pytest.mark.parametrize("reason", ["unknown_document", "grader_failed", "no_claims"])
def test_gate_is_undecided_where_samples_have_no_score(tmp_path: Path, reason: str) -> None:
    log = _good(_run(24))
    _unscored(log, *[reason] * 3)
    printed = _gate(m.write(tmp_path, log), None, rule="geval_coverage >= 2.5", code=2)
    assert "missing for 3 samples" in printed and "does not apply" not in printed


def test_gate_says_how_new_run_scores_where_earlier_answers_declined(tmp_path: Path) -> None:
    new, base = _good(_run(24)), _good(_run(24))
    for sample in samples_of(new)[:3]:
        sample.scores = {"geval_coverage": m.judged(1.0)}
    reasons = ("nothing_listed", "no_sentences", "no_claims")
    _unscored(base, *reasons)
    arguments = _arguments(tmp_path, new, base)
    unlike = call("gate", *arguments, code=2).stdout
    causes = "; ".join(f"1 unscored ({reason}) in the earlier run" for reason in reasons)
    remark = "one run states nothing there, e.g. declines"
    assert f"{causes}; {remark}" in unlike and "--allow-missing" not in unlike
    allowed = call("gate", *arguments, "--allow-missing", "3").stdout
    assert "not counted, as only the new run has a value: s000, s001 and s002 (mean 1)" in allowed
    declining = call("gate", *_arguments(tmp_path / "back", base, new), code=2).stdout
    causes = "; ".join(f"1 unscored ({reason})" for reason in reasons)
    assert f"{causes}; {remark}" in declining
    assert "--allow-missing" not in declining and "not counted" not in declining


@pytest.mark.parametrize(
    ("declines", "question", "value", "code"),
    [
        ("base", "single", 4.9, 0),
        ("base", "single", 2.0, 2),  # worse than the other answers of the earlier run
        ("base", "unanswerable", 4.9, 2),  # an invented answer
        ("new", "single", 4.9, 2),
        ("new", "unanswerable", 1.0, 0),
    ],
)
def test_gate_is_not_stopped_by_value_that_a_worse_run_lacks(
    tmp_path: Path, declines: str, question: str, value: float, code: int
) -> None:
    logs = {"new": _good(_run(24)), "base": _good(_run(24))}
    for name, log in logs.items():
        first = samples_of(log)[0]
        first.metadata["question_type"] = question
        first.scores = {"geval_coverage": m.judged(value)}
        if name == declines:
            _unscored(log, "no_claims")
    printed = call("gate", *_arguments(tmp_path, logs["new"], logs["base"]), code=code).stdout
    is_extra = declines == "base"
    assert ("only the new run has a value: s000" in printed) == is_extra
    assert ("one run states nothing there" in printed) == bool(code)


def test_gate_mean_excludes_questions_rightly_declined(tmp_path: Path) -> None:
    log = _good(_run(24))
    _unscored(log, "no_claims", "no_sentences")
    for sample in samples_of(log)[:2]:
        sample.metadata["question_type"] = "unanswerable"
    printed = _gate(m.write(tmp_path, log), None, rule="geval_coverage >= 2.5")
    assert "the measure does not apply (unanswerable: 2)" in printed


def test_gate_gives_interval_of_broken_rule_before_samples_left_out(tmp_path: Path) -> None:
    logs = {"new": _good(_run(24)), "base": _good(_run(24))}
    for name, log in logs.items():
        _unscored(log, *["unanswerable"] * 3)
        m.write(tmp_path / name, log)
    against = ("--against", tmp_path / "base")
    left_out = "3 samples left out: the measure does not apply (unanswerable: 3)"
    for options, rule in (((), "geval_coverage >= 4.9"), (against, "geval_coverage >= 0.5")):
        junit = tmp_path / "gate.xml"
        result = call("gate", tmp_path / "new", *options, "--rule", rule, "--junit", junit, code=1)
        reason, note = (
            line for line in result.stdout.splitlines() if line.startswith(("broken:", "note: gev"))
        )
        bound = rule.split()[-1]
        assert reason.startswith(f"broken: {rule} of A-RAG: ")
        if options:
            assert reason.endswith(f" is below {bound} on every sample")
        else:
            assert ": the whole interval of " in reason and reason.endswith(f" is below {bound}")
        assert note == f"note: {rule} of A-RAG: {left_out}"
        message = ElementTree.parse(junit).getroot()[0][0].get("message") or ""
        assert message.endswith(left_out)


@pytest.mark.parametrize("measure", ["answer_match", "abstention.right", "abstention.wrong"])
def test_gate_passes_suite_with_unanswerable_question(tmp_path: Path, measure: str) -> None:
    samples = [Sample(id=n, input=f"Revenue {n}?", target=f"${n} million") for n in range(2, 12)]
    for sample in samples[:4]:
        sample.target, sample.metadata = "NOT IN DOCUMENTS", {"question_type": "unanswerable"}

    @solver
    def answers() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            is_declined = state.metadata.get("question_type") == "unanswerable"
            text = "The documents do not say." if is_declined else state.target.text
            state.output = ModelOutput.from_content("none", text)
            return state

        return solve

    judge = f"VERDICT: {'REFUSED' if measure == 'abstention.right' else 'ANSWERED'}"
    scorers = [answer_match(), abstention()]
    task = Task(dataset=samples, solver=answers(), scorer=scorers)
    log = run(task, "none", model_roles={"grader": scripted(Script(judge))})
    bound = "<= 0.9" if measure == "abstention.wrong" else ">= 0.2"
    result = call("gate", log.location, "--rule", f"{measure} {bound}")
    assert "missing" not in result.stdout and "the measure does not apply" in result.stdout


def test_gate_names_earlier_run_of_other_system_by_its_name(tmp_path: Path) -> None:
    runs = {"new": ("naive_rag", 0.2), "base": ("arag", 0.8)}
    for name, (system, supported) in runs.items():

        def scores(number: int, supported: float = supported) -> dict[str, Score]:
            marks = {"supported": supported + number % 3 / 20}
            return {
                "geval_coverage": m.judged(4),
                "factual_consistency": m.scored(marks, "factual_consistency"),
            }

        m.write(tmp_path / name, m.run_of(system, scores, 12, company="C{}"))
    pairs = studies(
        pair_runs(frames(tmp_path / "base"), frames(tmp_path / "new")), Choices(is_change=True)
    )
    assert [pair.systems for pair in pairs] == [("Naive RAG", "A-RAG")]


def test_gate_notes_changed_model_or_version_without_failing(tmp_path: Path) -> None:
    new = _good(_run(model="mock/newer", packages={"inspect_ai": "9.9"}))
    result = call("gate", *_arguments(tmp_path, new))
    assert "note: A-RAG: model: mock/model → mock/newer" in result.stderr
    assert "note: A-RAG: version of inspect_ai: none → 9.9" in result.stderr


@pytest.mark.parametrize(
    "option", [["--undecided", "maybe"], ["--allow-missing", "-1"], ["--what"]]
)
def test_gate_exits_with_code_three_for_invalid_option(tmp_path: Path, option: list[str]) -> None:
    call("gate", *_arguments(tmp_path, _run()), *option, code=3)


def test_gate_exits_with_code_three_for_unusable_files(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.eval").write_bytes(b"PK")
    call("gate", tmp_path / "logs", *_arguments(tmp_path, _run())[1:], code=3)
    broken = [*_arguments(tmp_path, _run())[:-1], str(tmp_path / "no" / "gate.xml")]
    call("gate", *broken, code=3)
