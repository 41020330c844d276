"""Tables of answer quality, success criteria, errors, examples, and attrition of samples."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
import pandas as pd

from ...measure import Family, MeasureSpec, by_place
from ...stats.estimates import Estimate, Floats
from ..analysis import Words, analysis
from ..criteria import judge_criteria
from ..frames import Outcome
from ..labels import counted
from ..primary import has_sections, primary_measures
from ..study import Study, once
from ..table import Cell, Share, Usd, mean_over
from .human import corrected_by, corrections

_HEADLINE: tuple[Family, ...] = ("judgement", "facts", "retrieval", "overlap", "human", "other")
_DIRECTIONS = {True: "high", False: "low", None: "-"}


@analysis("quality", "Scores", columns="measure | better | $systems | samples", after="leaderboard")
def headline(study: Study) -> Iterator[Sequence[Cell]]:
    """Return every measure by system: mean and 95 % interval.

    Mean with its 95 % interval over {clusters} (Wilson's with the design effect if the
    measure has bounds, else Student's; none if there is only one). Epochs of a sample are
    averaged first. An interval without width means that all values are equal, not that the
    mean is certain. Samples: scored / unscored / skipped, system by system if these differ;
    all of them are in the table of denominators.
    """
    for spec in study.specs:
        if spec.family in _HEADLINE:
            better, counts = _DIRECTIONS[spec.higher_is_better], _counts(study, spec)
            yield spec.label, better, *_estimates(study, spec), counts


@analysis("quality", "Good grades", columns="measure | at least | $systems", after="headline")
def good_grades(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the share of samples with a good grade, by measure and system; None without grades.

    Share of the n samples with a grade of at least 4 of 1 to 5, or as far up another scale.
    Epochs of a sample are averaged first.
    """
    for spec in study.specs:
        if spec.good is not None:
            grades = (study.known(system, spec.key) for system in study.systems)
            yield (
                spec.label,
                spec.good,
                *(mean_over(values >= spec.good, Share) for values in grades),
            )


@analysis(
    "quality",
    "By kind of question",
    columns="by | questions | measure | $systems",
    after="good_grades",
)
def by_question(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the main measures by type of question and of reasoning.

    Mean of the main measures over the n questions of a type or kind of reasoning that have
    a value. Epochs of a sample are averaged first.
    """
    first = study.answers.drop_duplicates("id").set_index("id")
    for by in ("type", "reasoning"):
        kinds = first[f"question_{by}"].fillna("")
        for kind in sorted({*kinds} - {""}) if kinds.nunique() > 1 else ():
            of_kind = study.values.loc[kinds.index[kinds == kind]]
            for main in study.main:
                values = (of_kind.get((main.key, system)) for system in study.systems)
                means = (None if column is None else mean_over(column) for column in values)
                yield by, kind, main.label, *means


@analysis(
    "quality", "By part of the task", columns="measure | part | $systems", after="by_question"
)
def by_part(study: Study) -> Iterator[Sequence[Cell]]:
    """Return each primary measure by part of the task and over all; None without parts.

    Primary measures by subject, language or other part, for which there are logs apart,
    with their 95 % intervals. All parts: the mean over all samples, with the parts as
    strata, so that differences between parts do not widen its interval.
    """
    parts = study.parts.to_numpy(str)
    names = sorted(set(parts))
    for measure in map(study.spec, primary_measures(study)) if len(names) > 1 else ():
        bounds = measure.low, measure.high
        for name in names:
            means = []
            for system in study.systems:
                in_part = np.where(parts == name, study.of(system, measure.key), np.nan)
                means.append(study.mean(in_part, bounds))
            yield measure.label, name, *means
        yield measure.label, "all parts", *_estimates(study, measure)


def codes_by_rule(study: Study) -> str:
    """Name the systems whose codes rules gave, since no judge did; empty if there are none."""
    counts = []
    taxonomy = study.scores[study.scores["scorer"] == study.taxonomy]
    for system, scored in study.by_system(taxonomy.drop_duplicates("answer")):
        coded = int(scored["details"].map(_has_codes).sum())
        ruled = int(scored["answer"].isin(coded_by_rules(study)).sum())
        if ruled:
            counts.append(f"{system} {ruled} of {counted(coded, 'answer')}")
    return f"codes by rule, as no judge gave one: {', '.join(counts)}" if counts else ""


def coded_by_rules(study: Study) -> frozenset[int]:
    """Return the answers whose codes rules gave."""
    taxonomy = study.scores[study.scores["scorer"] == study.taxonomy]
    pairs = zip(taxonomy["answer"], taxonomy["details"], strict=True)
    return frozenset(
        answer
        for answer, details in pairs
        if _has_codes(details) and details.get("coded_by") == "rules"
    )


def _has_codes(details: object) -> bool:
    return isinstance(details, dict) and bool(details.get("codes"))


def _by_rule(study: Study) -> Words:
    named = codes_by_rule(study)
    return {"by_rule": f" {named[0].upper()}{named[1:]}." if named else ""}


@analysis("errors", "Errors", columns="error | $systems", words=_by_rule)
def errors(study: Study) -> Sequence[Sequence[Cell]]:
    """Return the error codes by system; None if no taxonomy was applied.

    Share of answers with each error, with its 95 % interval, over those with the grade on
    which the error depends; a dash: not looked for. A system that does not retrieve has no
    irrelevant retrieval.{by_rule}
    """
    codes = [code for code in study.specs if code.family == "errors"]
    rows = [(code.label, *_estimates(study, code)) for code in codes]
    return rows if any(isinstance(cell, Estimate) for row in rows for cell in row) else []


@analysis(
    "errors",
    "All failures",
    columns="system | error | answers | share of all errors",
    after="errors",
    words=_by_rule,
)
def failures(study: Study) -> Iterator[Sequence[Cell]]:
    """Count each error code and its share in all codes; None if no code was given.

    Answers with each error, each epoch counted, and the share of each error in all that
    were found in the answers of a system. An answer counts once for each of its
    errors.{by_rule}
    """
    for system, answers in study.by_system(study.answers):
        counts = answers["codes"].explode().dropna().value_counts()
        for code, count in counts.items():
            yield system, study.error(code), int(count), Share(count / counts.sum())


def _estimates(study: Study, measure: MeasureSpec) -> list[Cell]:
    return [study.estimate(system, measure.key) for system in study.systems]


def _counts(study: Study, measure: MeasureSpec) -> str:
    """Return samples scored / unscored / skipped, once if all systems have the same."""
    statuses: Any = study.statuses.loc[measure.key]
    counts = [
        " / ".join(
            str(statuses.loc[system, status]) for status in ("scored", "unscored", "skipped")
        )
        for system in study.systems
    ]
    return counts[0] if len(set(counts)) == 1 else "; ".join(counts)


def _figures(study: Study) -> dict[str, Callable[[str], Estimate | None]]:
    """Return what gives the mean of a system, by heading.

    A judged measure with people's marks of the same run is headed by the mean
    corrected by them; what the judge alone gives stands beside it.
    """
    columns: dict[str, Callable[[str], Estimate | None]] = {}
    marked = corrections(study)
    usual = [spec for spec in by_place(study.specs) if spec.key_figure]
    if has_sections(study):
        usual = [spec for spec in usual if spec.family != "retrieval"]
    for key in dict.fromkeys((*primary_measures(study), *(spec.key for spec in usual))):
        if key not in study.measures:
            continue
        label = study.spec(key).label.split(" (1-")[0]
        alone = partial(study.estimate, measure=key)
        if key in marked:
            people = partial(corrected_by, study, marked[key], key)
            columns |= {f"{label}, corrected by people": people, f"{label}, judge alone": alone}
        else:
            columns[label] = alone
    return columns


@analysis(
    "overview",
    "Key figures by system",
    columns="system | $figures | cost per question (USD)",
    id="summary",
    words=lambda study: {"figures": list(_figures(study))},
)
def six_figures(study: Study) -> Iterator[Sequence[Cell]]:
    """Return primary measures, grades, recall, overlap and cost by system; None without measures.

    Mean with its 95 % interval over {clusters}, none if there is only one; cost over the n
    answers that have one. Corrected by people, where marks are given: prediction-powered,
    see the means corrected by people.
    """
    figures = _figures(study)
    for system, answers in study.by_system(study.finished) if figures else ():
        means = (figure(system) for figure in figures.values())
        yield system, *means, mean_over(answers["cost_usd"], Usd)


@analysis(
    "overview",
    "Success criteria",
    columns="criterion | systems | at least | here | verdict",
    id="criteria",
    after="summary",
)
def success(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the success criteria with their figures; None if none applies.

    Met: the whole 95 % interval is at or above the minimum. Not met: all of it is below.
    Not shown: it includes the minimum, or there is no figure. Shares of codes and verdicts
    are counts of this run.
    """
    yield from judge_criteria(study)


class Example(NamedTuple):
    """A sample and the rule that chose it."""

    title: str
    rule: str
    measure: MeasureSpec
    sample_id: str | None
    """None if no sample fits the rule."""


@once
def choose_examples(study: Study) -> tuple[Example, ...]:
    """Choose two wins of A-RAG, one of stuffing, and one failure of A-RAG.

    A win is the sample with the largest lead over the best of the other systems on any primary
    measure, a failure the one whose lowest primary measure is lowest, both as a share of the
    measure's scale; of equal samples the first by id, of equal measures the first. Without a
    primary measure that has a direction, the first main measure with a value counts. If A-RAG or
    stuffing was not run, the first system of the benchmark and the second replace them.
    """
    primary = map(study.spec, primary_measures(study))
    directed = [spec for spec in primary if spec.higher_is_better is not None]
    measures = _scored(study, directed) or _scored(study, study.main)[:1]
    if not measures:
        return ()
    by_solver = {run.solver: run.system for run in study.rows[::-1]}
    first = by_solver.get("arag", study.systems[0])
    other = by_solver.get("stuffing", study.systems[min(1, len(study.systems) - 1)])
    wins = (*_wins(study, measures, first, 2), *_wins(study, measures, other, 1))
    return (*dict.fromkeys(wins), _failure(study, measures, first))


@analysis("samples", "Samples worth reading", columns="example | sample | rule")
def examples(study: Study) -> Iterator[Sequence[Cell]]:
    """List the chosen samples, and rules without a sample; None without examples.

    Chosen by rule; of equal samples the first by id. A dash: no sample fits the rule.
    """
    return ((choice.title, choice.sample_id, choice.rule) for choice in choose_examples(study))


def _scored(study: Study, measures: Iterable[MeasureSpec]) -> list[MeasureSpec]:
    """Return the measures of which some system has a value."""
    return [spec for spec in measures if not np.isnan(study.pooled(spec.key)).all()]


def _wins(
    study: Study, measures: Sequence[MeasureSpec], system: str, count: int
) -> Iterator[Example]:
    """Yield the samples with the largest leads over the best of the other systems."""
    if len(study.systems) < 2:
        return
    title = f"{system}: win"
    labels = ", ".join(measure.label for measure in measures)
    rule = f"largest lead of {system} over the best of the others on {labels}"
    leads = np.array([_leads(study, measure, system) for measure in measures])
    largest = leads.max(axis=0)
    for index in np.argsort(-largest, kind="stable")[:count]:
        if largest[index] <= 0:
            yield Example(title, rule, measures[0], None)
            continue
        measure = measures[int(leads[:, index].argmax())]
        here = f": here {measure.label}" if len(measures) > 1 else ""
        yield Example(title, rule + here, measure, study.sample_ids[index])


def _leads(study: Study, measure: MeasureSpec, system: str) -> Floats:
    """Return the leads by sample, as shares of the scale; 0 without a lead.

    A scale without an end ends at the values.
    """
    sign = -1 if measure.higher_is_better is False else 1
    others = [sign * study.of(name, measure.key) for name in study.systems if name != system]
    leads = sign * study.of(system, measure.key) - np.fmax.reduce(others)
    values = study.pooled(measure.key)
    span = measure.span or np.nanmax(values) - np.nanmin(values) or 1.0
    return np.where(leads > measure.tie, leads / span, 0.0)


def _failure(study: Study, measures: Sequence[MeasureSpec], system: str) -> Example:
    """Return the answer that is worst in any measure, of equal ones that with the worse mean."""
    shares = pd.DataFrame(
        {n: _share(study.of(system, spec.key), spec) for n, spec in enumerate(measures)},
        list(study.sample_ids),
    )
    worst = pd.DataFrame({"lowest": shares.min(axis=1), "mean": shares.mean(axis=1)})
    worst = worst[worst["lowest"] < 1 - 1e-9].sort_values(["lowest", "mean"], kind="stable")
    title = f"{system}: failure"
    rule = f"lowest of {', '.join(measure.label for measure in measures)}"
    if worst.empty:
        return Example(title, rule, measures[0], None)
    sample = str(worst.index[0])
    measure = measures[int(shares.loc[sample].idxmin())]
    return Example(title, f"{rule}: here {measure.label} of {system}", measure, sample)


def _share(values: Floats, measure: MeasureSpec) -> Floats:
    """Return values as shares of their scale, 1 being the best; NaN if neither end is better.

    A scale without an end ends at the values.
    """
    if measure.higher_is_better is None or np.isnan(values).all():
        return np.full(len(values), np.nan)
    low = np.nanmin(values) if measure.low is None else measure.low
    high = np.nanmax(values) if measure.high is None else measure.high
    best, worst = (high, low) if measure.higher_is_better else (low, high)
    return (values - worst) / (best - worst) if best != worst else values - best + 1


_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST = 10
"""Causes that are listed."""


def _causes(study: Study) -> dict[str, str]:
    """Return why samples were skipped, failed or cut off, the most frequent causes first.

    Texts that differ in figures alone are one cause, e.g. `8,412 to 9,120 tokens`.
    """
    stopped = study.answers.dropna(subset=["error"])
    keys = ["system", "outcome", stopped["error"].map(_without_figures)]
    causes = [
        (len(texts), f"{system}, {len(texts):,} {outcome}: {_ranged(texts).rstrip('.')}.")
        for (system, outcome, _), texts in stopped.groupby(keys, sort=False)["error"]
    ]
    causes.sort(key=lambda cause: -cause[0])
    rest = sum(count for count, _ in causes[_MOST:])
    more = [f"{rest:,} samples for other causes."] if rest else []
    return {"causes": " ".join([text for _, text in causes[:_MOST]] + more)}


def _without_figures(text: str) -> tuple[str, ...]:
    return tuple(_FIGURE.split(text))


def _ranged(texts: "pd.Series[str]") -> str:
    """Return texts that differ in figures alone as one."""
    columns = zip(*map(_FIGURE.findall, texts), strict=True)
    ordered = (
        sorted(figures, key=lambda figure: float(figure.replace(",", ""))) for figures in columns
    )
    ends = (" to ".join(dict.fromkeys((figures[0], figures[-1]))) for figures in ordered)
    return _FIGURE.sub(lambda _: next(ends), texts.iloc[0])


@analysis(
    "method",
    "Attrition",
    columns=(
        "system | planned | run | answered | refused | truncated | empty | errored | "
        "skipped | unscored"
    ),
    after="correlations",
    words=_causes,
)
def attrition(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the outcomes of the samples of each system.

    Samples, each epoch counted. Refused: the provider's filter stopped the answer.
    Truncated: it was cut off, or a limit of Inspect ended the sample. Unscored: at least
    one measure has no value, for the reasons below. {causes}
    """
    unscored = set(study.scores.loc[study.scores["status"] == "unscored", "answer"])
    for system, answers in study.by_system(study.answers):
        counts = answers["outcome"].value_counts()
        yield (
            system,
            int(study.runs.loc[system, "planned"]),
            len(answers),
            *(int(counts.get(outcome, 0)) for outcome in get_args(Outcome)),
            int(answers["answer"].isin(unscored).sum()),
        )


@analysis(
    "method",
    "Stuffable share",
    columns="system | samples | too long | stuffable",
    after="attrition",
)
def stuffable(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the share of samples that fit into one call; None if no system tried.

    Samples whose whole document fits into one call. Skipped samples can only be answered by
    retrieval.
    """
    for system, answers in study.by_system(study.answers):
        if study.runs.loc[system, "solver"] == "stuffing" and len(answers):
            long = answers["outcome"] == "skipped"
            yield system, len(answers), int(long.sum()), Share(1 - float(long.mean()))


@analysis(
    "method",
    "Why scores have no value",
    columns="system | scorer | status | reason | values",
    after="stuffable",
)
def reasons(study: Study) -> Iterator[Sequence[Cell]]:
    """Return why scores have no value; None if all have one.

    Missing values, of every key of a scorer.
    """
    scores = study.scores
    absent = scores[scores["value"].isna() & (scores["status"] != "missing")]
    absent = absent.fillna({"reason": "-"})
    keys = ["system", "scorer", "status", absent["reason"].map(_without_figures)]
    for (*key, _), texts in absent.groupby(keys)["reason"]:
        yield *key, _ranged(texts), len(texts)


@analysis(
    "method",
    "Denominators",
    columns="measure | system | scored | unscored | skipped | errored | missing",
    after="reasons",
)
def denominators(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the number of samples behind each figure.

    Samples, each epoch counted, by the status of their score. Unscored: the scorer gave a
    reason instead of a value. Skipped: the system did not answer. Errored: the sample
    failed. Missing: there is no score.
    """
    for spec in study.specs:
        for system in study.systems:
            yield spec.label, system, *map(int, study.statuses.loc[(spec.key, system)])


@analysis(
    "method",
    "Runs",
    columns="system | solver | model | graders | samples | status | started | log",
    after="models",
)
def runs(study: Study) -> Iterator[Sequence[Cell]]:
    """List the reported runs.

    The logs of each system: several for slices or parts of a run.
    """
    counts = study.answers["system"].value_counts()
    for run in study.rows:
        graders = ", ".join(run.graders) or "-"
        name = ", ".join(log.split("/")[-1] for log in run.logs)
        samples = int(counts.get(run.system, 0))
        yield run.system, run.solver, run.model, graders, samples, run.status, run.created, name
