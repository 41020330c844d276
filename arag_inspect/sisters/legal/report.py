"""Sections of a report on composite faithfulness: ranking, bands, values by judge."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pandas as pd

from arag_inspect.report.benchmark import Benchmark, once
from arag_inspect.report.build import Tables
from arag_inspect.report.labels import in_sentence
from arag_inspect.report.table import Cell, P, Share, Table, Words, tabled
from arag_inspect.report.tables.agreement import MOST_CASES, case_table
from arag_inspect.stats.agreement import both_known, kendall
from arag_inspect.stats.estimates import Estimate
from arag_inspect.stats.multiplicity import holm

from .composite_faithfulness import BANDS, band

COMPOSITE = "composite_faithfulness"
PARTS = {
    "nli": "nli_contradiction",
    "judge": "severity_judge",
    "coverage": "embedding_coverage",
}
"""Scorer of each part of the composite, as named in its metadata, in its order."""

_SCORERS = list(PARTS.values())

_OVERLAP = ("rouge.rouge1", "rouge.rouge2", "rouge.rougeL", "bertscore.bertscore_f1")


def pillars(benchmark: Benchmark) -> Table | None:
    """Return the systems by composite, with its parts; None with fewer than two parts."""
    names = [name for name in (COMPOSITE, *PARTS.values()) if name in benchmark.measures]
    if len(set(names) - {COMPOSITE}) < 2:
        return None
    means = {s: [benchmark.estimate(s, name) for name in names] for s in benchmark.systems}
    keys = {system: _order(estimates) for system, estimates in means.items()}
    return Table(
        "pillars",
        "Ranking by faithfulness, and its pillars",
        f"Mean with its 95 % interval. Ordered by {in_sentence(benchmark.spec(names[0]))}; systems "
        "without it come last, by the mean of the rest; equal systems share a rank. Systems whose "
        "intervals overlap may not differ: see the comparisons.",
        ("rank", "system", *(benchmark.spec(name).label for name in names)),
        tuple(
            (1 + sum(other < keys[system] for other in keys.values()), system, *means[system])
            for system in sorted(benchmark.systems, key=lambda system: keys[system])
        ),
    )


def _order(estimates: Sequence[Estimate | None]) -> tuple[bool, float]:
    """Sort key: best first, systems without a composite last, by the mean of their parts."""
    first, *others = (None if estimate is None else estimate.mean for estimate in estimates)
    part_means = [mean for mean in others if mean is not None]
    mean = first if first is not None else fmean(part_means) if part_means else -math.inf
    return first is None, -round(mean, 9)


def _headings(benchmark: Benchmark) -> Words:
    edges = [f"from {least:.2f}" for least, _ in BANDS[:-1]] + [f"below {BANDS[-2][0]:.2f}"]
    return {"bands": [f"{name} ({edge})" for (_, name), edge in zip(BANDS, edges, strict=True)]}


@tabled("bands", _headings, package=__package__)
def bands(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the share of answers by band of the composite; None without values."""
    values = benchmark.scores[benchmark.scores["measure"] == COMPOSITE].dropna(subset=["value"])
    for system, own in benchmark.by_system(values):
        if len(own):
            bands = own["value"].map(band)
            yield system, len(own), *(Share(float((bands == name).mean())) for _, name in BANDS)


@once
def by_judge(benchmark: Benchmark) -> pd.DataFrame:
    """Return composites with the severity of one judge alone, averaged over epochs.

    Columns: id, judge, system, value, and the weighted value of each scorer of `PARTS`.
    """
    scores = benchmark.scores[benchmark.scores["measure"] == COMPOSITE]
    rows = [
        {"id": score.id, "system": score.system, **entry}
        for score in scores.itertuples()
        for entry in _entries(score.details)
    ]
    columns = ["id", "judge", "system", "value", *_SCORERS]
    frame = pd.DataFrame(rows, columns=columns)
    frame["system"] = pd.Categorical(frame["system"], benchmark.systems)
    keys = ["judge", "system", "id"]
    means = frame.groupby(keys, sort=True, observed=True, as_index=False).mean()
    return means[columns].astype({"system": str})


