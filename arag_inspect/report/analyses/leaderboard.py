"""The leaderboard: one row per system, with primary measures, cost and speed."""

from collections.abc import Iterator

from ..._util.wording import join_names
from ...measure import MeasureSpec
from ..analysis import RowCells, Words, analysis
from ..cells import Cell, Share
from ..comparison.basis import part_of, partial_bases
from ..comparison.contestants import family_of
from ..comparison.correctness import (
    RIGHTLY_DECLINED,
    declined_by_program,
    declined_shares,
    describe_declined,
    rightly_declined_shares,
)
from ..comparison.effort import IN_PARALLEL, concurrent_systems, time_percentiles, timed_at_once
from ..comparison.leads import ORDER
from ..comparison.ranking import Leaderboard, Standing, rank_systems
from ..comparison.unjudged import not_judged
from ..study import Study

_PARTIAL = "If a measure has no value on some samples, n is the number with a value."


def _words(study: Study) -> Words:
    board = rank_systems(study)
    is_partial = any(_is_partial(study, measure) for measure in board.measures)
    return {
        "unjudged": " ".join(f"{text}." for text in not_judged(study)),
        "partial": _PARTIAL if is_partial else "",
        "effort": _describe_effort(study, board),
        "declined": _describe_declined(study),
        "order": ORDER,
        "apart": ", separately for each model" if family_of(study).partial else "",
    }


def _describe_effort(study: Study, board: Leaderboard) -> str:
    """Return a sentence on the columns of cost, latency and tokens that have any value."""
    latencies = time_percentiles(study, 0.5)
    columns = {
        "cost": [row.cost for row in board.rows],
        "latency (median working time)": [*latencies.values()],
        "tokens": [row.tokens for row in board.rows],
    }
    present = [name for name, cells in columns.items() if any(cells)]
    if not present:
        return ""
    sentences = [f"Per question, over the n answers with a value: {join_names(present)}."]
    timed = [row.system for row in board.rows if latencies[row.system]]
    concurrent = [system for system in timed if system in concurrent_systems(study)]
    if concurrent:
        names = join_names(concurrent)
        sentences.append(f"{names} ran at the same time and may have waited for each other.")
    at_once = [system for system in timed if system in timed_at_once(study)]
    if at_once:
        sentences.append(
            f"Latency may be overstated, because samples ran {IN_PARALLEL}: {join_names(at_once)}."
        )
    return " ".join(sentences)


def _describe_declined(study: Study) -> str:
    """Return what the columns of declined questions mean that have any value."""
    sentences = [f"Declined: {describe_declined(study)}"] if declined_shares(study) else []
    if any(rightly_declined_shares(study).values()):
        sentences.append(f"Rightly declined: {RIGHTLY_DECLINED}")
    return " ".join(sentences)


def _is_partial(study: Study, measure: MeasureSpec) -> bool:
    """Return whether a primary measure lacks values on some samples of a system."""
    return any(key == measure.key for key, _ in partial_bases(study))


@analysis(
    "Leaderboard",
    text="""
    {unjudged} Primary measures with their 95 % intervals. {order} Systems between which no
    difference is shown share a rank{apart}; a system without a comparison has none.
    {partial} {effort} Answered: share of samples with an answer. {declined}
    """,
    words=_words,
    section="overview",
    order=10,
)
def leaderboard(study: Study) -> Iterator[RowCells]:
    """Yield a row for each system, best first."""
    board = rank_systems(study)
    latencies = time_percentiles(study, 0.5)
    declined = declined_shares(study)
    rightly_declined = rightly_declined_shares(study)
    for row in board.rows:
        measures = zip(board.measures, row.standings, strict=True)
        yield {
            "system": row.system,
            "measures": {
                measure.key: _standing_cells(study, measure, standing)
                for measure, standing in measures
            },
            "cost per question (USD)": row.cost,
            "p50 ms": latencies[row.system],
            "tokens": row.tokens,
            "answered": row.answered,
            "declined": Share(declined[row.system]) if row.system in declined else None,
            "rightly declined": rightly_declined[row.system],
            "rightly declined by first sentence": declined_by_program(study).get(row.system),
        }


def _standing_cells(study: Study, measure: MeasureSpec, standing: Standing | None) -> RowCells:
    label = measure.label
    cells: dict[str, Cell] = {
        label: standing.mean if standing else None,
        f"rank, {label}": standing.number if standing else None,
    }
    if _is_partial(study, measure):
        cells[f"n, {label}"] = part_of(standing.mean.n, study) if standing else None
    return cells
