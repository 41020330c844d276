"""Evaluate scorers on a set of human labels."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.util import DisplayType

from ..._util.errors import check_positive
from ..._util.files import digest
from ...report import Frames
from ...types.measures import find_measure
from ..score_variants import OFFLINE, replay
from ..scorer_selection import Arguments, choose_scorers
from .agreement import Agreement, measure_agreement
from .baselines import baselines
from .labelled import Copy, Split, read_copy
from .sets import HumanSet, find_set

_DATASHEET = {"name", "title", "origin", "licence", "kind", "rule", "size", "note"}


@dataclass(frozen=True)
class HumanEvaluation:
    """Agreement of scorers with a set of human labels."""

    data: HumanSet
    copy: Copy
    limit: int | None
    """Most labels of a subset, drawn by digest and spread over its documents."""

    split: Split
    grader: str
    agreements: Sequence[Agreement]
    units: pd.DataFrame
    """Label, group, subset, split, `disputed` (whether annotators differ) of each labelled answer
    or pair, of both halves, and a column of values for each measure.
    """

    dollars: Mapping[str, float | None]
    """Cost of the judges of each scorer that asks any; None if a price is unknown."""

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        units = self.units if self.split == "all" else self.units.query("split == @self.split")
        return {
            "version": version("arag-inspect"),
            "set": self.data.model_dump(include=_DATASHEET),
            "digests": self.copy.digests,
            "missing_files": self.copy.missing,
            "labels": len(self.units),
            "disagreements": int(self.units["disputed"].sum()),
            "limit": self.limit,
            "split": self.split,
            "grader": self.grader,
            "agreements": [asdict(agreement) for agreement in self.agreements],
            "published": self.data.published and self.data.published.model_dump(),
            "dollars": dict(self.dollars),
            "values": {
                agreement.measure: {
                    row.Index: [row.label, None if pd.isna(row[2]) else row[2], *row[3:]]
                    for row in units[["label", agreement.measure, "group", "subset"]].itertuples()
                }
                for agreement in self.agreements
            },
        }


def evaluate_human(
    name: str,
    *,
    scorers: Sequence[str],
    arguments: Arguments = {},  # noqa: B006
    source: Path,
    split: Split = "test",
    limit: int | None = None,
    grader: str | None = None,
    log_dir: str = "logs/human",
    display: DisplayType | None = "none",
) -> HumanEvaluation:
    """Compare scorers with human labels.

    Args:
        name: Name of the set, or path of a YAML file that describes one.
        scorers: Names, as `inspect score` takes them.
        arguments: Arguments of the scorers, by name.
        source: Folder with a local copy of the set's files, or one of them.
        split: Half that is reported; thresholds come from the development half. `all` reports
            everything, with thresholds fitted on other subsets or folds.
        limit: Most labels of each subset, drawn by digest and spread over its documents.
        grader: Model that grades; None uses the rule-based offline judge.
        log_dir: Folder of logs; an existing run is not repeated.
        display: Inspect's display.

    Raises:
        InputError: The set, a scorer or the copy is invalid.
    """
    check_positive(limit=limit)
    data = find_set(name)
    copy = read_copy(data, source)
    answers = _chosen(copy.answers, limit)
    values = baselines(answers)
    dollars: dict[str, float | None] = {}
    if scorers:
        read = replay(
            f"human_{data.name}",
            _samples(answers),
            choose_scorers(scorers, arguments),
            log_dir=log_dir,
            arguments=sorted(arguments.items()),
            grader=grader,
            display=display,
        )
        values = values.join(_by_measure(read))
        costs = read.verdicts.groupby("scorer")["cost_usd"]
        dollars = {name: None if own.isna().any() else own.sum() for name, own in costs}
    by_unit = values.mul(answers["sign"], axis=0).groupby(answers["unit"], sort=False)
    labels = answers.drop_duplicates("unit").set_index("unit")
    units = labels.join(by_unit.sum(min_count=2 if data.kind == "pairs" else 1))
    return HumanEvaluation(
        data=data,
        copy=copy,
        limit=limit,
        split=split,
        grader=grader or OFFLINE,
        agreements=[
            measure_agreement(key, units.assign(value=units[key]), data.kind, split)
            for key in values
        ],
        units=units,
        dollars=dollars,
    )


def human_samples(name: str, source: Path, limit: int) -> list[Sample]:
    """Return the labelled answers of a set as the samples of `replay_task`.

    Args:
        name: Name of the set, or path of a YAML file that describes one.
        source: Folder with a local copy of the set's files, or one of them.
        limit: Most labels of each subset.
    """
    return _samples(_chosen(read_copy(find_set(name), source).answers, limit))


def _chosen(answers: pd.DataFrame, limit: int | None) -> pd.DataFrame:
    """Return the answers of the first units of each subset by digest, one of every group first."""
    units = answers.drop_duplicates("unit").sort_values("unit", key=lambda ids: ids.map(digest))
    units = units.assign(turn=units.groupby(["subset", "group"]).cumcount())
    first = units.sort_values("turn", kind="stable").groupby("subset").head(limit or len(units))
    return answers[answers["unit"].isin(first["unit"])]


def _by_measure(read: Frames) -> pd.DataFrame:
    """Return a column for each key; higher is better."""
    declared, order = read.runs["declared"][0], read.scores["measure"].unique()
    values = read.scores.pivot(index="id", columns="measure", values="value")[order]
    inverted = [key for key in order if find_measure(key, declared).higher_is_better is False]
    values[inverted] *= -1
    return values


def _samples(answers: pd.DataFrame) -> list[Sample]:
    return [
        Sample(
            id=answer.Index,
            input=answer.question or "Summarise the document.",
            target=answer.reference,
            metadata={
                **({"document": answer.source} if answer.source else {}),
                "label": answer.label,
                "audit": {"case": answer.Index, "text": answer.answer},
            },
        )
        for answer in answers.itertuples()
    ]
