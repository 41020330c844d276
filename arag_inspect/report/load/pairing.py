"""Pair the samples of runs that share no id by their question."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from ..frames import Frames

_SAMPLES_OF_RUN = frozenset(("asked", "answered", "invalidated"))
"""Columns of runs with ids and epochs of samples."""


def share_ids(frames: Frames) -> Frames:
    """Give replayed runs the ids of the runs before them of the same benchmark, by question.

    This pairs answers whose ids are those of their traces.
    """
    ids_by_benchmark: dict[str, dict[str, str]] = {}
    changed = frames
    for run in frames.runs[frames.runs["replayed"]].itertuples():
        of_run = frames.apply(partial(_select, run=run))
        shared_ids = ids_by_benchmark.setdefault(run.benchmark, {})
        ids = ids_by_question(of_run)
        if shared_ids and set(of_run.answers["id"]).isdisjoint(shared_ids.values()):
            changed = rename(changed, rename_by_question(ids, shared_ids), run)
        ids_by_benchmark[run.benchmark] = {**ids, **shared_ids}
    return changed._replace(notices=frames.notices)


def ids_by_question(frames: Frames) -> dict[str, str]:
    """Return the id of each question of a run.

    Of several samples with a question, none counts, or the first if the answers were replayed and
    all have the same reference.
    """
    samples = frames.answers.drop_duplicates("id")
    samples = samples.assign(question=[" ".join(text.split()) for text in samples["input"]])
    if frames.runs["replayed"].all():
        samples = samples.drop_duplicates(["question", "target"])
    is_unique = ~samples["question"].duplicated(keep=False)
    return dict(zip(samples["question"][is_unique], samples["id"][is_unique], strict=True))


def rename_by_question(ids: Mapping[str, str], new_ids: Mapping[str, str]) -> dict[str, str]:
    """Return the new id of each id whose question has one."""
    return {name: new_ids[question] for question, name in ids.items() if question in new_ids}


def _is_of_run(frame: pd.DataFrame, run: Any) -> pd.Series:
    return (frame["benchmark"] == run.benchmark) & (frame["system"] == run.system)


def _select(frame: pd.DataFrame, run: Any) -> pd.DataFrame:
    return frame[_is_of_run(frame, run)]


def rename(frames: Frames, new_ids: Mapping[str, str], run: Any) -> Frames:
    """Return frames in which samples of a run have other ids.

    Args:
        frames: Frames of any number of runs.
        new_ids: New id by id; other ids stay.
        run: The row of the run.
    """

    def rename_in(frame: pd.DataFrame) -> pd.DataFrame:
        is_of_run = _is_of_run(frame, run)
        changed = frame.copy()
        if "id" in frame:
            ids = [new_ids.get(name, name) for name in frame.loc[is_of_run, "id"]]
            changed.loc[is_of_run, "id"] = ids
        for column in _SAMPLES_OF_RUN & {*frame.columns}:
            changed[column] = [
                frozenset((new_ids.get(name, name), epoch) for name, epoch in samples)
                if is_changed
                else samples
                for samples, is_changed in zip(frame[column], is_of_run, strict=True)
            ]
        return changed

    return frames.apply(rename_in)
