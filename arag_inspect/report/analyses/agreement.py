"""Tables of agreement: of judges with each other, with themselves, and of measures."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...judge.signature import Signature
from ...judge.unscored import OF_THE_SAMPLE
from ...measure import Scale, find_measure
from ...stats.agreement import alpha, kappa, pearson, tau, varies
from ...stats.estimates import Floats
from ..analysis import RowCells, analysis
from ..cells import Cell, P, Signed
from ..comparison.retests import retests
from ..study import Study, cached_per_study


@analysis(
    "Agreement of scorers with themselves",
    text="""
    The same answers, scored again with `arag-inspect rejudge` or an appended `inspect score`.
    Change: shift of the system's mean (0 for scorers without a judge). Noise floor: the larger end
    of its interval; no winner is named on a smaller difference. A judge may repeat its errors: only
    marks of people show whether it is right.
    """,
    meanings={
        "size of a change": "Mean absolute change of a sample",
        "noise floor": "No winner is named on a smaller difference",
    },
    section="method",
    order=20,
)
def self_consistency(study: Study) -> Iterator[RowCells]:
    """Yield how each measure of a system changes when its answers are judged again."""
    for retest in retests(study):
        yield {
            "measure": retest.measure.label,
            "system": retest.system,
            "answers": retest.mean.n,
            "change": retest.change,
            "size of a change": float(np.abs(retest.changes).mean()),
            "same value": retest.same,
            "noise floor": retest.floor,
        }


class Ratings(NamedTuple):
    """First verdicts of every judge on one dimension."""

    label: str
    verdicts: pd.DataFrame
    """Shape (answers, judges), judges by name; NaN if a judge has no verdict."""

    systems: Floats
    """System of each answer, shape (answers,)."""

    words: Floats
    """Words of each answer, shape (answers,)."""


@cached_per_study
def ratings(study: Study) -> list[Ratings]:
    """Return the first verdicts of all judges, by dimension and scale of the grades.

    Judges are grouped by the measure in the signature of their scorer. Verdicts on samples to
    which a measure does not apply, such as summaries, do not count.
    """
    keys = ["answer", "scorer"]
    scales = study.scores.drop_duplicates(keys).set_index(keys)["scale"]
    other = study.scores[study.scores["reason"].isin(OF_THE_SAMPLE)]
    inapplicable = pd.MultiIndex.from_frame(other[keys])
    first = study.first_verdicts.dropna(subset=["value"]).join(scales, on=keys)
    first = first[~pd.MultiIndex.from_frame(first[keys]).isin(inapplicable)]
    measured = first["signature"].map(_measure_of, na_action="ignore").fillna(first["scorer"])
    results = []
    for (name, _), of_dimension in first.groupby([measured, first["scale"].map(str)], sort=False):
        table = of_dimension.pivot_table(
            index="answer", columns="judge", values="value", aggfunc="first"
        )
        scale = of_dimension["scale"].iloc[0]
        known_scales = (scale,) if isinstance(scale, Scale) else ()
        spec = find_measure(str(name), study.catalogue.declared, known_scales)
        answers = study.answers.loc[table.index]
        systems = answers["system"].to_numpy()
        results.append(Ratings(spec.label, table, systems, answers["words"].to_numpy(float)))
    return results


def _measure_of(signature: str) -> str:
    return Signature.parse(signature).measure


@analysis(
    "Agreement between judges",
    text="""
    Krippendorff's alpha for ordinal verdicts (1: perfect, 0: chance), Cohen's kappa with
    quadratic weights, Kendall's tau-b over answers, and over systems by mean verdict.
    """,
    section="method",
    order=10,
)
def agreement(study: Study) -> Iterator[RowCells]:
    """Yield the agreement of every two judges on a dimension, and of all if there are more."""
    for rating in ratings(study):
        verdicts = rating.verdicts
        grid = verdicts.to_numpy(float)
        if grid.shape[1] > 2:
            n = int((~np.isnan(grid)).any(axis=1).sum())
            yield _agreement_row(rating, "all", n, alpha(grid))
        for a, b in combinations(verdicts, 2):
            both = verdicts[[a, b]].dropna()
            systems = rating.systems[verdicts.index.isin(both.index)]
            first, second = both.to_numpy(float).T
            means = both.groupby(systems).mean().to_numpy().T
            yield _agreement_row(
                rating,
                f"{a} / {b}",
                len(both),
                alpha(verdicts[[a, b]].to_numpy(float)),
                kappa(first, second),
                tau(first, second),
                tau(*means),
            )


def _agreement_row(
    rating: Ratings,
    judges: str,
    answers: int,
    alpha: Cell,
    kappa: Cell = None,
    tau_of_answers: Cell = None,
    tau_of_systems: Cell = None,
) -> RowCells:
    return {
        "dimension": rating.label,
        "judges": judges,
        "answers": answers,
        "alpha": alpha,
        "kappa": kappa,
        "tau, answers": tau_of_answers,
        "tau, systems": tau_of_systems,
    }


@analysis(
    "Length bias",
    text="""
    Pearson's r between the score and the number of words of an answer, both as deviations from
    the system's mean, with its 95 % interval. If r is far from zero, the measure may reward
    length, or brevity.
    """,
    section="method",
    order=50,
)
def length_bias(study: Study) -> Iterator[RowCells]:
    """Yield the correlation of score and length by dimension and judge."""
    for rating in ratings(study):
        both = rating.verdicts.assign(words=rating.words)
        centred = both - both.groupby(rating.systems).transform("mean")
        for judge in rating.verdicts:
            deviations = centred[[judge, "words"]].dropna()
            r = pearson(*deviations.to_numpy(float).T)
            yield {
                "measure": rating.label,
                "judge": str(judge),
                "answers": len(deviations),
                "r": Signed(r.r, r.low, r.high) if r else None,
                "p": P(r.p) if r else None,
            }


@cached_per_study
def _correlate(study: Study) -> pd.DataFrame:
    """Return Spearman's rho of each pair of varying measures, over the answers of all systems."""
    measures = [measure for measure in study.catalogue.specs if measure.family != "cost"]
    values = {measure.label: study.pool(measure.key) for measure in measures}
    varying = {label: column for label, column in values.items() if varies(column)}
    return pd.DataFrame(varying).corr("spearman", min_periods=3)


@analysis(
    "Correlation of the measures",
    text="""
    Spearman's rho over the answers of all systems that have a value of both measures.
    """,
    section="method",
    order=60,
)
def correlations(study: Study) -> Iterator[RowCells]:
    """Yield the correlations of each measure that varies."""
    table = _correlate(study)
    if len(table) < 2:
        return
    for label, row in table.iterrows():
        coefficients = {
            str(other): None if np.isnan(rho) else float(rho) for other, rho in row.items()
        }
        yield {"measure": str(label), "coefficients": coefficients}
