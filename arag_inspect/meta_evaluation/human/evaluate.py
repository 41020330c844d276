"""Evaluate scorers on a set of human labels."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.util import DisplayType

from ..._util.errors import check_positive
from ..._util.hashing import digest
from ...report import Frames
from ...types.measures import find_measure
from ..score_variants import OFFLINE, replay
from ..scorer_selection import Arguments, choose_scorers
from .agreement import Agreement, Unit, measure_agreement
from .baselines import baselines
from .labelled import LabelledAnswer, Split, read_copy
from .sets import HumanSet, find_set


@dataclass(frozen=True)
class HumanEvaluation:
    """Agreement of scorers with a set of human labels."""

    data: HumanSet
    digests: Mapping[str, str]
    missing: Sequence[str]
    labels: int
    disagreements: int
    """Labels on which several annotators differ."""

    limit: int | None
    """Most labels of a subset, drawn by digest and spread over its documents."""

    split: Split
    grader: str
    agreements: Sequence[Agreement]
    units: Mapping[str, Mapping[str, Unit]]
    """Each labelled answer or pair by id, by measure, of both halves."""

    dollars: Mapping[str, float | None]
    """Cost of the judges of each scorer that asks any; None if a price is unknown."""

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        datasheet = {
            name: getattr(self.data, name)
            for name in ("name", "title", "origin", "licence", "kind", "rule", "size", "note")
        }  # fmt: skip
        return {
            "version": version("arag-inspect"),
            "set": datasheet,
            "digests": dict(self.digests),
            "missing_files": list(self.missing),
            "labels": self.labels,
            "disagreements": self.disagreements,
            "limit": self.limit,
            "split": self.split,
            "grader": self.grader,
            "agreements": [asdict(agreement) for agreement in self.agreements],
            "published": self.data.published and self.data.published.model_dump(),
            "dollars": dict(self.dollars),
            "values": {
                measure: {
                    name: [
                        unit.label,
                        None if math.isnan(unit.value) else unit.value,
                        unit.group,
                        unit.subset,
                    ]
                    for name, unit in units.items()
                    if self.split in ("all", unit.split)
                }
                for measure, units in self.units.items()
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
            [_sample(answer) for answer in answers],
            choose_scorers(scorers, arguments),
            log_dir=log_dir,
            arguments=sorted(arguments.items()),
            grader=grader,
            display=display,
        )
        values |= _by_measure(read, answers)
        costs = read.verdicts.groupby("scorer")["cost_usd"]
        dollars = {name: None if own.isna().any() else own.sum() for name, own in costs}
    units = {key: _units(answers, column) for key, column in values.items()}
    return HumanEvaluation(
        data=data,
        digests=copy.digests,
        missing=copy.missing,
        labels=len({answer.unit for answer in answers}),
        disagreements=len({a.unit for a in answers if len(set(a.votes)) > 1}),
        limit=limit,
        split=split,
        grader=grader or OFFLINE,
        agreements=[
            measure_agreement(key, list(units_by_id.values()), data.kind, split)
            for key, units_by_id in units.items()
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
    answers = read_copy(find_set(name), source).answers
    return [_sample(answer) for answer in _chosen(answers, limit)]


def _chosen(answers: Sequence[LabelledAnswer], limit: int | None) -> list[LabelledAnswer]:
    groups: dict[str, dict[str, str]] = {}
    for answer in answers:
        groups.setdefault(answer.subset, {})[answer.unit] = answer.group
    selection = {unit for own in groups.values() for unit in _spread(own)[:limit]}
    return [answer for answer in answers if answer.unit in selection]


def _spread(groups: Mapping[str, str]) -> list[str]:
    """Order units by digest, one of every group before a second of any group."""
    turns = Counter[str]()
    turn_of = {}
    for unit in sorted(groups, key=digest):
        turn_of[unit] = turns[groups[unit]]
        turns[groups[unit]] += 1
    return sorted(turn_of, key=turn_of.__getitem__)


def _by_measure(read: Frames, answers: Sequence[LabelledAnswer]) -> dict[str, list[float]]:
    """Return the values of each key in the order of the answers; higher is better."""
    declared, columns = read.runs["declared"][0], {}
    for name, own in read.scores.groupby("measure", sort=False):
        sign = -1 if find_measure(name, declared).higher_is_better is False else 1
        values = own.set_index("id")["value"].reindex([answer.id for answer in answers])
        columns[str(name)] = [sign * value for value in values]
    return columns


def _units(answers: Sequence[LabelledAnswer], values: Sequence[float]) -> dict[str, Unit]:
    """Return one unit per label, by id.

    Its value is that of the answer, or the difference of a pair, second minus first.
    """
    units: dict[str, Unit] = {}
    for answer, value in zip(answers, values, strict=True):
        previous = units.get(answer.unit)
        total = answer.sign * value + (previous.value if previous else 0.0)
        units[answer.unit] = Unit(
            answer.label, total, answer.group, answer.subset, answer.split, answer.label_text
        )
    return units


def _sample(answer: LabelledAnswer) -> Sample:
    source = {"document": answer.source} if answer.source else {}
    return Sample(
        id=answer.id,
        input=answer.question or "Summarise the document.",
        target=answer.reference or answer.source,
        metadata={
            **source,
            "label": answer.label,
            "audit": {"case": answer.id, "text": answer.answer},
        },
    )
