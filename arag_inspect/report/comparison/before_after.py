"""Pair each new run with an earlier run of the same system, the new one first."""

from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd

from ..._util.errors import InputError
from ..frames import Frames, concatenate
from ..labels import EARLIER
from ..load.pairing import ids_by_question, rename, rename_by_question
from ..load.systems import names_of
from ..rows import RunRow
from ..study import Study, studies

_LONGEST_NAME = 60


def pair_runs(base: Frames, new: Frames, *, loose: bool = False) -> Frames:
    """Return frames with a two-run benchmark, the new run first, for each system in both.

    The earlier run is the one with the same name, else the only one with the same solver (and the
    same model, if that makes it unique), else the only one if there is only one new run. Samples
    are paired by id, or by question if the two runs share no id.

    Args:
        base: Runs before a change.
        new: Runs after it.
        loose: Whether to pair runs of different task versions, and answers from a file with runs on
            the same questions, naming both by what differs (solver, model, arguments). Otherwise
            both have the names that they have in their logs.
    """
    base = _renumber(base, len(new.answers))
    parts: list[Frames] = []
    for study, other in product(studies(new), studies(base)):
        is_same_data = (study.task, study.dataset) == (other.task, other.dataset)
        is_comparable = is_same_data and (loose or study.version == other.version)
        if not is_comparable and not (loose and _shares_replayed_questions(study, other)):
            continue
        names = _names_among([*study.rows, *other.rows])
        for run in study.rows:
            earlier_run = _earlier(run, other.rows, len(study.rows) == 1)
            if earlier_run is None:
                continue
            newer, earlier = run.system, earlier_run.system
            if loose:
                newer, earlier = _names(run, earlier_run, names)
            earlier += EARLIER if newer == earlier else ""
            name = f"{study.name}: {f'{newer} against {earlier}' if loose else run.system}"
            new_rows = _rows(new, run, benchmark=name, system=newer)
            earlier_rows = _rows(base, earlier_run, benchmark=name, system=earlier)
            parts += [new_rows, _paired_by_question(earlier_rows, new_rows)]
    return concatenate(parts) if parts else new.apply(lambda frame: frame.iloc[:0])


def _shares_replayed_questions(study: Study, other: Study) -> bool:
    """Return whether one of two studies has answers from a file, to questions of the other."""
    is_replayed = any(run.replayed for run in (*study.rows, *other.rows))
    return is_replayed and not set(study.samples["input"]).isdisjoint(other.samples["input"])


def no_common_system(base: Frames, new: Frames) -> InputError:
    """Return the error for two sets of logs without a system in common, with what each has."""
    return InputError(
        f"the new logs ({_contents(new)}) and the earlier ones ({_contents(base)}) have no "
        "system on the same task and data in common"
    )


def _contents(frames: Frames) -> str:
    """Return the systems of each task and data set."""
    systems = frames.runs.groupby("benchmark", sort=False)["system"].agg(", ".join)
    return "; ".join(f"{name}: {names}" for name, names in systems.items())


def shared_samples(change: Study) -> list[str]:
    """Return the samples that both runs share."""
    first, second = (set(answers["id"]) for _, answers in change.by_system(change.answers))
    return [sample for sample in change.sample_ids if sample in first and sample in second]


def _renumber(frames: Frames, offset: int) -> Frames:
    """Return frames with other numbers of answers, so that they can be joined with others."""
    return frames._replace(
        answers=frames.answers.assign(answer=frames.answers["answer"] + offset),
        scores=frames.scores.assign(answer=frames.scores["answer"] + offset),
        verdicts=frames.verdicts.assign(answer=frames.verdicts["answer"] + offset),
    )


def _earlier(run: RunRow, runs: Sequence[RunRow], is_only_run: bool) -> RunRow | None:
    for alike in (
        [other for other in runs if other.system == run.system],
        [other for other in runs if (other.solver, other.model) == (run.solver, run.model)],
        [other for other in runs if other.solver == run.solver],
        runs if is_only_run else (),
    ):
        if len(alike) == 1:
            return alike[0]
    return None


def _names_among(runs: Sequence[RunRow]) -> dict[str, str]:
    """Return a name for each run, by location, that distinguishes it from all runs of both sides.

    So variants of one solver have different names even if the two runs of each pair are alike.
    """
    names = names_of(runs)
    return {run.location: name for run, name in zip(runs, names, strict=True)}


def _names(new: RunRow, old: RunRow, names: Mapping[str, str]) -> tuple[str, str]:
    """Name two runs by what differs, or give both one name if these are too long or ambiguous."""
    pair_names = names[new.location], names[old.location]
    is_short = max(map(len, pair_names)) <= _LONGEST_NAME
    locations = {location for location, name in names.items() if name in pair_names}
    is_unique = locations <= {new.location, old.location}
    return pair_names if is_short and is_unique else (new.system, new.system)


def _paired_by_question(earlier: Frames, new: Frames) -> Frames:
    """Return an earlier run with the new one's ids of its questions, if they share no id.

    This pairs results with their own ids with results whose ids are made of the question.
    """
    if not set(earlier.answers["id"]).isdisjoint(new.answers["id"]):
        return earlier
    new_ids = rename_by_question(ids_by_question(earlier), ids_by_question(new))
    (run,) = earlier.runs.itertuples()
    return rename(earlier, new_ids, run)


def _rows(frames: Frames, run: RunRow, **names: str) -> Frames:
    """Return the rows of a run, with its benchmark and system renamed."""

    def select(frame: pd.DataFrame) -> pd.DataFrame:
        is_of_run = (frame["benchmark"] == run.benchmark) & (frame["system"] == run.system)
        return frame[is_of_run].assign(**names)

    selected = frames.apply(select)
    # two runs are not a sweep of models, whatever their systems have in common
    return selected._replace(runs=selected.runs.assign(named_model=""))
