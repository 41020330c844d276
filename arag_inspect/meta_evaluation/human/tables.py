"""Tables of agreement with human labels."""

from collections.abc import Iterator, Sequence

from ..._util.extras import extra
from ...stats.estimates import Estimate
from .agreement import Agreement, Figure
from .compare import Compared
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


def tables(evaluation: HumanEvaluation) -> list[Table]:
    """Return agreement by measure, and the verdicts on each binary label."""
    names = _statistics(evaluation.agreements)
    measured: list[tuple[Cell, ...]] = [
        (
            agreement.measure,
            *(_cell(agreement.figures.get(name), agreement) for name in names),
            agreement.scored,
            agreement.unscored,
        )
        for agreement in evaluation.agreements
    ]
    published = evaluation.data.published
    for measure, value in (published.values if published else {}).items():
        cells = (value if published and published.statistic == name else "" for name in names)
        measured.append((f"published: {measure}", *cells, "", ""))
    verdicts = tuple(
        (agreement.measure, label, *counts)
        for agreement in evaluation.agreements
        if not agreement.measure.startswith("baseline:")
        for label, counts in agreement.verdicts.items()
    )
    columns = ("Measure", *(_TITLES[name] for name in names), "Scored", "Unscored")
    agreement = Table("agreement", title(evaluation), "", columns, tuple(measured))
    confusion = Table(
        "verdicts",
        "Verdicts by human label",
        "Answers at or above the threshold of the measure, and below it.",
        ("Measure", "Label", "Pass", "Fail"),
        verdicts,
    )
    return [agreement, *([confusion] if verdicts else [])]


def title(evaluation: HumanEvaluation) -> str:
    """Return the set, the half and the number of labels."""
    return f"{evaluation.data.title}, {evaluation.split}: {evaluation.labels} labels"


def comparison(rows: Sequence[Compared]) -> Table:
    """Return runs side by side, measure by measure, the best first."""
    return Table(
        "compared",
        "Agreement with people by run",
        "",
        ("Measure", "Run", "Judge", "Statistic", "Agreement", "Behind the best", "Labels",
         "USD per 1,000"),
        tuple(
            (
                row.measure,
                row.run,
                row.grader,
                _TITLES[row.statistic],
                row.value,
                Estimate(*row.behind, row.answers, row.answers) if row.behind else "best",
                row.answers,
                None if row.dollars is None else Usd(row.dollars),
            )
            for row in rows
        ),
    )  # fmt: skip


def notes(evaluation: HumanEvaluation) -> Iterator[str]:
    """Yield the datasheet and how the figures were made."""
    data = evaluation.data
    of_all = f" of {data.size:,} published" if data.size else ""
    yield f"Labels: {data.rule}. {evaluation.labels:,}{of_all}. {data.note}".strip()
    if evaluation.limit:
        yield f"At most {evaluation.limit:,} labels of each subset, spread over its documents."
    if evaluation.disagreements:
        yield f"Annotators differ on {evaluation.disagreements:,} of them; their mean counts."
    yield f"Source: {data.origin}; licence {data.licence}."
    files = ", ".join(
        f"{name} {sha[:12]}" + ("" if sha in data.digests.values() else " (not a recorded file)")
        for name, sha in evaluation.digests.items()
    )
    yield f"Files (SHA-256): {files}" + (
        f"; missing: {', '.join(evaluation.missing)}" if evaluation.missing else ""
    )
    yield "Intervals: 95 %, bootstrap over documents, threshold held fixed; means over subsets."
    thresholds = {a.threshold.partition(":")[0] for a in evaluation.agreements if a.threshold}
    if thresholds:
        yield f"Thresholds from: {', '.join(sorted(thresholds))}."
    yield f"Judge: {evaluation.grader}" + (
        ", rules and not a language model." if "offline" in evaluation.grader else "."
    )
    if data.published:
        yield f"Published figures: {data.published.where}."


def _statistics(agreements: Sequence[Agreement]) -> list[str]:
    present = {name for agreement in agreements for name in agreement.figures}
    return [name for name in _TITLES if name in present]


def _cell(figure: Figure | None, agreement: Agreement) -> Cell:
    return figure and Estimate(*figure, agreement.scored, agreement.groups)
