"""Tests of every figure in the tables, against independent code."""

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from arag_inspect.report import StudyReport, frames, studies
from arag_inspect.report.cells import Over, Signed, Usd
from arag_inspect.report.chart import as_spec
from arag_inspect.report.comparison.effort import cost_by_coverage
from arag_inspect.report.table import Table
from arag_inspect.stats.estimates import Estimate
from tests.report import material as m
from tests.report.recount import LABELS, bounds_of, interval, read_logs

SYSTEMS = ("A-RAG", "Naive RAG", "Stuffing")
SOLVERS = ("arag", "naive_rag", "stuffing")
SHIFT = {"arag": 1.0, "naive_rag": 0.0, "stuffing": 0.9}


def _scores(random: np.random.Generator, system: str, number: int) -> dict[str, Score]:
    grade = float(np.clip(round(2.5 + SHIFT[system] + random.normal(scale=0.8)), 1, 5))
    other = float(np.clip(grade + random.integers(-1, 2), 1, 5))
    scores = {
        "rouge": m.scored({"rouge1": random.uniform(0.2, 0.4), "rouge2": random.uniform(0, 0.2)}),
        "geval_coverage": m.judged({"a/one": grade, "b/two": other}),
        "error_taxonomy": m.scored({"H": float(number % 3 == 0), "any": float(number % 3 == 0)}),
    }
    if system == "stuffing":
        scores["retrieval_pr"] = Score.unscored(reason="no_retrieval")
    return scores


def _sample(random: np.random.Generator, system: str, number: int) -> Any:
    loops = int(random.integers(2, 6)) if system == "arag" else 1
    chunks_read = [int(chunk) for chunk in random.permutation(6)[: loops + 1]]
    store = m.trace(
        system,
        loops=loops,
        latency_ms=float(random.uniform(500, 5000)),
        cost_usd=float(random.uniform(0.01, 0.02)) * loops,
        input_tokens=1000 * loops,
        stopped_by="max_loops" if loops == 5 else "answer",
        passages=[m.passage(c, min(i + 1, loops), "x" * 2400) for i, c in enumerate(chunks_read)],
    )
    scores = _scores(random, system, number)
    if system != "stuffing":
        hits = len({1, 2} & set(chunks_read))
        search_recall = 1.0 if number % 2 else hits / 2
        scores["retrieval_pr"] = m.scored(
            {
                "recall": hits / 2,
                "precision": hits / len(chunks_read),
                "search_recall": search_recall,
            }
        )
    if number == 5:
        scores["geval_coverage"] = Score.unscored(reason="grader_failed")
    metadata = {"company": f"C{number % 13}"}
    answer = "word " * (20 + number)
    return m.sample(number, scores, system=system, answer=answer, store=store, metadata=metadata)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> StudyReport:
    random = np.random.default_rng(4)
    logs = [
        m.log([_sample(random, system, number) for number in range(40)], system=system)
        for system in SOLVERS
    ]
    return m.report_of(tmp_path_factory.mktemp("logs"), *logs)


@pytest.fixture(scope="module")
def frame(report: StudyReport) -> pd.DataFrame:
    """The logs as a table, read without this package's code."""
    table = read_logs(read_eval_log(run.location) for run in report.study.rows)
    return table.assign(system=table.system.map(dict(zip(SOLVERS, SYSTEMS, strict=True))))


def _table(report: StudyReport, name: str) -> pd.DataFrame:
    """Return the contents of a table's CSV, which must not be empty."""
    table = pd.read_csv(StringIO(m.table_of(report, name).as_csv()))
    assert len(table)
    return table


