"""Tests of several models crossed with several systems, against hand-computed figures."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from statsmodels.stats.multitest import multipletests

from arag_inspect.report import frames, make_report, studies
from arag_inspect.report.build import StudyReport
from arag_inspect.report.cells import Signed
from arag_inspect.report.comparison.leads import baseline_of
from arag_inspect.report.findings.headline import headline
from arag_inspect.report.page.render import render_page
from arag_inspect.report.study import Choices
from tests.commands import call
from tests.report import material as m

SAMPLES, COMPANIES = 12, 4
VALUES = {
    ("arag", "a"): 3.5 + np.array([0, 1, 0.5, 0] * 3),
    ("naive_rag", "a"): 2.0 + np.array([0, 0, 1, 0.5] * 3),
    ("arag", "b"): 1.5 + np.array([0, 0.5, 0, 0] * 3),
    ("naive_rag", "b"): 3.0 + np.array([0.5, 0, 0, 1] * 3),
}
"""Grades by sample; every fourth sample is of the same company."""

A, B = "A-RAG", "Naive RAG"


def _run(system: str, model: str, missing: int | None = None) -> EvalLog:
    values = VALUES[system, model]
    run = m.run_of(
        system,
        lambda n: {} if n == missing else {"geval_coverage": m.judged(float(values[n]))},
        SAMPLES,
        model=f"mock/{model}",
    )
    return run


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    logs = [_run(system, model) for system, model in VALUES]
    return m.report_of(tmp_path_factory.mktemp("sweep"), *logs)


def _by_hand(*columns: np.ndarray) -> Signed:
    """Return the columns' mean with percentiles over companies drawn with replacement."""
    drawn = np.random.default_rng(20261127).multinomial(
        COMPANIES, [1 / COMPANIES] * COMPANIES, 1999
    )
    means = []
    for times in drawn:
        rows = np.repeat(np.arange(SAMPLES), np.tile(times, SAMPLES // COMPANIES))
        means.append(np.mean([np.nanmean(column[rows]) for column in columns]))
    low, high = np.quantile(means, (0.025, 0.975))
    mean = np.mean([np.nanmean(column) for column in columns])
    figures: list[Any] = [pytest.approx(float(figure)) for figure in (mean, low, high)]
    return Signed(*figures)


def test_sweep_compares_systems_over_equally_weighted_models(report: StudyReport) -> None:
    by_model = [VALUES["arag", model] - VALUES["naive_rag", model] for model in "ab"]
    (row,) = m.rows_of(report, "which_system")
    assert (row["a"], row["b"], row["samples"]) == (A, B, SAMPLES)
    assert row["mean of a - b"] == _by_hand(*by_model)
    table = m.table_of(report, "which_system")
    assert table.columns[5:] == ("p corrected", "a - b, a", "a - b, b", "sign changes")
    assert list(table.rows[0][6:8]) == [_by_hand(column) for column in by_model]
    sentence = "A-RAG is ahead of Naive RAG with a and behind it with b"
    assert table.rows[0][8] == sentence
    (finding,) = (finding for finding in report.findings if finding.topic == "Sign changes")
    assert finding.text.startswith(f"{sentence} (coverage).")


def test_sweep_compares_models_over_systems(report: StudyReport) -> None:
    by_system = [VALUES[system, "a"] - VALUES[system, "b"] for system in ("arag", "naive_rag")]
    table = m.table_of(report, "which_model")
    assert table.columns[5:] == ("p corrected", f"a - b, {A}", f"a - b, {B}", "sign changes")
    (row,) = table.rows
    assert row[1:4] == ("a", "b", SAMPLES) and row[4] == _by_hand(*by_system)
    assert list(row[6:8]) == [_by_hand(column) for column in by_system]
    assert row[8] == "a is ahead of b with A-RAG and behind it with Naive RAG"


def test_sweep_appears_on_page_in_markdown_and_csv(tmp_path: Path, report: StudyReport) -> None:
    logs = m.write(tmp_path / "logs", *(_run(system, model) for system, model in VALUES))
    call("report", logs, "-o", tmp_path / "out")
    sentence = "A-RAG is ahead of Naive RAG with a and behind it with b"
    [page] = (tmp_path / "out").glob("*.html")
    assert sentence in page.read_text() and "Which model, over all systems" in page.read_text()
    [path] = (tmp_path / "out").glob("*.md")
    markdown = path.read_text()
    assert sentence in markdown and "Best system, averaged over models" in markdown
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*which_system*.csv")]
    assert len(texts) == 1 and sentence in texts[0]
    assert "mean of a - b low" in texts[0].splitlines()[0]


def test_missing_value_excludes_sample_from_one_model_only(tmp_path: Path) -> None:
    logs = [_run(*key, missing=5 if key == ("arag", "b") else None) for key in VALUES]
    report = m.report_of(tmp_path, *logs)
    columns = [VALUES["arag", model] - VALUES["naive_rag", model] for model in "ab"]
    columns[1] = np.where(np.arange(SAMPLES) == 5, np.nan, columns[1])
    (row,) = m.rows_of(report, "which_system")
    assert row["mean of a - b"] == _by_hand(*columns) and row["samples"] == SAMPLES


NOISE = {"arag": np.array([0, 0.5] * 6), "naive_rag": np.array([0.5, 0] * 6)}
"""By sample; the two systems have the same mean."""


def _graded(
    grades: Mapping[str, float],
    *,
    lead: float = 0.0,
) -> list[EvalLog]:
    """Return runs of two systems with several models, with a lead of A-RAG over Naive RAG."""
    logs = []
    for model, system in product(grades, NOISE):
        values = grades[model] + NOISE[system] + lead * (system == "arag")
        grade = partial(_grade, values, ())
        logs.append(m.run_of(system, grade, 12, company="C{}", model=f"mock/{model}"))
    return logs


def _grade(values: np.ndarray, unscored: Sequence[int], number: int) -> dict[str, Score]:
    return {} if number in unscored else {"geval_coverage": m.judged(float(values[number]))}


@pytest.mark.parametrize(
    ("grades", "lead", "headline"),
    [
        (
            {"small": 1, "middle": 2, "large": 4},
            0,
            "Averaged over systems, model large covers more than the 2 other models, the nearest "
            "middle (+2.000, the same on every sample). No winner between systems with the same "
            "model: no difference is shown in coverage. Only 12 samples.",
        ),
        (
            {"small": 2, "large": 3},
            0,
            "Averaged over systems, model large covers more than small (+1.000, the same on every "
            "sample). No winner between systems with the same model: no difference is shown in "
            "coverage. Only 12 samples.",
        ),
        (
            {"one": 2, "other": 2},
            0,
            "No winner between systems with the same model: no difference is shown in coverage. "
            "Averaged over systems, no difference between models is shown. Only 12 "
            "samples.",
        ),
        (
            {"small": 1, "large": 3},
            1,
            "A-RAG · large covers more than Naive RAG · large: 4.250 against 3.250 of 5 (+1.000 "
            "[+0.668, +1.332]). Averaged over systems, model large covers more than small (+2.000, "
            "the same on every sample). Only 12 samples.",
        ),
    ],
)
def test_headline_of_sweep_states_its_scope_and_which_model_leads(
    tmp_path: Path, grades: Mapping[str, float], lead: float, headline: str
) -> None:
    report = m.report_of(tmp_path, *_graded(grades, lead=lead))
    assert report.headline == headline
    (finding,) = (finding for finding in report.findings if finding.topic == "Between models")
    assert finding.text in headline


def test_headline_of_sweep_with_baseline_names_it_in_its_scope(tmp_path: Path) -> None:
    baseline = "Naive RAG · other"
    all_frames = frames(m.write(tmp_path, *_graded({"one": 2, "other": 2})))
    (study,) = studies(all_frames, Choices(baseline=baseline))
    scope = "between systems with the same model, or with Naive RAG · other: no difference"
    assert scope in headline(study)


def test_p_of_model_contrasts_is_that_of_swaps_of_companies_with_holms_correction(
    tmp_path: Path,
) -> None:
    """One system has no value on three samples with one model."""
    missing = (3, 4, 5)
    grades = {"a": 2.0, "b": 2.25, "c": 2.5}
    noise = {"a": np.array([0, 1, 0.5] * 4), "b": np.zeros(12), "c": np.array([1, 0, 0, 0.5] * 3)}
    values: dict[tuple[str, str], np.ndarray] = {}
    logs = []
    for model, system in product(grades, NOISE):
        graded = grades[model] + NOISE[system] + noise[model]
        unscored = missing if (system, model) == ("arag", "b") else ()
        values[model, system] = np.where(np.isin(np.arange(12), unscored), np.nan, graded)
        grade = partial(_grade, graded, unscored)
        logs.append(m.run_of(system, grade, 12, company="C{}", model=f"mock/{model}"))
    signs = 1.0 - 2.0 * (np.arange(2**12)[:, None] >> np.arange(12) & 1)
    ps = {}
    for a, b in combinations(grades, 2):
        sums = np.zeros(2**12)
        for system in NOISE:
            gap = values[a, system] - values[b, system]
            sums += signs @ np.nan_to_num(gap) / (~np.isnan(gap)).sum()
        ps[a, b] = (np.abs(sums) >= abs(sums[0]) - 1e-9).mean()
    corrected = dict(zip(ps, multipletests(list(ps.values()), method="holm")[1], strict=True))
    rows = m.rows_of(m.report_of(tmp_path, *logs), "which_model")
    shown_ps = {(row["a"], row["b"]): row["p corrected"].value for row in rows}
    assert shown_ps == pytest.approx(corrected) and len(set(ps.values())) == 3


def test_board_of_sweep_states_which_systems_are_compared(tmp_path: Path) -> None:
    report = make_report(frames(m.write(tmp_path, *_graded({"small": 1, "large": 4}))))
    board = render_page(report)
    assert baseline_of(report.studies[0].study).endswith(" · large")
    assert board.count(">not separated (2 of 4)<") == 4
    assert "(2 of 4): ranked among these only" in board
    visible = re.findall(r'<span class="gap"[^>]*?" *>not compared<', board)
    hidden = re.findall(r'<span class="gap"[^>]* hidden>not compared<', board)
    assert (len(visible), len(hidden)) == (2, 6)


@pytest.mark.parametrize(
    ("runs", "tables"),
    [
        ([("arag", "a"), ("naive_rag", "a")], []),
        ([("arag", "a"), ("arag", "b")], []),
        ([("arag", "a"), ("naive_rag", "a"), ("arag", "b")], []),
        ([*VALUES], ["which_system", "which_model"]),
    ],
    ids=["one model", "one system", "one shared model", "two of each"],
)
def test_sweep_needs_two_models_shared_by_two_systems(
    tmp_path: Path, runs: list[tuple[str, str]], tables: list[str]
) -> None:
    logs = [_run(system, model) for system, model in runs]
    report = m.report_of(tmp_path, *logs)
    assert [name for name in ("which_system", "which_model") if report.table(name)] == tables
