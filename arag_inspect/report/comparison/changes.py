"""Changes between two runs, and the samples that got worse or better."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..._util.wording import join_names
from ..analysis import Analysis, Words, analysis
from ..cells import Cell, Signed, show_score
from ..labels import MOST_NAMED
from ..rows import RunRow
from ..study import Study, cached_per_study
from .before_after import shared_samples
from .comparability import all_signatures, distinct_parts, pair_values, signatures_by_scorer
from .primary import primary_measures

_MOST_MOVES = 40
"""Maximum number of samples in a table."""

_MOST_LOST = 5
"""Maximum number of samples in a sentence."""

_LONGEST_VALUE = 160
"""Maximum characters of a value."""

_CONTEXT = 40
"""Characters shown before the first difference of two long values."""

_LONGEST_QUESTION = 50
"""Maximum characters of a question beside an id."""

_MADE_ID = re.compile(r"(?:.* )?q-[0-9a-f]{12}")
"""An id made of the question, where the source gave none."""

_UNANSWERABLE = " (of an unanswerable question, whether it is declined)"
"""What is compared where a primary measure of right answers does not apply."""

_SAMPLE_FIELDS = {"questions": "input", "references": "target", "gold chunks": "gold.chunk_ids"}
"""Fields that must agree for a sample to be the same in two runs, by their name in a report."""


class Difference(NamedTuple):
    """What two runs recorded differently."""

    name: str
    before: str
    after: str
    is_of_inputs: bool = False
    """Whether the runs were asked different things, so that they cannot be compared."""

    def __str__(self) -> str:
        return f"{self.name}: {self.before} → {self.after}"


def recorded_differences(change: Study) -> Iterator[Difference]:
    """Yield the differences of two runs; the study's first run is the new one."""
    yield from _changed_settings(change)
    yield from _changed_system_messages(change)
    yield from _changed_measurements(change)
    yield from _changed_samples(change)


def _changed_settings(change: Study) -> Iterator[Difference]:
    """Yield differences in solver, model, parameters, pace and versions."""
    new, old = change.rows
    identities = [_identity(run) for run in (old, new)]
    if all(run.model.endswith(run.solver) for run in (old, new)):
        identities = [{**identity, "solver": None} for identity in identities]
    parameters = [run.parameters for run in (old, new)]
    paces = [_pace(run) for run in (old, new)]
    versions = [run.made_with for run in (old, new)]
    for before, after in (identities, parameters, paces, versions):
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                values = _shorten_both(before.get(name), after.get(name))
                yield Difference(name, *values, is_of_inputs=name == "corpus")


def _changed_system_messages(change: Study) -> Iterator[Difference]:
    """Yield the system messages of the first shared sample in which they differ, if any."""
    shared_ids = shared_samples(change)
    new, old = (
        dict(zip(answers["id"], answers["system_message"], strict=True))
        for _, answers in change.by_system(change.answers)
    )
    differing = [sample for sample in shared_ids if new[sample] != old[sample]]
    if differing:
        first = differing[0]
        is_everywhere = len(differing) == len(shared_ids)
        extent = "" if is_everywhere else f" ({len(differing)} of {len(shared_ids)} samples)"
        yield Difference(f"system message{extent}", *_shorten_both(old[first], new[first]))


def _changed_measurements(change: Study) -> Iterator[Difference]:
    """Yield differences in how scorers measure, and measures that only one run has."""
    new, old = change.rows
    for scorer in signatures_by_scorer(change):
        before, after = (all_signatures(change, scorer, run.system) for run in (old, new))
        if before and after and before != after:
            union = before | after
            name = f"how {scorer} measures"
            yield Difference(name, distinct_parts(before, union), distinct_parts(after, union))
    only_new, only_old = (_only_in(run.system, change) for run in (new, old))
    if only_new or only_old:
        had = f"no {only_new}" if only_new else "all"
        has = f"no {only_old}" if only_old else "all"
        yield Difference("measures", had, has)


def _changed_samples(change: Study) -> Iterator[Difference]:
    """Yield differences in the samples of two runs."""
    shared_ids = shared_samples(change)
    shared_answers = change.answers[change.answers["id"].isin(shared_ids)]
    rows = list(shared_answers.itertuples())
    for name, field in _SAMPLE_FIELDS.items():
        values = pd.Series(map(attrgetter(field), rows), dtype=object)
        count = int((values.groupby(shared_answers["id"].to_numpy()).nunique() > 1).sum())
        if count:
            after = f"{count} of {len(shared_ids)} are different"
            yield Difference(name, "unchanged", after, is_of_inputs=True)
    only_new, only_old = (
        rows["id"].nunique() - len(shared_ids) for _, rows in change.by_system(change.answers)
    )
    if only_new or only_old:
        before, after = (f"{count} not in the other run" for count in (only_old, only_new))
        yield Difference("samples", before, after)


def _identity(run: RunRow) -> dict[str, Any]:
    return {
        "solver": run.solver,
        "task version": run.version,
        "model": run.model,
        "judges": " and ".join(run.graders),
        "corpus": (run.corpus or "")[:12],
        "arithmetic of the vectors": run.arithmetic,
    }


