"""Logs as three tidy pandas frames: the only input of everything that prints a figure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

Status = Literal["scored", "unscored", "skipped", "errored", "missing"]
"""`unscored`: the scorer gave a reason instead of a value; `skipped`: the system did not answer;
`errored`: the sample failed; `missing`: there is no score.
"""

Outcome = Literal["answered", "refused", "truncated", "empty", "errored", "skipped"]
"""Outcome of a sample. `truncated`: the answer was cut off, or a limit of Inspect ended the sample.
"""


Level = Literal["error", "warning", "note"]


class Notice(NamedTuple):
    """One line for the reader of the report."""

    level: Level
    """`error`: something is left out; `warning`: a comparison is in doubt; `note`: a choice was
    made.
    """

    text: str
    location: str = ""
    """Log concerned, if any."""


RUNS = {
    "eval_id": "Inspect's id of the run, as in `evals_df`",
    "benchmark": "comparable runs: task, data set and version, e.g. `ectsum (ectsum-val), version 1`",
    "task": "name of the task",
    "version": "version of the task",
    "dataset": "name of the data set",
    "system": "name of the system, unique in its benchmark",
    "solver": "`arag`, `naive_rag`, ...",
    "model": "model under test",
    "graders": "models that judged, a tuple",
    "parameters": "parameters of solver, task and generation, a dict",
    "corpus": "digest of the corpus; None if unknown",
    "made_with": "versions of packages, prompts and commit, a dict",
    "location": "the log",
    "created": "time, ISO 8601",
    "status": "Inspect's: success, started, cancelled or error",
    "planned": "samples that were asked for, each epoch counted",
    "asked": "samples that were asked for by id and epoch, as far as the log names them, a set",
    "limited": "whether the run was asked for a part of the data set",
    "invalidated": "samples declared invalid, by id and epoch, a set; they are no answers",
    "impossible": "values left out since they cannot be, in words, or None",
    "run_id": "Inspect's id of the command",
    "task_id": "Inspect's id of the run, which stays when the run is taken up again",
    "measures": "keys of the measures, a tuple in the order of the scorers",
    "declared": "`MeasureSpec` by key, as the scorers declare them, a dict",
    "headline": "measure that the task names as its headline, or None",
    "label": "name that the user gave to the system, or None",
}
"""Columns of `Frames.runs`, one row per log that counts."""

ANSWERS = {
    "answer": "number of the row, for joins with scores",
    "eval_id": "see runs",
    "sample_id": "Inspect's unique id of the answer, as in `samples_df`",
    "benchmark": "see runs",
    "system": "see runs",
    "model": "see runs",
    "id": "id of the sample, as text",
    "epoch": "from 1",
    "company": "groups samples; empty if unknown",
    "period": "e.g. `Q3_2021`; empty if unknown",
    "style": "kind of text asked for, e.g. `earnings_call` or `qa`",
    "question_type": "kind of question, or None",
    "question_reasoning": "kind of reasoning, or None",
    "source": "data set of the sample",
    "input": "question",
    "target": "reference",
    "text": "answer",
    "outcome": "answered, refused, truncated, empty, errored or skipped",
    "error": "first line of the error, reason of the skip, or limit; else None",
    "answered_by": "solver named in the trace; empty without a trace",
    "stopped_by": "answer, max_loops, token_budget, skipped or error; None without a trace",
    "context": "kind of passages: retrieved, document, gold, none or unknown",
    "words": "words of the answer",
    "target_length": "words asked for, or None",
    "loops": "turns of the agent; NaN if unknown",
    "input_tokens": "NaN if unknown",
    "output_tokens": "NaN if unknown",
    "tokens": "sum of the two that are known",
    "cost_usd": "US dollars of the system under test; NaN if unknown",
    "latency_ms": "milliseconds of working time, without waits; NaN if unknown",
    "wall_ms": "milliseconds from the first call to the answer; NaN if unknown",
    "cached_calls": "calls that Inspect's cache answered",
    "searches": "`Search` records, a tuple",
    "passages": "`Passage` records read, a tuple in the order of first reading",
    "gold": "`GoldChunks`: chunks with the evidence, and copies of them",
    "gold_missed": "gold chunks that were not read, a tuple",
    "evidence": "texts of the evidence, a tuple",
    "doc_ids": "documents of the sample, a tuple",
    "facts": "`SampleFact` records against which answers are scored, a tuple",
    "codes": "error codes, a tuple; None if no taxonomy was applied",
}
"""Columns of `Frames.answers`, one row per sample, epoch and system."""

KEYS = ("answer", "eval_id", "sample_id", "benchmark", "system", "id", "epoch", "company")
"""Columns that answers, scores and verdicts share."""

SCORES = {
    "answer": "number of the answer's row",
    "eval_id": "see runs",
    "sample_id": "see answers",
    "benchmark": "see runs",
    "system": "see runs",
    "id": "see answers",
    "epoch": "see answers",
    "company": "see answers",
    "measure": "`scorer`, or `scorer.key` of a score with several keys",
    "scorer": "name of the scorer",
    "value": "NaN without one",
    "status": "scored, unscored, skipped, errored or missing",
    "reason": "why there is no value, or None",
    "signature": "how the measure was taken, or None",
    "text": "explanation of the scorer, or None",
    "details": "metadata of the scorer",
    "scale": "lowest and highest grade, a `Scale`, or None",
}
"""Columns of `Frames.scores`, one row per answer and measure."""

VERDICTS = {
    **{name: SCORES[name] for name in KEYS},
    "measure": "the scorer that asked, or the measure that was taken again",
    "scorer": "name of the scorer",
    "judge": "the judge; empty for a value that was taken again",
    "repeat": "0, or the number of the repetition by `rejudge`",
    "value": "NaN without one",
    "said": "the verdict where it is a word or a list of codes",
    "reason": "why there is no value, or None",
    "signature": "how the measure was taken, or None",
    "text": "the judge's whole reply",
    "details": "criteria of the verdict, a tuple",
    "input_tokens": "of the judge",
    "output_tokens": "of the judge",
    "cost_usd": "US dollars of the judge; NaN if unknown",
}
"""Columns of `Frames.verdicts`, one row per judge's verdict and per value taken again."""

