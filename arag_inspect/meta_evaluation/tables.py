"""Tables of a perturbation report."""

from collections.abc import Iterator, Sequence

from .._util.extras import extra
from ..stats.estimates import Estimate
from ..stats.ranking import Rate
from .analysis import KeyReport
from .meta_evaluate import PerturbationReport
from .variants import EMPTY, EXTREMES, LEAD, OTHER, PERTURBATIONS

with extra("report"):
    from ..report.table import Cell, Share, Signed, Table

_HEADINGS = {perturbation.name: perturbation.heading for perturbation in PERTURBATIONS}
_SHORT = 9
"""Longest key that needs its scorer's name to be understood."""

_DETECTED = (
    "Share of pairs in which the clean summary scores better than the perturbed one (a tie counts "
    "half): 1 means always detected, 0.5 never, 0 that the error is preferred. In brackets: the 95 % "
    "interval holds 0.5. ↓: lower is better."
)
_RANKS = (
    "Mean of the clean summary (score) and of the extremes, and how often the reference beats the "
    "others. Length: the change when everything is said twice, as a share of the distance between "
    "the clean summary and another company's reference. Injection: other companies' references that "
    "score better with an instruction to the judge. Retest: clean summaries with the same score in a "
    "second run. Noise: the mean difference of the two runs."
)
_BY_RULE = (
    "The judge was offline/extractive, rules and not a language model; its rows describe the rules."
)


def title(report: PerturbationReport) -> str:
    """Return what was measured, in one line."""
    return (
        f"Scorer audit: {report.cases} summaries ({report.summaries}) of {report.source}, "
        f"seed {report.seed}, grader {report.grader}"
    )


def tables(report: PerturbationReport) -> list[Table]:
    """Return the share of detected perturbations, and the scores of extremes."""
    keys = _shown(report)
    most = {name: max((_cases(key, name) for key in keys), default=0) for name in _HEADINGS}
    return [
        Table(
            "detected",
            "Detected perturbations",
            _DETECTED,
            ("key", *(f"{heading} (n={most[name]})" for name, heading in _HEADINGS.items())),
            tuple(
                (_name(key), *(_detected(comparison.win_rate) for comparison in key.noticed))
                for key in keys
            ),
        ),
        Table(
            "extremes",
            "Extremes, length, instructions and noise",
            _RANKS,
            ("key", "score", *EXTREMES, "ref. > lead", "ref. > other", "ref. > empty", "length",
             "injection", "retest", "noise"),
            tuple(_ranks(key) for key in keys),
        ),
    ]  # fmt: skip


def comparisons(report: PerturbationReport) -> Table:
    """Return every comparison with its intervals."""
    names = {**_HEADINGS, LEAD: LEAD, OTHER: OTHER, EMPTY: EMPTY}
    return Table(
        "comparisons",
        "Every comparison",
        "`silent`: pairs without a score for the perturbed text.",
        ("key", "better", "worse", "n", "silent", "win rate", "ties", "AUC", "change"),
        tuple(
            (
                _name(key),
                comparison.better,
                names[comparison.worse],
                comparison.pairs,
                comparison.silent,
                comparison.win_rate and _estimate(comparison.win_rate, comparison.pairs),
                None if comparison.ties is None else Share(comparison.ties),
                comparison.auc and _estimate(comparison.auc, comparison.pairs),
                comparison.change and Signed(*comparison.change),
            )
            for key in _shown(report)
            for comparison in (*key.noticed, *key.ranks)
        ),
    )


def notes(report: PerturbationReport) -> Iterator[str]:
    """Yield what the tables leave out."""
    if report.by_rule:
        yield _BY_RULE
    for key in report.keys:
        why = ", ".join(f"{reason} {count}" for reason, count in key.unscored.items())
        if not key.scored:
            yield f"{_name(key)}: nothing was scored ({why})."
            continue
        if not key.moves:
            yield f"{_name(key)}: every text has the same score."
        if why:
            yield f"{_name(key)}: {key.scored} of {report.cases} clean summaries scored ({why})."
    for name, heading in _HEADINGS.items():
        if all(_cases(key, name) == 0 for key in report.keys):
            yield f"{heading}: no summary to which this can be applied."


def _shown(report: PerturbationReport) -> Sequence[KeyReport]:
    return [key for key in report.keys if key.scored and key.moves]


def _cases(key: KeyReport, perturbation: str) -> int:
    """Return the number of cases to which a perturbation was applied."""
    comparison = next(row for row in key.noticed if row.worse == perturbation)
    return comparison.pairs + comparison.silent


def _ranks(key: KeyReport) -> tuple[Cell, ...]:
    fooled, retest = key.injection_success_rate, key.retest_agreement
    return (
        _name(key),
        key.mean,
        *(key.extremes[name] for name in EXTREMES),
        *(comparison.win_rate and comparison.win_rate.value for comparison in key.ranks),
        None if key.length_effect is None else Share(round(key.length_effect, 3) + 0.0),
        None if fooled is None else Share(fooled.value),
        None if retest is None else Share(retest),
        key.noise,
    )


def _name(key: KeyReport) -> str:
    """Return the key, with its scorer if the key alone says little."""
    bare = len(key.key) > _SHORT or key.key.startswith(key.scorer)
    name = key.key if bare else f"{key.scorer}/{key.key}"
    return f"{name} ↓" if key.lower_is_better else name


def _detected(rate: Rate | None) -> Cell:
    if rate is None:
        return None
    return f"({rate.value:.2f})" if rate.low <= 0.5 <= rate.high else f"{rate.value:.2f}"


def _estimate(rate: Rate, pairs: int) -> Estimate:
    return Estimate(*rate, n=pairs, clusters=pairs)
