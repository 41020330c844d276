"""The headline of a report: one line on which system wins, and by how much, or that none does."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..._util.wording import as_sentence, format_count, join_names
from ...measure import MeasureSpec
from ..cells import show
from ..comparison.basis import few_samples, is_stated, on_samples, part_of
from ..comparison.comparability import pair_values
from ..comparison.comparisons import Comparison, primary_pairs
from ..comparison.contestants import contestants, fixed_baseline
from ..comparison.leads import (
    headline_difference,
    largest_lead,
    largest_of,
    ordered_systems,
    unbeaten_systems,
    won_pairs,
    worse_answers,
)
from ..comparison.means import mean_of_measure
from ..comparison.primary import primary_measures
from ..comparison.ranking import NOT_SEPARATED
from ..comparison.regressions import losses_of_winner
from ..comparison.sweeps import model_leads
from ..labels import MOST_NAMED, in_sentence, verb_of
from ..study import Study, cached_per_study
from .gap_text import (
    between_models,
    compared_pairs,
    describe_difference,
    describe_groups,
    describe_lead,
    describe_wins,
    too_few_groups,
)
from .pooling import pooled_kinds
from .qualifications import assumed_directions, describe_losses


@cached_per_study
def headline(study: Study) -> str:
    """State in one line which system wins the first measure that has a winner, or that none does.

    For a single system, state its means. A result on few samples says so.
    """
    answered = set(study.answers.loc[study.answers["outcome"] == "answered", "system"])
    silent_systems = [system for system in ordered_systems(study) if system not in answered]
    if silent_systems:
        answers = format_count(len(study.sample_ids), "sample")
        return f"{join_names(silent_systems)} answered none of {answers}."
    measures = [study.catalogue.spec(key) for key in primary_measures(study)]
    if not measures:
        return "No primary measure has a score, so nothing is compared."
    is_one = len(contestants(study)) < 2
    too_few = too_few_groups(study)
    if too_few and not is_one:
        return f"No winner: {too_few}. {describe_losses(study)}".strip()
    result = _means(study, measures) if is_one else _result(study, measures)
    model_result = between_models(study)
    if model_result and not is_one:
        sentences = [result, model_result]
        is_shown = bool(model_leads(study)) and largest_lead(study) is None
        result = " ".join(reversed(sentences) if is_shown else sentences)
    warning = few_samples(study)
    return f"{result} {as_sentence(warning)}" if warning else result


def _result(study: Study, measures: Sequence[MeasureSpec]) -> str:
    """Say which of several systems wins, or that none does."""
    lead = largest_lead(study)
    if lead is None:
        in_retrieval = [pair for pair in primary_pairs(study) if pair.winner]
        if in_retrieval:
            return _lead_in_retrieval(study, in_retrieval)
        return _no_winner(study, measures)
    leads = won_pairs(study)
    unbeaten = unbeaten_systems(study, lead.measure, leads)
    decisive = [lead, *losses_of_winner(study)]
    assumed = assumed_directions(study, [pair.measure.key for pair in decisive])
    sentences = [
        pooled_kinds(study, leads),
        as_sentence(assumed) if assumed else "",
        describe_losses(study),
    ]
    more = "".join(f" {sentence}" for sentence in filter(None, sentences))
    if len(contestants(study)) > MOST_NAMED + 1 and len(unbeaten) > 1:
        return f"No single winner: in {describe_groups(study, lead.measure, leads)}.{more}"
    wins = [pair for pair in leads if pair.winner == lead.winner]
    if len(wins) > 1:
        return f"{describe_wins(study, wins)}.{more}"
    rivals = _compared_with(study, lead)
    others = [name for name in unbeaten if name in rivals]
    text = _single_victory(study, lead)
    if others:
        verb = "are" if others[1:] else "is"
        text += f"; {join_names(others)} {verb} {NOT_SEPARATED} from {lead.winner}"
    return f"{text}.{more}"


def _compared_with(study: Study, lead: Comparison) -> set[str]:
    """Return the systems that the winner of a lead is compared with on its measure."""
    pairs = [pair for pair in primary_pairs(study, lead.measure) if pair.is_comparable]
    winner = lead.winner or ""
    return {pair.other(winner) for pair in pairs if winner in (pair.a, pair.b)}


def _means(study: Study, measures: Sequence[MeasureSpec]) -> str:
    """State the means of the only contestant."""
    (system,) = contestants(study)
    means = []
    for measure in measures:
        mean = mean_of_measure(study, system, measure.key)
        if mean is not None:
            extent = on_samples(mean.n, study, measure.key, system)
            means.append(f"{in_sentence(measure)} {show(mean)}{extent}")
    return f"{system}: {', '.join(means) or 'no value'}."


def _no_winner(study: Study, measures: Sequence[MeasureSpec]) -> str:
    """Name the measures without a shown difference, and the number of samples if not all count."""
    names_by_extent: dict[str, list[str]] = {}
    for measure in measures:
        pairs = [pair for pair in primary_pairs(study, measure) if pair.is_comparable]
        if pairs:
            extent = _extent_of(study, pairs)
            names_by_extent.setdefault(extent, []).append(in_sentence(measure))
    if not names_by_extent:
        doubts = {pair.doubt.text: None for pair in primary_pairs(study) if pair.doubt}
        reason = f" ({join_names(doubts)})" if doubts else ""
        return f"No winner: no two systems can be compared{reason}."
    texts = (f"{join_names(names)}{extent}" for extent, names in names_by_extent.items())
    measured = ", nor in ".join(texts)
    text = f"No winner{compared_pairs(study)}: no difference is shown in {measured}"
    losses = describe_losses(study)
    if losses:
        return f"{text}. {losses}"
    nearest = headline_difference(study)
    if nearest and not nearest.is_level and not between_models(study):
        in_measure = f", in {in_sentence(nearest.measure)}" if len(measures) > 1 else ""
        text += f". Nearest to being shown{in_measure}: {describe_difference(study, nearest)}"
    return f"{text}."


def _lead_in_retrieval(study: Study, leads: Sequence[Comparison]) -> str:
    """State a lead in retrieval that does not count, because its winner's answers are behind."""
    lead = largest_of(study, [pair for pair in leads if pair.measure == leads[0].measure])
    names = join_names(map(in_sentence, worse_answers(study, lead)))
    text = f"No winner: {_single_victory(study, lead)}, although {lead.winner} is behind in {names}"
    return f"{text}. {describe_losses(study)}".strip()


