"""Tables of runs: what was run, with which models, and how many samples support a figure."""

import re
from collections.abc import Iterator
from typing import get_args

import pandas as pd

from ..._util.names import file_name
from ..._util.wording import join_names
from ...judge.signature import Signature
from ..analysis import RowCells, analysis
from ..rows import SampleOutcome
from ..study import Study

_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST_CAUSES = 10
"""Maximum number of causes listed."""


def _causes(study: Study) -> dict[str, str]:
    """Return why samples were skipped, failed or cut off, most frequent causes first.

    Texts that differ only in figures count as one cause, e.g. `8,412 to 9,120 tokens`.
    """
    failed_answers = study.answers.dropna(subset=["error"])
    keys = ["system", "outcome", failed_answers["error"].map(_without_figures)]
    causes = [
        (len(texts), f"{system}, {len(texts):,} {outcome}: {_merge_texts(texts).rstrip('.')}.")
        for (system, outcome, _), texts in failed_answers.groupby(keys, sort=False)["error"]
    ]
    causes.sort(key=lambda cause: -cause[0])
    other_samples = sum(count for count, _ in causes[_MOST_CAUSES:])
    summary_of_others = [f"{other_samples:,} samples for other causes."] if other_samples else []
    return {"causes": " ".join([text for _, text in causes[:_MOST_CAUSES]] + summary_of_others)}


def _without_figures(text: str) -> tuple[str, ...]:
    return tuple(_FIGURE.split(text))


def _merge_texts(texts: "pd.Series[str]") -> str:
    """Merge texts that differ only in figures, as ranges."""
    columns = zip(*map(_FIGURE.findall, texts), strict=True)
    ordered = (
        sorted(figures, key=lambda figure: float(figure.replace(",", ""))) for figures in columns
    )
    range_texts = (" to ".join(dict.fromkeys((figures[0], figures[-1]))) for figures in ordered)
    return _FIGURE.sub(lambda _: next(range_texts), texts.iloc[0])


@analysis(
    "Outcome of the samples",
    text="""
    Samples, counting every epoch. Refused: the provider's filter stopped the answer.
    Truncated: the answer was cut off, or one of Inspect's limits ended the sample. Unscored:
    at least one measure has no value, for the reasons below. {causes}
    """,
    words=_causes,
    meanings={
        "refused": "Answers stopped by the provider's filter",
        "truncated": "Answers cut off, or ended by a limit",
    },
    section="appendix",
    order=10,
)
def attrition(study: Study) -> Iterator[RowCells]:
    """Yield the outcomes of the samples of each system."""
    unscored = set(study.scores.loc[study.scores["status"] == "unscored", "answer"])
    for system, answers in study.by_system(study.answers):
        frequencies = answers["outcome"].value_counts()
        yield {
            "system": system,
            "planned": int(study.runs.loc[system, "planned"]),
            "run": len(answers),
            "outcomes": {
                outcome: int(frequencies.get(outcome, 0)) for outcome in get_args(SampleOutcome)
            },
            "unscored": int(answers["answer"].isin(unscored).sum()),
        }


@analysis(
    "Why scores have no value",
    text="""
    Missing values, counted for every key of a scorer.
    """,
    section="appendix",
    order=20,
)
def reasons(study: Study) -> Iterator[RowCells]:
    """Yield the number of missing values, by scorer and reason."""
    scores = study.scores
    absent = scores[scores["value"].isna() & (scores["status"] != "missing")]
    absent = absent.fillna({"reason": "-"})
    keys = ["system", "scorer", "status", absent["reason"].map(_without_figures)]
    for (system, scorer, status, _), texts in absent.groupby(keys)["reason"]:
        yield {
            "system": system,
            "scorer": scorer,
            "status": status,
            "reason": _merge_texts(texts),
            "values": len(texts),
        }


@analysis(
    "Samples behind each figure",
    text="""
    Samples, counting every epoch, by the status of their score. Unscored: the scorer gave a
    reason instead of a value. Skipped: the system did not answer. Errored: the sample failed.
    Missing: the log has no score.
    """,
    section="appendix",
    order=30,
)
def denominators(study: Study) -> Iterator[RowCells]:
    """Yield the number of samples behind each figure, by status."""
    for spec in study.catalogue.specs:
        for system in study.systems:
            counts = study.statuses.loc[(spec.key, system)]
            by_status = {str(status): int(count) for status, count in counts.items()}
            yield {"measure": spec.label, "system": system, "counts": by_status}


@analysis(
    "Runs",
    text="""
    The logs of each system; a run in slices or parts has several.
    """,
    section="method",
    order=80,
)
def runs(study: Study) -> Iterator[RowCells]:
    """Yield the settings, samples and logs of each run."""
    counts = study.answers["system"].value_counts()
    for run in study.rows:
        yield {
            "system": run.system,
            "solver": run.solver,
            "model": run.model,
            "graders": ", ".join(run.graders) or "-",
            "samples": int(counts.get(run.system, 0)),
            "status": run.status,
            "started": run.created,
            "log": ", ".join(map(file_name, run.logs)),
        }


@analysis(
    "Models that measured",
    text="""
    The local model of each scorer (for composites, of each part). Graders are in the table of runs.
    """,
    section="method",
    order=70,
)
def models(study: Study) -> Iterator[RowCells]:
    """Yield the models that scorers ran, with their systems."""
    has_value = study.scores["value"].notna() & study.scores["signature"].notna()
    signed = study.scores.loc[has_value, ["scorer", "system", "signature"]].drop_duplicates()
    systems: dict[tuple[str, str], dict[str, None]] = {}
    for scorer, system, signature in signed.itertuples(index=False):
        for model in Signature.parse(signature).models:
            systems.setdefault((scorer, model), {})[system] = None
    for (scorer, model), names in systems.items():
        yield {"scorer": scorer, "model": model, "systems": join_names(names)}
