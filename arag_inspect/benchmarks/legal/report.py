"""Sections of a report on composite faithfulness: ranking, bands, values by judge."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, FiniteFloat, ValidationError

from arag_inspect.report.analysis import RowCells, analysis
from arag_inspect.report.cells import Cell, P, Share
from arag_inspect.report.comparison.means import mean_of_measure, mean_of_values
from arag_inspect.report.labels import in_sentence
from arag_inspect.report.sections import Tables
from arag_inspect.report.study import Study, cached_per_study
from arag_inspect.report.table import Table
from arag_inspect.stats.agreement import both_known, kendall
from arag_inspect.stats.estimates import Estimate
from arag_inspect.stats.multiple_tests import holm

from .composite_faithfulness import BANDS, band

COMPOSITE = "composite_faithfulness"
PARTS = {
    "nli": "nli_contradiction",
    "judge": "severity_judge",
    "coverage": "embedding_coverage",
}
"""Scorer of each part of the composite, as in its metadata, in order."""

_SCORERS = list(PARTS.values())

_BELOW_ALL = 2
"""Exceeds all differences between values from 0 to 1, so that systems without a composite come
last."""

_KINDS = {
    **dict.fromkeys(("FC", "ID", "WH", "RO", "WV", "MO"), "hallucination"),
    **dict.fromkeys(("OH", "OC", "OD"), "omission"),
}
"""Kind of each error of the taxonomy except hedging."""

_MOST_CASES = 60
"""Maximum rows in a table of cases, worst first."""

_OVERLAP = ("rouge.rouge1", "rouge.rouge2", "rouge.rougeL", "bertscore.bertscore_f1")


class _PartDetails(BaseModel):
    value: float | None
    weight: float


class _Details(BaseModel):
    """The fields read from a composite's metadata."""

    by_judge: dict[str, FiniteFloat]
    parts: dict[Literal["nli", "judge", "coverage"], _PartDetails]


def pillars(study: Study) -> Table | None:
    """Return the systems by composite, with its parts; None with fewer than two parts."""
    names = [name for name in (COMPOSITE, *_SCORERS) if name in study.catalogue.keys]
    if len(set(names) - {COMPOSITE}) < 2:
        return None
    estimates = {}
    for system in study.systems:
        estimates[system] = [mean_of_measure(study, system, name) for name in names]
    rows = [_means(system_values) for system_values in estimates.values()]
    means = pd.DataFrame(rows, list(estimates), dtype=float)
    first = means[0]
    others = means.drop(columns=0).mean(axis=1)
    order = first.fillna(others - _BELOW_ALL).fillna(-math.inf).round(9)
    ranks = order.rank(ascending=False, method="min").sort_values(kind="stable")
    return Table(
        "pillars",
        "Ranking by faithfulness, and its pillars",
        f"Mean with its 95 % interval. Ordered by {in_sentence(study.catalogue.spec(names[0]))}; "
        "systems without it come last, by the mean of the rest; equal systems share a rank. "
        "Systems whose intervals overlap may not differ: see the comparisons.",
        ("rank", "system", *(study.catalogue.spec(name).label for name in names)),
        tuple((int(rank), system, *estimates[system]) for system, rank in ranks.items()),
    )


def _means(estimates: Sequence[Estimate | None]) -> list[float | None]:
    return [None if estimate is None else estimate.mean for estimate in estimates]


@analysis(
    "How faithful, in words",
    text="""
    Share of answers in each band of composite faithfulness, counting every epoch.
    """,
)
def bands(study: Study) -> Iterator[RowCells]:
    """Yield the share of answers in each band of the composite."""
    edges = [f"from {least:.2f}" for least, _ in BANDS[:-1]] + [f"below {BANDS[-2][0]:.2f}"]
    values = study.scores_of(COMPOSITE).dropna(subset=["value"])
    for system, of_system in study.by_system(values):
        if len(of_system):
            bands = of_system["value"].map(band)
            shares = {
                f"{name} ({edge})": Share(float((bands == name).mean()))
                for (_, name), edge in zip(BANDS, edges, strict=True)
            }
            yield {"system": system, "answers": len(of_system), "shares": shares}


@cached_per_study
def by_judge(study: Study) -> pd.DataFrame:
    """Return composites with the severity of one judge alone, averaged over epochs.

    Columns: judge, system, id, value, and the weighted value of each scorer of `PARTS`.
    """
    scores = study.scores_of(COMPOSITE)
    rows = []
    for score in scores.itertuples():
        for entry in _entries(score.details):
            rows.append({"id": score.id, "system": score.system, **entry})
    frame = pd.DataFrame(rows, columns=["judge", "system", "id", "value", *_SCORERS])
    if not rows:
        return frame
    frame["system"] = pd.Categorical(frame["system"], study.systems)
    means = frame.groupby(["judge", "system", "id"], observed=True, as_index=False).mean()
    return means.astype({"system": str})


def _entries(details: object) -> Iterator[dict[str, Any]]:
    """Yield the composite and weighted parts by judge, if a score has them."""
    try:
        details_read = _Details.model_validate(details)
    except ValidationError:
        return
    parts = {
        PARTS[n]: p.value * p.weight for n, p in details_read.parts.items() if p.value is not None
    }
    for judge, value in details_read.by_judge.items():
        others = sum(weighted for name, weighted in parts.items() if name != PARTS["judge"])
        yield {"judge": judge, "value": value, **parts, PARTS["judge"]: value - others}


