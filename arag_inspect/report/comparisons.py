"""Primary measures, declared before a run, and pairwise comparisons of systems."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from .._util.registry import PRIMARY
from ..judge.unscored import unread_by_judge
from ..measure import MeasureSpec, Role
from ..stats.estimates import (
    RESAMPLES,
    Paired,
    benjamini_hochberg,
    clusters_needed,
    holm,
    samples_needed,
    smallest_detectable,
)
from ..types.sample import SECTION_STYLES
from .benchmark import Benchmark, once
from .labels import counted, listed, plural
from .table import Signed
from .tables.agreement import noise_floors

_ANSWER = (("llm_accuracy.correct",), ("numeric_match",), ("contain_match",))
_SUMMARY = (("geval_faithfulness", "geval_coverage", "retrieval_pr.recall"),)
_OF_SECTIONS = (
    (
        *("geval_faithfulness", "geval_coverage"),
        *("retrieval_pr.precision", "section_retrieval.facts_read"),
    ),
)
_END = 0.1
"""Part of a scale, at either end, within which systems cannot be compared."""

_PART_UNSCORED = "part_unscored"
_FAILED = ("grader_failed", _PART_UNSCORED, "scoring_failed")


@once
def primary_measures(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the primary measures of a benchmark, also those that no judge could judge.

    Those that the reader chose, else those of `primary_of`. A measure without a value anywhere, as
    a part of it is unscored, gives way to the next group: see `replaced`.
    """
    if declared := benchmark.choices.primary:
        return tuple(name for name in dict.fromkeys(declared) if name in benchmark.measures)
    whole = _asked_for(benchmark, [reason for reason in _FAILED if reason != _PART_UNSCORED])
    scored = _asked_for(benchmark, _FAILED)
    order = benchmark.measures.index
    first = sorted(benchmark.main, key=lambda spec: (spec.role != "primary", order(spec.key)))
    main = [spec.key for spec in first if spec.key in scored]
    headlines = dict.fromkeys(name for name in benchmark.runs["headline"] if name in scored)
    styles = benchmark.answers["style"]
    by_style = primary_of(styles, whole) or primary_of(styles, scored) or tuple(headlines)
    return by_style or tuple(main[:1] or sorted(scored, key=order)[:1])


def _asked_for(benchmark: Benchmark, reasons: Sequence[str]) -> set[str]:
    """Return the measures that have a value somewhere, or failed somewhere for one of the reasons."""
    scores = benchmark.scores
    return set(scores.loc[scores["value"].notna() | scores["reason"].isin(reasons), "measure"])


def replaced(benchmark: Benchmark) -> Iterator[str]:
    """Say which measures would decide and have no value anywhere, why, and what decides instead."""
    primary = primary_measures(benchmark)
    if benchmark.choices.primary or not primary:
        return
    usual = primary_of(benchmark.answers["style"], _asked_for(benchmark, _FAILED))
    deciding = listed([benchmark.spec(name).label for name in primary])
    for name in usual:
        if name not in primary:
            scores = benchmark.scores[benchmark.scores["measure"] == name]
            why = why_unjudged(benchmark, scores[could_not_be_judged(scores)]).rstrip(".")
            text = f"{benchmark.spec(name).label} has no value on any sample"
            yield f"{text}, so the systems are ranked by {deciding}. {why}"


def primary_of(styles: Iterable[str], scored: Collection[str]) -> tuple[str, ...]:
    """Return the primary measures of samples, from what they are and what is scored.

    Correctness of answers to questions; faithfulness, coverage and recall of summaries, where their
    gold is whole sections precision and the share of facts read in place of recall; a benchmark may have its own for a style (`PRIMARY`). Of the groups of measures of a style
    the first one with a measure that is scored counts.

    Args:
        styles: Kind of answer of each sample.
        scored: Measures that some scorer gives.
    """
    primary: dict[str, None] = {}
    for style, _ in Counter(styles).most_common():
        usual = (*_ANSWER, *_SUMMARY) if style == "qa" else (*_SUMMARY, *_ANSWER)
        of_style = _OF_SECTIONS if style in SECTION_STYLES else ()
        groups = (*PRIMARY.get(style, ()), *of_style, *usual)
        present = ([name for name in group if name in scored] for group in groups)
        primary.update(dict.fromkeys(next(filter(None, present), ())))
    return tuple(primary)