def _pace(run: RunRow) -> dict[str, Any]:
    return {f"{name} (affects time and cost only)": value for name, value in run.pace.items()}


def _shorten(value: object) -> str:
    text = " ".join(str(value).split()) if value not in (None, "") else "none"
    if len(text) <= _LONGEST_VALUE:
        return text
    half = _LONGEST_VALUE // 2
    return f"{text[:half]} … {text[-half:]}"


def _shorten_both(before: object, after: object) -> tuple[str, str]:
    """Shorten two different values so that they still differ."""
    shortened = _shorten(before), _shorten(after)
    if shortened[0] != shortened[1]:
        return shortened
    texts = [" ".join(str(value).split()) for value in (before, after)]
    differing = (n for n, (a, b) in enumerate(zip(*texts, strict=False)) if a != b)
    start = max(0, next(differing, min(map(len, texts))) - _CONTEXT)
    first, second = (f"… {text[start : start + _LONGEST_VALUE]} …" for text in texts)
    return first, second


def _only_in(system: str, change: Study) -> str:
    """Name the measures that only one of two runs has; error codes appear where they occur."""
    valued = change.scores.dropna(subset=["value"]).groupby("measure", sort=False)["system"]
    only = [
        key
        for key, systems in valued
        if set(systems) == {system} and change.catalogue.spec(key).family != "errors"
    ]
    more = len(only) - MOST_NAMED
    if more > 0:
        only[MOST_NAMED:] = [f"{more} more"]
    return join_names(only, "or") if only else ""


def _names(change: Study) -> Words:
    return {"earlier": change.systems[1], "new": change.systems[0]}


@analysis(
    "Recorded differences",
    columns="what | {earlier} | {new}",
    text="""
    What the logs of the two runs record that differs. Of the messages to the model, only the
    system message is compared, and your own code only if its commit or digest is recorded.
    """,
    id="changes",
    words=_names,
)
def changed_rows(change: Study) -> Iterator[Sequence[Cell]]:
    """Return the differences between the two runs."""
    return recorded_differences(change)


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
    named = [
        f"{_name_of(change, sample)} ({show_score(before[sample])} → {show_score(after[sample])})"
        for sample in lost.sort_values(ascending=False, kind="stable").index[:_MOST_LOST]
    ]
    more = f" and {len(lost) - _MOST_LOST:,} more" if len(lost) > _MOST_LOST else ""
    return f"lost most: {', '.join(named)}{more}"


def _name_of(change: Study, sample: str) -> str:
    """Return the id of a sample, with the first words of the question if the id is made of it."""
    if not _MADE_ID.fullmatch(sample):
        return sample
    words = shorten(str(change.samples["input"][sample]), _LONGEST_QUESTION, placeholder=" …")
    return f'{sample} "{words}"'


@cached_per_study
def _moves(change: Study, better: bool) -> list[tuple[Cell, ...]]:
    """Return a row per sample whose primary measure changed, largest change first.

    Measures of right answers do not apply to unanswerable questions: whether these were declined
    counts instead.
    """
    moves: list[tuple[float, tuple[Cell, ...]]] = []
    new, old = change.systems
    keys = dict.fromkeys((*primary_measures(change), change.catalogue.key_of("right refusal")))
    for measure in map(change.catalogue.spec, keys):
        if measure.higher_is_better is None:
            continue
        sign = 1 if better == bool(measure.higher_is_better) else -1
        values = pair_values(change, new, old, measure.key)
        if values.nowhere_alike:
            continue
        compared = zip(change.sample_ids, values.a.tolist(), values.b.tolist(), strict=True)
        for sample, after, before in compared:
            difference = after - before
            size = sign * difference
            if size > measure.tie:
                group = change.samples["company"][sample]
                name = _name_of(change, sample)
                cells = measure.label, name, group, before, after, Signed(difference)
                moves.append((size / (measure.range_width or 1.0), cells))
    moves.sort(key=lambda move: -move[0])
    return [cells for _, cells in moves]


def _moved_words(change: Study, better: bool) -> Words:
    count = len(_moves(change, better))
    direction = "better" if better else "worse"
    return {
        "extent": f"{min(count, _MOST_MOVES)} of {count:,} shown",
        "cluster": change.cluster,
        "direction": direction,
        "unanswerable": _UNANSWERABLE if _has_refusals(change) else "",
        **_names(change),
    }


def _has_refusals(change: Study) -> bool:
    """Return whether both runs have a sample scored by whether it was rightly declined."""
    key = change.catalogue.key_of("right refusal")
    new, old = (change.values_of(system, key) for system in change.systems)
    return bool(np.isfinite(new - old).any())


def moved_samples(title: str, *, better: bool) -> Analysis:
    """Declare the table of the samples that got better, or of those that got worse."""

    def rows(change: Study) -> Sequence[Sequence[Cell]]:
        return _moves(change, better)[:_MOST_MOVES]

    declare = analysis(
        title,
        columns="measure | sample | {cluster} | {earlier} | {new} | difference",
        text="""
        Every sample whose primary measure{unanswerable} is {direction}, the largest change, as
        a share of the scale, first ({extent}).
        """,
        id=title.lower(),
        words=partial(_moved_words, better=better),
        meanings={"difference": "New minus earlier"},
    )
    return declare(rows)
