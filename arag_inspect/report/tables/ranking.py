"""The table of the ranking of searches."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from ...stats.ranking import RANK_MEASURES, Ranking, rank_quality
from ..benchmark import Benchmark
from ..table import Cell, tabled

_HOPS = 5
"""Searches of a sample that have a row of their own."""


@tabled("search_ranking")
def search_ranking(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the ranking of all searches and of each hop; None without searches or gold."""
    hops = [
        (answer.system, answer.id, hop, Ranking(search.chunk_ids, answer.gold.by_chunk))
        for answer in benchmark.answers.itertuples(index=False)
        if answer.gold.chunk_ids
        for hop, search in enumerate(answer.searches, start=1)
    ]
    names = ["system", "id", "hop"]
    keys = pd.DataFrame([hop[:3] for hop in hops], columns=names)
    values = pd.DataFrame(rank_quality([hop[3] for hop in hops]), columns=RANK_MEASURES)
    searches = pd.concat([keys, values], axis=1)
    for system, own in benchmark.by_system(searches):
        several = own["hop"].max() > 1
        parts = own[own["hop"] <= _HOPS].groupby("hop") if several else ()
        for hop, part in (("all", own), *parts):
            means = part.groupby("id")[list(RANK_MEASURES)].mean()
            if len(means):
                every = means.reindex(list(benchmark.sample_ids)).to_numpy(float).T
                cells = (benchmark.mean(np.array(column), (0, 1)) for column in every)
                yield system, str(hop), len(means), *cells
