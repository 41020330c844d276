"""Tables of retrieval: chunks found, read and missed, search ranking, and use of evidence."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from ..._util.wording import join_or_count
from ...measure import MeasureKey
from ...models.token_estimates import CHARACTERS_A_TOKEN
from ...stats.ranking import RANK_MEASURES, Ranking, rank_quality
from ..analysis import RowCells, Words, analysis
from ..cells import Cell, P, Share, Signed
from ..comparison.correctness import outcome_of
from ..comparison.means import mean_of_measure, mean_of_values
from ..comparison.retrieval import retrieving_systems, systems_without_loops
from ..study import Study, cached_per_study

_CHUNKS = (1, 2, 3, 5, 8, 10, 15, 20)
_TOKENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)


@analysis(
    "Retrieval",
    text="""
    Gold chunks among the chunks read. Recall ceiling: the highest recall possible with as many
    chunks read (k of n gold chunks for k chunks). Found, not read: gold chunks that a search
    returned but the system did not open. Loops and recall: Spearman's correlation over
    samples.
    """,
    meanings={
        "recall ceiling": "Highest recall possible with the number of chunks read",
        "found recall": "Share of the gold chunks that a search returned",
        "found, not read": (
            "Share of the gold chunks that a search returned but the system did not open"
        ),
        "loops and recall": "Spearman's correlation of turns and recall over samples",
    },
    section="retrieval",
    order=90,
)
def retrieval(study: Study) -> Iterator[RowCells]:
    """Yield recall with its ceiling, precision and unread gold of each system that retrieved."""
    key_of = study.catalogue.key_of
    names = key_of("recall"), key_of("precision"), key_of("search recall")
    for system, answers in retrieving_systems(study):
        recall_read, _, recall_retrieved = (study.values_of(system, name) for name in names)
        recall, precision, search_recall = (mean_of_measure(study, system, name) for name in names)
        looped = answers.dropna(subset=["loops"])
        correlation, p = _correlation(looped["loops"], looped["recall"])
        yield {
            "system": system,
            "recall": recall,
            "recall ceiling": _recall_ceiling(answers),
            "precision": precision,
            "found recall": search_recall,
            "found, not read": mean_of_values(study, recall_retrieved - recall_read, (0, 1)),
            "chunks read": float(answers["passages"].map(len).mean()),
            "loops and recall": correlation,
            "p": p,
            "n": len(answers),
        }


def _recall_ceiling(answers: pd.DataFrame) -> float:
    """Return the mean of the highest recall that the number of chunks read allows.

    That is k of n for k chunks read and n gold chunks, but at least the recall reached, since a
    chunk may contain the evidence of several gold chunks.
    """
    chunk_counts = answers["passages"].map(len)
    gold = answers["gold"].map(lambda gold: len(gold.chunk_ids))
    return float(np.maximum(answers["recall"], (chunk_counts / gold).clip(upper=1)).mean())


@analysis(
    "Recall by number of chunks read",
    text="""
    Mean recall of the first k chunks that a system read; a system that read fewer keeps its
    last value.
    """,
    section="retrieval",
    order=110,
)
def recall_by_chunks(study: Study) -> Iterator[RowCells]:
    """Yield the recall of the first k chunks read."""
    yield from _recall_growth(study, "chunks", _CHUNKS)


@analysis(
    "Recall by tokens read",
    text="""
    Mean recall of the chunks that fit into the first tokens read (four characters per token).
    """,
    section="retrieval",
    order=120,
)
def recall_by_tokens(study: Study) -> Iterator[RowCells]:
    """Yield the recall within the first tokens read."""
    yield from _recall_growth(study, "tokens", _TOKENS)


def _without_loops(study: Study) -> Words:
    systems = systems_without_loops(study)
    if not systems:
        return {"left_out": ""}
    names = join_or_count(systems, "system")
    return {"left_out": f"Left out because their passages have no `loop`: {names}."}


@analysis(
    "What each loop adds",
    text="""
    Mean recall after each loop over all samples, including those that ended earlier, and the
    gain of the loop. {left_out}
    """,
    words=_without_loops,
    section="retrieval",
    order=130,
)
def recall_by_loop(study: Study) -> Iterator[RowCells]:
    """Yield the recall that each loop adds."""
    for system, answers in retrieving_systems(study):
        loops = answers["loops"].fillna(0)
        reads = _first_reads(study)[system]
        if loops.max() <= 1 or system in systems_without_loops(study):
            continue
        before = 0.0
        for loop in range(1, int(loops.max()) + 1):
            after = _recall(reads, "loop", loop)
            yield {
                "system": system,
                "loop": loop,
                "samples still running": int((loops >= loop).sum()),
                "recall": after,
                "added": Signed(after - before),
            }
            before = after


def _recall_growth(study: Study, unit: str, steps: Sequence[int]) -> Iterator[RowCells]:
    """Yield the mean recall of every system that retrieved, after each step."""
    reads_by_system = _first_reads(study)
    if not reads_by_system:
        return
    for step in steps:
        recalls = {system: _recall(reads, unit, step) for system, reads in reads_by_system.items()}
        yield {unit: step, "recalls": recalls}


@cached_per_study
def _first_reads(study: Study) -> dict[str, pd.DataFrame]:
    """Return a row per gold chunk read, for each system that retrieved; see `_reads_of`."""
    return {system: _reads_of(answers) for system, answers in retrieving_systems(study)}


def _reads_of(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a row per gold chunk read: the chunks and tokens read by then, and the loop.

    `share` is its contribution to the mean recall of the answers.
    """
    rows = []
    for gold, passages in zip(answers["gold"], answers["passages"], strict=True):
        tokens = np.cumsum([len(passage.text) / CHARACTERS_A_TOKEN for passage in passages])
        order = {passages[i].chunk_id: i for i in reversed(range(len(passages)))}
        for chunk in gold.chunk_ids:
            copies = (chunk, *gold.copies.get(chunk, ()))
            reads = [order[copy] for copy in copies if copy in order]
            if reads:
                first = min(reads)
                share = 1 / len(gold.chunk_ids) / len(answers)
                rows.append((first + 1, tokens[first], passages[first].loop, share))
    return pd.DataFrame(rows, columns=["chunks", "tokens", "loop", "share"])


