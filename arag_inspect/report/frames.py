"""Logs as tidy pandas frames: the only input of everything that prints a figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..measure import MeasureSpec
from .rows import AnswerKeys, AnswerRow, RunRow, ScoreRow, VerdictRow

if TYPE_CHECKING:
    import pandas as pd

NOT_ANSWERED = ("skipped", "errored")
"""Outcomes of samples without effort; effort is averaged over the others."""

NO_MODEL = "none/none"
"""Model of a run whose answers no model of Inspect wrote, e.g. those of an external system."""

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class InferredMeasure(MeasureSpec):
    """A measure that no scorer declares, described from its values."""

    is_assumed: bool = False
    """Whether its direction is only assumed, because its values are 0 and 1."""


class Notice(NamedTuple):
    """One line for the reader of the report."""

    level: Level
    """`error`: data was left out; `warning`: a comparison is in doubt; `note`: a choice was made.
    """

    text: str
    location: str = ""
    """Log concerned, if any."""


KEYS = AnswerKeys._fields
"""Columns that answers, scores and verdicts share."""

Row = dict[str, Any]
"""A row of a frame, by column."""


class LogOptions(NamedTuple):
    """User-supplied information that logs do not contain."""

    lower: tuple[str, ...] = ()
    """Measures for which a lower value is better."""

    higher: tuple[str, ...] = ()
    """Measures for which a higher value is better."""

    labels: Mapping[str, str] = {}
    """Name of the system by log, which is given as a path, the end of a path, or a file name."""

    cluster: str | None = None
    """Metadata key or field that groups samples; None groups by company or document."""

    every: bool = False
    """Whether every run of a system counts, not just the newest."""

    def label(self, location: str) -> str | None:
        """Return the name that the user gave to the system of a log."""
        path = "/" + location.removeprefix("file://").lstrip("/")
        ends = {file: "/" + file.removeprefix("./").lstrip("/") for file in self.labels}
        matches = (file for file, end in ends.items() if file == location or path.endswith(end))
        return next((self.labels[file] for file in matches), None)


class Frames(NamedTuple):
    """Tidy frames with the keys `eval_id` and `sample_id` of Inspect's own."""

    answers: "pd.DataFrame"
    """One row per answer, see `AnswerRow`."""

    scores: "pd.DataFrame"
    """One row per answer and measure, see `ScoreRow`."""

    runs: "pd.DataFrame"
    """One row per log that counts, see `RunRow`."""

    verdicts: "pd.DataFrame"
    """One row per judge's verdict, and per value taken again, see `VerdictRow`."""

    notices: tuple[Notice, ...] = ()
    """Notices about data that was left out or is in doubt."""

    def __repr__(self) -> str:
        """Return the number of rows of each frame."""
        sizes = {name: len(getattr(self, name)) for name in self._fields}
        return f"Frames: {', '.join(f'{size:,} {name}' for name, size in sizes.items())}"

    @property
    def tables(self) -> "tuple[pd.DataFrame, ...]":
        """The frames without the notices."""
        return self.answers, self.scores, self.runs, self.verdicts

    def apply(self, change: "Callable[[pd.DataFrame], pd.DataFrame]") -> "Frames":
        """Return frames that are all changed in the same way, without notices."""
        return Frames(*map(change, self.tables))

    def with_scores(self, rows: Sequence[Mapping[str, Any]]) -> "Frames":
        """Return frames with additional scores, e.g. human ones; missing columns stay empty."""
        import pandas as pd

        cells = [tuple(map(row.get, ScoreRow._fields)) for row in rows]
        scores = pd.concat([self.scores, make_frame(cells, ScoreRow)], ignore_index=True)
        keys = ["benchmark", "system"]
        added = pd.DataFrame(rows).groupby(keys, sort=False)["measure"].unique().to_dict()
        runs = self.runs.copy()
        measures_by_run = []
        for run in runs.itertuples():
            added_to_run = added.get((run.benchmark, run.system), ())
            measures_by_run.append(tuple(dict.fromkeys([*run.measures, *added_to_run])))
        runs["measures"] = measures_by_run
        return self._replace(scores=scores, runs=runs)

    def steps(self) -> "pd.DataFrame":
        """Return one row per search or passage of an answer, by loop."""
        import pandas as pd

        rows: list[Row] = []
        for row in self.answers.itertuples(index=False):
            keys = {"answer": row.answer, "system": row.system, "id": row.id}
            for search in row.searches:
                query = search.query if isinstance(search.query, str) else "; ".join(search.query)
                step = {"loop": search.loop, "tool": search.tool, "query": query}
                rows.append(keys | step | {"kind": "search"})
            for passage in row.passages:
                step = {"loop": passage.loop, "chunk_id": passage.chunk_id}
                gold = passage.chunk_id in row.gold.all
                rows.append(keys | step | {"kind": "passage", "gold": gold})
        names = ["answer", "system", "id", "loop", "kind", "tool", "query", "chunk_id", "gold"]
        return pd.DataFrame(rows, columns=names)


def concatenate(parts: Sequence[Frames]) -> Frames:
    """Return frames with the rows of all parts, without notices."""
    import pandas as pd

    tables = zip(*(part.tables for part in parts), strict=True)
    return Frames(*(pd.concat(frames, ignore_index=True) for frames in tables))


def make_frame(
    rows: Sequence[tuple[Any, ...]], row_type: type[RunRow | AnswerRow | ScoreRow | VerdictRow]
) -> "pd.DataFrame":
    """Make a frame whose texts and records stay Python objects; missing values are None."""
    import pandas as pd

    cells = zip(*rows, strict=True) if rows else repeat(())
    columns = {}
    for (name, type_), column in zip(row_type.__annotations__.items(), cells, strict=False):
        dtype = type_ if type_ in (int, float) else object
        columns[name] = pd.Series(list(column), dtype=dtype)
    return pd.DataFrame(columns)
