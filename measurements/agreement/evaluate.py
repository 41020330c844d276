"""Evaluate scorers on human labels, beside simple baselines, and tabulate the results."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai.dataset import Sample

from arag_inspect._util.errors import check_positive
from arag_inspect._util.files import digest
from arag_inspect.corpus import DEFAULT_MODEL, embedding_model
from arag_inspect.figures import numerical_precision
from arag_inspect.measure import find_measure
from arag_inspect.report import Frames
from arag_inspect.report.cells import Cell
from arag_inspect.report.table import Table
from arag_inspect.stats.estimates import Estimate
from arag_inspect.text.sentences import sentences
from arag_inspect.validity.score_variants import replay
from arag_inspect.validity.scorer_names import Arguments, choose_scorers

from .agreement import Agreement, measure_agreement
from .sets import SETS, Copy, HumanSet, Split, read_copy

_WORD = re.compile(r"[a-z0-9]+(?:[.,]\d+)*")


def baselines(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a column of values for each applicable baseline.

    Sets with a source: precision of the summary's words and word pairs in the
    source, share of its numbers found there, least cosine of a sentence with its
    nearest of the source. Other sets: recall and F1 of the reference's words,
    and mean cosine of its sentences with their nearest of the answer.
    """
    measure = _of_source if answers["source"].all() else _of_reference
    return pd.DataFrame(map(measure, answers.itertuples()), index=answers.index).add_prefix(
        "baseline: "
    )


def _of_source(row: Any) -> dict[str, float]:
    numbers = numerical_precision(row.answer, [row.source])
    return {
        "ROUGE-1 precision": _overlap(row.answer, row.source, 1),
        "ROUGE-2 precision": _overlap(row.answer, row.source, 2),
        "numbers found": 1.0 if numbers is None else numbers,
        "cosine": min(_cosines(row.answer, row.source)),
    }


def _of_reference(row: Any) -> dict[str, float]:
    recall = _overlap(row.reference, row.answer, 1)
    precision = _overlap(row.answer, row.reference, 1)
    return {
        "ROUGE-1 recall": recall,
        "ROUGE-1 F1": 2 * recall * precision / ((recall + precision) or 1),
        "cosine": float(np.mean(_cosines(row.reference, row.answer))),
    }


def _overlap(text: str, other: str, n: int) -> float:
    """Return the share of a text's n-grams that the other text has, with multiplicity."""
    grams, other_grams = _grams(text, n), _grams(other, n)
    return (grams & other_grams).total() / (grams.total() or 1)


@lru_cache(maxsize=1024)
def _grams(text: str, n: int) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _cosines(text: str, other: str) -> list[float]:
    """Return the best cosine of each sentence of a text with one of the other; 0 without any."""
    vectors, other_vectors = _vectors(text), _vectors(other)
    if not (len(vectors) and len(other_vectors)):
        return [0.0]
    best: list[float] = (vectors @ other_vectors.T).max(axis=1).tolist()
    return best


@lru_cache(maxsize=256)
def _vectors(text: str) -> np.ndarray:
    parts = sentences(text)
    if not parts:
        return np.zeros((0, 1), dtype=np.float32)
    return embedding_model(DEFAULT_MODEL, "float32").encode(parts)


@dataclass(frozen=True)
class SetAgreement:
    """Agreement of scorers with a set of human labels."""

    data: HumanSet
    copy: Copy
    limit: int | None
    """Maximum labels of a subset, drawn by digest and spread over its documents."""

    split: Split
    grader: str | None
    agreements: Sequence[Agreement]
    units: pd.DataFrame
    """Label, group, subset, split, `disputed` (whether annotators differ) of each labelled answer
    or pair, of both halves, and a column of values for each measure.
    """