def _recall(reads: pd.DataFrame, unit: str, most: int) -> float:
    """Return the mean recall after a number of chunks, tokens or loops."""
    return float(reads.loc[reads[unit] <= most, "share"].sum())


def _correlation(loops: "pd.Series[float]", recalls: "pd.Series[float]") -> tuple[Cell, Cell]:
    if len(loops) < 3 or loops.nunique() < 2 or recalls.nunique() < 2:
        return None, None
    correlation = spearmanr(loops, recalls)
    return Signed(float(correlation.statistic)), P(float(correlation.pvalue))


_HOPS = 5
"""Number of searches of a sample with their own rows."""


@analysis(
    "Ranking of searches",
    text="""
    Where gold chunks rank in the results of a search. hit@1 and hit@5: a gold chunk in first place,
    in the first five results; recall@5: share of the gold chunks in the first five; MRR@10:
    reciprocal rank of the first; nDCG@10. Means over the samples, for all searches of a sample
    (averaged), then for its first search, the second and so on. A copy of a gold chunk counts as
    the chunk, once.
    """,
    section="retrieval",
    order=100,
)
def search_ranking(study: Study) -> Iterator[RowCells]:
    """Yield the ranking of all searches of a system, and of each hop."""
    hops = []
    for answer in study.answers.itertuples(index=False):
        if answer.gold.chunk_ids:
            for number, search in enumerate(answer.searches, start=1):
                ranking = Ranking(search.chunk_ids, answer.gold.by_chunk)
                hops.append((answer.system, answer.id, number, ranking))
    if not hops:
        return
    searches = pd.DataFrame(hops, columns=["system", "id", "hop", "ranking"])
    searches[list(RANK_MEASURES)] = rank_quality(list(searches.pop("ranking")))
    for system, rows in study.by_system(searches):
        groups: list[tuple[object, pd.DataFrame]] = [("all", rows)]
        if rows["hop"].max() > 1:
            groups += rows[rows["hop"] <= _HOPS].groupby("hop")
        for hop, group in groups:
            means = group.groupby("id")[list(RANK_MEASURES)].mean()
            if len(means):
                mean_columns = means.reindex(list(study.sample_ids)).to_numpy(float).T
                ranks = {
                    name: mean_of_values(study, np.array(column), (0, 1))
                    for name, column in zip(RANK_MEASURES, mean_columns, strict=True)
                }
                yield {"system": system, "search": str(hop), "samples": len(means), "ranks": ranks}


_GRADES = ("sufficient", "partial", "insufficient")
_OUTCOMES = ("right", "wrong", "abstained")


@analysis(
    "Sufficient evidence and right answers",
    text="""
    Answers by whether the evidence read suffices (majority of judges), and by outcome. Wrong
    despite sufficient evidence: an error of the writer. Right without sufficient evidence: memory,
    luck, or an error of the judge. Abstained without sufficient evidence: as intended. Shares are
    of the row's answers.
    """,
    section="retrieval",
    order=60,
)
def sufficiency(study: Study) -> Iterator[RowCells]:
    """Yield the outcomes of answers by grade of evidence."""
    scorer = MeasureKey.parse(study.catalogue.key_of("sufficiency")).scorer
    grades_by_key = {str(MeasureKey(scorer, grade)): grade for grade in _GRADES}
    if any(key not in study.by_answer for key in grades_by_key):
        return
    judged = study.by_answer[list(grades_by_key)].dropna().rename(columns=grades_by_key)
    grades = judged[judged.max(axis=1) > 0.5].idxmax(axis=1)
    counts: Counter[tuple[str, str, str | None]] = Counter(
        (answer.system, grades[answer.answer], outcome_of(study, answer))
        for answer in study.finished.itertuples(index=False)
        if answer.answer in grades
    )
    for system in study.systems:
        for grade in _GRADES:
            numbers = {outcome: counts[system, grade, outcome] for outcome in _OUTCOMES}
            n = sum(numbers.values())
            if n:
                yield {
                    "system": system,
                    "evidence": grade,
                    "answers": n,
                    "outcomes": {name: Share(numbers[name] / n) for name in _OUTCOMES},
                }
