"""Recount the main tables of a report from the logs, by independent code.

Reads logs with Inspect and the report's CSV files with pandas, and computes with
scipy and statsmodels; imports nothing of `arag_inspect.report` and `arag_inspect.stats`.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import EvalLog, EvalSample
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

LABELS = {
    "Faithfulness (1-5)": "geval_faithfulness",
    "Coverage (1-5)": "geval_coverage",
    "Recall": "retrieval_pr.recall",
    "Precision": "retrieval_pr.precision",
    "Search recall": "retrieval_pr.search_recall",
    "ROUGE-1": "rouge.rouge1",
    "ROUGE-2": "rouge.rouge2",
    "ROUGE-L": "rouge.rougeL",
    "ROUGE-Lsum": "rouge.rougeLsum",
    **{
        label: f"error_taxonomy.{label.split('(')[1].rstrip(')')}"
        for label in (
            "Hallucination (H)",
            "Hedging (HE)",
            "Numerical error (N)",
            "Omission (O)",
            "Premature termination (P)",
            "Irrelevant retrieval (IR)",
            "Incoherence (IC)",
            "Verbosity (V)",
        )
    },
    **{
        f"Error {code}": f"error_taxonomy.{code}"
        for code in ("H", "HE", "N", "O", "P", "IR", "IC", "V")
    },
    "Any error": "error_taxonomy.any",
}
SYSTEMS = {"arag": "A-RAG", "naive_rag": "Naive RAG", "stuffing": "Stuffing"}
PRIMARY = ("geval_faithfulness", "geval_coverage", "retrieval_pr.recall")

Interval = tuple[float, float, float]


def read_logs(logs: Iterable[EvalLog]) -> pd.DataFrame:
    """Return a row per answer: scores, judges' verdicts and the solver's trace."""
    rows = [_row(sample) for log in logs for sample in log.samples or []]
    return pd.DataFrame(rows).sort_values(["system", "id"]).reset_index(drop=True)


def _row(sample: EvalSample) -> dict[str, Any]:
    trace = {key.split(":")[1]: value for key, value in sample.store.items() if ":" in key}
    row: dict[str, Any] = {
        "id": str(sample.id),
        "company": sample.metadata["company"],
        "words": len(sample.output.completion.split()),
        **trace,
    }
    for name, score in (sample.scores or {}).items():
        values = score.value if isinstance(score.value, dict) else {"": score.value}
        row |= {f"{name}.{key}".strip("."): value for key, value in values.items()}
        for judge in (score.metadata or {}).get("judges") or []:
            row[f"{name} by {judge['grader']}"] = judge["verdict"]
    return row


def interval(
    values: "pd.Series[float]", companies: "pd.Series[str]", bounds: tuple[float, float] | None
) -> Interval:
    """A mean with its interval, by the matrices of Bell and McCaffrey's paper."""
    values = values.dropna().astype(float)
    groups = [
        np.flatnonzero(companies.loc[values.index] == company) for company in companies.unique()
    ]
    n, mean, y = len(values), float(values.mean()), values.to_numpy()
    left = np.eye(n) - np.ones((n, n)) / n
    columns = []
    variance = 0.0
    for own in (group for group in groups if len(group)):
        roots, vectors = np.linalg.eigh(left[np.ix_(own, own)])
        adjust = vectors @ np.diag(roots**-0.5) @ vectors.T
        variance += float((adjust @ (y - mean)[own]).sum() / n) ** 2
        columns.append(left[:, own] @ adjust @ np.ones(len(own)) / n)
    product = np.array(columns) @ np.array(columns).T
    quantile = stats.t.ppf(0.975, np.trace(product) ** 2 / (product**2).sum())
    half = quantile * math.sqrt(variance)
    if bounds is None or np.ptp(y) < 1e-12:
        return mean, mean - half, mean + half
    share = (mean - bounds[0]) / (bounds[1] - bounds[0])
    worth = share * (1 - share) / (variance / (bounds[1] - bounds[0]) ** 2)
    low, high = proportion_confint(
        share * worth, worth, alpha=2 * stats.norm.sf(quantile), method="wilson"
    )
    return mean, *(bounds[0] + end * (bounds[1] - bounds[0]) for end in (low, high))


def bounds_of(label: str) -> tuple[float, float]:
    return (1, 5) if label.endswith("(1-5)") else (0, 1)


