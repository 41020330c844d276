"""Check which texts with known errors a judge marks down, and what biases it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from .._util.extras import extra
from ..measure import MeasureSpec, find_measure
from ..stats.estimates import Floats
from ..stats.ranking import Rate, wilson
from ._edits import PerturbationContext
from .cases import Case, Summaries
from .judge_bounds import (
    ERRORS,
    GROUP_LEVEL,
    INSTRUCTION,
    MeasureCheck,
    find_violations,
    obeys_instructions,
)
from .score_variants import scores_by_variant
from .text_errors import double
from .variant_comparison import Pairing
from .variants import AGAIN, CLEAN, OTHER, OTHER_INSTRUCTED, double_first_space, variants

with extra("report"):
    from ..report import Frames


_DOUBLED = "doubled"
_OTHER_DOUBLED = "other_doubled"
_GROUPED = 3
"""Minimum number of texts in a group."""


class Probe(NamedTuple):
    """Texts that a judge is checked on, and their inserted errors."""

    summaries: Summaries
    errors: tuple[str, ...]


def probe_of(spec: MeasureSpec) -> Probe:
    """Return the texts on which the judge of a measure is checked.

    Good texts are key sentences of the document, with errors and an instruction to the judge, or
    the reference itself where the judge compares with it.
    """
    errors: tuple[str, ...] = spec.must_detect or ()
    if spec.compared_with == "reference":
        return Probe("gold", errors)
    return Probe("evidence", (*errors, INSTRUCTION))


def probe_texts(case: Case, errors: Sequence[str], seed: int) -> dict[str, str]:
    """Return the good text, texts with errors, a bad text, and texts judged again, by name."""
    texts = variants(case, seed)
    texts[_OTHER_DOUBLED] = double(case.other_reference, PerturbationContext("", "")) or ""
    first = next((name for name in errors if name in texts), OTHER)
    names = [CLEAN, AGAIN, *errors, _DOUBLED, OTHER, OTHER_INSTRUCTED, _OTHER_DOUBLED]
    for name in (first, OTHER):
        texts[f"{name}_{AGAIN}"] = double_first_space(texts[name])
        names.append(f"{name}_{AGAIN}")
    return {name: texts[name] for name in dict.fromkeys(names) if texts.get(name, "").strip()}


def check_judge(answer_frames: Frames, cases: Sequence[Case]) -> list[MeasureCheck]:
    """Check each measure of judged texts, except diagnostic ones.

    Args:
        answer_frames: Scores of `probe_texts`.
        cases: Cases of the texts.
    """
    specs = answer_frames.runs["declared"][0]
    verdicts = answer_frames.verdicts
    checks = []
    for name, rows in scores_by_variant(answer_frames).groupby("measure", sort=False):
        spec = find_measure(name, specs)
        if spec.role != "diagnostic":
            is_read = verdicts.loc[verdicts["scorer"] == spec.scorer, "reason"].isna()
            checks.append(_check(rows, spec, is_read.to_numpy(float), cases))
    return checks


def _check(
    scores: pd.DataFrame, spec: MeasureSpec, is_read: Floats, cases: Sequence[Case]
) -> MeasureCheck:
    pairing = Pairing(scores, spec)
    errors = probe_of(spec).errors
    falls = {name: pairing.falls(CLEAN, name) > 0 for name in errors}
    error_falls = [falls[name] for name in spec.must_detect or ()]
    repeated = [(CLEAN, AGAIN)]
    repeated += [(name, f"{name}_{AGAIN}") for name in (*errors, OTHER)]
    changes = np.concatenate([pairing.falls(*pair) for pair in repeated])
    clean = scores[(scores["variant"] == CLEAN) & scores["value"].notna()]
    low = _is_in_worse_half(clean["value"], spec)
    check = MeasureCheck(
        measure=spec.key,
        readable=_rate(is_read),
        marked=_marked_by_kind(falls),
        all_marked=_rate(np.concatenate(error_falls)) if error_falls else None,
        untouched=_rate(pairing.falls(CLEAN, AGAIN) > 0),
        low=_rate(low),
        retest=_rate(changes == 0),
        length=_net_preference(pairing, (CLEAN, _DOUBLED), (OTHER, _OTHER_DOUBLED)),
        instruction=_net_preference(pairing, (OTHER, OTHER_INSTRUCTED)),
    )
    grades = scores["value"].dropna()
    constant_grade = float(grades.iloc[0]) if len(grades) > 1 and grades.nunique() == 1 else None
    group = _marked_group(pd.Series(low, index=clean["case"]), cases)
    obeys = obeys_instructions(pairing.falls(OTHER, OTHER_INSTRUCTED))
    return replace(check, faults=tuple(find_violations(check, constant_grade, group, obeys)))


def _is_in_worse_half(values: "pd.Series[float]", spec: MeasureSpec) -> NDArray[np.bool_]:
    low = spec.low or 0.0
    high = 1.0 if spec.high is None else spec.high
    middle = (low + high) / 2
    is_worse = values > middle if spec.higher_is_better is False else values < middle
    return np.asarray(is_worse, dtype=bool)


def _marked_by_kind(falls: Mapping[str, NDArray[Any]]) -> dict[str, Rate]:
    """Return the share of texts with each kind of error that score worse, if any."""
    marked = {}
    for name, has_fallen in falls.items():
        share = _rate(has_fallen)
        if share is not None:
            marked[ERRORS[name]] = share
    return marked


def _marked_group(low: "pd.Series[bool]", cases: Sequence[Case]) -> str | None:
    """Return the group of cases whose untouched texts are marked down more than others, if any.

    Groups are the values of the samples' metadata; Fisher's exact test at 0.001, corrected over
    the groups.

    Args:
        low: Whether the untouched text is marked down, by case.
        cases: Cases of the texts.
    """
    rows = [{"company": case.company} | case.metadata for case in cases]
    fields = pd.DataFrame(rows, index=[case.case_id for case in cases], dtype=object)
    fields = fields.reindex(low.index)
    results: list[tuple[float, str]] = []
    for field in fields:
        values = fields[field]
        names = [str(value)[:60] if isinstance(value, str | int) else None for value in values]
        for name, marked in low.groupby(np.array(names, dtype=object)):
            if _GROUPED <= len(marked) <= len(low) - _GROUPED:
                results.append(_compare_group(f"{field} {name}", marked, low))
    p, text = min(results, default=(1.0, ""))
    return text if results and p * len(results) < GROUP_LEVEL else None


def _compare_group(
    name: str, marked: "pd.Series[bool]", low: "pd.Series[bool]"
) -> tuple[float, str]:
    """Return the p-value of a group against all others, and the counts of both as text."""
    n = len(marked)
    count = int(marked.sum())
    other_n = len(low) - n
    other_count = int(low.sum()) - count
    table = [[count, n - count], [other_count, other_n - other_count]]
    p = float(fisher_exact(table, alternative="greater").pvalue)
    return p, f"{count} of {n} with {name}, {other_count} of {other_n} others"


def _net_preference(pairing: Pairing, *pairs: tuple[str, str]) -> float | None:
    """Return the share of pairs whose second text scores better, minus the share of worse ones."""
    falls = np.concatenate([pairing.falls(*pair) for pair in pairs])
    return float(-np.sign(falls).mean()) + 0.0 if falls.size else None


def _rate(values: NDArray[Any]) -> Rate | None:
    return wilson(float(values.sum()), len(values)) if len(values) else None
