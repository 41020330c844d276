"""Composite faithfulness by judge, and its weighted parts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...stats.agreement import both_known, kendall
from ...stats.estimates import Floats
from ...stats.multiplicity import holm
from ..load.records import Benchmark, Run, SampleResult
from ..load.scores import number
from .matrix import ScoreMatrix

COMPOSITE = "composite_faithfulness"
PARTS = {
    "nli": "nli_contradiction",
    "judge": "severity_judge",
    "coverage": "embedding_coverage",
}
"""Scorer of each part of the composite, in its order."""

_OVERLAP = ("rouge.rouge1", "rouge.rouge2", "rouge.rougeL", "bertscore.bertscore_f1")


class JudgedColumn(NamedTuple):
    """One judge's values for one system, in the order of the benchmark's samples."""

    judge: str
    system: str
    values: Floats
    """Composite, shape (samples,), averaged over epochs; NaN if missing."""

    terms: Mapping[str, Floats]
    """Weighted value by part; their sum is the composite."""


@dataclass(frozen=True)
class Correlated:
    """Kendall's tau-b of two measures over answers."""

    a: str
    b: str
    n: int
    tau: float
    p: float
    p_corrected: float
    """p corrected over all pairs (Holm)."""


def judged_columns(benchmark: Benchmark) -> list[JudgedColumn]:
    """Return the composites by judge and system; empty if none names its judges."""
    pairs = {(judge, run.system): None for run in benchmark.runs for judge in _judges(run)}
    return [
        _column(benchmark, judge, benchmark.run(system))
        for judge, system in sorted(
            pairs, key=lambda pair: (pair[0], benchmark.systems.index(pair[1]))
        )
    ]


def rank_correlations(benchmark: Benchmark, values: ScoreMatrix) -> list[Correlated]:
    """Correlate composites, parts, ROUGE and BERTScore over all answers.

    Empty if the composite was not measured. p treats answers as independent.
    """
    if COMPOSITE not in benchmark.measures:
        return []
    names = (COMPOSITE, *PARTS.values(), *_OVERLAP)
    values_by_label = {
        benchmark.spec(name).label: values.pooled(name)
        for name in names
        if name in benchmark.measures
    }
    columns = judged_columns(benchmark)
    judges = dict.fromkeys(column.judge for column in columns)
    if len(judges) > 1:
        values_by_label |= {
            f"Composite, {judge}": _pooled(benchmark, columns, judge) for judge in judges
        }
    pairs = []
    labels = list(values_by_label)
    for index, a in enumerate(labels):
        for b in labels[index + 1 :]:
            x, y = both_known(values_by_label[a], values_by_label[b])
            if (tested := kendall(x, y)) is not None and math.isfinite(tested.tau):
                pairs.append((a, b, len(x), tested))
    corrected = holm([tested.p for *_, tested in pairs])
    return [
        Correlated(a, b, n, tested.tau, tested.p, p)
        for (a, b, n, tested), p in zip(pairs, corrected, strict=True)
    ]


def _judges(run: Run) -> dict[str, None]:
    return dict.fromkeys(name for sample in run.samples for name, _, _ in _judged_parts(sample))


def _judged_parts(sample: SampleResult) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Yield judge, composite and weighted parts that a sample's composite has."""
    scoring = sample.scorings.get(COMPOSITE)
    metadata: Mapping[str, Any] = scoring.metadata if scoring else {}
    by_judge, parts = metadata.get("by_judge"), metadata.get("parts")
    if not isinstance(by_judge, Mapping) or not isinstance(parts, Mapping):
        return
    others = {
        name: term
        for name, part in parts.items()
        if name != "judge" and (term := _weighted_value(part)) is not None
    }
    for name, value in by_judge.items():
        if (composite := number(value)) is not None:
            yield str(name), composite, {**others, "judge": composite - sum(others.values())}


def _weighted_value(part: object) -> float | None:
    if not isinstance(part, Mapping):
        return None
    value, weight = number(part.get("value")), number(part.get("weight"))
    return None if value is None or weight is None else value * weight


def _column(benchmark: Benchmark, judge: str, run: Run) -> JudgedColumn:
    rows = [
        [
            (value, terms)
            for epoch in run.by_id.get(sample_id, ())
            for name, value, terms in _judged_parts(epoch)
            if name == judge
        ]
        for sample_id in benchmark.sample_ids
    ]
    return JudgedColumn(
        judge,
        run.system,
        _means([[value for value, _ in row] for row in rows]),
        {
            part: _means([[terms[part] for _, terms in row if part in terms] for row in rows])
            for part in PARTS
        },
    )


def _means(rows: Sequence[Sequence[float]]) -> Floats:
    return np.array([np.mean(row) if row else math.nan for row in rows], dtype=float)


def _pooled(benchmark: Benchmark, columns: Sequence[JudgedColumn], judge: str) -> Floats:
    own = {column.system: column.values for column in columns if column.judge == judge}
    nothing = np.full(len(benchmark.sample_ids), math.nan)
    return np.concatenate([own.get(system, nothing) for system in benchmark.systems])
