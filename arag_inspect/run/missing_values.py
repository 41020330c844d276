"""Values that a run should have but lacks, by reason."""

import re
from collections import Counter
from typing import TYPE_CHECKING

from .._util.wording import format_count
from ..judge.unscored import OF_THE_SAMPLE
from ..report import Study
from ..report.comparison.unjudged import could_not_be_judged, why_unjudged
from ..report.rows import RunRow

if TYPE_CHECKING:
    import pandas as pd

LACKING = "requested but not run"
"""Reason for a requested sample that a run did not answer."""

_UNSCORED = re.compile(r"unscored \((\w+)\)")


def take_inapplicable(losses: Counter[str]) -> Counter[str]:
    """Remove samples to which the measure does not apply from the missing values.

    Args:
        losses: Missing values by reason; the reasons that do not depend on the answer are removed.

    Returns:
        The removed values by reason, e.g. `no gold`.
    """
    inapplicable: Counter[str] = Counter()
    for why in [*losses]:
        match = _UNSCORED.fullmatch(why)
        if match and match[1] in OF_THE_SAMPLE:
            inapplicable[match[1].replace("_", " ")] = losses.pop(why)
    return inapplicable


def inapplicable_to_pair(pair: Study, measure: str) -> Counter[str]:
    """Count the samples without a value in either run to which a measure does not apply."""
    new, old = pair.rows
    scored = _samples_with_value(pair, measure)[old.system]
    missing = missing_values(pair, new, measure)
    return take_inapplicable(
        Counter(why for (sample, _), why in missing.items() if sample not in scored)
    )


def describe_inapplicable(inapplicable: Counter[str]) -> str:
    """Return how many samples are left out because a measure does not apply; empty if none is."""
    if not inapplicable:
        return ""
    samples = format_count(inapplicable.total(), "sample")
    why = ", ".join(f"{reason}: {count}" for reason, count in inapplicable.most_common())
    return f"{samples} left out, to which it does not apply ({why})"


def stopped_at_error(study: Study, run: RunRow) -> bool:
    """Return whether a run ended before its end because a sample failed."""
    answers = study.answers[study.answers["system"] == run.system]
    return bool(run.status == "error" and (answers["outcome"] == "errored").any())


def losses_of_pair(pair: Study, measure: str) -> Counter[str]:
    """Count the samples, by epoch, with a value in only one of two runs, by reason.

    Samples that a run was not asked for are not missing.
    """
    new, old = pair.rows
    scored = _samples_with_value(pair, measure)
    losses: Counter[str] = Counter()
    for run, other, run_suffix in ((new, old, ""), (old, new, " in the earlier run")):
        for (sample, _), why in missing_values(pair, run, measure).items():
            if why == LACKING or sample in scored[other.system]:
                losses[why + run_suffix] += 1
    if not new.limited:
        planned = {sample for sample, _ in _planned_pairs(pair, new)}
        losses["not in the new run"] = len(scored[old.system] - planned)
    return losses


def missing_values(study: Study, run: RunRow, measure: str) -> dict[tuple[str, int], str]:
    """Return why a run has no value, by sample and epoch."""
    scores = study.scores_of(measure)
    is_missing = (scores["system"] == run.system) & scores["value"].isna()
    missing = scores[is_missing].set_index(["id", "epoch"])
    reasons = {key: _missing_reason(study, missing.loc[[key]]) for key in missing.index}
    unanswered = _planned_pairs(study, run) - _answered_pairs(study, run)
    reasons |= dict.fromkeys(unanswered, LACKING)
    reasons |= dict.fromkeys(run.invalidated, "invalidated")
    return reasons


def _samples_with_value(study: Study, measure: str) -> dict[str, set[str]]:
    """Return the samples on which a measure has a value, by system."""
    valued = study.scores_of(measure).dropna(subset=["value"])
    return {system: set(values["id"]) for system, values in study.by_system(valued)}


def _planned_pairs(study: Study, run: RunRow) -> set[tuple[str, int]]:
    """Return the sample and epoch pairs that a run was asked for or answered."""
    return {*run.asked, *run.invalidated, *_answered_pairs(study, run)}


def _answered_pairs(study: Study, run: RunRow) -> set[tuple[str, int]]:
    answers = study.answers[study.answers["system"] == run.system]
    return set(zip(answers["id"], answers["epoch"], strict=True))


def _missing_reason(pair: Study, scores: "pd.DataFrame") -> str:
    score = scores.iloc[0]
    if could_not_be_judged(scores).any():
        return f"not judged ({why_unjudged(pair, scores)})"
    status = "without a score" if score["status"] == "missing" else str(score["status"])
    return f"{status} ({score['reason']})" if score["reason"] else status
