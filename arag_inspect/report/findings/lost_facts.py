"""State in one line the share of facts that each system loses, by stage."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..._util.wording import join_names
from ...types.sample import QUESTION
from ..comparison.contestants import contestants
from ..fact_paths import STAGES, Stage, fact_paths, shares, stage_names, unlocated_shares
from ..labels import MOST_NAMED
from ..reading import ANSWER
from ..study import Study, cached_per_study

LOST: tuple[Stage, ...] = ("not_found", "not_read", "left_out", "wrong")
"""Stages after which the answer does not state the fact correctly."""

_LEAST_SHARE = 0.005
"""Smallest share that is not shown as 0 %."""

_Shares = Mapping[Stage, float]


@cached_per_study
def lost_facts_line(study: Study) -> str:
    """State how many facts each contestant loses, worst first; empty without facts.

    A reference answer is not a fact: measures of correctness describe answers.
    """
    if set(fact_paths(study)["fact"]) <= {ANSWER}:
        return ""
    sentences = describe_losses(_mean_shares(study), stage_names(study)), _unlocated_note(study)
    return ". ".join(filter(None, sentences))


def _unlocated_note(study: Study) -> str:
    """List the systems with too few located facts to say where facts are lost."""
    unlocated = unlocated_shares(study)
    if not unlocated:
        return ""
    paths = fact_paths(study)
    answers = study.answers.set_index("answer").loc[
        paths.loc[paths["stage"] == "unlocated", "answer"]
    ]
    asks_question = answers.loc[~answers["evidence"].map(bool), "style"] == QUESTION
    additions = []
    if asks_question.any():
        additions.append("evidence to the questions")
    if not asks_question.all():
        additions.append("facts to the documents of summaries (`arag-inspect prepare facts`)")
    advice = "`arag-inspect prepare` finds the chunks of evidence, given as single sentences"
    if additions:
        advice = f"add {join_names(additions)}"
    return (
        f"Where {join_names(unlocated)} lost facts is unknown, because too many facts have no "
        f"source chunk; {advice}"
    )


def losing_most(study: Study, systems: Sequence[str]) -> list[str]:
    """Return the systems that lose the largest share of their facts.

    Facts stated without having been read count only where none is lost.
    """
    losses = {}
    for system, stage_shares in _mean_shares(study).items():
        if system in systems:
            unread = stage_shares.get("unread", 0.0)
            losses[system] = round(_share_lost(stage_shares), 9), round(unread, 9)
    most, most_unread = map(max, zip((0.0, 0.0), *losses.values(), strict=True))
    if most:
        return [system for system, (lost, _) in losses.items() if lost == most]
    return [system for system, (_, unread) in losses.items() if 0 < unread == most_unread]


def describe_losses(
    shares_by_system: Mapping[str, _Shares], names: Mapping[Stage, str] = STAGES
) -> str:
    """State the loss of each system with its stages, largest first, the worst system first.

    Facts whose chunk is not known may or may not have been stated, so they are stated separately;
    of systems that lose equal shares, the one with more such facts comes first.
    """

    def badness(system: str) -> tuple[float, float]:
        stage_shares = shares_by_system[system]
        return _share_lost(stage_shares), stage_shares.get("unlocated", 0.0)

    order = sorted(shares_by_system, key=badness, reverse=True)
    if all(sum(badness(system)) < _LEAST_SHARE for system in order):
        return ""
    others = order[MOST_NAMED:]
    if len(others) > 1:
        order = order[:MOST_NAMED]
    clauses = [
        _clause(system, shares_by_system[system], names, is_first=system == order[0])
        for system in order
    ]
    text = "; ".join(clauses)
    return f"{text}; {len(others)} other systems lose less" if len(others) > 1 else text


def _mean_shares(study: Study) -> Mapping[str, _Shares]:
    """Return each contestant's mean share of facts by stage."""
    means: dict[str, dict[Stage, float]] = {}
    for (system, stage), values in shares(study).items():
        if system in contestants(study) and not np.isnan(values).all():
            means.setdefault(system, {})[stage] = float(np.nanmean(values))
    return means


def _share_lost(stage_shares: _Shares) -> float:
    return sum(stage_shares.get(stage, 0.0) for stage in LOST)


def _clause(
    system: str, stage_shares: _Shares, names: Mapping[Stage, str], *, is_first: bool
) -> str:
    """Return e.g. `Naive RAG loses 68% of the facts (40% not found + 28% read, left out)`."""
    losses = [(stage_shares.get(stage, 0.0), names[stage]) for stage in LOST]
    losses.sort(key=lambda loss: -loss[0])
    stages = " + ".join(f"{share:.0%} {stage}" for share, stage in losses if share >= _LEAST_SHARE)
    facts = " of the facts" if is_first else ""
    unlocated = stage_shares.get("unlocated", 0.0)
    if unlocated >= _LEAST_SHARE > _share_lost(stage_shares):
        return f"{system}: the source chunk of {unlocated:.0%}{facts} is unknown"
    text = f"{system} loses {_share_lost(stage_shares):.0%}{facts}"
    if stages:
        text += f" ({stages})"
    if unlocated >= _LEAST_SHARE:
        text += f"; the source chunk of {unlocated:.0%} is unknown"
    return text
