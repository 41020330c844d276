"""Tables of agreement with human labels."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._util.extras import extra
from ...stats.estimates import Estimate
from .evaluate import HumanEvaluation

with extra("report"):
    from ...report.table import Cell, Table, Usd

_TITLES = {
    "auc": "ROC-AUC",
    "balanced_accuracy": "Balanced accuracy",
    "kappa": "Kappa",
    "agreement": "Agreement",
    "false_alarms": "False alarms",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
}


def agreement(evaluation: HumanEvaluation) -> Table:
    """Return agreement by measure."""
    agreements, published = evaluation.agreements, evaluation.data.published
    names = [name for name in _TITLES if any(name in measured.figures for measured in agreements)]
    rows: list[tuple[Cell, ...]] = []
    for measured in agreements:
        figures = (measured.figures.get(name) for name in names)
        cells = (
            figure and Estimate(*figure, measured.scored, measured.scored) for figure in figures
        )
        rows.append((measured.measure, *cells, measured.scored, measured.unscored))
    if published:
        for measure, value in published.values.items():
            cells_published = (value if published.statistic == name else "" for name in names)
            rows.append((f"published: {measure}", *cells_published, "", ""))
    columns = ("Measure", *(_TITLES[name] for name in names), "Scored", "Unscored")
    return Table("agreement", title(evaluation), "", columns, tuple(rows))


def title(evaluation: HumanEvaluation) -> str:
    """Return the set, the half and the number of labels."""
    return f"{evaluation.data.title}, {evaluation.split}: {len(evaluation.units)} labels"


def comparison(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Return the rows of `compare_runs` as a table."""
    return Table(
        "compared",
        "Agreement with people by run",
        "",
        ("Measure", "Run", "Judge", "Statistic", "Agreement", "Behind the best", "Labels",
         "USD per 1,000"),
        tuple(
            (
                *(row[name] for name in ("measure", "run", "grader")),
                _TITLES[row["statistic"]],
                row["value"],
                Estimate(*(*row["behind"], row["answers"], row["answers"])) if row["behind"] else "best",
                row["answers"],
                None if row["dollars"] is None else Usd(row["dollars"]),
            )
            for row in rows
        ),
    )  # fmt: skip


def notes(evaluation: HumanEvaluation) -> Iterator[str]:
    """Yield the datasheet and how the figures were made."""
    data, copy, labels = evaluation.data, evaluation.copy, len(evaluation.units)
    of_all = f" of {data.size:,} published" if data.size else ""
    yield f"Labels: {data.rule}. {labels:,}{of_all}. {data.note}".strip()
    if evaluation.limit:
        yield f"At most {evaluation.limit:,} labels of each subset, spread over its documents."
    if disputed := evaluation.units["disputed"].sum():
        yield f"Annotators differ on {disputed:,} of them; their mean counts."
    yield f"Source: {data.origin}; licence {data.licence}."
    files = ", ".join(
        f"{name} {sha[:12]}" + ("" if sha in data.digests.values() else " (not a recorded file)")
        for name, sha in copy.digests.items()
    )
    missing = f"; missing: {', '.join(copy.missing)}" if copy.missing else ""
    yield f"Files (SHA-256): {files}{missing}"
    yield "Intervals: 95 %, bootstrap over documents, threshold held fixed; means over subsets."
    if thresholds := {a.threshold.partition(":")[0] for a in evaluation.agreements if a.threshold}:
        yield f"Thresholds from: {', '.join(sorted(thresholds))}."
    is_rule = "offline" in evaluation.grader
    yield f"Judge: {evaluation.grader}{', rules and not a language model' if is_rule else ''}."
    if data.published:
        yield f"Published figures: {data.published.where}."