def _wide(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    return frame.pivot(index="id", columns="system", values=measure)


def _companies(frame: pd.DataFrame) -> "pd.Series[str]":
    return frame.drop_duplicates("id").set_index("id").company


@pytest.mark.parametrize(("width", "blocks"), [(120, 1), (80, 1), (50, 2)])
def test_text_table_keeps_intervals_whole(width: int, blocks: int) -> None:
    means = [Estimate(2.0, 1.148, 3.974, 12, 12), Signed(-0.2, -0.41, 0.05), None]
    heads = ("system", "Coverage", "new - earlier", "cost per question (USD)")
    text = Table("t", "", "", heads, (("Naive RAG, with a long name", *means),) * 2).as_text(width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("[1.148, 3.974]") == text.count("[-0.410, +0.050]") == 2
    assert text.count("system") == blocks


@pytest.mark.parametrize("width", [80, 40, 30])
def test_text_table_keeps_names_whole_when_width_allows(width: int) -> None:
    model, figures = "claude-sonnet-4-5-20250929", (5_040, 12_345_678, 345_678, Usd(123.4))
    heads = ("system", "model", "calls", "tokens in", "out", "USD", "from", "to")
    table = Table("t", "", "", heads, (("naive_rag", model, *figures, *figures[-1:] * 2),))
    text = table.as_text(width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("$123.40") == 3 and "12,345,678" in text
    assert (model in text) == (width > 30)


def test_headline_and_errors_tables_match_independent_intervals(
    report: StudyReport, frame: pd.DataFrame
) -> None:
    for name, key, count in (("headline", "measure", 6), ("errors", "error", 2)):
        table = _table(report, name).set_index(key)
        assert len(table) == count
        for label, row in table.iterrows():
            for system in SYSTEMS:
                own = frame[frame.system == system]
                values = own[LABELS[str(label)]].dropna()
                cells = row[[system, f"{system} low", f"{system} high"]].astype(float)
                if values.empty:
                    assert cells.isna().all()
                    continue
                expected = interval(values, own.company, bounds_of(str(label)))
                assert tuple(cells) == pytest.approx(expected), (label, system)
    samples = _table(report, "headline").set_index("measure").samples
    assert samples["Recall"] == "40 / 0 / 0; 40 / 0 / 0; 0 / 40 / 0"
    assert samples["Coverage (1-5)"] == "39 / 1 / 0" and samples["ROUGE-1"] == "40 / 0 / 0"


def test_comparisons_table_matches_scipy_and_statsmodels(
    report: StudyReport, frame: pd.DataFrame
) -> None:
    table = _table(report, "comparisons")
    companies = _companies(frame)
    assert list(table.role) == ["primary"] * 4 + ["secondary"] * 7
    for _, row in table.iterrows():
        kept = _wide(frame, LABELS[row.measure])[[row.a, row.b]].dropna()
        difference = kept[row.a] - kept[row.b]
        assert row.n == len(kept)
        cells = tuple(row[["a - b", "a - b low", "a - b high"]])
        if difference.std() > 0:
            assert cells == pytest.approx(interval(difference, companies, None))
            assert row.d == pytest.approx(difference.mean() / difference.std())
        else:
            assert cells == (0, 0, 0) and "no sample differs" in row.verdict
        counts = [int((np.sign(difference) == sign).sum()) for sign in (1, 0, -1)]
        assert row["wins/ties/losses"] == "/".join(map(str, counts))
        sums = [kept[system].groupby(companies).sum().to_numpy() for system in (row.a, row.b)]
        p = stats.permutation_test(
            sums, lambda a, b, axis: (a - b).sum(axis), permutation_type="samples", vectorized=True
        ).pvalue
        assert row.p == pytest.approx(p)  # 13 companies: both count all permutations
    for role, method in (("primary", "holm"), ("secondary", "fdr_bh")):
        own = table[table.role == role]
        assert list(own["p corrected"]) == pytest.approx(multipletests(own.p, method=method)[1])
    won = table.verdict.str.endswith("is better")
    assert ((table["p corrected"] < 0.05) == won).all()
    assert "A-RAG is better" in set(table.verdict)


def test_power_table_matches_statsmodels(report: StudyReport, frame: pd.DataFrame) -> None:
    table = _table(report, "power")
    table = table[(table.measure == "ROUGE-2") & (table.a == "Naive RAG")]
    ((_, row),) = table[table.b == "A-RAG"].iterrows()
    wide = _wide(frame, "rouge.rouge2")
    difference = wide["Naive RAG"] - wide["A-RAG"]
    sums = (difference - difference.mean()).groupby(_companies(frame)).sum()
    clustered = 13 / 12 * (sums**2).sum() / 40**2
    design = max(1.0, clustered * 40 / difference.var())
    n = TTestPower().solve_power(abs(difference.mean()) / difference.std(), alpha=0.05, power=0.8)
    assert row["for the difference seen"] == pytest.approx(np.ceil(n) * design, abs=1)


def test_cost_table_matches_pandas(report: StudyReport, frame: pd.DataFrame) -> None:
    table = _table(report, "cost")
    assert len(table) == frame.system.nunique()
    for _, row in table.iterrows():
        own = frame[frame.system == row.system]
        both = own.dropna(subset=["geval_coverage"])
        expected = {
            "cost per question (USD)": own.cost_usd.mean(),
            "total USD": own.cost_usd.sum(),
            "cost per coverage point (USD)": both.cost_usd.sum() / (both.geval_coverage - 1).sum(),
            **{f"p{q} ms": np.percentile(own.latency_ms, q) for q in (50, 90, 99)},
            "tokens in": own.input_tokens.mean(),
            "tokens out": own.output_tokens.mean(),
            "loops": own.loops.mean(),
            "words": own.words.mean(),
            "stopped": (own.stopped_by == "max_loops").mean(),
            "judge cost per question (USD)": 0.002,
        }
        assert {name: row[name] for name in expected} == pytest.approx(expected)


def test_system_at_lowest_coverage_has_no_cost_per_point(tmp_path: Path) -> None:
    lowest = {"geval_coverage": m.scored(1.0)}
    logs = m.write(tmp_path, m.run_of("arag", lowest, 4))
    (study,) = studies(frames(logs))
    assert cost_by_coverage(study) == {"A-RAG": None}


def test_retrieval_table_matches_independent_recount(
    report: StudyReport, frame: pd.DataFrame
) -> None:
    table = _table(report, "retrieval")
    assert [*table.system] == ["A-RAG", "Naive RAG"]
    for _, row in table.iterrows():
        own = frame[frame.system == row.system]
        unread = own["retrieval_pr.search_recall"] - own["retrieval_pr.recall"]
        assert row.recall == pytest.approx(own["retrieval_pr.recall"].mean())
        assert row["found, not read"] == pytest.approx(unread.mean())
        assert row["chunks read"] == own.passages.map(len).mean()
        assert row.n == len(own)
        if row.system == "A-RAG":
            rho = stats.spearmanr(own.loops, own["retrieval_pr.recall"])
            assert (row["loops and recall"], row.p) == pytest.approx((rho.statistic, rho.pvalue))


def _recall(frame: pd.DataFrame, chunks: int = 99, loops: int = 99) -> Any:
    """Return the mean recall of gold chunks 1 and 2 within this many chunks and loops."""
    recalls = [
        len(
            {1, 2}
            & {passage["chunk_id"] for passage in passages[:chunks] if passage["loop"] <= loops}
        )
        / 2
        for passages in frame.passages
    ]
    return pytest.approx(float(np.mean(recalls)))


def test_recall_growth_tables_match_independent_recount(
    report: StudyReport, frame: pd.DataFrame
) -> None:
    for unit in ("chunks", "tokens"):
        rows = _table(report, f"recall_by_{unit}")[unit].astype(int).tolist()
        assert rows == sorted({*rows})
    for system in ("A-RAG", "Naive RAG"):
        own = frame[frame.system == system]
        for _, row in _table(report, "recall_by_chunks").iterrows():
            assert row[system] == _recall(own, chunks=int(row.chunks))
        for _, row in _table(report, "recall_by_tokens").iterrows():  # 600 tokens per chunk
            assert row[system] == _recall(own, chunks=int(row.tokens) // 600)
    table, before = _table(report, "recall_by_loop"), 0.0
    assert list(table.system) == ["A-RAG"] * 5
    for _, row in table.iterrows():
        own = frame[frame.system == row.system]
        assert row["samples still running"] == (own.loops >= row.loop).sum()
        assert row.recall == _recall(own, loops=row.loop)
        assert row.added == pytest.approx(row.recall - before)
        before = row.recall


def test_denominators_table_matches_independent_recount(
    report: StudyReport, frame: pd.DataFrame
) -> None:
    for _, row in _table(report, "denominators").iterrows():
        own = frame[frame.system == row.system]
        scored = int(own[LABELS[row.measure]].notna().sum())
        assert (row.scored, row.unscored) == (scored, 40 - scored)
    reasons = _table(report, "reasons").set_index(["system", "scorer"])
    assert reasons.loc[("Stuffing", "retrieval_pr"), "values"] == 120
    assert reasons.loc[("A-RAG", "geval_coverage"), "reason"] == "grader_failed"
    attrition = _table(report, "attrition").set_index("system")
    assert list(attrition.unscored) == [1, 1, 40] and list(attrition.answered) == [40] * 3


def test_agreement_and_length_bias_tables_match_scipy_and_sklearn(
    report: StudyReport, frame: pd.DataFrame
) -> None:
    ((_, row),) = _table(report, "agreement").iterrows()
    judges = ["geval_coverage by a/one", "geval_coverage by b/two"]
    both = frame.dropna(subset=judges)
    a, b = (both[judge].astype(int) for judge in judges)
    means = both.groupby("system")[judges].mean()
    assert row.answers == len(both) == 117 and 0.5 < row.alpha < 1
    assert row.kappa == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert row["tau, answers"] == pytest.approx(stats.kendalltau(a, b).statistic)
    assert row["tau, systems"] == pytest.approx(stats.kendalltau(*means.to_numpy().T).statistic)
    drawn = as_spec(m.chart_of(report, "judges"))["data"]["values"]
    assert {one["coefficient"]: one["value"] for one in drawn} == pytest.approx(
        {"alpha": row.alpha, "kappa": row.kappa, "tau, answers": row["tau, answers"]}
    )
    assert {one["row"] for one in drawn} == {f"{row.dimension}: {row.judges}"}

    columns = ["geval_coverage by b/two", "words"]
    centred = both[columns] - both.groupby("system")[columns].transform("mean")
    correlation = stats.pearsonr(*centred.to_numpy().T)
    cells = _table(report, "length_bias").set_index(["measure", "judge"])
    assert tuple(cells.loc[("Coverage (1-5)", "b/two"), ["r", "r low", "r high"]]) == pytest.approx(
        [correlation.statistic, *correlation.confidence_interval()]
    )


def test_correlations_table_matches_scipy(report: StudyReport, frame: pd.DataFrame) -> None:
    table = _table(report, "correlations").set_index("measure")
    assert len(table) > 4
    for a in table.index:
        for b in table.index:
            both = frame[[LABELS[a], LABELS[b]]].dropna() if a != b else None
            rho = 1.0 if both is None else stats.spearmanr(*both.to_numpy().T).statistic
            assert table.loc[a, b] == pytest.approx(rho)


@pytest.mark.parametrize(
    ("systems", "counts"),
    [
        (2, "4 / 0 / 0; 0 / 4 / 0"),
        (6, "4 / 0 / 0 (5 systems); 0 / 4 / 0 (1 system)"),
    ],
)
def test_counts_of_samples_are_grouped_for_many_systems(
    tmp_path: Path, systems: int, counts: str
) -> None:
    logs = []
    for number in range(systems):
        scores = {"rouge": m.scored(float("nan") if number == systems - 1 else 0.5)}
        run = m.run_of("arag", scores, 4, params={"top_k": number})
        logs.append(run)
    (row,) = m.rows_of(m.report_of(tmp_path, *logs), "headline")
    assert row["samples"] == counts


@pytest.mark.parametrize(
    ("companies", "per_company", "style", "listed"),
    [(2, 3, "qa", True), (13, 3, "qa", False), (2, 2, "qa", False), (2, 3, "summary", False)],
    ids=["few companies", "many companies", "few questions", "summaries"],
)
def test_means_by_company_are_listed_for_few_companies_with_several_questions(
    tmp_path: Path, companies: int, per_company: int, style: str, listed: bool
) -> None:
    samples = []
    for number in range(companies * per_company):
        company = number % companies
        metadata = {"style": style, "company": f"C{company:02}"}
        marks = {"answer_match": m.scored(float(company == 0), "answer_match")}
        samples.append(m.sample(number, marks, metadata=metadata))
    report = m.report_of(tmp_path, m.log(samples))
    if listed:
        rows = m.rows_of(report, "by_question")
        means = {row["questions"]: row["A-RAG"] for row in rows if row["by"] == "company"}
        assert means == {"C00": Over(1.0, 3), "C01": Over(0.0, 3)}
    else:
        assert report.table("by_question") is None
