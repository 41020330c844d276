"""Findings on each primary measure in plain words."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from ..._util.wording import counted, listed, plural
from ...measure import MeasureSpec
from ..analyses.human import corrected_by, corrections
from ..analyses.leaderboard import Leaderboard, rank_systems
from ..analyses.sweeps import in_words
from ..comparison.basis import basis_sentences, counted_groups, needed_groups, on_samples, part_of
from ..comparison.comparisons import (
    INCOMPARABLE,
    Comparison,
    clusters_short_of,
    compared,
    contestants,
    fixed_baseline,
    primary_pairs,
)
from ..comparison.correctness import disagreements
from ..comparison.elsewhere import worse_elsewhere
from ..comparison.leads import largest_of
from ..comparison.means import mean_of_measure
from ..comparison.primary import primary_measures
from ..comparison.sweeps import reversals
from ..comparison.unjudged import not_judged, refuted_grades
from ..labels import in_sentence, verb_of
from ..study import Study
from ..table import show
from .advice import advice, without_advice
from .gap_text import describe_difference, describe_gap, describe_groups, unbeaten_systems
from .provenance import other_code

_NOT_JUDGED = "Not judged"
_NOT_ON_ALL = "Not on all samples"
_WORSE_ELSEWHERE = "Worse elsewhere"
_MEASURES_DISAGREE = "Measures disagree"
_OTHER_CODE = "Other code"
_MOST_LISTED = 3
"""Maximum pairs, systems or samples named in a sentence; the tables have all."""


class Finding(NamedTuple):
    """The finding on one primary measure, or on all if there is nothing to compare."""

    topic: str
    """Label of the measure."""

    text: str
    shown: bool = False
    """Whether any system is shown to be better."""

    @property
    def unjudged(self) -> bool:
        """Whether it reports that a measure could not be judged; such findings come first."""
        return self.topic == _NOT_JUDGED

    @property
    def partial(self) -> bool:
        """Whether it reports measures without values on all samples; always shown on the page."""
        return self.topic == _NOT_ON_ALL

    @property
    def qualifies(self) -> bool:
        """Whether it qualifies the headline, next to which the page shows it."""
        return self.topic in (_WORSE_ELSEWHERE, _MEASURES_DISAGREE, _OTHER_CODE)


def findings(study: Study) -> tuple[Finding, ...]:
    """State for each primary measure which system is better, if any.

    Measures that could not be judged or lack values on some samples come first. After the others
    come: too few groups of samples for any winner, what qualifies the headline (code that differs,
    measures that disagree, what is worse), grades refuted by their own lists, means
    corrected by people, contrasts that change sign with the model or system, and the stage at which
    each system loses most facts (`advice`). For a single system, the findings state how good it is,
    compared with the closed book and the references if these were run.
    """
    first = [Finding(_NOT_JUDGED, f"{text}.") for text in not_judged(study)]
    sentences = basis_sentences(study)
    if sentences:
        first.append(Finding(_NOT_ON_ALL, " ".join(sentences)))
    results = list(_on_measures(study))
    results.sort(key=lambda finding: not finding.shown)
    results += [
        Finding(f"Too few {plural(study.cluster)}", text) for text in _too_few_groups(study)
    ]
    if not (first or results):
        results = [Finding("Nothing to compare", f"{_describe_missing_scores(study)}.")]
    else:
        results += _qualifications(study)
    sentences_by_topic: dict[str, Iterable[str]] = {
        "Doubtful grades": (f"{text}." for text in refuted_grades(study)),
        "Corrected by people": _by_people(study, rank_systems(study)),
        "Sign changes": _sign_changes(study),
        "What to change": [*(piece.text for piece in advice(study)), without_advice(study)],
    }
    texts = {
        topic: " ".join(filter(None, sentences)) for topic, sentences in sentences_by_topic.items()
    }
    last = [Finding(topic, text) for topic, text in texts.items() if text]
    return (*first, *results, *last)


def _qualifications(study: Study) -> Iterator[Finding]:
    """Yield what the headline does not say: other code, measures that disagree, worse ones."""
    texts = {
        _OTHER_CODE: other_code(study),
        _MEASURES_DISAGREE: " ".join(disagreements(study).values()),
        _WORSE_ELSEWHERE: _worse_elsewhere(study),
    }
    for topic, text in texts.items():
        if text:
            yield Finding(topic, text)


def _worse_elsewhere(study: Study) -> str:
    """Name what is worse besides what other findings state."""
    text = worse_elsewhere(study, [*primary_measures(study), *disagreements(study)])
    return text and f"{text}."


def _on_measures(study: Study) -> Iterator[Finding]:
    """Yield the finding on each primary measure that has one."""
    for measure in map(study.catalogue.spec, primary_measures(study)):
        sentences = [
            *_describe_single_system(study, measure, contestants(study)),
            *_sentences(study, measure),
        ]
        if sentences:
            has_winner = any(pair.winner for pair in primary_pairs(study, measure))
            yield Finding(measure.label, " ".join(sentences), has_winner)


def _sign_changes(study: Study) -> Iterator[str]:
    """Yield contrasts shown in both directions, e.g. of two systems with two models."""
    changes = [*reversals(study, "system"), *reversals(study, "model")]
    certain = [change for change in changes if change.shown]
    for change in certain[:_MOST_LISTED]:
        yield f"{in_words(change)} ({in_sentence(change.measure)})."
    if len(certain) > _MOST_LISTED:
        yield f"The tables by model and by system have {len(certain) - _MOST_LISTED} more."


def _by_people(study: Study, board: Leaderboard) -> Iterator[str]:
    """Yield each primary measure's means corrected by people, next to the judge's means."""
    human_by_judge = corrections(study)
    for column, measure in enumerate(board.measures):
        human = human_by_judge.get(measure.key)
        if human is None:
            continue
        means = []
        for row in board.rows:
            standing = row.standings[column]
            mean = corrected_by(study, human, measure.key, row.system)
            if mean and standing:
                marks = counted(mean.n, "mark")
                judge_mean = show(standing.mean.mean)
                means.append(f"{row.system} {show(mean)} by {marks} (judge {judge_mean})")
        if means:
            yield f"{measure.label}: {', '.join(means)}."
    if human_by_judge:
        yield "Ranks and differences still use the judge's scores."


def _too_few_groups(study: Study) -> Iterator[str]:
    """Yield a warning if there are too few groups of samples for any winner."""
    primary = primary_pairs(study)
    needed = clusters_short_of(primary)
    if needed is not None:
        clusters = max(pair.paired.clusters for pair in primary)
        pairs = counted(len(primary), "primary comparison")
        test = f"for {pairs} the exact permutation test needs at least {needed}"
        yield f"With {counted_groups(clusters, study)} no difference can be shown: {test}."


def _describe_single_system(
    study: Study, measure: MeasureSpec, competing: Sequence[str]
) -> Iterator[str]:
    """Yield how good the only contestant is on a measure, and its weakest samples.

    Without a direction: the mean of each contestant.
    """
    if measure.higher_is_better is None:
        means = [(system, mean_of_measure(study, system, measure.key)) for system in competing]
        stated = [
            f"{system} has {show(mean)} on {part_of(mean.n, study)}"
            for system, mean in means
            if mean
        ]
        more = f"; --lower {measure.key} or --higher {measure.key} sets which is better"
        if stated:
            yield f"{listed(stated)}{more if stated[1:] else ''}."
        return
    mean = mean_of_measure(study, competing[0], measure.key) if len(competing) == 1 else None
    if mean is None:
        return
    system = competing[0]
    scores = study.known_values(system, measure.key)
    text = f"{system} has {show(mean)} on {part_of(mean.n, study)}"
    if measure.good is not None:
        text += f", {(scores >= measure.good).mean():.0%} at {measure.good:g} or better"
    for other in study.systems:
        bound = mean_of_measure(study, other, measure.key)
        if bound is not None and other != system:
            text += f", where {other} has {bound.mean:.3g}"
    yield f"{text}{_weakest(scores, measure)}."


def _weakest(scores: "pd.Series[float]", measure: MeasureSpec) -> str:
    """Return a clause that names the weakest samples, or counts them if too many are equal.

    A sample that is no worse than the mean is not weak.
    """
    ordered = scores.sort_values(ascending=bool(measure.higher_is_better), kind="stable")
    count = int(((ordered - ordered.iloc[0]).abs() <= measure.tie).sum())
    if count == len(ordered):
        return ""
    if count > _MOST_LISTED:
        return f"; weakest: {count} samples ({ordered.iloc[0]:.2g})"
    mean = scores.mean()
    is_weak = ordered < mean if measure.higher_is_better else ordered > mean
    weak = ordered[is_weak].head(_MOST_LISTED)
    first = [(" ".join(str(name).split()), score) for name, score in weak.items()]
    return f"; weakest: {', '.join(f'{name[:60]} ({score:.2g})' for name, score in first)}"


def _describe_missing_scores(study: Study) -> str:
    """Return the reason why there is nothing to compare."""
    answers = study.answers
    if not (answers["outcome"] == "answered").any():
        errors = answers["error"].map(lambda text: f": {text}" if text else "")
        outcomes = Counter(answers["outcome"] + errors).most_common(_MOST_LISTED)
        counts = "; ".join(f"{count} {outcome}" for outcome, count in outcomes)
        return f"No sample was answered ({counts})"
    if study.scores.empty:
        return "There are no scores; add them with inspect score"
    if study.scores["value"].isna().all():
        why = Counter(study.scores["reason"].fillna(study.scores["status"]))
        reasons = "; ".join(f"{count} {reason}" for reason, count in why.most_common(_MOST_LISTED))
        return f"No score is a number ({reasons or 'all are texts'})"
    text = f"No two of {', '.join(study.systems)} have a primary measure in common"
    valued = study.scores.dropna(subset=["value"]).groupby("measure")["system"].nunique()
    shared = [spec.key for spec in study.catalogue.main if valued.get(spec.key, 0) > 1]
    advice = f"; --primary NAME chooses one they share: {', '.join(shared)}"
    return text + (advice if shared else "")


def _sentences(study: Study, measure: MeasureSpec) -> Iterator[str]:
    """Yield which systems are better on a measure, not compared, equal, or not shown to differ."""
    pairs = primary_pairs(study, measure)
    won_pairs = [pair for pair in pairs if pair.winner]
    yield from _incomparable(pairs, in_sentence(measure))
    unbeaten = unbeaten_systems(study, measure, won_pairs)
    if won_pairs and len(contestants(study)) > _MOST_LISTED + 1 and len(unbeaten) > 1:
        yield _group_sentence(study, measure, won_pairs)
    else:
        yield from _wins(study, measure, won_pairs)
        yield from _ties(study, measure)
    left_out = {pair.left_out for pair in pairs}
    if any(left_out):
        up_to = "up to " if len(left_out) > 1 else ""
        why = "because they were measured differently or asked another question"
        yield f"Samples left out {why}: {up_to}{max(left_out)}."


def _group_sentence(study: Study, measure: MeasureSpec, won_pairs: Sequence[Comparison]) -> str:
    """Return how many of many systems are unbeaten, and the largest lead; a table has all pairs."""
    groups = describe_groups(study, measure, won_pairs)
    lead = largest_of(study, won_pairs)
    winner = lead.winner or ""
    return f"In {groups}; largest lead: {winner} over {_lead(study, lead, winner)}."


def _incomparable(pairs: Sequence[Comparison], name: str) -> Iterator[str]:
    """Yield pairs that are not compared, by reason."""
    for doubt in INCOMPARABLE:
        incomparable_pairs = [pair for pair in pairs if pair.doubt == doubt]
        if incomparable_pairs:
            yield f"{_pairs(incomparable_pairs)} are not compared in {name} ({doubt})."


def _ties(study: Study, measure: MeasureSpec) -> Iterator[str]:
    """Yield pairs that are equal, or not shown to differ."""
    pairs = primary_pairs(study, measure)
    name = in_sentence(measure)
    comparable_pairs = [pair for pair in pairs if pair.doubt not in (None, *INCOMPARABLE)]
    identical_pairs = [
        pair for pair in comparable_pairs if not (pair.paired.wins or pair.paired.losses)
    ]
    if identical_pairs:
        systems = {pair.a for pair in pairs} | {pair.b for pair in pairs}
        every = len(identical_pairs) == math.comb(len(systems), 2)
        fewest = min(identical_pairs, key=lambda pair: pair.paired.n)
        n = fewest.paired.n
        extent = on_samples(n, study, measure.key, fewest.a, fewest.b).removeprefix(" on ")
        only = " compared" if n < len(study.sample_ids) else ""
        only += f" ({extent})" if extent else ""
        subject_text = "All systems" if every else _pairs(identical_pairs)
        yield f"{subject_text} have the same {name} on every sample{only}."
    untied_pairs = [pair for pair in comparable_pairs if pair not in identical_pairs]
    if untied_pairs:
        other = "other " if any(pair.winner for pair in pairs) else ""
        yield f"No {other}difference in {name} is shown{_largest(study, untied_pairs)}."


def _wins(study: Study, measure: MeasureSpec, won: Sequence[Comparison]) -> Iterator[str]:
    """Yield a sentence per system that beats others; of many, only per unbeaten system."""
    is_many_systems = len(study.systems) > _MOST_LISTED + 1
    beaten_systems = {pair.loser for pair in won}
    for system in study.systems:
        won_pairs = [pair for pair in won if pair.winner == system]
        if not won_pairs or (is_many_systems and system in beaten_systems):
            continue
        if system == fixed_baseline(study):
            yield from _worse_than_baseline(study, measure, won_pairs)
            continue
        leads = [_lead(study, pair, system) for pair in won_pairs]
        if len(leads) > _MOST_LISTED:
            nearest = min(won_pairs, key=lambda pair: abs(pair.paired.difference))
            leads = [f"{len(won_pairs)} others, the nearest {_lead(study, nearest, system)}"]
        yield f"{system} {verb_of(measure)} than {' and '.join(leads)}."


def _worse_than_baseline(
    study: Study, measure: MeasureSpec, lost: Sequence[Comparison]
) -> Iterator[str]:
    """Yield which systems are worse than the baseline, as differences to it."""
    nearest = sorted(lost, key=lambda pair: abs(pair.paired.difference))
    for pair in nearest[:_MOST_LISTED]:
        behind = _lead(study, pair, pair.loser or "")
        yield f"{pair.loser} is worse in {in_sentence(measure)} than {behind}."
    if len(nearest) > _MOST_LISTED:
        yield f"{len(nearest) - _MOST_LISTED} more are worse than {nearest[0].winner}."


def _lead(study: Study, pair: Comparison, first: str) -> str:
    """Return the other system with the difference to it, and the cost as a multiple of its own."""
    second, gap = _seen_by(study, pair, first)
    return f"{second} ({gap}{_cost_comparison(study, first, second)})"


def _cost_comparison(study: Study, first: str, second: str) -> str:
    """Return a system's cost, else tokens, as a multiple of another's; empty if unknown."""
    for name, column in (("cost", "cost_usd"), ("tokens", "tokens")):
        means = study.finished.groupby("system")[column].mean().dropna()
        amount = means.get(first)
        other = means.get(second)
        if amount and other:
            ratio = amount / other
            return f", at {ratio:{'.1f' if ratio >= 0.1 else '.1g'}} times the {name}"
    return ""


def _largest(study: Study, pairs: Sequence[Comparison]) -> str:
    """Return the systems and size of the largest difference, and what would show it.

    If all means are equal, say so; a single difference of zero only has its interval.
    """
    pair = max(pairs, key=lambda pair: abs(pair.paired.difference))
    paired = pair.paired
    if pair.is_level:
        return ": the means are equal" if pairs[1:] else f": {describe_gap(study, pair, pair.b)}"
    text = f"; the largest: {describe_difference(study, pair)}"
    needed = pair.needed or 0
    if needed > paired.n and clusters_short_of([pair]) is None:
        text += f"; it would take about {needed_groups(study, paired, needed)}"
        if sum(other.role == pair.role for other in compared(study)) > 1:
            text += ", before correction"
    return text


def _seen_by(study: Study, pair: Comparison, first: str) -> tuple[str, str]:
    """Return the other system of a pair, and the first's lead over it with its sample count."""
    second = pair.b if first == pair.a else pair.a
    return second, describe_gap(study, pair, second)


def _pairs(pairs: Sequence[Comparison]) -> str:
    if len(pairs) > _MOST_LISTED:
        return f"{len(pairs)} pairs of systems"
    return ", ".join(f"{pair.a} and {pair.b}" for pair in pairs)
