"""Primary measures, determined before a run by the kind of samples."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from ...measure import MeasureSpec, Output, Role, by_order
from ...types.additions import ADDITIONS
from ...types.sample import QUESTION, SECTION_STYLES, answer_kinds
from ..study import Study, cached_per_study
from .means import mean_of_measure

_END_SHARE = 0.1
"""Fraction of a scale, at either end, within which systems cannot be compared."""

_PART_UNSCORED = "part_unscored"
FAILED = ("grader_failed", _PART_UNSCORED, "scoring_failed")
"""Reasons for a missing value that mean that the scorer ran and failed."""


@cached_per_study
def primary_measures(study: Study) -> tuple[str, ...]:
    """Return the primary measures of a benchmark, including those that no judge could judge.

    The reader's choice, or else `primary_of`, decides. A measure without any value
    because a part of it is unscored gives way to the next group: see
    `report_replaced`.
    """
    names = study.choices.primary
    if names:
        return tuple(name for name in dict.fromkeys(names) if name in study.catalogue.keys)
    completely_scored = asked_for(study, [reason for reason in FAILED if reason != _PART_UNSCORED])
    scored = asked_for(study, FAILED)
    kinds = kinds_of_answers(study)
    by_style = primary_of(kinds, completely_scored) or primary_of(kinds, scored)
    return by_style or _headlines_or_first(study, scored)


def asked_for(study: Study, reasons: Sequence[str]) -> list[MeasureSpec]:
    """Return the measures with any value, or with any failure for one of the reasons.

    Of a change, return those of both runs, if there are any: others compare nothing.
    """
    scores = study.scores
    scored_or_failed = scores[scores["value"].notna() | scores["reason"].isin(reasons)]
    runs_by_measure = scored_or_failed.groupby("measure")["system"].nunique()
    keys = set(runs_by_measure.index)
    if study.choices.is_change and (runs_by_measure > 1).any():
        keys = set(runs_by_measure.index[runs_by_measure > 1])
    return [study.catalogue.spec(key) for key in study.catalogue.keys if key in keys]


def primary_of(kinds: Iterable[str], scored: Sequence[MeasureSpec]) -> tuple[str, ...]:
    """Return the primary measures of samples, from their kind of answer and what is scored.

    A measure declares the outputs that it decides (`MeasureSpec.decides`). If no measure of an
    output is scored, those of the next output count: measures of summaries also apply to questions.
    A benchmark may declare its own measures for a style (`Benchmark.primary`).

    Args:
        kinds: Kind of answer of each sample: its style, or `summary` (`answer_kinds`).
        scored: Measures that any scorer produces, in order.
    """
    primary: dict[str, None] = {}
    for style, _ in Counter(kinds).most_common():
        primary.update(dict.fromkeys(_first_group(style, scored)))
    return tuple(primary)


def has_sections(study: Study) -> bool:
    """Return whether the gold of all samples is whole sections, so that recall says little."""
    return set(kinds_of_answers(study)) <= set(SECTION_STYLES)


@cached_per_study
def kinds_of_answers(study: Study) -> tuple[str, ...]:
    """Return the kind of answer of each row of the answers; see `answer_kinds`."""
    return answer_kinds(study.answers["style"], study.answers["evidence"])


def role_of(measure: MeasureSpec, primary: Sequence[str]) -> Role:
    """Return the role of a measure in a comparison: primary, secondary or diagnostic."""
    if measure.key in primary:
        return "primary"
    return "secondary" if measure.is_quality and measure.role != "diagnostic" else "diagnostic"


def answer_measures(study: Study) -> list[MeasureSpec]:
    """Return the primary measures of answers with a direction, coverage first for summaries."""
    specs = [study.catalogue.spec(key) for key in primary_measures(study)]
    of_answers = [spec for spec in specs if spec.family != "retrieval" and spec.higher_is_better]
    if asks_mostly_questions(study):
        return of_answers
    return sorted(of_answers, key=lambda spec: spec.aspect != "coverage")


def asks_mostly_questions(study: Study) -> bool:
    """Return whether more samples ask a question than for any kind of summary."""
    (style, _), *_ = Counter(kinds_of_answers(study)).most_common(1) or [("", 0)]
    return style == QUESTION


def end_of_scale(study: Study, measure: MeasureSpec, systems: Iterable[str]) -> str | None:
    """Return the end of a scale that all systems are at, if too close to it for a comparison.

    Returns:
        `lowest` or `highest` if every interval is in that tenth of the scale, else None.
    """
    means = (mean_of_measure(study, system, measure.key) for system in systems)
    estimates = [mean for mean in means if mean is not None]
    lows = [estimate.low for estimate in estimates if estimate.low is not None]
    highs = [estimate.high for estimate in estimates if estimate.high is not None]
    if not lows or len(lows) < len(estimates) or measure.low is None or measure.high is None:
        return None
    margin = _END_SHARE * (measure.high - measure.low)
    if max(highs) <= measure.low + margin:
        return "lowest"
    return "highest" if min(lows) >= measure.high - margin else None


def _headlines_or_first(study: Study, scored: Sequence[MeasureSpec]) -> tuple[str, ...]:
    """Return the headlines that the tasks declare, else the first main measure, else any first."""
    keys = {spec.key for spec in scored}
    headlines = dict.fromkeys(name for name in study.runs["headline"] if name in keys)
    if headlines:
        return tuple(headlines)
    order = study.catalogue.keys.index
    main = sorted(study.catalogue.main, key=lambda spec: (spec.role != "primary", order(spec.key)))
    main_keys = [spec.key for spec in main if spec.key in keys]
    return tuple(main_keys[:1] or [spec.key for spec in scored[:1]])


def _first_group(style: str, scored: Sequence[MeasureSpec]) -> list[str]:
    """Return the scored measures of the first group for a style that has any."""
    keys = [spec.key for spec in scored]
    for group in _declared_groups(style):
        scored_keys = [key for key in group if key in keys]
        if scored_keys:
            return scored_keys
    for output in _outputs(style):
        deciding = _deciding(output, scored)
        if deciding:
            return deciding
    return []


@cache
def _declared_groups(style: str) -> tuple[Sequence[str], ...]:
    """Return the groups of primary measures that benchmarks declare for a style."""
    groups: list[Sequence[str]] = []
    for addition in ADDITIONS.value:
        if addition.style == style:
            groups += addition.primary
    return tuple(groups)


def _outputs(style: str) -> tuple[Output, ...]:
    """Return the outputs whose measures may decide a style, closest first."""
    if style == "qa":
        return "answer", "summary"
    return ("section", "summary", "answer") if style in SECTION_STYLES else ("summary", "answer")


def _deciding(output: Output, scored: Sequence[MeasureSpec]) -> list[str]:
    """Return the measures that decide an output, without substitutes for scored measures."""
    keys = {spec.key for spec in scored}
    deciding = [spec for spec in by_order(scored) if spec.decides_on(output)]
    return [spec.key for spec in deciding if keys.isdisjoint(spec.stands_in_for)]