@analysis(
    "Composite by judge, and its parts",
    text="""
    Composite faithfulness with the severity of a single judge: mean with its 95 % interval,
    rank of the system by it (equal means share one), and the mean of each part times its
    weight; these sum to the composite. Only severity differs between judges.
    """,
)
def composite_by_judge(study: Study) -> Iterator[RowCells]:
    """Yield the composite of each system by judge, and its weighted parts."""
    for judge, judge_rows in by_judge(study).groupby("judge"):
        values = judge_rows.pivot(index="id", columns="system", values="value")
        values = values.reindex(list(study.sample_ids), columns=judge_rows["system"].unique())
        means = values.mean().round(9)
        for system, mean in means.sort_values(ascending=False, kind="stable").items():
            parts = judge_rows.loc[judge_rows["system"] == system, _SCORERS].mean()
            composite = mean_of_values(study, values[system].to_numpy(), (0, 1))
            yield {
                "judge": str(judge),
                "rank": 1 + int((means > mean).sum()),
                "system": str(system),
                "composite": composite,
                "parts": {
                    f"{study.catalogue.spec(name).label}, weighted": None
                    if np.isnan(part)
                    else float(part)
                    for name, part in parts.items()
                },
            }


@analysis(
    "Composite, parts and overlap: correlation with p",
    text="""
    Kendall's tau-b over the n answers of all systems for which both have a value, with its p,
    and that corrected over all pairs (Holm). p treats answers as independent, although those
    of {clusters} are correlated.
    """,
    id="composite_correlations",
)
def correlations(study: Study) -> Iterator[RowCells]:
    """Yield Kendall's tau of each pair of composites, parts and overlap."""
    if COMPOSITE not in study.catalogue.keys:
        return
    names = (COMPOSITE, *PARTS.values(), *_OVERLAP)
    values = {
        study.catalogue.spec(name).label: study.pool(name)
        for name in names
        if name in study.catalogue.keys
    }
    judged = by_judge(study)
    grid = pd.MultiIndex.from_product([study.systems, study.sample_ids])
    if judged["judge"].nunique() > 1:
        for judge, judge_rows in judged.groupby("judge"):
            pooled = judge_rows.set_index(["system", "id"])["value"].reindex(grid)
            values[f"Composite, {judge}"] = pooled.to_numpy(float)
    pairs = []
    for (a, first), (b, second) in combinations(values.items(), 2):
        x, y = both_known(first, second)
        test_result = kendall(x, y)
        if test_result is not None and np.isfinite(test_result[0]):
            pairs.append((a, b, len(x), *test_result))
    corrected = holm([p for *_, p in pairs])
    for (a, b, n, correlation, p), adjusted in zip(pairs, corrected, strict=True):
        yield {
            "a": a,
            "b": b,
            "answers": n,
            "tau": correlation,
            "p": P(p),
            "p corrected": P(adjusted),
        }


@analysis(
    "Failures within hallucinations and within omissions",
    text="""
    Answers with each error, counting every epoch, and its share of all hallucinations, or of
    all omissions, of the system. Hedging is neither.
    """,
)
def failure_shares(study: Study) -> Iterator[RowCells]:
    """Yield the share of each error in its kind, by system."""
    for system, answers in study.by_system(study.answers):
        codes = answers["codes"].explode().dropna()
        for kind, of_kind in codes.groupby(codes.map(_KINDS)):
            for code, count in of_kind.value_counts().items():
                yield {
                    "system": system,
                    "kind": kind,
                    "error": study.catalogue.error_label(code),
                    "answers": int(count),
                    "share of kind": Share(count / len(of_kind)),
                }


def composite_cases(study: Study) -> Table | None:
    """Return the composite of every case by judge and system; None with fewer than two cases."""
    values = by_judge(study).dropna(subset=["value"])
    if values["id"].nunique() < 2:
        return None
    mean_by_case = values.groupby("id", sort=False)["value"].mean().sort_values(kind="stable")
    cells = values.set_index(["id", "judge", "system"])["value"]
    order = {system: number for number, system in enumerate(study.systems)}
    columns = sorted(set(cells.index.droplevel("id")), key=lambda c: (c[0], order[c[1]]))
    is_single_system = len(study.systems) == 1
    rows: list[tuple[Cell, ...]] = []
    for case in mean_by_case.index[:_MOST_CASES]:
        rows.append((str(case), *(cells.get((case, *column)) for column in columns)))
    return Table(
        "composite_cases",
        "Composite of every case by judge",
        "Composite faithfulness with the severity of one judge alone, worst cases first, "
        f"at most {_MOST_CASES}; epochs of a case are averaged.",
        (
            "case",
            *(judge if is_single_system else f"{judge}: {system}" for judge, system in columns),
        ),
        tuple(rows),
    )


SECTIONS: Tables = {
    ("pillars", "Faithfulness in parts"): (
        pillars,
        bands,
        composite_by_judge,
        composite_cases,
        correlations,
        failure_shares,
    )
}
"""The section on composite faithfulness, or on its parts if there are at least two."""
