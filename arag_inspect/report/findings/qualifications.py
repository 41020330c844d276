"""Clauses on what a headline does not say: what got worse, and measures that disagree."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from ..._util.wording import as_sentence, format_count, join_names, milliseconds
from ..cells import Usd, show, show_score
from ..comparison.basis import counted_groups
from ..comparison.changes import name_of_sample
from ..comparison.comparability import pair_values
from ..comparison.comparisons import Comparison, all_comparisons
from ..comparison.contestants import fixed_baseline
from ..comparison.correctness import (
    Disagreement,
    JudgeAndProgram,
    disagreements,
    judge_and_program,
    stated_difference,
)
from ..comparison.leads import largest_lead
from ..comparison.regressions import (
    Effort,
    EffortChange,
    effort_changes,
    grave_gains,
    grave_regression,
    losses_of_winner,
    regressions,
)
from ..comparison.scope import unequal_scope
from ..labels import in_sentence
from ..reading import reads_parts
from ..study import Study

_EVIDENCE_GAP = 0.1
"""Smallest difference between recall and the evidence read that a sentence states."""

_MOST_LOST = 5
"""Maximum number of samples in a sentence."""


def worse_elsewhere(study: Study, stated: Collection[str], most: int | None = None) -> str:
    """Name measures, except those stated already, on which an unbeaten system or the newer run is
    worse.

    E.g. `figures confirmed -0.350 [-0.550, -0.150] (uncorrected intervals)`. For a change, rises in
    cost, tokens and time are named too. Systems are named unless they are in the headline.
    Empty if nothing is worse.

    Args:
        study: Systems that are compared.
        stated: Measures to leave out.
        most: Maximum number of measures to name, differences of half the scale first; None for all.
    """
    pairs = regressions(study, stated)
    texts = [_describe(study, pair, pair.other(pair.behind)) for pair in pairs]
    more = len(texts) - (most or len(texts))
    if more > 0:
        texts[most:] = [f"and {more} more measure{'s' if more > 1 else ''}"]
    if any(pair.paired.low != pair.paired.high for pair in pairs):
        texts[-1] += " (uncorrected intervals)"
    if study.choices.is_change:
        changes = effort_changes(study, stated)
        texts += [_describe_effort(study, change) for change in changes if change.is_rise]
    texts.append(assumed_directions(study, [pair.measure.key for pair in pairs]))
    return "; ".join(filter(None, texts))


def better_elsewhere(study: Study) -> str:
    """Name measures of answers that do not decide, on which the newer run gains half the scale.

    E.g. `unanswerable questions rightly declined 0 of 3 → 3 of 3 (too few for an interval)`.
    """
    if not study.choices.is_change:
        return ""
    return "; ".join(_describe(study, pair, pair.behind) for pair in grave_gains(study))


def lower_effort(study: Study, stated: Collection[str]) -> str:
    """Name the cost, or else the tokens, and the time that fell from the earlier run to the new.

    E.g. `cost per question $0.0129 → $0.0072; time per question 3.4 s → 2.0 s`. A lead already
    states the ratio of the costs. Empty if nothing fell.

    Args:
        study: Systems that are compared.
        stated: Measures to leave out.
    """
    if not study.choices.is_change:
        return ""
    in_headline = ("cost_usd", "tokens") if largest_lead(study) else ()
    falls = [
        change
        for change in effort_changes(study, stated)
        if not change.is_rise and change.effort not in in_headline
    ]
    return "; ".join(_describe_effort(study, change) for change in falls)


def assumed_directions(study: Study, keys: Iterable[str]) -> str:
    """Say for which of several measures it is only assumed that higher is better.

    E.g. `that higher vague is better is assumed, from values of 0 and 1; --lower vague reverses
    it`. Empty if their logs, or the user, state all directions.
    """
    assumed = [key for key in dict.fromkeys(keys) if key in study.catalogue.assumed]
    if not assumed:
        return ""
    text = f"that higher {join_names(assumed)} is better is assumed, from values of 0 and 1"
    return f"{text}; --lower {','.join(assumed)} reverses it"


def measures_disagree(study: Study) -> str:
    """Say which measures of right answers disagree with the primary one, or with the judge."""
    contradictions = judge_and_program(study)
    sentences = [_describe_disagreement(item, contradictions) for item in disagreements(study)]
    for contradiction in contradictions:
        sentences.append(_describe_contradiction(study, contradiction))
        sentences.append(_other_difference(study, contradiction))
    return " ".join(filter(None, sentences))


def _describe_disagreement(
    disagreement: Disagreement, contradictions: Iterable[JudgeAndProgram]
) -> str:
    """Say which system another measure puts ahead, and how often the two measures disagree.

    E.g. `By gold answers contained B is ahead of A (0.600 against 0.500); this and right answers
    disagree on 7 of 24 samples.` How often is omitted if the two are a judge and a program that
    contradict each other, because a sentence about these follows.
    """
    more, less = map(show, disagreement.means)
    ahead, behind = disagreement.systems
    text = f"By {in_sentence(disagreement.measure)} {ahead} is ahead of {behind} ({more} against"
    text += f" {less})"
    two = {disagreement.measure.key, disagreement.primary.key}
    if any(two == {item.judge.key, item.program.key} for item in contradictions):
        return f"{text}."
    extent = f"{disagreement.differing:,} of {format_count(disagreement.n, 'sample')}"
    return f"{text}; this and {in_sentence(disagreement.primary)} disagree on {extent}."


def _describe_contradiction(study: Study, contradiction: JudgeAndProgram) -> str:
    """Name the samples on which a judge and a program disagree.

    E.g. `Correctness by judge and right answers disagree on 3 of 16 samples: the judge alone calls
    answers to q07 and q12 wrong, and to q15 right.` Systems are named if others agree.
    """
    judge, program = in_sentence(contradiction.judge), in_sentence(contradiction.program)
    verdicts, two = ("wrong", "right"), f"{judge} and {program}"
    if contradiction.judge.aspect == "right refusal":
        verdicts, two = ("no refusals", "refusals"), f"{judge} by judge and by first sentence"
    answers = contradiction.only_program, contradiction.only_judge
    clauses = [
        f"{_name_answers(study, systems_by_sample)} {verdict}"
        for verdict, systems_by_sample in zip(verdicts, answers, strict=True)
        if systems_by_sample
    ]
    differing = len({*contradiction.only_program, *contradiction.only_judge})
    extent = f"{differing:,} of {format_count(contradiction.n, 'sample')}"
    calls = f"the judge alone calls answers {', and '.join(clauses)}"
    return as_sentence(f"{two} disagree on {extent}: {calls}")


def _name_answers(study: Study, systems_by_sample: Mapping[str, Sequence[str]]) -> str:
    """Name the samples of some answers, and their systems if not all gave such an answer.

    E.g. `to q07`, or `of A to q07 and q12 and of A and B to q15`.
    """
    samples_by_systems: dict[str, list[str]] = defaultdict(list)
    for sample, systems in [*systems_by_sample.items()][:_MOST_LOST]:
        of_systems = "" if len(systems) == len(study.systems) else f"of {join_names(systems)} "
        samples_by_systems[of_systems].append(name_of_sample(study, sample))
    clauses = [f"{systems}to {join_names(names)}" for systems, names in samples_by_systems.items()]
    more = len(systems_by_sample) - _MOST_LOST
    clauses += [f"to {more:,} more"] if more > 0 else []
    return join_names(clauses)


def _other_difference(study: Study, contradiction: JudgeAndProgram) -> str:
    """Give the difference of the program where the headline states the judge's, or vice versa.

    E.g. `By right answers, B is ahead of A: +0.235 [-0.403, +0.873].` Empty if both differences are
    equal, or if another sentence says that they have opposite signs.
    """
    headline = stated_difference(study)
    two = {contradiction.judge.key, contradiction.program.key}
    if headline is None or headline.measure.key not in two:
        return ""
    (other,) = two - {headline.measure.key}
    if other in {item.measure.key for item in disagreements(study)}:
        return ""
    for pair in all_comparisons(study):
        if pair.measure.key == other and {pair.a, pair.b} == {headline.a, headline.b}:
            change = abs(pair.paired.difference) - abs(headline.paired.difference)
            if abs(change) > pair.measure.tie:
                return _describe_ahead(pair)
    return ""


def _describe_ahead(pair: Comparison) -> str:
    """Say which of two systems is ahead in a measure, and by how much."""
    name = in_sentence(pair.measure)
    if pair.is_level:
        return f"By {name}, {pair.a} and {pair.b} have equal means."
    ahead = pair.other(pair.behind)
    return f"By {name}, {ahead} is ahead of {pair.behind}: {show(pair.seen_from(pair.behind))}."


def evidence_beside_recall(study: Study) -> str:
    """Say where recall counts chunks of which a system read a part without the evidence.

    E.g. `Recall counts chunks of which only a part was returned: before has recall 0.787, but read
    0.612 of the evidence.` Empty unless a system cuts its own passages.
    """
    recall = study.catalogue.key_of("recall")
    evidence = study.catalogue.key_of("evidence read")
    texts = []
    for system in study.systems:
        values = pd.DataFrame(
            {
                "recall": study.known_values(system, recall),
                "evidence": study.known_values(system, evidence),
            }
        ).dropna()
        means = values.mean()
        if reads_parts(study, system) and means["recall"] - means["evidence"] >= _EVIDENCE_GAP:
            more, less = show(float(means["recall"])), show(float(means["evidence"]))
            texts.append(f"{system} has recall {more}, but read {less} of the evidence")
    if not texts:
        return ""
    return f"Recall counts chunks of which only a part was returned: {'; '.join(texts)}."


def documents_given(study: Study) -> str:
    """Name systems that were given the documents of each question, and others that searched."""
    scope = unequal_scope(study)
    if scope is None:
        return ""
    pronoun = "Their" if scope.given[1:] else "Its"
    return (
        f"{join_names(scope.given)} {'were' if scope.given[1:] else 'was'} given the documents of "
        f"each question (doc_ids); {join_names(scope.searching)} had to find them. {pronoun} "
        "answers and cost hold only where the documents are known beforehand."
    )


def name_lost_samples(change: Study, measure: str, sign: int) -> str:
    """Name the comparable samples that lost most, or say that all lost the same.

    E.g. `lost most: q7 (3 → 1), q2 (3 → 2) and 4 more`.

    Args:
        change: Two runs, the new one first.
        measure: Name of the measure.
        sign: 1 if a lower value is a loss, -1 if a higher one is.
    """
    new, old = change.systems
    values = pair_values(change, new, old, measure)
    losses = pd.Series(sign * (values.b - values.a), list(change.sample_ids))
    lost = losses[losses > change.catalogue.spec(measure).tie].round(9)
    if len(lost) == losses.count() > 1 and lost.nunique() == 1:
        return f"all {len(lost):,} samples lost the same"
    after, before = (change.known_values(system, measure) for system in (new, old))
    sample_texts = []
    for sample in lost.sort_values(ascending=False, kind="stable").index[:_MOST_LOST]:
        scores = _show_move(before[sample], after[sample])
        sample_texts.append(f"{name_of_sample(change, sample)} ({scores})")
    more = f" and {len(lost) - _MOST_LOST:,} more" if len(lost) > _MOST_LOST else ""
    return f"lost most: {', '.join(sample_texts)}{more}"


def _show_move(before: float, after: float) -> str:
    """Show two values, such as dollars, with more digits if rounding hides their difference."""
    texts = [show_score(before), show_score(after)]
    seems_zero = "0" in texts and bool(before and after)
    if seems_zero or texts[0] == texts[1]:
        texts = [f"{before:.3g}", f"{after:.3g}"]
    return " → ".join(texts)


def describe_losses(study: Study) -> str:
    """Say on which primary measures the winner is worse, and where it loses half the scale.

    The latter is on a measure that does not decide; without a winner, it is of any system. E.g.
    `But B is worse in unanswerable questions rightly declined: 5 of 5 → 0 of 5.` Empty if nothing
    is lost.
    """
    losses = [*losses_of_winner(study), grave_regression(study)]
    sentences = [_describe_loss(study, pair) for pair in losses if pair is not None]
    return f"But {' '.join(sentences)}" if sentences else ""


def _describe_loss(study: Study, pair: Comparison) -> str:
    """Say in which measure a system is worse, or is better than a fixed baseline."""
    is_better = pair.behind == fixed_baseline(study)
    start = pair.behind if is_better else pair.other(pair.behind)
    verdict = "better" if is_better else "worse"
    comparison = f" than {start}" if len(study.systems) > 2 else ""
    figures = _counts(study, pair, start) or show(pair.seen_from(start))
    name = in_sentence(pair.measure)
    return f"{pair.other(start)} is {verdict} in {name}{comparison}: {figures}."


def _describe(study: Study, pair: Comparison, start: str) -> str:
    """Return a measure and its difference to one of two systems."""
    difference = pair.seen_from(start)
    figures = show(difference)
    counts = _counts(study, pair, start)
    if counts:
        extent = difference.why or figures
        if difference.low is None:
            extent = "too few for an interval"
        figures = f"{counts} ({extent})"
    measure = pair.measure
    scale = f" ({measure.low:g}-{measure.high:g})" if measure.good_grade is not None else ""
    text = f"{in_sentence(measure)}{scale} {figures}"
    is_obvious = study.choices.is_change or (len(study.systems) == 2 and largest_lead(study))
    return text if is_obvious else f"{text} ({pair.other(start)} behind {start})"


def _counts(study: Study, pair: Comparison, start: str) -> str:
    """Return e.g. `4 of 4 → 0 of 4` for a change of a measure that is 0 or 1, else nothing."""
    values = pair_values(study, start, pair.other(start), pair.measure.key)
    both = np.array([values.a, values.b])
    both = both[:, ~np.isnan(both).any(axis=0)]
    if not np.isin(both, (0, 1)).all():
        return ""
    before, after = (f"{count:.0f} of {both.shape[1]:,}" for count in both.sum(axis=1))
    return f"{before} → {after}" if study.choices.is_change else f"{after} against {before}"


def _describe_effort(study: Study, change: EffortChange) -> str:
    """Return e.g. `tokens per question 1,200 → 1,500 (higher in 4 of 4 companies)`."""
    name, amount = _EFFORTS[change.effort]
    text = f"{name} per question {amount(change.before)} → {amount(change.after)}"
    reasons = []
    shared = change.shared
    if shared is not None:
        groups = format_count(shared.of, "sample")
        if shared.is_by_group:
            groups = counted_groups(shared.of, study)
        direction = "higher" if change.is_rise else "lower"
        reasons.append(f"{direction} in {shared.changed} of {groups}")
    return f"{text} ({'; '.join(reasons)})" if reasons else text


_EFFORTS: dict[Effort, tuple[str, Callable[[float], str]]] = {
    "cost_usd": ("cost", lambda dollars: show(Usd(dollars))),
    "tokens": ("tokens", lambda tokens: f"{tokens:,.0f}"),
    "latency_ms": ("time", milliseconds),
}
"""Name and format of what an answer takes."""
