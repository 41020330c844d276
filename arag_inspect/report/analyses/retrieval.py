"""Tables of retrieval: chunks found, read and missed, sections used, what became of evidence."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from ..._util.untrusted import records_in
from ...stats.estimates import compare, holm
from ...stats.ranking import RANK_MEASURES, Ranking, rank_quality
from ..analysis import Words, analysis
from ..comparisons import family_of
from ..fact_paths import LOSSES, STAGES, fact_paths, outcome_of, shares
from ..labels import BOUNDS
from ..study import Study, once
from ..table import Cell, P, Share, Signed, mean_over

_CHUNKS = (1, 2, 3, 5, 8, 10, 15, 20)
_TOKENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
_CHARACTERS_A_TOKEN = 4


@analysis(
    "retrieval",
    "Retrieval",
    columns=(
        "system | recall | recall ceiling | precision | found recall | "
        "found, not read | chunks read | loops and recall | p | n"
    ),
    after="criteria_met",
)
def retrieval(study: Study) -> Iterator[Sequence[Cell]]:
    """Return recall beside its ceiling, precision and unread gold; None if no system retrieved.

    Gold chunks among those read. Recall ceiling: the highest that the number of chunks read
    allows, k of n gold chunks for k that were read. Found, not read: gold chunks that a
    search returned and the system did not open. Loops and recall: Spearman's correlation
    over samples.
    """
    for system, answers in _retrieving(study):
        names = [study.key_of(aspect) for aspect in ("recall", "precision", "search recall")]
        read, _, retrieved = (study.of(system, name) for name in names)
        recall, precision, search_recall = (study.estimate(system, name) for name in names)
        looped = answers.dropna(subset=["loops"])
        yield (
            system,
            recall,
            _ceiling(answers),
            precision,
            search_recall,
            study.mean(retrieved - read, (0, 1)),
            float(answers["passages"].map(len).mean()),
            *_correlation(looped["loops"], looped["recall"]),
            len(looped),
        )


def _ceiling(answers: pd.DataFrame) -> float:
    """Return the mean of the highest recall that the number of chunks read allows.

    That is k of n for k chunks read and n gold chunks, but not less than was reached, since a chunk
    may hold the evidence of several gold chunks.
    """
    read = answers["passages"].map(len)
    gold = answers["gold"].map(lambda gold: len(gold.chunk_ids))
    return float(np.maximum(answers["recall"], (read / gold).clip(upper=1)).mean())


def _columns(study: Study) -> Words:
    return {"retrieving": [system for system, _ in _retrieving(study)]}


@analysis(
    "retrieval",
    "Recall by number of chunks read",
    columns="chunks | $retrieving",
    after="search_ranking",
    words=_columns,
)
def recall_by_chunks(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the recall of the first k chunks read; None if no system retrieved.

    Mean recall of the first k chunks that a system read; one that read fewer stays at its
    last value.
    """
    yield from _growth(study, "chunks", _CHUNKS)