def _entries(details: object) -> Iterator[dict[str, Any]]:
    """Yield composite and weighted parts by judge, as far as a score has them."""
    fields = details if isinstance(details, Mapping) else {}
    judges, parts = fields.get("by_judge"), fields.get("parts")
    if not isinstance(judges, Mapping) or not isinstance(parts, Mapping):
        return
    others = {
        scorer: weighted
        for name, scorer in PARTS.items()
        if name != "judge" and (weighted := _weighted(parts.get(name))) is not None
    }
    for judge, value in judges.items():
        if isinstance(value, int | float) and np.isfinite(value):
            own = {PARTS["judge"]: value - sum(others.values())}
            yield {"judge": str(judge), "value": value, **others, **own}


def _weighted(part: object) -> float | None:
    value, weight = (
        (part.get("value"), part.get("weight")) if isinstance(part, Mapping) else (None, None)
    )
    if isinstance(value, int | float) and isinstance(weight, int | float):
        return float(value * weight)
    return None


def _weights(benchmark: Benchmark) -> Words:
    return {"weighted": [f"{benchmark.spec(name).label}, weighted" for name in _SCORERS]}


@tabled("composite_by_judge", _weights, package=__package__)
def composite_by_judge(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the composite by judge, and its weighted parts; None without judges."""
    for judge, own in by_judge(benchmark).groupby("judge"):
        values = own.pivot(index="id", columns="system", values="value")
        values = values.reindex(list(benchmark.sample_ids), columns=own["system"].unique())
        means = values.mean().round(9)
        for system, mean in means.sort_values(ascending=False, kind="stable").items():
            parts = own.loc[own["system"] == system, _SCORERS].mean()
            composite = benchmark.mean(values[system].to_numpy(), (0, 1))
            shares = (None if np.isnan(part) else float(part) for part in parts)
            yield str(judge), 1 + int((means > mean).sum()), str(system), composite, *shares


@tabled("composite_correlations", package=__package__)
def correlations(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return Kendall's tau of every two of composites, parts and overlap; None if none vary."""
    if COMPOSITE not in benchmark.measures:
        return
    names = (COMPOSITE, *PARTS.values(), *_OVERLAP)
    values = {
        benchmark.spec(name).label: benchmark.pooled(name)
        for name in names
        if name in benchmark.measures
    }
    judged = by_judge(benchmark)
    grid = pd.MultiIndex.from_product([benchmark.systems, benchmark.sample_ids])
    if judged["judge"].nunique() > 1:
        for judge, own in judged.groupby("judge"):
            pooled = own.set_index(["system", "id"])["value"].reindex(grid)
            values[f"Composite, {judge}"] = pooled.to_numpy(float)
    pairs = []
    for (a, first), (b, second) in combinations(values.items(), 2):
        x, y = both_known(first, second)
        if (tested := kendall(x, y)) is not None and np.isfinite(tested.tau):
            pairs.append((a, b, len(x), tested))
    corrected = holm([tested.p for *_, tested in pairs])
    for (a, b, n, tested), p in zip(pairs, corrected, strict=True):
        yield a, b, n, tested.tau, P(tested.p), P(p)


def composite_cases(benchmark: Benchmark) -> Table | None:
    """Return the composite of every case by judge and system; None without judges."""
    return case_table(
        benchmark,
        by_judge(benchmark),
        "composite_cases",
        "Composite of every case by judge",
        "Composite faithfulness with the severity of one judge alone, worst cases first, "
        f"at most {MOST_CASES}; epochs of a case are averaged.",
    )


SECTIONS: Tables = {
    ("pillars", "Faithfulness in parts"): (
        pillars,
        bands,
        composite_by_judge,
        composite_cases,
        correlations,
    )
}
"""The section on composite faithfulness; without it, of its parts where two are."""