def has_sections(benchmark: Benchmark) -> bool:
    """Return whether the gold of all samples is whole sections, so that recall says little."""
    return set(benchmark.answers["style"]) <= set(SECTION_STYLES)


def role_of(measure: MeasureSpec, primary: Sequence[str]) -> Role:
    """Return the role of a measure in a comparison: primary, secondary or diagnostic."""
    if measure.key in primary:
        return "primary"
    return "secondary" if measure.quality and measure.role != "diagnostic" else "diagnostic"


def answer_measures(benchmark: Benchmark) -> list[MeasureSpec]:
    """Return the primary measures of answers that have a direction, coverage before others."""
    specs = [benchmark.spec(key) for key in primary_measures(benchmark)]
    of_answers = [spec for spec in specs if spec.family != "retrieval" and spec.higher_is_better]
    return sorted(of_answers, key=lambda spec: spec.key != "geval_coverage")


def end_of_scale(benchmark: Benchmark, measure: MeasureSpec, systems: Iterable[str]) -> str | None:
    """Return where on a scale all systems are, if they are too close to its end for a comparison.

    Returns:
        `lowest` or `highest` if every interval lies in that tenth of the scale, else None.
    """
    estimates = [benchmark.estimate(system, measure.key) for system in systems]
    intervals = [estimate[1:3] for estimate in estimates if estimate is not None]
    lows = [low for low, _ in intervals if low is not None]
    highs = [high for _, high in intervals if high is not None]
    if not lows or len(lows) < len(intervals) or measure.low is None or measure.high is None:
        return None
    margin = _END * (measure.high - measure.low)
    if max(highs) <= measure.low + margin:
        return "lowest"
    return "highest" if min(lows) >= measure.high - margin else None


class Unjudged(NamedTuple):
    """A primary measure of one system without a value on some or all samples."""

    measure: MeasureSpec
    system: str
    failed: int
    of: int
    """Samples on which the measure was asked for."""

    reason: str
    """The most frequent one."""

    judge: str | None = None
    """The judge without a readable verdict on samples that have a value by others, or by rules."""

    def __str__(self) -> str:
        by = f" by {self.judge}" if self.judge else ""
        return (
            f"{self.measure.label} could not be judged{by} on {self.failed} of {self.of} samples "
            f"of {self.system} ({self.reason})"
        )


@once
def unjudged(benchmark: Benchmark) -> tuple[Unjudged, ...]:
    """Return the primary measures that could not be judged, those with most samples first."""
    failures = []
    for measure in map(benchmark.spec, primary_measures(benchmark)):
        own = benchmark.scores[benchmark.scores["measure"] == measure.key]
        for system, scores in benchmark.by_system(own):
            failed, scored = scores[could_not_be_judged(scores)], scores[scores["value"].notna()]
            of = len(scored) + len(failed)
            if len(failed):
                why = why_unjudged(benchmark, failed)
                failures.append(Unjudged(measure, system, len(failed), of, why))
            failed_everywhere = set(failed["answer"])
            for judge, own in unread_verdicts(scores).items():
                reasons = own.dropna()
                if not failed_everywhere.issuperset(reasons.index):
                    why, lost = str(reasons.value_counts().index[0]), len(reasons)
                    failures.append(Unjudged(measure, system, lost, len(own), why, judge))
    return tuple(sorted(failures, key=lambda failure: -failure.failed / failure.of))


