"""Recompute means, paired differences and inputs of intervals from the logs, with pandas.

Imports nothing from the package: its results are what a report has to show.
"""

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog, read_eval_log

_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_TIMES = (".latency_ms", ".wall_ms")


def recount(folder: Path, report: Path) -> dict[str, Any]:
    """Recount the logs of a folder.

    Args:
        folder: Logs.
        report: Report of them, which has the name of each system and the values to compare with.

    Returns:
        `means` and `pairs` by system and measure, and `disagreements` with the report's scores.
    """
    scores = pd.read_csv(report / "scores.csv", dtype={"id": str})
    runs = pd.read_parquet(report / "runs.parquet", columns=["location", "benchmark", "system"])
    names = {
        Path(run.location).name: f"{run.benchmark} | {run.system}" for run in runs.itertuples()
    }
    values = _values(folder, names)
    keys = ["system", "measure", "cluster", "id"]
    samples = values.groupby(keys, as_index=False)["value"].mean()  # of the epochs
    groups = samples.groupby(["measure", "system"])
    means = {" | ".join(key): _mean(group) for key, group in groups}
    pairs: dict[str, Any] = {}
    for measure, group in samples.groupby("measure"):
        by_system = group.pivot(index="id", columns="system", values="value")
        for a, b in combinations(by_system.columns, 2):
            differences = (by_system[a] - by_system[b]).dropna()
            if len(differences):
                pairs[f"{measure} | {a} - {b}"] = _difference(differences)
    return {"means": means, "pairs": pairs, "disagreements": _disagreements(scores, means)}


def _values(folder: Path, names: Mapping[str, str]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    fields = {"messages", "events", "attachments"}
    for path in sorted(folder.rglob("*")):
        system = names.get(path.name)
        if system is not None:
            rows += _rows(read_eval_log(str(path), exclude_fields=fields), system)
    return pd.DataFrame(rows, columns=["system", "measure", "cluster", "id", "epoch", "value"])


def _rows(log: EvalLog, system: str) -> Iterable[dict[str, Any]]:
    for sample in log.samples or []:
        metadata = sample.metadata or {}
        cluster = str(metadata.get("company") or sample.id)
        for scorer, score in (sample.scores or {}).items():
            items = score.value if isinstance(score.value, dict) else {"": score.value}
            for key, value in items.items():
                measure = f"{scorer}.{key}".strip(".")
                number = _number(value)
                if number is None or measure.endswith(_TIMES):
                    continue
                yield {
                    "system": system,
                    "measure": measure,
                    "cluster": cluster,
                    "id": str(sample.id),
                    "epoch": sample.epoch,
                    "value": number,
                }


def _number(value: Any) -> float | None:
    """Return a value as Inspect's metrics interpret it; None if it is not a number."""
    if isinstance(value, str):
        value = _LETTERS.get(value)
    if not isinstance(value, int | float) or not np.isfinite(value):
        return None
    return float(value)


def _mean(group: pd.DataFrame) -> dict[str, Any]:
    residuals = group["value"] - group["value"].mean()
    totals = residuals.groupby(group["cluster"]).sum()
    return {
        "n": len(group),
        "clusters": len(totals),
        "mean": round(float(group["value"].mean()), 12),
        "sd": round(float(group["value"].std(ddof=0)), 12),
        "squares of clusters": round(float((totals**2).sum()), 12),
    }


def _difference(differences: "pd.Series[float]") -> dict[str, Any]:
    signs = np.sign(differences.round(12))
    return {
        "n": len(differences),
        "mean": round(float(differences.mean()), 12),
        "sd": round(float(differences.std(ddof=0)), 12),
        "wins/ties/losses": "/".join(str(int((signs == sign).sum())) for sign in (1, 0, -1)),
    }


def _disagreements(scores: pd.DataFrame, means: Mapping[str, Any]) -> dict[str, Any]:
    """Compare with the means of the report's own scores, epochs averaged first."""
    scores = scores[~scores["measure"].str.endswith(_TIMES)].dropna(subset=["value"])
    by_sample = scores.groupby(["measure", "benchmark", "system", "id"])["value"].mean()
    by_system = by_sample.groupby(["measure", "benchmark", "system"])
    disagreements = {}
    for key, values in by_system:
        name = " | ".join(key)
        recounted = means.get(name, {}).get("mean")
        if recounted is None or abs(recounted - values.mean()) > 1e-9:
            disagreements[name] = {"report": float(values.mean()), "recount": recounted}
    return disagreements
