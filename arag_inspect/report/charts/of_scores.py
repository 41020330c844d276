"""Charts of scores: differences between systems, values by document, and distributions."""

from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np

from ...measure import MeasureSpec, Role
from ..cells import show
from ..chart import Chart
from ..comparison.comparisons import all_comparisons
from ..comparison.leads import baseline_of
from ..comparison.primary import primary_measures
from ..drawing import (
    BAR,
    GREY,
    POINT,
    arrow,
    by_system,
    distinct,
    heat_map,
    layer_of,
    nominal,
    quantitative,
    small_multiples,
)
from ..frames import Row
from ..study import Study

_GRADES = 10
"""Longest scale with one bar per grade."""

_MOST_SPREAD = 4
"""Maximum number of measures whose values are drawn sample by sample."""


def differences(study: Study, role: Role) -> Iterator[Chart]:
    """Draw one row per system: its difference to the baseline on each measure of a role."""
    baseline = baseline_of(study)
    rows = []
    for pair in all_comparisons(study):
        if pair.role != role or baseline not in (pair.a, pair.b):
            continue
        gap = pair.seen_from(baseline)
        if pair.paired.clusters < 2 or not pair.is_alike:
            continue
        measure = f"{pair.measure.label} {arrow(pair.measure)}".rstrip()
        row = {"measure": measure, "system": pair.other(baseline), "difference": gap.value}
        row |= {"low": gap.low, "high": gap.high, "n": pair.paired.n}
        if gap.low is None:  # the axis fits the interval
            row |= {"low": gap.value, "high": gap.value}
        rows.append(row | {"shown": show(gap), "verdict": pair.verdict})
    if not rows:
        return
    axes = by_system(study.systems) | {"y": nominal("system", sort=study.systems)}
    axes["color"] |= {"legend": None}  # the rows have names
    low = quantitative("low", "Difference", scale={"zero": True, "padding": 12})
    layers = [
        {"mark": {"type": "rule", "color": GREY}, "encoding": {"x": {"datum": 0}}},
        layer_of({"type": "rule", "strokeWidth": 3}, rows, **axes, x=low, x2={"field": "high"}),
        layer_of(POINT, rows, **axes, x=quantitative("difference")),
    ]
    section = "overview" if role == "primary" else "quality"
    name = "differences" if role == "primary" else f"{role}_differences"
    heading = Chart(name, section, f"Difference to {baseline}, {role} measures")
    text = (
        f"Paired difference to {baseline} with its 95 % interval, in the measure's own "
        "unit; where it includes zero, no difference is shown. "
    )
    text += "; ".join(f"{row['measure']}, {row['system']}: {row['shown']}" for row in rows)
    yield small_multiples(heading, text, rows, {"height": {"step": 26}, "layer": layers})


def spread(study: Study) -> Iterator[Chart]:
    """Yield charts of the first measures' values by document, and of their distribution."""
    main = [measure.key for measure in study.catalogue.main]
    specs = map(study.catalogue.spec, dict.fromkeys([*primary_measures(study), *main]))
    measures = [spec for spec in specs if spec.is_quality and spec.high is not None][:_MOST_SPREAD]
    rows = list(chain.from_iterable(_rows_by_document(study, measure) for measure in measures))
    if not rows:
        return
    labels = distinct(rows, "measure")
    heading = Chart("documents", "samples", "Document by document")
    axes = "document", "system", "value"
    yield heat_map(heading, rows, *axes, filter_field="measure", options=labels)
    bins = list(chain.from_iterable(_bins(study, measure) for measure in measures))
    encoding = by_system(study.systems) | {
        "x": nominal("score", "Score", sort=None, axis={"labelAngle": 0}),
        "xOffset": nominal("system", sort=study.systems),
        "y": quantitative("count", "Answers"),
    }
    heading = Chart("histograms", "quality", "How scores are spread")
    text = f"Number of answers by score, for each system and measure: {', '.join(labels)}"
    yield small_multiples(heading, text, bins, {"height": 140, **layer_of(BAR, bins, **encoding)})


def _rows_by_document(study: Study, measure: MeasureSpec) -> Iterator[Row]:
    """Yield the value of each system on each document."""
    shared = {"measure": measure.label}
    for system in study.systems:
        for sample, value in study.known_values(system, measure.key).items():
            yield {"document": sample, "system": system, **shared, "value": round(value, 4)}


def _bins(study: Study, measure: MeasureSpec) -> Iterator[Row]:
    """Yield counts per grade, per 0 and 1, or per fifth of a share or a long scale."""
    low = measure.low or 0.0
    high = measure.high or 1.0
    is_graded = measure.graded and high - low <= _GRADES
    scores = study.scores_of(measure.key).dropna(subset=["value"])
    is_binary = not measure.graded and scores["value"].isin((low, high)).all()
    if is_binary:
        labels = [f"{low:g}", f"{high:g}"]
        edges = [low, (low + high) / 2, high]
    elif is_graded:
        starts = np.arange(low, high + 1)
        labels = [f"{start:g}" for start in starts]
        edges = [*(starts - 0.5), high + 1]
    else:
        edges = list(np.linspace(low, high, 6))
        labels = [f"{start:g} to {end:g}" for start, end in pairwise(edges)]
    for system, of_system in study.by_system(scores):
        counts = np.histogram(of_system["value"].clip(low, high), edges)[0].tolist()
        for label, count in zip(labels, counts, strict=True):
            row = {"measure": measure.label, "system": system}
            yield row | {"score": label, "count": count}