@once
def unread_elsewhere(benchmark: Benchmark) -> tuple[str, ...]:
    """Say of which other measures a judge's verdicts could not be read, also where rules stand in."""
    primary = {benchmark.spec(key).scorer for key in primary_measures(benchmark)}
    others = benchmark.scores[~benchmark.scores["scorer"].isin(primary)]
    texts = []
    for scorer, of_scorer in others.groupby("scorer", sort=False):
        label = benchmark.spec(of_scorer["measure"].iloc[0]).label
        name = label if of_scorer["measure"].nunique() == 1 else scorer
        for system, own in benchmark.by_system(of_scorer):
            for judge, reasons in unread_verdicts(own).items():
                if lost := reasons.notna().sum():
                    text = f"{judge} gave no readable verdict on {lost} of {len(reasons)} samples"
                    why = reasons.value_counts().index[0]
                    texts.append(f"{text} of {system} ({name}): {why}")
    return tuple(texts)


def not_judged(benchmark: Benchmark) -> tuple[str, ...]:
    """Say what could not be judged, what decides in its place first."""
    failures = map(str, unjudged(benchmark))
    return (*replaced(benchmark), *failures, *unread_elsewhere(benchmark))


def unread_verdicts(scores: pd.DataFrame) -> "dict[str, pd.Series[str]]":
    """Return by judge why its verdicts could not be read, by answer; missing where it could.

    Args:
        scores: Scores of one scorer, with a row per answer or several.
    """
    by_judge: dict[str, dict[str, str | None]] = {}
    for answer, details in scores.drop_duplicates("answer")[["answer", "details"]].values:
        for judge, (reason,) in unread_by_judge([details]).items():
            by_judge.setdefault(judge, {})[answer] = reason
    return {judge: pd.Series(own, dtype=object) for judge, own in by_judge.items()}


def silent_judges(benchmark: Benchmark) -> tuple[str, ...]:
    """Name each judge without a readable verdict in a run, or on a primary measure of it."""
    scorers = {benchmark.spec(name).scorer for name in primary_measures(benchmark)}
    silent: dict[str, None] = {}
    for _, verdicts in benchmark.by_system(benchmark.first_verdicts):
        for own in (verdicts, *(verdicts[verdicts["scorer"] == name] for name in scorers)):
            heard = own["reason"].isna().groupby(own["judge"], sort=False).any()
            silent |= dict.fromkeys(map(str, heard.index[~heard]))
    return tuple(silent)


def could_not_be_judged(scores: pd.DataFrame) -> "pd.Series[bool]":
    """Return which scores are missing since their scorer was asked, and failed."""
    failed: pd.Series[bool] = scores["reason"].isin(_FAILED)
    return failed


def why_unjudged(benchmark: Benchmark, scores: pd.DataFrame) -> str:
    """Return the most frequent reason why scores could not be judged: the judges', or their own."""
    judged = benchmark.first_verdicts.dropna(subset=["reason"])
    own = scores.drop(columns="reason").merge(judged[["answer", "scorer", "reason"]])
    rest = scores[~scores["answer"].isin(own["answer"])]
    reasons = pd.concat([own["reason"], rest["text"].fillna(rest["reason"])])
    return str(reasons.value_counts().index[0])


ALPHA = 0.05
_MOST_RESAMPLES = 99_999
TOO_FEW = "too few"
MEASURED_DIFFERENTLY = "measured differently"
OTHER_QUESTIONS = "other questions under the same ids"
ONE_SAMPLE = "only one sample is shared"
INCOMPARABLE = (MEASURED_DIFFERENTLY, OTHER_QUESTIONS, ONE_SAMPLE)
"""Doubts with which two systems are not compared."""


