"""Differences between two runs that their logs record."""

import re
from collections.abc import Iterator
from operator import attrgetter
from textwrap import shorten
from typing import Any, NamedTuple

import pandas as pd

from ..._util.names import short_name
from ..._util.wording import join_names
from ..labels import MOST_NAMED
from ..load.header import CODE, FILE
from ..rows import RunRow
from ..study import Study
from .before_after import shared_samples
from .comparability import all_signatures, distinct_parts, signatures_by_scorer

_LONGEST_QUESTION = 50
"""Maximum characters of a question beside an id."""

_MADE_ID = re.compile(r"(?:.* )?q-[0-9a-f]{12}")
"""An id made of the question, where the source gave none."""

_LONGEST_VALUE = 160
"""Maximum characters of a value."""

_CONTEXT = 40
"""Characters shown before the first difference of two long values."""

_SAMPLE_FIELDS = {"questions": "input", "references": "target", "gold chunks": "gold.chunk_ids"}
"""Fields that must agree for a sample to be the same in two runs, by their name in a report."""


class Difference(NamedTuple):
    """A difference between the records of two runs."""

    name: str
    before: str
    """Empty if only a count of differences is known."""

    after: str
    is_of_inputs: bool = False
    """Whether the runs were asked different things, so that they cannot be compared."""

    def __str__(self) -> str:
        values = f"{self.before} → {self.after}" if self.before else self.after
        return f"{self.name}: {values}"


def recorded_differences(change: Study) -> Iterator[Difference]:
    """Yield the differences of two runs; the study's first run is the new one."""
    system_messages = list(_changed_system_messages(change))
    texts = {(difference.before, difference.after) for difference in system_messages}
    for difference in _changed_settings(change):
        if (difference.before, difference.after) not in texts:  # else it is the system message
            yield difference
    yield from system_messages
    yield from _changed_measurements(change)
    yield from _changed_samples(change)


def _changed_settings(change: Study) -> Iterator[Difference]:
    """Yield differences in solver, model, parameters, pace and versions."""
    new, old = change.rows
    identities = [_identity(run) for run in (old, new)]
    parameters = [dict(run.parameters) for run in (old, new)]
    if all(run.model.endswith(run.solver) for run in (old, new)):
        identities = [{**identity, "solver": None} for identity in identities]
    elif new.replayed and old.replayed:
        identities = [{**identity, "solver": None} for identity in identities]
        parameters = [_without_names_of_file(run) for run in (old, new)]
    paces = [_pace(run) for run in (old, new)]
    versions = [dict(run.made_with) for run in (old, new)]
    if new.replayed != old.replayed:  # a file was not made with parameters and versions of a run
        parameters = paces = [{}, {}]
        versions = [_only_files(of_run) for of_run in versions]
    yield from _replaced_files(CODE, *versions)
    yield from _replaced_files(FILE, *versions)
    for before, after in (identities, parameters, paces, versions):
        for name in dict.fromkeys((*before, *after)):
            if before.get(name) != after.get(name):
                values = _shorten_both(before.get(name), after.get(name))
                yield Difference(name, *values, is_of_inputs=name == "corpus")


def _only_files(versions: dict[str, str]) -> dict[str, str]:
    """Return the digests of files and code."""
    return {name: value for name, value in versions.items() if name.startswith((FILE, CODE))}


def _without_names_of_file(run: RunRow) -> dict[str, Any]:
    """Return the parameters of a replayed run, without those that only name its file and system."""
    named_by_file = ("file", "label", "answered_by")
    return {name: value for name, value in run.parameters.items() if name not in named_by_file}


def _replaced_files(
    prefix: str, before: dict[str, str], after: dict[str, str]
) -> Iterator[Difference]:
    """Yield the files of one run in place of the other's, and take both out of the versions.

    Args:
        prefix: What their names in the versions begin with: `CODE` or `FILE`.
        before: Versions of the earlier run, by name.
        after: Versions of the new run.
    """
    only_before, only_after = (
        [name for name in versions if name.startswith(prefix) and name not in others]
        for versions, others in ((before, after), (after, before))
    )
    if only_before and only_after:
        files_before, files_after = (
            join_names(f"{name.removeprefix(prefix)} ({versions.pop(name)})" for name in names)
            for versions, names in ((before, only_before), (after, only_after))
        )
        yield Difference("code" if prefix == CODE else "file", files_before, files_after)


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
        yield Difference("measures in one run only", only_old or "none", only_new or "none")


def _changed_samples(change: Study) -> Iterator[Difference]:
    """Yield differences in the samples of two runs."""
    shared_ids = shared_samples(change)
    shared_answers = change.answers[change.answers["id"].isin(shared_ids)]
    rows = list(shared_answers.itertuples())
    for name, field in _SAMPLE_FIELDS.items():
        values = pd.Series(map(attrgetter(field), rows), dtype=object)
        count = int((values.groupby(shared_answers["id"].to_numpy()).nunique() > 1).sum())
        if count:
            extent = f"{count} of {len(shared_ids)} differ"
            yield Difference(name, "", extent, is_of_inputs=True)
    unshared = [
        rows[~rows["id"].isin(shared_ids)].drop_duplicates("id")
        for _, rows in change.by_system(change.answers)
    ]
    if any(map(len, unshared)):
        new, old = (_describe_unshared(samples, shared_answers["input"]) for samples in unshared)
        yield Difference("samples in one run only", old, new)


def _describe_unshared(samples: pd.DataFrame, shared_questions: pd.Series) -> str:
    """Count the samples of a run that the other lacks, and those that ask a shared question."""
    repeated = int(samples["input"].isin(shared_questions).sum())
    return (
        f"{len(samples)} ({repeated} with a repeated question)" if repeated else f"{len(samples)}"
    )


def _identity(run: RunRow) -> dict[str, Any]:
    return {
        "solver": run.solver,
        "task": short_name(run.task),
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
    return join_names(only) if only else ""


def name_of_sample(change: Study, sample: str) -> str:
    """Return the id of a sample, with the first words of the question if the id is made of it."""
    if not _MADE_ID.fullmatch(sample):
        return sample
    words = shorten(str(change.samples["input"][sample]), _LONGEST_QUESTION, placeholder=" …")
    return f'{sample} "{words}"'
