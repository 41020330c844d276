"""Tables of the stages at which the paths of reference facts end."""

from collections.abc import Iterator

from ...stats.multiple_tests import holm
from ...types.system import CLOSED_BOOK, system_named
from ..analysis import RowCells, analysis
from ..cells import P, Signed
from ..comparison.comparisons import better_first
from ..comparison.contestants import family_of
from ..comparison.means import mean_of_values
from ..fact_paths import LOSSES, compare_stage, fact_paths, shares, stage_names
from ..study import Study

_MOST_FACTS = 5
"""Maximum number of facts listed per system and stage."""


@analysis(
    "The path of every fact",
    text="""
    Each reference fact counts once per answer. Read and stated: a passage that was read contains
    it, and the answer states it. Stated, not read: from memory, or from a text missing from the
    trace. Stated wrongly: with another figure or time, or negated. Not right: the evidence was
    read, but the measure does not count the answer as right. Found, not read: a search returned its
    chunk. Not found: no search returned its chunk, or only a part of the chunk without the fact.
    Not located: no passage that was read states it and its chunk is unknown, so it may or may not
    have been found. Share: mean over samples, with its interval over {clusters}.
    """,
    id="fact_paths",
    section="retrieval",
    order=20,
)
def paths(study: Study) -> Iterator[RowCells]:
    """Yield the facts of each system by the stage where their path ends."""
    counts = fact_paths(study).groupby(["system", "stage"], sort=False).size()
    for system in study.systems:
        for stage, name in stage_names(study).items():
            n = int(counts.get((system, stage), 0))
            if n:
                share = mean_of_values(study, shares(study)[system, stage], (0, 1))
                yield {"system": system, "stage": name, "facts": n, "share": share}


@analysis(
    "Where one system loses more facts than another",
    text="""
    Difference a - b in the share of facts at a stage, on the samples of both systems, without the
    closed book: below 0, system a loses fewer. p by exact or approximate randomisation of
    {clusters}, corrected over the table (Holm).
    """,
    id="fact_path_differences",
    section="retrieval",
    order=30,
)
def fact_differences(study: Study) -> Iterator[RowCells]:
    """Yield the paired differences of each stage that loses facts."""
    pairs = []
    for a, b in family_of(study).pairs:
        if CLOSED_BOOK.name in (study.runs.loc[a, "solver"], study.runs.loc[b, "solver"]):
            continue
        for stage in LOSSES:
            paired = compare_stage(study, a, b, stage)
            if paired is not None and (paired.wins or paired.losses):
                pairs.append((stage, *better_first(study, a, b, paired, sign=-1)))
    corrected = holm([paired.p for *_, paired in pairs])
    for (stage, a, b, paired), p in zip(pairs, corrected, strict=True):
        yield {
            "stage": stage_names(study)[stage],
            "a": a,
            "b": b,
            "n": paired.n,
            "a - b": Signed.of(paired),
            "p": P(paired.p),
            "p corrected": P(p),
        }


@analysis(
    "Facts that were lost",
    text="""
    The first {listed} facts of each system and stage, in the order of the samples. Document
    and chunk: the first that contains the fact. Said: what the answer states instead. For all
    facts, call `fact_paths(study)` for each study in `studies(frames("LOGS"))`, with the functions
    of `arag_inspect.report`.
    """,
    words=lambda _: {"listed": str(_MOST_FACTS)},
    section="retrieval",
    order=40,
)
def lost_facts(study: Study) -> Iterator[RowCells]:
    """Yield the first lost facts of each system and stage."""
    traced_facts = fact_paths(study)
    for system, of_system in study.by_system(traced_facts):
        if system_named(study.runs.loc[system, "solver"]).bound:
            continue
        for stage in LOSSES:
            facts = of_system[of_system["stage"] == stage].head(_MOST_FACTS)
            for row in facts.itertuples(index=False):
                yield {
                    "system": system,
                    "stage": stage_names(study)[stage],
                    "sample": row.id,
                    "fact": row.text,
                    "document": row.doc_id,
                    "chunk": row.chunk_id,
                    "said": row.said,
                }