def _extent_of(study: Study, pairs: Sequence[Comparison]) -> str:
    """Return on how many samples pairs are compared, unless a finding states it."""
    if all(is_stated(pair.paired.n, study, pair.measure.key, pair.a, pair.b) for pair in pairs):
        return ""
    sizes = [pair.paired.n for pair in pairs]
    fewest = min(sizes)
    most = max(sizes)
    range_prefix = f"{fewest:,} to " if fewest < most else ""
    return f" on {range_prefix}{part_of(most, study)}"


def _single_victory(study: Study, lead: Comparison) -> str:
    """State a victory over one system with both means; a baseline that wins is named last.

    Means over the samples that both share are left out if the leaderboard has others.
    """
    measure = lead.measure
    winner = lead.winner or ""
    loser = lead.loser or ""
    if fixed_baseline(study) == winner:
        first, verb, second = loser, f"is worse in {in_sentence(measure)}", winner
    else:
        first, verb, second = winner, verb_of(measure), loser
    gap = describe_lead(study, lead, with_cost=study.choices.is_change)
    shared_means = [*_shared_means(study, measure, first, second)]
    means = (mean_of_measure(study, system, measure.key) for system in (first, second))
    if shared_means != [show(mean.mean) for mean in means if mean]:
        return f"{first} {verb} than {second} ({gap})"
    scale_suffix = f" of {measure.high:g}" if measure.graded and measure.high else ""
    return f"{first} {verb} than {second}: {' against '.join(shared_means)}{scale_suffix} ({gap})"


def _shared_means(study: Study, measure: MeasureSpec, first: str, second: str) -> Iterator[str]:
    """Yield the means of two systems over the samples on which they are compared."""
    values = pair_values(study, first, second, measure.key)
    both = ~np.isnan(values.a + values.b)
    for of_system in (values.a, values.b):
        yield show(float(of_system[both].mean()))