class PairFamily(NamedTuple):
    """The pairs of systems that were asked for."""

    pairs: tuple[tuple[str, str], ...]
    rule: str
    """Which pairs they are, e.g. `every two systems`."""

    partial: bool
    """Whether other pairs are not compared."""

    def text(self, comparisons: "Sequence[Comparison]") -> str:
        """Say which pairs are compared, and in how many comparisons."""
        primary = sum(comparison.role == "primary" for comparison in comparisons)
        counts = f"{counted(len(self.pairs), 'pair')}, {counted(primary, 'primary comparison')}"
        rest = "; report --baseline SYSTEM compares each with one more" if self.partial else ""
        return f"Compared: {self.rule} ({counts}){rest}."


@once
def family_of(benchmark: Benchmark) -> PairFamily:
    """Return the systems of the same model in pairs, and each system with the baseline.

    A system that answers without a model of Inspect (`none`) is in pairs with all. If a model has
    only one system, as where one system is run with several models, all are in pairs.
    """
    baseline = benchmark.choices.baseline
    none = {run.system for run in benchmark.rows if run.model.startswith("none")}
    models = benchmark.runs["model"]
    every = tuple(combinations(benchmark.systems, 2))
    alone = 1 in Counter(models[own] for own in benchmark.systems if own not in none).values()
    within = {(a, b) for a, b in every if alone or models[a] == models[b] or none & {a, b}}
    chosen = tuple(pair for pair in every if pair in within or baseline in pair)
    if len(chosen) == len(every):
        return PairFamily(every, "every two systems", False)
    rule = "every two systems of the same model"
    rule += f", and each system with {baseline}" if baseline in benchmark.systems else ""
    return PairFamily(chosen, rule, True)


def baseline_of(benchmark: Benchmark) -> str:
    """Return the system to which others are shown as differences: the chosen one, or the first."""
    chosen = benchmark.choices.baseline
    return chosen if chosen in benchmark.systems else benchmark.systems[0]


@dataclass(frozen=True)
class Comparison:
    """A comparison of two systems on one measure."""

    measure: MeasureSpec
    role: Role
    a: str
    b: str
    paired: Paired
    p_adjusted: float
    """p corrected over the comparisons of its role: Holm for primary, Benjamini and Hochberg for
    secondary measures.
    """

    needed: int | None
    """Samples that would show a difference of this size with a power of 80 %."""

    detectable: float | None
    """Difference that would have been detected here with a power of 80 %."""

    doubt: str | None
    """Why no winner is named."""

    left_out: int = 0
    """Samples that were measured differently or have another question, and do not count."""

    @property
    def winner(self) -> str | None:
        """The better system, if the difference is shown."""
        if self.doubt is not None:
            return None
        higher = self.paired.difference > 0
        return self.a if higher == bool(self.measure.higher_is_better) else self.b

    @property
    def loser(self) -> str | None:
        """The worse system, if the difference is shown."""
        return None if self.winner is None else self.b if self.winner == self.a else self.a

    def seen_from(self, baseline: str) -> tuple[str, Signed]:
        """Return the other system, and its difference to one of the pair."""
        paired = self.paired
        if baseline == self.b:
            return self.a, Signed(paired.difference, paired.low, paired.high)
        ends = (None if end is None else -end for end in (paired.high, paired.low))
        return self.b, Signed(-paired.difference, *ends)

    @property
    def verdict(self) -> str:
        """The better system, or why no difference is shown."""
        return f"{self.winner} is better" if self.winner else f"not shown: {self.doubt}"


@once
def compared(benchmark: Benchmark) -> tuple[Comparison, ...]:
    """Compare the systems on their primary measures, and then on the secondary ones."""
    return compare_systems(benchmark, noise_floors(benchmark), primary_measures(benchmark))


