"""`evaluation_log.csv`: a row for each run ever reported in a folder."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pandas as pd

from ..._util.encodable import csv_text
from ..._util.errors import InputError
from ..._util.files import digest, replace_file
from ...measure import Aspect
from ..comparison.effort import judge_cost
from ..frames import NOT_ANSWERED
from ..study import Study

RUN_LOG = "evaluation_log.csv"
_COST: tuple[Aspect, ...] = ("cost", "latency", "loops")
_KEY = "eval_id"


def log_rows(study: Study) -> list[dict[str, str]]:
    """Return one row per run: its settings and means.

    Rows are comparable if `questions` and `signatures` are equal: the digests of the
    answered samples (id and epoch) and of the measurements.
    Dollars are means per question, of the system and of its judges, and
    missing if one of them is unknown.
    """
    judging = judge_cost(study)
    rows = []
    for system, answers in study.by_system(study.answers):
        run = study.runs.loc[system]
        finished = answers[~answers["outcome"].isin(NOT_ANSWERED)]
        scores = study.scores[study.scores["system"] == system]
        questions = finished["id"] + " " + finished["epoch"].astype(str)
        judged = finished.index.isin(study.verdicts["answer"])
        costs = judging.reindex(finished.index).where(judged, 0.0)
        row: dict[str, object] = {
            **run[[_KEY, "created", "task", "version", "dataset", "system", "model"]],
            "graders": " ".join(run["graders"]),
            "status": run["status"],
            "samples": len(answers),
            "skipped": int((answers["outcome"] == "skipped").sum()),
            "answered": len(finished),
            "questions": digest(*sorted(questions)),
            "corpus": (run["corpus"] or "")[:12],
            "signatures": digest(*sorted(scores["signature"].dropna().unique())),
            "judge_usd": costs.mean(skipna=False) if judged.any() else None,
            "log": run["location"],
        }
        means = scores.groupby("measure")["value"].agg(["mean", "count"])
        row |= {spec.key: means["mean"].get(spec.key) for spec in study.catalogue.main}
        for key in map(study.catalogue.key_of, _COST):
            row |= {key: means["mean"].get(key), f"{key} n": means["count"].get(key, 0)}
        row[study.catalogue.key_of("cost")] = finished["cost_usd"].mean(skipna=False)
        rows.append({name: "" if pd.isna(value) else str(value) for name, value in row.items()})
    return rows


def write_run_log(studies: Sequence[Study], path: Path) -> None:
    """Add the runs of some studies to the log at a path; the row of a known run is replaced.

    Raises:
        InputError: The file is not such a log.
    """
    rows = pd.DataFrame(list(chain.from_iterable(map(log_rows, studies))))
    log = pd.concat([_read_log(path), rows]).drop_duplicates(_KEY, keep="last").fillna("")
    replace_file(path, csv_text([list(log.columns), *log.itertuples(index=False)]))


def _read_log(path: Path) -> pd.DataFrame:
    if not path.exists() or not path.stat().st_size:
        return pd.DataFrame({_KEY: []})
    try:
        log = pd.read_csv(path, dtype=str, keep_default_na=False)
    except ValueError:  # not UTF-8, or not CSV
        log = pd.DataFrame()
    if _KEY not in log:
        raise InputError(
            f"{path} has no column {_KEY}, so it is not a log of runs; move or rename it"
        )
    return log