_NUMBERS = frozenset(
    (
        "loops",
        "input_tokens",
        "output_tokens",
        "tokens",
        "cost_usd",
        "latency_ms",
        "wall_ms",
        "value",
    )
)
_COUNTS = frozenset(("answer", "epoch", "words", "cached_calls", "planned", "repeat"))


Row = dict[str, Any]
"""A row of a frame, by column."""


class Frames(NamedTuple):
    """Tidy frames with the keys `eval_id` and `sample_id` of Inspect's own."""

    answers: "pd.DataFrame"
    """One row per answer, columns `ANSWERS`."""

    scores: "pd.DataFrame"
    """One row per answer and measure, columns `SCORES`."""

    runs: "pd.DataFrame"
    """One row per log that counts, columns `RUNS`."""

    verdicts: "pd.DataFrame"
    """One row per judge's verdict, and per value taken again, columns `VERDICTS`."""

    notices: tuple[Notice, ...] = ()
    """What was left out or is in doubt."""

    def with_scores(self, rows: Sequence[Mapping[str, Any]]) -> "Frames":
        """Return frames with more scores, e.g. of people; columns that a row lacks are empty."""
        import pandas as pd

        scores = pd.concat([self.scores, make_frame(rows, SCORES)], ignore_index=True)
        added = pd.DataFrame(rows).groupby("eval_id", sort=False)["measure"].unique().to_dict()
        runs = self.runs.copy()
        runs["measures"] = [
            tuple(dict.fromkeys((*own, *added.get(run, ()))))
            for run, own in zip(runs["eval_id"], runs["measures"], strict=True)
        ]
        return self._replace(scores=scores, runs=runs)

    def steps(self) -> "pd.DataFrame":
        """Return one row per search or passage of an answer, by loop."""
        import pandas as pd

        rows = [
            {"answer": answer, "system": system, "id": sample, **step}
            for answer, system, sample, searches, passages, gold in self.answers[
                ["answer", "system", "id", "searches", "passages", "gold"]
            ].itertuples(index=False)
            for step in (
                *(
                    {
                        "loop": search.loop,
                        "kind": "search",
                        "tool": search.tool,
                        "query": search.query
                        if isinstance(search.query, str)
                        else "; ".join(search.query),
                    }
                    for search in searches
                ),
                *(
                    {
                        "loop": passage.loop,
                        "kind": "passage",
                        "chunk_id": passage.chunk_id,
                        "gold": passage.chunk_id in gold.all,
                    }
                    for passage in passages
                ),
            )
        ]
        keys = ("answer", "system", "id", "loop", "kind", "tool", "query", "chunk_id", "gold")
        return pd.DataFrame(rows, columns=keys)


def make_frame(rows: Sequence[Mapping[str, Any]], columns: dict[str, str]) -> "pd.DataFrame":
    """Make a frame with some columns, whose texts and records stay Python objects: an absent one is None."""
    import pandas as pd

    cells = {name: [row.get(name) for row in rows] for name in columns}
    frame = pd.DataFrame(cells, dtype=object)
    types = {name: float for name in columns if name in _NUMBERS}
    return frame.astype(types | {name: int for name in columns if name in _COUNTS})
