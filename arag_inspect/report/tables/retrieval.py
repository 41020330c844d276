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
from ..advice import BOUNDS, LOSSES
from ..comparisons import family_of
from ..fact_paths import STAGES, fact_paths, outcome_of, shares
from ..study import Study, once
from ..table import Cell, P, Share, Signed, Table, Words, describe, mean_over, tabled

_CHUNKS = (1, 2, 3, 5, 8, 10, 15, 20)
_TOKENS = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
_CHARACTERS_A_TOKEN = 4


@tabled("retrieval")
def retrieval(study: Study) -> Iterator[Sequence[Cell]]:
    """Return recall beside its ceiling, precision and unread gold; None if no system retrieved."""
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


@tabled("recall_by_chunks", _columns)
def recall_by_chunks(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the recall of the first k chunks read; None if no system retrieved."""
    yield from _growth(study, "chunks", _CHUNKS)


@tabled("recall_by_tokens", _columns)
def recall_by_tokens(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the recall within the first tokens read; None if no system retrieved."""
    yield from _growth(study, "tokens", _TOKENS)


@tabled("recall_by_loop")
def recall_by_loop(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the recall added by each loop; None if no system has several loops."""
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
    return [(system, own) for system, own in study.by_system(answers) if len(own)]


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


@tabled("search_ranking")
def search_ranking(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the ranking of all searches and of each hop; None without searches or gold."""
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
    for system, own in study.by_system(searches):
        several = own["hop"].max() > 1
        parts = own[own["hop"] <= _HOPS].groupby("hop") if several else ()
        for hop, part in (("all", own), *parts):
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


@tabled("sections")
def sections(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the share of summaries that use each part; None if not measured."""
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
        yield *part, *(mean_over(drawn.get((*part, own), ()), Share) for own in study.systems)


_GRADES = ("sufficient", "partial", "insufficient")
_OUTCOMES = ("right", "wrong", "abstained")
_MOST_CRITERIA = 30
"""Most criteria in a table."""

_MOST_FACTS = 5
"""Most facts listed of a system and stage."""


@tabled("sufficiency")
def sufficiency(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the outcomes of answers by grade of evidence; None if it was not judged."""
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
            own = [counts[system, grade, outcome] for outcome in _OUTCOMES]
            if n := sum(own):
                yield system, grade, n, *(Share(count / n) for count in own)


def criteria_met(study: Study) -> Table | None:
    """Return the criteria of rubrics, those met least first; None if none was judged."""
    own = study.scores[study.scores["measure"] == study.key_of("criteria")]
    rows = [
        (str(entry.get("criterion")), float(entry.get("points") or 0), system, entry["met"])
        for system, details in own[["system", "details"]].itertuples(index=False)
        for judge in records_in(details, "judges")
        for entry in records_in(judge, "criteria")
        if isinstance(entry.get("met"), bool)
    ]
    if not rows:
        return None
    met = pd.DataFrame(rows, columns=["criterion", "points", "system", "met"])
    shares = met.groupby(["criterion", "points"], sort=False)["met"].mean()
    listed = shares.sort_values(kind="stable").index[:_MOST_CRITERIA]
    of = dict(list(met.groupby(["criterion", "points", "system"])["met"]))
    words: Words = {
        **{"never": str((shares == 0).sum()), "all": str(len(shares)), "listed": str(len(listed))},
        "systems": study.systems,
    }
    cells = (
        (*key, *(mean_over(of.get((*key, own), ()), Share) for own in study.systems))
        for key in listed
    )
    return describe("criteria_met", words, tuple(cells))


@tabled("fact_paths")
def paths(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the facts of each system by the stage where their path ends."""
    counts = fact_paths(study).groupby(["system", "stage"], sort=False).size()
    for system in study.systems:
        for stage, name in STAGES.items():
            if n := int(counts.get((system, stage), 0)):
                yield system, name, n, study.mean(shares(study)[system, stage], (0, 1))


@tabled("fact_path_differences")
def fact_differences(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the paired differences of every stage that loses facts."""
    own = shares(study)
    pairs = [
        (stage, a, b, paired)
        for a, b in family_of(study).pairs
        if "closed_book" not in (study.runs.loc[a, "solver"], study.runs.loc[b, "solver"])
        for stage in LOSSES
        if (a, stage) in own and (b, stage) in own
        for paired in [compare(own[a, stage], own[b, stage], study.clusters, span=1.0)]
        if paired is not None and (paired.wins or paired.losses)
    ]
    corrected = holm([paired.p for *_, paired in pairs])
    for (stage, a, b, paired), p in zip(pairs, corrected, strict=True):
        gap = Signed(paired.difference, paired.low, paired.high)
        yield STAGES[stage], a, b, paired.n, gap, P(paired.p), P(p)


@tabled("lost_facts", lambda _: {"listed": str(_MOST_FACTS)})
def lost_facts(study: Study) -> Iterator[Sequence[Cell]]:
    """Return examples of lost facts."""
    every = fact_paths(study)
    for system, own in study.by_system(every):
        retrieves = study.runs.loc[system, "solver"] not in BOUNDS
        for stage in LOSSES if retrieves else ():
            for row in own[own["stage"] == stage].head(_MOST_FACTS).itertuples(index=False):
                yield system, STAGES[stage], row.id, row.text, row.chunk_id, row.said
