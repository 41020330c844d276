"""The ranking of searches, by hand: all of a sample's searches, then each in turn."""

from pathlib import Path
from typing import Any

import pytest

from arag_inspect.report import frames, make_report
from arag_inspect.report.table import raw
from tests.report import material as m


def _search(*chunk_ids: int) -> dict[str, Any]:
    scores = [1.0] * len(chunk_ids)
    return {
        "tool": "semantic_search",
        "query": "",
        "loop": 1,
        "chunk_ids": chunk_ids,
        "scores": scores,
    }


def test_searches_are_ranked_by_hop(tmp_path: Path) -> None:
    searches = [
        [_search(1, 2), _search(9)],  # gold are 1 and 2
        [_search(9, 2)],
        [_search(9, 2), _search(), _search(2, 1)],
    ]
    samples = [
        m.sample(number, {"rouge": m.scored(0.5)}, store=m.trace(searches=own))
        for number, own in enumerate(searches)
    ]
    samples.append(
        m.sample(3, store=m.trace(searches=[_search(1)]), metadata={"gold_chunk_ids": []})
    )
    (part,) = make_report(frames([str(m.write(tmp_path / "logs", m.log(samples)))])).benchmarks
    table = part.table("search_ranking")
    assert table is not None
    rows = [(row[1], row[2], raw(row[3]), raw(row[5]), raw(row[6])) for row in table.rows]
    assert [row[:2] for row in rows] == [("all", 3), ("1", 3), ("2", 2), ("3", 1)]
    # means over samples of hit@1, recall@5 and MRR@10; of `all`, each sample first has its own mean
    assert rows[0][2:] == pytest.approx(
        ((1 / 2 + 0 + 1 / 3) / 3, (1 / 2 + 1 / 2 + 1 / 2) / 3, (1 / 2 + 1 / 2 + 1 / 2) / 3)
    )
    assert rows[1][2:] == pytest.approx((1 / 3, (1 + 1 / 2 + 1 / 2) / 3, (1 + 1 / 2 + 1 / 2) / 3))
    assert rows[2][2:] == (0, 0, 0)
    assert rows[3][2:] == (1, 1, 1)
