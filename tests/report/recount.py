"""Independent code that reads logs and computes intervals, to check a report's tables.

It imports nothing from `arag_inspect.report` or `arag_inspect.stats`.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, EvalSample
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tests.logs import samples_of, scores_of

LABELS = {
    "Coverage (1-5)": "geval_coverage",
    "Recall": "retrieval_pr.recall",
    "Precision": "retrieval_pr.precision",
    "Search recall": "retrieval_pr.search_recall",
    "ROUGE-1": "rouge.rouge1",
    "ROUGE-2": "rouge.rouge2",
    "Error H": "error_taxonomy.H",
    "Any error": "error_taxonomy.any",
}

Interval = tuple[float, float, float]


def read_logs(logs: Iterable[EvalLog]) -> pd.DataFrame:
    """Return one row per answer: scores, judges' verdicts and the solver's trace."""
    rows = [_row(sample) for log in logs for sample in samples_of(log)]
    return pd.DataFrame(rows).sort_values(["system", "id"]).reset_index(drop=True)


def _row(sample: EvalSample) -> dict[str, Any]:
    trace = {key.split(":")[1]: value for key, value in sample.store.items() if ":" in key}
    row: dict[str, Any] = {
        "id": str(sample.id),
        "company": sample.metadata["company"],
        "words": len(sample.output.completion.split()),
        **trace,
    }
    for name, score in scores_of(sample).items():
        values = score.value if isinstance(score.value, dict) else {"": score.value}
        row |= {f"{name}.{key}".strip("."): value for key, value in values.items()}
        for judge in (score.metadata or {}).get("judges") or []:
            row[f"{name} by {judge['grader']}"] = judge["verdict"]
    return row


def interval(
    values: "pd.Series[float]", companies: "pd.Series[str]", bounds: tuple[float, float] | None
) -> Interval:
    """Return a mean with its interval, using the matrices of Bell and McCaffrey's paper."""
    values = values.dropna().astype(float)
    groups = [
        np.flatnonzero(companies.loc[values.index] == company) for company in companies.unique()
    ]
    n, mean, y = len(values), float(values.mean()), values.to_numpy()
    centering = np.eye(n) - np.ones((n, n)) / n
    columns = []
    variance = 0.0
    for own in (group for group in groups if len(group)):
        roots, vectors = np.linalg.eigh(centering[np.ix_(own, own)])
        adjust = vectors @ np.diag(roots**-0.5) @ vectors.T
        variance += float((adjust @ (y - mean)[own]).sum() / n) ** 2
        columns.append(centering[:, own] @ adjust @ np.ones(len(own)) / n)
    product = np.array(columns) @ np.array(columns).T
    quantile = stats.t.ppf(0.975, np.trace(product) ** 2 / (product**2).sum())
    if bounds is None or np.ptp(y) < 1e-12:
        half = quantile * math.sqrt(variance)
        return mean, mean - half, mean + half
    variance = max(variance, float(y.var(ddof=1)) / n)
    share = (mean - bounds[0]) / (bounds[1] - bounds[0])
    worth = share * (1 - share) / (variance / (bounds[1] - bounds[0]) ** 2)
    low, high = proportion_confint(
        share * worth, worth, alpha=2 * stats.norm.sf(quantile), method="wilson"
    )
    return mean, *(bounds[0] + end * (bounds[1] - bounds[0]) for end in (low, high))


def bounds_of(label: str) -> tuple[float, float]:
    return (1, 5) if label.endswith("(1-5)") else (0, 1)
