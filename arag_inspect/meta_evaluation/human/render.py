"""Agreement with human labels as a table."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from .agreement import Agreement, Figure
from .evaluate import HumanEvaluation

_TITLES = {
    "auc": "ROC-AUC",
    "balanced_accuracy": "Balanced accuracy",
    "kappa": "Kappa",
    "false_alarms": "False alarms",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
}


def print_evaluation(evaluation: HumanEvaluation, console: Console) -> None:
    """Print a table with one row per measure."""
    header, *rows = _rows(evaluation)
    table = Table(title=_title(evaluation))
    for name in header:
        table.add_column(name)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for line in _notes(evaluation):
        console.print(line, highlight=False, markup=False)


def as_markdown(evaluation: HumanEvaluation) -> str:
    """Return the table in Markdown, with the datasheet below it."""
    header, *rows = _rows(evaluation)
    lines = [header, ["---"] * len(header), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    notes = "\n".join(f"- {line}" for line in _notes(evaluation))
    return f"### {_title(evaluation)}\n\n{table}\n\n{notes}\n"


def _title(evaluation: HumanEvaluation) -> str:
    return f"{evaluation.data.title}, {evaluation.split}: {evaluation.labels} labels"


def _rows(evaluation: HumanEvaluation) -> Iterator[list[str]]:
    names = _statistics(evaluation.agreements)
    yield ["Measure", *(_TITLES[name] for name in names), "Scored", "Unscored"]
    for agreement in evaluation.agreements:
        cells = [_cell(agreement.figures.get(name)) for name in names]
        yield [agreement.measure, *cells, str(agreement.scored), str(agreement.unscored)]
    for row in evaluation.data.published:
        cells = [f"{row.value:.3f}" if row.statistic == name else "" for name in names]
        yield [f"published: {row.measure}", *cells, "", ""]


def _statistics(agreements: Sequence[Agreement]) -> list[str]:
    present = {name for agreement in agreements for name in agreement.figures}
    return [name for name in _TITLES if name in present]


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _notes(evaluation: HumanEvaluation) -> Iterator[str]:
    data = evaluation.data
    of_all = f" of {data.size:,} published" if data.size else ""
    yield f"Labels: {data.rule}. {evaluation.labels:,}{of_all}. {data.note}".strip()
    if evaluation.limit:
        yield f"Only the first {evaluation.limit:,} labels of each subset."
    if evaluation.disagreements:
        yield f"Annotators differ on {evaluation.disagreements:,} of them; their mean counts."
    yield f"Source: {data.origin}, commit {data.commit or 'not recorded'}; licence {data.licence}."
    files = ", ".join(f"{name} {sha[:12]}" for name, sha in evaluation.digests.items())
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
        yield f"Published figures: {'; '.join(dict.fromkeys(p.where for p in data.published))}."
