"""Tables of a meta-evaluation, for the terminal and in Markdown."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..stats.ranking import Rate
from .analysis import KeyAudit
from .meta_evaluate import Audit
from .variants import EMPTY, EXTREMES, LEAD, OTHER, PERTURBATIONS

_HEADINGS = {perturbation.name: perturbation.heading for perturbation in PERTURBATIONS}
_NONE = "-"
_TELLING = 9
"""Longest key that needs its scorer's name to be understood."""

_READING = (
    "Share of pairs in which the clean summary scores better than the perturbed one (a tie counts "
    "half): 1 means always detected, 0.5 never, 0 that the error is preferred. {marked}: the 95 % "
    "interval is above or below 0.5. ↓: lower is better."
)
_BY_RULE = (
    "The judge was offline/extractive, rules and not a language model; its rows describe the rules."
)
_RANKS = (
    "Mean of the clean summary (score) and of the extremes, and how often the reference beats the "
    "others. Length: the change when everything is said twice, as a share of the distance between "
    "the clean summary and another company's reference. Fooled: another company's references that "
    "score better with an instruction to the judge. Twice: clean summaries with the same score in a "
    "second run, and the mean difference."
)


def print_audit(audit: Audit, console: Console) -> None:
    """Print the tables that fit a terminal."""
    console.print(_title(audit), style="bold")
    console.print(Text(_READING.format(marked="Green, red")), soft_wrap=False)
    keys = [key for key in audit.keys if key.scored and key.moves]
    console.print(_terminal(_noticed_rows(audit, keys)))
    console.print(Text(_RANKS))
    console.print(_terminal(_rank_rows(keys)))
    for line in _notes(audit):
        console.print(Text(line))


def markdown(audit: Audit) -> str:
    """Write every table in Markdown, the last one with all intervals."""
    keys = [key for key in audit.keys if key.scored and key.moves]
    parts = [
        f"# {_title(audit)}",
        _READING.format(marked="Bold, italic"),
        _markdown_table(_noticed_rows(audit, keys)),
        _RANKS,
        _markdown_table(_rank_rows(keys)),
        "\n".join(f"- {line}" for line in _notes(audit)),
        "## Every comparison",
        "`silent`: pairs without a score for the perturbed text.",
        _markdown_table(_all_rows(keys)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


Cell = tuple[str, str]
"""Text and its marking: `good`, `bad` or empty."""


def _title(audit: Audit) -> str:
    return (
        f"Scorer audit: {audit.cases} summaries ({audit.summaries}) of {audit.source}, "
        f"seed {audit.seed}, grader {audit.grader}"
    )


def _notes(audit: Audit) -> Iterable[str]:
    if audit.by_rule:
        yield _BY_RULE
    for key in audit.keys:
        why = ", ".join(f"{reason} {count}" for reason, count in key.unscored.items())
        if not key.scored:
            yield f"{_name(key)}: nothing was scored ({why})."
            continue
        if not key.moves:
            yield f"{_name(key)}: every text has the same score."
        if why:
            yield f"{_name(key)}: {key.scored} of {audit.cases} clean summaries scored ({why})."
    for name in _missing(audit):
        yield f"{_HEADINGS[name]}: no summary to which this can be applied."


def _missing(audit: Audit) -> list[str]:
    return [
        perturbation.name
        for perturbation in PERTURBATIONS
        if all(_case_count(key, perturbation.name) == 0 for key in audit.keys)
    ]


def _case_count(key: KeyAudit, perturbation: str) -> int:
    """Return the number of cases to which a perturbation was applied."""
    comparison = next(row for row in key.noticed if row.worse == perturbation)
    return comparison.pairs + comparison.silent


def _noticed_rows(audit: Audit, keys: Sequence[KeyAudit]) -> list[list[Cell]]:
    most = {name: max((_case_count(key, name) for key in keys), default=0) for name in _HEADINGS}
    head = [("key", ""), *((f"{text} (n={most[name]})", "") for name, text in _HEADINGS.items())]
    return [
        head,
        *(
            [(_name(key), ""), *(_rate(comparison.win_rate) for comparison in key.noticed)]
            for key in keys
        ),
    ]


def _rank_rows(keys: Sequence[KeyAudit]) -> list[list[Cell]]:
    headings = (
        "key", "score", *EXTREMES, "ref. > lead", "ref. > other", "ref. > empty", "length", "fooled", "twice", "differs",
    )  # fmt: skip
    return [
        [(text, "") for text in headings],
        *(
            [
                (_name(key), ""),
                (_number(key.mean), ""),
                *((_number(key.extremes[name]), "") for name in EXTREMES),
                *(_rate(comparison.win_rate) for comparison in key.ranks),
                (_NONE if key.length_effect is None else f"{round(key.length_effect, 2) + 0.0:+.0%}", ""),
                (_NONE if key.fooled is None else f"{key.fooled.value:.0%}", "bad" if key.fooled and key.fooled.value else ""),
                (_NONE if key.asked_twice is None else f"{key.asked_twice:.0%}", ""),
                (_NONE if key.noise is None else f"{key.noise:.2g}", ""),
            ]
            for key in keys
        ),
    ]  # fmt: skip


def _all_rows(keys: Sequence[KeyAudit]) -> list[list[Cell]]:
    headings = ("key", "better", "worse", "n", "silent", "win rate", "ties", "AUC", "change")
    names = {**_HEADINGS, LEAD: LEAD, OTHER: OTHER, EMPTY: EMPTY}
    return [
        [(text, "") for text in headings],
        *(
            [
                (text, "")
                for text in (
                    _name(key),
                    comparison.better,
                    names[comparison.worse],
                    str(comparison.pairs),
                    str(comparison.silent),
                    _interval(comparison.win_rate),
                    _NONE if comparison.ties is None else f"{comparison.ties:.0%}",
                    _interval(comparison.auc),
                    _interval(comparison.change, "{:+.3f}"),
                )
            ]
            for key in keys
            for comparison in (*key.noticed, *key.ranks)
        ),
    ]


def _name(key: KeyAudit) -> str:
    """Return the key, with its scorer if the key alone says little."""
    bare = len(key.key) > _TELLING or key.key.startswith(key.scorer)
    name = key.key if bare else f"{key.scorer}/{key.key}"
    return f"{name} ↓" if key.lower_is_better else name


def _rate(estimate: Rate | None) -> Cell:
    if estimate is None:
        return _NONE, ""
    mark = "good" if estimate.low > 0.5 else "bad" if estimate.high < 0.5 else ""
    return f"{estimate.value:.2f}", mark


def _number(value: float | None) -> str:
    return _NONE if value is None else f"{value:.2f}"


def _interval(estimate: Rate | None, pattern: str = "{:.2f}") -> str:
    if estimate is None:
        return _NONE
    value, low, high = (pattern.format(number) for number in estimate)
    return f"{value} [{low}, {high}]"


def _terminal(rows: Sequence[Sequence[Cell]]) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    head, *body = rows
    for column, (heading, _) in enumerate(head):
        table.add_column(heading, justify="right" if column else "left", no_wrap=not column)
    styles = {"good": "green", "bad": "red", "": ""}
    for row in body:
        table.add_row(*(Text(text, style=styles[mark]) for text, mark in row))
    return table


def _markdown_table(rows: Sequence[Sequence[Cell]]) -> str:
    stars = {"good": "**", "bad": "*", "": ""}
    head, *body = [
        f"| {' | '.join(f'{stars[mark]}{text}{stars[mark]}' for text, mark in row)} |"
        for row in rows
    ]
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *body])
