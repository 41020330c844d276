"""The most frequent failure of a study: its system, stage and samples."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..._util.grouping import group
from ..._util.wording import format_count, join_names, join_or_count
from ...stats.estimates import Floats
from ..comparison.contestants import contestants, fixed_baseline
from ..comparison.correctness import correctness_measures
from ..comparison.error_codes import coded_by_rules
from ..fact_paths import (
    LOSSES,
    Stage,
    fact_paths,
    of_answers,
    shares,
    stage_names,
    unlocated_shares,
)
from ..labels import MOST_NAMED, in_sentence
from ..study import Study, cached_per_study
from .lost_facts import LOST, losing_most

_OF_ANSWERS: dict[Stage, str] = {
    "not_found": "evidence not found for",
    "not_read": "evidence found, not read, for",
    "left_out": "evidence read, question declined, in",
    "wrong": "not right by {measure}, with the evidence read, in",
    "unread": "right without the evidence read in",
}
"""Outcome of answers at a stage; a measure of correctness does not know what they state."""


class LossOfSystems(NamedTuple):
    """The most frequent loss of a system, or of several that lose the same in the same samples."""

    text: str
    """E.g. `Naive RAG: 59% of the facts not found, in 11 of 12 answers`."""

    samples: tuple[str, ...]
    """Samples with such a loss, largest loss first."""

    def __str__(self) -> str:
        """Return the text with the first samples."""
        samples = ", ".join(self.samples[:MOST_NAMED])
        more = len(self.samples) - MOST_NAMED
        return f"{self.text}: {samples}{f' and {more} more' if more > 0 else ''}"


class Failure(NamedTuple):
    """The most frequent loss of the system that loses most, or of several that tie."""

    topic: str
    """Heading: `Where it fails most`, or for a change `Where the new run fails most`."""

    losses: tuple[LossOfSystems, ...]

    def __str__(self) -> str:
        """Return the losses, each with its first samples."""
        return "; ".join(map(str, self.losses))


class _Loss(NamedTuple):
    """The most frequent loss of a system."""

    system: str
    text: str
    by_sample: Floats


@cached_per_study
def most_frequent_failure(study: Study) -> Failure | None:
    """Return the largest loss of the systems under test: of facts or texts, else error codes.

    The earlier run, or the baseline, is not under test. None if nothing was lost, or where it was
    lost is unknown.
    """
    baseline = fixed_baseline(study)
    unlocated = unlocated_shares(study)
    systems = [
        system for system in contestants(study) if system != baseline and system not in unlocated
    ]
    candidates = [_largest_losses(study, systems), _most_often_without_text(study, systems)]
    if of_answers(study):
        candidates.append(_most_often_invented(study, systems))
    losses = max(candidates, key=_samples_lost)
    return _failure(study, losses) or _failure(study, _most_frequent_errors(study, systems))


def _largest_losses(study: Study, systems: Sequence[str]) -> list[_Loss]:
    """Return the stage at which most facts are lost, for each system that loses most."""
    losses = []
    for system in losing_most(study, systems):
        by_stage = {stage: shares(study)[system, stage] for stage in LOSSES}
        is_any_lost = any(np.nansum(by_stage[stage]) for stage in LOST)
        stages = LOST if is_any_lost else LOSSES  # what was stated comes last, even if unread
        stage = max(stages, key=lambda stage: float(np.nanmean(by_stage[stage])))
        lost = by_stage[stage]
        if of_answers(study):
            text = _describe_answers(study, system, stage)
        else:
            text = _describe_facts(study, system, stage)
        losses.append(_Loss(system, text, lost))
    return losses


def _describe_facts(study: Study, system: str, stage: Stage) -> str:
    """Return the share of facts that end at a stage, and count the answers with any."""
    lost = shares(study)[system, stage]
    paths = fact_paths(study)
    of_system = paths[paths["system"] == system]
    loses_any = (of_system["stage"] == stage).groupby(of_system["answer"]).any()
    return (
        f"{np.nanmean(lost):.0%} of the facts {stage_names(study)[stage]}, in {_extent(loses_any)}"
    )


def _most_often_invented(study: Study, systems: Sequence[str]) -> list[_Loss]:
    """Return the systems that answer most of the questions that the documents do not answer."""
    measure = study.catalogue.key_of("right refusal")
    method = "" if study.catalogue.spec(measure).judged else " (by first sentence)"
    losses = []
    for system, scores in study.by_system(study.scores_of(measure).dropna(subset=["value"])):
        if system in systems:
            text = f"unanswerable questions answered{method}, in {_extent(scores['value'] < 1)}"
            losses.append(_Loss(system, text, 1 - study.values_of(system, measure)))
    return _with_most_samples(losses)


def _most_often_without_text(study: Study, systems: Sequence[str]) -> list[_Loss]:
    """Return the systems with the most answers that are empty, for example after a limit."""
    losses = []
    for system, answers in study.by_system(study.answers):
        if system in systems:
            has_ended = answers["outcome"].isin(("empty", "truncated"))
            is_lost = has_ended & (answers["text"].str.strip() == "")
            text = f"no text (empty, or ended by a limit), in {_extent(is_lost)}"
            by_sample = is_lost.groupby(answers["id"]).mean().reindex(list(study.sample_ids))
            losses.append(_Loss(system, text, by_sample.to_numpy(dtype=float)))
    return _with_most_samples(losses)


def _with_most_samples(losses: Sequence[_Loss]) -> list[_Loss]:
    """Return the losses in the largest number of samples."""
    most = _samples_lost(losses)
    return [loss for loss in losses if _samples_lost([loss]) == most]


def _samples_lost(losses: Sequence[_Loss]) -> int:
    """Return the largest number of samples that any system loses."""
    return max((int((loss.by_sample > 0).sum()) for loss in losses), default=0)


def _describe_answers(study: Study, system: str, stage: Stage) -> str:
    """Count the answers that end at a stage, in the words of their measure of correctness."""
    paths = fact_paths(study)
    stages = paths.loc[paths["system"] == system, "stage"]
    deciding = correctness_measures(study)[0]
    measure = "judge" if deciding.judged else "program"
    if deciding.key in study.choices.primary:
        measure = in_sentence(deciding)
    description = _OF_ANSWERS[stage].format(measure=measure)
    return f"{description} {(stages == stage).sum():,} of {format_count(len(stages), 'answer')}"


def _most_frequent_errors(study: Study, systems: Sequence[str]) -> list[_Loss]:
    """Return the error codes that the largest share of a system's answers have."""
    losses: list[tuple[float, _Loss]] = []
    for spec in study.catalogue.specs:
        if spec.family != "errors" or spec.value_key == "any":
            continue
        for system in systems:
            errors = study.values_of(system, spec.key)
            if not np.isnan(errors).all():
                scores = study.scores_of(spec.key).dropna(subset=["value"])
                of_system = scores[scores["system"] == system].set_index("answer")
                has_error = of_system["value"] > 0
                is_by_rule = has_error.index[has_error].isin(coded_by_rules(study)).all()
                source = ", by rule," if is_by_rule else ""
                text = f"{spec.label}{source} in {_extent(has_error)}"
                losses.append((float(np.nanmean(errors)), _Loss(system, text, errors)))
    most = max((rate for rate, _ in losses), default=0.0)
    return [loss for rate, loss in losses if math.isclose(rate, most)]


def _extent(loses: "pd.Series[bool]") -> str:
    """Return how many of the answers lose something: `11 of 12 answers`."""
    return f"{loses.sum():,} of {format_count(len(loses), 'answer')}"


def _failure(study: Study, losses: Sequence[_Loss]) -> Failure | None:
    """Return a failure, each system with the samples that it loses; None if nothing is lost."""
    systems_by_loss: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for system, of_system in group(losses, lambda loss: loss.system).items():
        text = join_names([loss.text for loss in of_system])
        lost = np.nan_to_num([loss.by_sample for loss in of_system]).max(axis=0)
        order = np.argsort(-lost, kind="stable")
        samples = tuple(study.sample_ids[index] for index in order if lost[index] > 0)
        if samples:
            systems_by_loss[text, samples].append(system)
    by_systems = tuple(
        LossOfSystems(f"{join_or_count(systems, 'system')}: {text}", samples)
        for (text, samples), systems in systems_by_loss.items()
    )
    subject = "the new run" if study.choices.is_change else "it"
    return Failure(f"Where {subject} fails most", by_systems) if by_systems else None
