"""Agreement with human labels as a table."""

from collections.abc import Callable, Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..._util.errors import printable
from .agreement import Agreement, Figure
from .compare import Compared
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
    """Print a table with one row per measure, intervals below their values."""
    console.print(_table(_title(evaluation), list(_rows(evaluation, _stacked))))
    for line in _notes(evaluation):
        console.print(line, highlight=False, markup=False)


def as_markdown(evaluation: HumanEvaluation) -> str:
    """Return the table in Markdown, with the datasheet below it."""
    table = _markdown(list(_rows(evaluation, _cell)))
    notes = "\n".join(f"- {line}" for line in _notes(evaluation))
    return f"### {_title(evaluation)}\n\n{table}\n\n{notes}\n"


def print_comparison(rows: Sequence[Compared], console: Console) -> None:
    """Print runs side by side, measure by measure, the best first."""
    console.print(_table("Agreement with people by run", list(_compared(rows))))


def comparison_markdown(rows: Sequence[Compared]) -> str:
    """Return runs side by side in Markdown."""
    return f"{_markdown(list(_compared(rows)))}\n"


def _compared(rows: Sequence[Compared]) -> Iterator[list[str]]:
    yield ["Measure", "Run", "Judge", "Agreement", "Behind the best", "Labels", "USD per 1,000"]
    for row in rows:
        value = f"{_TITLES[row.statistic]} {row.value:.3f}"
        dollars = "-" if row.dollars is None else f"{row.dollars:.2f}"
        behind = _cell(row.behind) if row.behind else "best"
        yield [row.measure, row.run, row.grader, value, behind, str(row.answers), dollars]


def _table(title: str, lines: Sequence[Sequence[str]]) -> Table:
    table = Table(title=escape(title), box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in lines[0]:
        table.add_column(name)
    for line in lines[1:]:
        table.add_row(*map(escape, map(printable, line)))
    return table


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    header, *rows = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows))


def _title(evaluation: HumanEvaluation) -> str:
    return f"{evaluation.data.title}, {evaluation.split}: {evaluation.labels} labels"


def _rows(evaluation: HumanEvaluation, cell: Callable[[Figure | None], str]) -> Iterator[list[str]]:
    names = _statistics(evaluation.agreements)
    yield ["Measure", *(_TITLES[name] for name in names), "Scored", "Unscored"]
    for agreement in evaluation.agreements:
        cells = [cell(agreement.figures.get(name)) for name in names]
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


def _stacked(figure: Figure | None) -> str:
    """Return a value with its interval below, for a terminal of 80 columns."""
    if figure is None or figure.low is None or figure.high is None:
        return _cell(figure)
    return f"{figure.value:.3f}\n{figure.low:.2f}..{figure.high:.2f}"


def _notes(evaluation: HumanEvaluation) -> Iterator[str]:
    data = evaluation.data
    of_all = f" of {data.size:,} published" if data.size else ""
    yield f"Labels: {data.rule}. {evaluation.labels:,}{of_all}. {data.note}".strip()
    if evaluation.limit:
        yield f"At most {evaluation.limit:,} labels of each subset, spread over its documents."
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