class Recount:
    """What the tables of a report on one benchmark should hold.

    Args:
        logs: One a system; of a log judged again the new one.
        folder: Of the report.
    """

    def __init__(self, logs: Sequence[EvalLog], folder: Path) -> None:
        self.frame = read_logs(logs)
        self.frame["system"] = self.frame.system.map(SYSTEMS)
        (self.tables,) = folder.glob("*/tables")
        self.systems = sorted(self.frame.system.unique())
        self.companies = self.frame.drop_duplicates("id").set_index("id").company
        self.of = {name: rows.set_index("id") for name, rows in self.frame.groupby("system")}

    def table(self, name: str) -> pd.DataFrame:
        return pd.read_csv(self.tables / f"{name}.csv")

    def check(self) -> None:
        """Hold the main tables against the logs."""
        self.check_means("headline", "measure")
        self.check_means("errors", "error")
        self.check_comparisons()
        self.check_effort()
        self.check_loops()
        self.check_agreement()

    def check_means(self, name: str, key: str) -> None:
        table = self.table(name).set_index(key)
        table = table[table.index.isin(LABELS)]
        assert len(table) > 6
        for label, row in table.iterrows():
            for system in self.systems:
                values = self.of[system][LABELS[str(label)]].dropna()
                cells = row[[system, f"{system} low", f"{system} high"]].tolist()
                if values.empty:
                    assert np.isnan(np.array(cells, float)).all()
                    continue
                expected = interval(values, self.companies, bounds_of(str(label)))
                if (values != values.iloc[0]).sum() > 0:
                    assert cells == pytest.approx(expected, abs=1e-9), (label, system)
                assert cells[0] == pytest.approx(expected[0])

    def check_comparisons(self) -> None:
        table = self.table("comparisons")
        assert list(table.role) == sorted(table.role)  # primary before secondary
        assert {LABELS[label] for label in table[table.role == "primary"].measure} == set(PRIMARY)
        for _, row in table[table.measure.isin(LABELS)].iterrows():
            values = [self.of[system][LABELS[row.measure]] for system in (row.a, row.b)]
            difference = (values[0] - values[1]).dropna()
            assert row.n == len(difference)
            cells = row[["a - b", "a - b low", "a - b high"]].tolist()
            assert cells == pytest.approx(interval(difference, self.companies, None), abs=1e-9)
            assert row.p == pytest.approx(self.p(difference), abs=0.025), row
            signs = [int((np.sign(difference.round(12)) == sign).sum()) for sign in (1, 0, -1)]
            assert row["wins/ties/losses"] == "/".join(map(str, signs))
        for role, method in (("primary", "holm"), ("secondary", "fdr_bh")):
            own = table[table.role == role]
            assert own["p corrected"].tolist() == pytest.approx(
                multipletests(own.p, method=method)[1]
            )
        won = table[table.verdict.str.endswith("is better")]
        assert len(won) and (won["p corrected"] < 0.05).all()
        assert ((won["a - b low"] > 0) | (won["a - b high"] < 0)).all()

    def p(self, difference: "pd.Series[float]") -> float:
        sums = difference.groupby(self.companies.loc[difference.index]).sum().to_numpy()
        differ = sums[np.abs(sums) > 1e-12]
        if len(differ) < 2:
            return 1.0
        result = stats.permutation_test(
            (differ, np.zeros_like(differ)),
            lambda a, b, axis: (a - b).sum(axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=9_999,
            rng=1,
        )
        return float(result.pvalue)

    def check_effort(self) -> None:
        for _, row in self.table("cost").iterrows():
            own = self.of[row.system]
            answers = own[own.skipped.isna()]
            assert row.skipped == len(own) - len(answers)
            assert row["words n"] == len(answers)
            for column, values in (
                ("words", answers.words),
                ("tokens in", answers.input_tokens),
                ("tokens out", answers.output_tokens),
                ("loops", answers.loops),
            ):
                assert row[column] == pytest.approx(values.mean()), (row.system, column)
            for q in (50, 90, 99):
                assert row[f"p{q} ms"] == pytest.approx(np.percentile(answers.latency_ms, q))

    def check_loops(self) -> None:
        for _, row in self.table("recall_by_loop").iterrows():
            own = self.of[row.system].dropna(subset=["retrieval_pr.recall"])
            assert row["samples still running"] == (own.loops >= row.loop).sum()
        last = self.table("recall_by_loop").groupby("system").recall.last()
        for system, recall in last.items():
            assert recall == pytest.approx(self.of[str(system)]["retrieval_pr.recall"].mean())

    def check_agreement(self) -> None:
        for _, row in self.table("agreement").iterrows():
            a, b = (f"{LABELS[row.dimension]} by {judge}" for judge in row.judges.split(" / "))
            both = self.frame.dropna(subset=[a, b])
            assert row.answers == len(both)
            kappa = cohen_kappa_score(
                both[a].astype(int), both[b].astype(int), weights="quadratic", labels=range(1, 6)
            )
            assert row.kappa == pytest.approx(kappa, nan_ok=True)
            assert row["tau, answers"] == pytest.approx(
                stats.kendalltau(both[a], both[b])[0], nan_ok=True
            )
