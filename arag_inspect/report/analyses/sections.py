"""Table of the sections and topics that summaries use."""

import re
from collections.abc import Iterator

import pandas as pd

from ...types.score_metadata import read_metadata
from ..analysis import RowCells, analysis
from ..cells import Share, mean_over
from ..reading import parts_of
from ..study import Study

_MOST_PARTS = 40
"""Maximum rows of a kind; the most frequent ones come first."""

_PERIOD = re.compile(
    r"^(?:(?:fiscal|year|fy|[qh][1-4])[ _-]?)*\S*(?:19|20)\d\d\S*\s+", re.IGNORECASE
)
"""Period at the beginning of a section's name, e.g. of an earlier call in the same document."""


def _without_period(name: str) -> str:
    kind = _PERIOD.sub("", name)
    return name if kind == name else f"{kind} (of a named period)"


@analysis(
    "Sections and topics used",
    text="""
    Share of the summaries that use a section or topic, over the n whose documents have it,
    counting every epoch. A sentence belongs to the section of its nearest sentence in the text
    read; topics are recognised by their words. Sections whose names begin with a period, such
    as those of earlier calls, are counted together.
    """,
    section="retrieval",
    order=140,
)
def sections(study: Study) -> Iterator[RowCells]:
    """Yield the share of summaries that use each section or topic."""
    scores = study.scores_of(study.catalogue.key_of("sections"))
    first = scores.drop_duplicates("answer")
    rows = []
    for row in first.itertuples(index=False):
        for part in parts_of(read_metadata(row.details)):
            part["name"] = _without_period(part["name"])
            rows.append(part | {"answer": row.answer, "system": row.system})
    if not rows:
        return
    keys = ["answer", "system", "kind", "name"]
    frame = pd.DataFrame(rows).groupby(keys, sort=False)["drawn"].any().reset_index()
    sizes = frame.groupby(["kind", "name"], sort=False).size()
    ranks = sizes.groupby("kind").rank(ascending=False, method="first")
    most_frequent = sizes[ranks <= _MOST_PARTS]
    uses = dict(list(frame.groupby(["kind", "name"], sort=False)))
    for part in sorted(most_frequent.index, key=lambda part: part[0]):
        kind, name = part
        shares = {
            system: mean_over(rows["drawn"], Share) for system, rows in study.by_system(uses[part])
        }
        yield {"kind": kind, "name": name, "shares": shares}