def evaluate_set(
    name: str,
    *,
    scorers: Sequence[str],
    arguments: Arguments = {},  # noqa: B006
    source: Path,
    split: Split = "all",
    limit: int | None = None,
    grader: str | None = None,
    log_dir: str = "logs/human",
) -> SetAgreement:
    """Compare scorers with human labels.

    Args:
        name: Name of the set.
        scorers: Names, as `inspect score` takes them.
        arguments: Arguments of the scorers, by name.
        source: Folder with a local copy of the set's files, or one of them.
        split: Half that is reported; thresholds come from the development half. `all` reports
            everything, with thresholds fitted on other subsets or folds.
        limit: Maximum labels of each subset, drawn by digest and spread over its documents.
        grader: Model that grades, if a scorer asks one.
        log_dir: Folder of logs; an existing run is not repeated.

    Raises:
        InputError: A scorer or the copy is invalid.
    """
    check_positive(limit=limit)
    data = SETS[name]
    copy = read_copy(data, source)
    answers = _chosen(copy.answers, limit)
    values = baselines(answers)
    if scorers:
        read = replay(
            f"human_{data.name}",
            _samples(answers),
            choose_scorers(scorers, arguments),
            log_dir=log_dir,
            arguments=sorted(arguments.items()),
            grader=grader,
            display="none",
        )
        values = values.join(_by_measure(read))
    by_unit = values.mul(answers["sign"], axis=0).groupby(answers["unit"], sort=False)
    labels = answers.drop_duplicates("unit").set_index("unit")
    units = labels.join(by_unit.sum(min_count=2 if data.kind == "pairs" else 1))
    return SetAgreement(
        data=data,
        copy=copy,
        limit=limit,
        split=split,
        grader=grader,
        agreements=[
            measure_agreement(key, units.assign(value=units[key]), data.kind, split)
            for key in values
        ],
        units=units,
    )


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


_TITLES = {
    "auc": "ROC-AUC",
    "balanced_accuracy": "Balanced accuracy",
    "kappa": "Kappa",
    "agreement": "Agreement",
    "false_alarms": "False alarms",
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
}


def agreement(evaluation: SetAgreement) -> Table:
    """Return agreement by measure."""
    agreements, published = evaluation.agreements, evaluation.data.published
    names = [name for name in _TITLES if any(name in measured.figures for measured in agreements)]
    rows: list[tuple[Cell, ...]] = []
    for measured in agreements:
        figures = (measured.figures.get(name) for name in names)
        cells = (
            figure and Estimate(*figure, measured.scored, measured.scored) for figure in figures
        )
        rows.append((measured.measure, *cells, measured.scored, measured.unscored))
    if published:
        for measure, value in published.values.items():
            cells_published = (value if published.statistic == name else "" for name in names)
            rows.append((f"published: {measure}", *cells_published, "", ""))
    columns = ("Measure", *(_TITLES[name] for name in names), "Scored", "Unscored")
    return Table("agreement", title(evaluation), "", columns, tuple(rows))


def title(evaluation: SetAgreement) -> str:
    """Return the set, the half and the number of labels."""
    return f"{evaluation.data.title}, {evaluation.split}: {len(evaluation.units)} labels"


def notes(evaluation: SetAgreement) -> Iterator[str]:
    """Yield the datasheet and how the figures were made."""
    data, copy, labels = evaluation.data, evaluation.copy, len(evaluation.units)
    of_all = f" of {data.size:,} published" if data.size else ""
    yield f"Labels: {data.rule}. {labels:,}{of_all}. {data.note}".strip()
    if evaluation.limit:
        yield f"At most {evaluation.limit:,} labels of each subset, spread over its documents."
    if disputed := evaluation.units["disputed"].sum():
        yield f"Annotators differ on {disputed:,} of them; their mean counts."
    yield f"Source: {data.origin}; licence {data.licence}."
    files = ", ".join(
        f"{name} {sha[:12]}" + ("" if sha in data.digests.values() else " (not a recorded file)")
        for name, sha in copy.digests.items()
    )
    missing = f"; missing: {', '.join(copy.missing)}" if copy.missing else ""
    yield f"Files (SHA-256): {files}{missing}"
    yield "Intervals: 95 %, bootstrap over documents, threshold held fixed; means over subsets."
    if thresholds := {a.threshold.partition(":")[0] for a in evaluation.agreements if a.threshold}:
        yield f"Thresholds from: {', '.join(sorted(thresholds))}."
    if evaluation.grader:
        yield f"Judge: {evaluation.grader}."
    if data.published:
        yield f"Published figures: {data.published.where}."