def compare_systems(
    benchmark: Benchmark,
    floors: Mapping[str, float],
    primary: Sequence[str],
    *,
    resamples: int = RESAMPLES,
) -> tuple[Comparison, ...]:
    """Compare pairs of systems on every primary and secondary measure.

    The primary comparisons are one family, corrected by Holm's method; the
    secondary ones are exploratory, corrected by Benjamini and Hochberg's. A winner
    is named only if the 95 % interval of the difference excludes zero, p after
    correction is below 0.05, the difference exceeds the change from judging again
    (the noise floor, if measured), and both were measured the same way.

    Args:
        benchmark: Benchmark to compare.
        floors: Noise floor by measure, in its own unit.
        primary: Names of the primary measures.
        resamples: Fewest random swaps; more for many comparisons.
    """
    pairs = family_of(benchmark).pairs
    first = [benchmark.spec(key) for key in primary if benchmark.spec(key).quality]
    rest = [spec for spec in benchmark.specs if role_of(spec, primary) == "secondary"]
    families: dict[Role, list[MeasureSpec]] = {"primary": first, "secondary": rest}
    results: list[Comparison] = []
    for role, measures in families.items():
        # the smallest possible p, times all comparisons, must stay below ALPHA
        swaps = min(_MOST_RESAMPLES, max(resamples, 40 * len(pairs) * len(measures)))
        pairings = [
            (measure, a, b, paired)
            for measure in measures
            for a, b in pairs
            if (paired := benchmark.compare(a, b, measure.key, resamples=swaps)) is not None
        ]
        correct = holm if role == "primary" else benjamini_hochberg
        corrected = correct([paired.p for *_, paired in pairings])
        for (measure, a, b, paired), p in zip(pairings, corrected, strict=True):
            floor = floors.get(measure.key, -1.0)
            doubts = _doubts(benchmark, (a, b), measure.key, paired, p, floor, len(pairings))
            spread = paired.deviation, paired.design_effect
            comparison = Comparison(
                *(measure, role, a, b, paired),
                p_adjusted=p,
                needed=samples_needed(paired.difference, *spread),
                detectable=_detectable(paired, len(pairings)),
                doubt=next(doubts, None),
                left_out=benchmark.pair(a, b, measure.key).left_out,
            )
            results.append(comparison)
    return tuple(results)


def clusters_short_of(comparisons: Sequence[Comparison]) -> int | None:
    """Return the groups of samples that the primary comparisons need; None if they suffice."""
    own = [pair for pair in comparisons if pair.role == "primary"]
    needed = clusters_needed(len(own)) if own else 0
    return needed if own and all(pair.paired.clusters < needed for pair in own) else None


def _detectable(paired: Paired, comparisons: int) -> float | None:
    """Return the smallest difference that Holm's strictest step would have detected."""
    if paired.clusters < clusters_needed(comparisons):
        return None
    return smallest_detectable(paired, alpha=ALPHA / comparisons)


def _doubts(
    benchmark: Benchmark,
    pair: tuple[str, str],
    measure: str,
    paired: Paired,
    p: float,
    floor: float,
    comparisons: int,
) -> Iterator[str]:
    """Yield why no winner is named, the weightiest reason first."""
    if benchmark.pair(*pair, measure).nowhere_alike:
        values = [benchmark.known(system, measure).index for system in pair]
        shared = [name in values[0] and name in values[1] for name in benchmark.sample_ids]
        alike = (benchmark.same_question(*pair) & shared).any()
        yield MEASURED_DIFFERENTLY if alike else OTHER_QUESTIONS
    if paired.n == 1 < len(benchmark.sample_ids):
        yield ONE_SAMPLE
    if paired.low is None or paired.high is None:
        yield f"all samples are of one {benchmark.cluster}"
    elif not (paired.wins or paired.losses):
        yield "no sample differs"
    elif paired.low <= 0 <= paired.high:
        yield "the interval spans zero"
    if p >= ALPHA and paired.clusters < clusters_needed(comparisons):
        yield f"{TOO_FEW} {plural(benchmark.cluster)}"
    elif p >= ALPHA:
        how = "after correction" if comparisons > 1 else "by randomisation"
        yield f"p is {p:.3f} {how}"
    if abs(paired.difference) <= floor:
        yield "the judge's own noise is as large"