@analysis(
    "retrieval",
    "Recall by tokens read",
    columns="tokens | $retrieving",
    after="recall_by_chunks",
    words=_columns,
)
def recall_by_tokens(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the recall within the first tokens read; None if no system retrieved.

    Mean recall of the chunks that fit into the first tokens read (four characters per
    token).
    """
    yield from _growth(study, "tokens", _TOKENS)


@analysis(
    "retrieval",
    "What each loop adds",
    columns="system | loop | samples still running | recall | added",
    after="recall_by_tokens",
)
def recall_by_loop(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the recall added by each loop; None if no system has several loops.

    Mean recall after each loop over all samples, including those that had ended before, and
    the gain of the loop.
    """
    for system, answers in _retrieving(study):
        loops, before = answers["loops"].fillna(0), 0.0
        reads = _first_reads(answers)
        for loop in range(1, int(loops.max()) + 1) if loops.max() > 1 else ():
            after = _recall(reads, "loop", loop)
            yield system, loop, int((loops >= loop).sum()), after, Signed(after - before)
            before = after


def _growth(study: Study, unit: str, steps: Sequence[int]) -> Iterator[Sequence[Cell]]:
    """Yield the mean recall of every system that retrieved, after each step."""
    systems = [_first_reads(answers) for _, answers in _retrieving(study)]
    for step in steps if systems else ():
        yield step, *(_recall(reads, unit, step) for reads in systems)


@once
def _retrieving(study: Study) -> list[tuple[str, pd.DataFrame]]:
    """Return the answers with a recall of every system that has some."""
    scores = study.scores
    recall = scores[scores["measure"] == study.key_of("recall")].set_index("answer")["value"]
    answers = study.answers.assign(recall=recall).dropna(subset=["recall"])
    return [(system, of_system) for system, of_system in study.by_system(answers) if len(of_system)]


def _first_reads(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a row per gold chunk that was read: with how many chunks and tokens, and in which loop.

    `share` is its part in the mean recall of the answers.
    """
    rows = []
    for gold, passages in zip(answers["gold"], answers["passages"], strict=True):
        tokens = np.cumsum([len(passage.text) / _CHARACTERS_A_TOKEN for passage in passages])
        order = {passages[i].chunk_id: i for i in reversed(range(len(passages)))}
        for chunk in gold.chunk_ids:
            copies = (chunk, *gold.copies.get(chunk, ()))
            if reads := [order[copy] for copy in copies if copy in order]:
                first, share = min(reads), 1 / len(gold.chunk_ids) / len(answers)
                rows.append((first + 1, tokens[first], passages[first].loop, share))
    return pd.DataFrame(rows, columns=["chunks", "tokens", "loop", "share"])


def _recall(reads: pd.DataFrame, unit: str, most: int) -> float:
    """Return the mean recall after so many chunks, tokens or loops."""
    return float(reads.loc[reads[unit] <= most, "share"].sum())


def _correlation(loops: "pd.Series[float]", recalls: "pd.Series[float]") -> tuple[Cell, Cell]:
    if len(loops) < 3 or loops.nunique() < 2 or recalls.nunique() < 2:
        return None, None
    correlation = spearmanr(loops, recalls)
    return Signed(float(correlation.statistic)), P(float(correlation.pvalue))


_HOPS = 5
"""Searches of a sample that have a row of their own."""


@analysis(
    "retrieval",
    "Ranking of searches",
    columns="system | search | samples | hit@1 | hit@5 | recall@5 | MRR@10 | nDCG@10",
    after="retrieval",
)
def search_ranking(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the ranking of all searches and of each hop; None without searches or gold.

    Where gold chunks stand in what a search returned: in the first place, in the first
    five, the share of them in the first five, the reciprocal rank of the first, and nDCG.
    Mean over the samples; of all searches of a sample their mean, then the first search,
    the second and so on. A copy of a gold chunk counts as the chunk, once.
    """
    hops = [
        (answer.system, answer.id, hop, Ranking(search.chunk_ids, answer.gold.by_chunk))
        for answer in study.answers.itertuples(index=False)
        if answer.gold.chunk_ids
        for hop, search in enumerate(answer.searches, start=1)
    ]
    if not hops:
        return
    searches = pd.DataFrame(hops, columns=["system", "id", "hop", "ranking"])
    searches[list(RANK_MEASURES)] = rank_quality(list(searches.pop("ranking")))
    for system, of_system in study.by_system(searches):
        several = of_system["hop"].max() > 1
        parts = of_system[of_system["hop"] <= _HOPS].groupby("hop") if several else ()
        for hop, part in (("all", of_system), *parts):
            means = part.groupby("id")[list(RANK_MEASURES)].mean()
            if len(means):
                every = means.reindex(list(study.sample_ids)).to_numpy(float).T
                cells = (study.mean(np.array(column), (0, 1)) for column in every)
                yield system, str(hop), len(means), *cells


_PARTS = {"section": "sections", "topic": "topics"}
"""Key of the name, and of the list in the scorer's metadata."""

_MOST_PARTS = 40
"""Most rows of a kind; the most frequent ones come first."""


def parts_of(details: object) -> list[dict[str, Any]]:
    """Return the sections and topics of an answer, each once: kind, name, drawn (used), read.

    Args:
        details: Metadata of a scorer of sections.
    """
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for kind, key in _PARTS.items():
        for entry in records_in(details, key):
            name = str(entry.get(kind, ""))
            new = {"kind": kind, "name": name, "drawn": False, "read": False}
            part = parts.setdefault((kind, name), new)
            part["drawn"] |= bool(entry.get("sentences"))
            part["read"] |= bool(entry.get("read"))
    return list(parts.values())


@analysis(
    "retrieval",
    "Sections and topics used",
    columns="kind | name | $systems",
    after="recall_by_loop",
)
def sections(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the share of summaries that use each part; None if not measured.

    Share of the summaries that use a section or topic, over the n whose documents have it,
    each epoch counted. A sentence belongs to the section of its nearest sentence in the
    text read; topics are found by their words.
    """
    scores = study.scores[study.scores["measure"] == study.key_of("sections")]
    first = scores.drop_duplicates("answer")
    rows = [
        part | {"system": system}
        for system, details in zip(first["system"], first["details"], strict=True)
        for part in parts_of(details)
    ]
    if not rows:
        return
    frame = pd.DataFrame(rows)
    sizes = frame.groupby(["kind", "name"], sort=False).size()
    kept = sizes[sizes.groupby("kind").rank(ascending=False, method="first") <= _MOST_PARTS]
    drawn = dict(list(frame.groupby(["kind", "name", "system"])["drawn"]))
    for part in sorted(kept.index, key=lambda part: part[0]):
        yield *part, *(mean_over(drawn.get((*part, system), ()), Share) for system in study.systems)


_GRADES = ("sufficient", "partial", "insufficient")
_OUTCOMES = ("right", "wrong", "abstained")
_MOST_FACTS = 5
"""Most facts listed of a system and stage."""


@analysis(
    "retrieval",
    "Sufficient evidence and right answers",
    columns="system | evidence | answers | right | wrong | abstained",
    after="bounds",
)
def sufficiency(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the outcomes of answers by grade of evidence; None if it was not judged.

    Answers by whether what was read suffices (by most judges), and by what came of them.
    Wrong in spite of sufficient evidence: the writer. Right without it: memory, luck, or a
    judge that errs. Abstained without it: as it should be. Shares are of the row's answers.
    """
    scorer = study.key_of("sufficiency").split(".")[0]
    keys = [f"{scorer}.{grade}" for grade in _GRADES]
    if any(key not in study.by_answer for key in keys):
        return
    judged = study.by_answer[keys].dropna()
    grades = judged[judged.max(axis=1) > 0.5].idxmax(axis=1)
    counts: Counter[tuple[str, str, str | None]] = Counter(
        (answer.system, grades[answer.answer].split(".")[1], outcome_of(study, answer))
        for answer in study.finished.itertuples(index=False)
        if answer.answer in grades
    )
    for system in study.systems:
        for grade in _GRADES:
            numbers = [counts[system, grade, outcome] for outcome in _OUTCOMES]
            if n := sum(numbers):
                yield system, grade, n, *(Share(count / n) for count in numbers)


@analysis(
    "retrieval",
    "The path of every fact",
    columns="system | stage | facts | share",
    id="fact_paths",
    after="by_length",
)
def paths(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the facts of each system by the stage where their path ends.

    Each reference fact once per answer. Read and stated: a passage that was read holds it,
    and the answer states it. Stated, not read: from memory, or from a text that the trace
    lacks. Stated wrongly: with another figure; of a question, a wrong answer though the
    evidence was read. Found, not read: a search returned its chunk. Not found: no search
    did. Share: mean over samples, with its interval over {clusters}. Not located: no
    passage read states it, and the log does not name its chunk, so that it is unknown
    whether it was found.
    """
    counts = fact_paths(study).groupby(["system", "stage"], sort=False).size()
    for system in study.systems:
        for stage, name in STAGES.items():
            if n := int(counts.get((system, stage), 0)):
                yield system, name, n, study.mean(shares(study)[system, stage], (0, 1))


@analysis(
    "retrieval",
    "Where one system loses more facts than another",
    columns="stage | a | b | n | a - b | p | p corrected",
    id="fact_path_differences",
    after="fact_paths",
)
def fact_differences(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the paired differences of every stage that loses facts.

    Difference of the shares of facts at a stage, a - b, on the samples of both, without the
    closed book; p by exact or approximate randomisation of {clusters}, corrected over the
    table (Holm).
    """
    stage_shares = shares(study)
    pairs = []
    for a, b in family_of(study).pairs:
        if "closed_book" in (study.runs.loc[a, "solver"], study.runs.loc[b, "solver"]):
            continue
        for stage in LOSSES:
            if (a, stage) not in stage_shares or (b, stage) not in stage_shares:
                continue
            of_a, of_b = stage_shares[a, stage], stage_shares[b, stage]
            paired = compare(of_a, of_b, study.clusters, span=1.0)
            if paired is not None and (paired.wins or paired.losses):
                pairs.append((stage, a, b, paired))
    corrected = holm([paired.p for *_, paired in pairs])
    for (stage, a, b, paired), p in zip(pairs, corrected, strict=True):
        gap = Signed(paired.difference, paired.low, paired.high)
        yield STAGES[stage], a, b, paired.n, gap, P(paired.p), P(p)


@analysis(
    "retrieval",
    "Facts that were lost",
    columns="system | stage | sample | fact | chunk | said",
    after="fact_path_differences",
    words=lambda _: {"listed": str(_MOST_FACTS)},
)
def lost_facts(study: Study) -> Iterator[Sequence[Cell]]:
    """Return examples of lost facts.

    The first {listed} facts of each system and stage, in the order of the samples. Chunk:
    the one that holds the fact. Said: what the answer has instead. All of them:
    `arag_inspect.report.fact_paths`.
    """
    every = fact_paths(study)
    for system, of_system in study.by_system(every):
        retrieves = study.runs.loc[system, "solver"] not in BOUNDS
        for stage in LOSSES if retrieves else ():
            for row in (
                of_system[of_system["stage"] == stage].head(_MOST_FACTS).itertuples(index=False)
            ):
                yield system, STAGES[stage], row.id, row.text, row.chunk_id, row.said
