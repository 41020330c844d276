"""Tests of `arag-inspect plan`: the sample sizes it gives detect the given difference."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from inspect_ai.scorer import Score

from arag_inspect.run import api
from arag_inspect.run.planning.plan import plan_logs
from arag_inspect.stats.estimates import paired_difference
from tests.commands import call
from tests.report import material as m


def _plan(folder: Path, *more: str) -> Result:
    return call("plan", "earnings_synthetic", "-T", f"corpus={folder}", *more)


@pytest.mark.parametrize(
    "systems", [["arag"], ["arag", "naive_rag"], ["arag", "naive_rag", "stuffing"]]
)
def test_planned_sample_size_reaches_target_power(
    synthetic_folder: Path, systems: list[str]
) -> None:
    plan = api.plan(
        "earnings_synthetic", systems, 0.5, parameters={"corpus": str(synthetic_folder)}
    )
    pairs = {1: 1, 2: 1, 3: 3}  # one system is compared with its next version
    assert plan.comparisons == 3 * pairs[len(systems)]
    need = plan.needs[0]
    assert plan.available == (10, 3) and need.samples == math.ceil(need.groups * 10 / 3)
    random, found, times = np.random.default_rng(1), 0, 300
    codes = np.repeat(np.arange(need.groups), np.resize([4, 3, 3], need.groups))
    for _ in range(times):
        shared = random.normal(size=need.groups)[codes]
        differences = 0.5 + 0.3**0.5 * shared + 0.7**0.5 * random.normal(size=len(codes))
        paired = paired_difference(differences, np.zeros(len(codes)), codes, resamples=1_999)
        assert paired is not None
        found += paired.p < 0.05 / plan.comparisons
    assert found / times == pytest.approx(0.8, abs=0.06)


def test_plan_takes_variance_of_differences_from_earlier_logs(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    for system, wave in (("arag", 1.0), ("stuffing", 0.0)):
        samples = []
        for n in range(12):
            scores = {"geval_coverage": m.judged(3 + wave * (-1) ** (n // 2))}
            samples.append(m.sample(n, scores, system=system, metadata={"company": f"C{n // 2}"}))
        m.write(tmp_path, m.log(samples, system=system, task="arag_inspect/earnings_synthetic"))
    own = ("--effect", "0.5", "--systems", "arag,stuffing")
    result = _plan(synthetic_folder, *own, "--earlier", str(tmp_path))
    (row,) = [line for line in result.output.splitlines() if "Coverage (1-5)" in line]
    # +1 or -1, equal for both calls of a company, so r is 1 and only companies count
    assert row.split()[2:4] == ["1.044", "1.000"]
    assert row.split()[4:] == ["34", "114"]  # 34 pairs, as in standard t-test tables
    assert "No log gives r" not in result.output
    first = str(next(tmp_path.glob("*.eval")))
    one = _plan(synthetic_folder, "--effect", "0.5", "--earlier", first)
    assert {line.split()[2] for line in one.output.splitlines() if " - " in line} == {"0.300"}
    assert "assumed to be 0.3." in one.output.replace("\n", " ")


def test_plan_shows_cost_and_fits_terminal(synthetic_folder: Path) -> None:
    own = ("--systems", "closed_book,naive_rag", "--model", "offline/extractive")
    result = _plan(synthetic_folder, "--effect", "0.3", *own)
    lines = result.output.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert "Prepared: 10 samples of 3 companies, too few to show any difference." in lines
    assert "No log gives r" in result.output and "assumed to be 0.3." in " ".join(lines)
    assert any(line.startswith("Cost of ") for line in lines)
    assert any(line.split()[:1] == ["all"] and "$0.0000" in line for line in lines)


def test_plan_from_logs_corrects_for_comparisons_of_report(tmp_path: Path) -> None:
    def scores(system: str, n: int) -> dict[str, Score]:
        searched = {} if system == "stuffing" else {"retrieval_pr": m.scored({"recall": 0.5})}
        return {"geval_coverage": m.judged(1.0 + (n * len(system)) % 5), **searched}

    systems = ("arag", "naive_rag", "stuffing")
    logs = (m.run_of(own, partial(scores, own), 6, company="C{}") for own in systems)
    report = m.report_of(tmp_path, *logs)
    primary = [pair for pair in report.comparisons if pair.role == "primary"]
    plan = plan_logs([str(tmp_path)], 0.5)
    assert plan.comparisons == len(primary) == 4  # recall of two systems only
    assert {need.correlation for need in plan.needs} == {None}  # one sample per company


@pytest.mark.parametrize(("summaries", "questions"), [(12, 5), (5, 12)])
def test_plan_from_logs_states_samples_of_each_measure(
    tmp_path: Path, summaries: int, questions: int
) -> None:
    for system in ("arag", "stuffing"):
        samples = []
        for n in range(summaries + questions):
            is_summary = n < summaries
            value = (n * len(system)) % 2
            name = "geval_coverage" if is_summary else "answer_match"
            score = m.judged(1.0 + value) if is_summary else m.scored(value)
            style = "earnings_call" if is_summary else "qa"
            metadata = {"company": f"C{n}", "style": style}
            samples.append(m.sample(n, {name: score}, system=system, metadata=metadata))
        m.write(tmp_path, m.log(samples, system=system))
    supplies = {supply.measures: supply for supply in plan_logs([str(tmp_path)], 0.5).supplies}
    sizes = {measures: supply.size for measures, supply in supplies.items()}
    two = [("Coverage (1-5)",), ("Right answer",)]
    assert sizes == {two[0]: (summaries, summaries), two[1]: (questions, questions)}
    detectable = [supplies[measures].detectable_effect for measures in two]
    assert [effect is None for effect in detectable] == [summaries == 5, questions == 5]
    text = " ".join(call("plan", str(tmp_path), "--effect", "0.5").output.split())
    assert ": 5 samples of 5 companies, too few to show any difference." in text
    assert ": 12 samples of 12 companies; they show " in text


def test_plan_of_several_tasks_names_logs_of_each(tmp_path: Path) -> None:
    for task, count in (("one", 1), ("other", 5)):
        for number in range(count):
            grade = {"geval_coverage": m.judged(3)}
            log = m.log([m.sample(0, grade)], task=task, params={"top_k": number})
            m.write(tmp_path / f"{task}{number}", log)
    refused = call("plan", str(tmp_path), "--effect", "0.5", code=1).output
    assert "a plan needs logs of one task; give only the logs of one (one: 2026-" in refused
    assert "and 2 more)" in refused
