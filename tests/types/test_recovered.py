"""Tests of traces rebuilt from the events of crashed logs, which have no stores."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import score
from inspect_ai.log import read_eval_log, write_eval_log

from arag_inspect.report import frames
from arag_inspect.scorers import efficiency, retrieval_pr
from arag_inspect.types.trace import trace_of
from tests.logs import samples_of, scores_of
from tests.scripted import Reply, Script, scripted, summarized

pytestmark = pytest.mark.usefixtures("logs")
SEARCH: Reply = ("keyword_search", {"keywords": ["margin", "revenue"]})
READ: Reply = ("chunk_read", {"chunk_ids": [0, 1, 2]})


@pytest.mark.parametrize("system", ["arag", "naive_rag", "stuffing"])
def test_recovered_log_gives_same_report_and_scores_as_intact_log(
    synthetic_folder: Path, system: Any
) -> None:
    script = Script(*([SEARCH, READ] if system == "arag" else []), "Sales rose.")
    log = summarized(synthetic_folder, scripted(script), system, scorers="retrieval_pr,efficiency")
    complete_answers = frames(log.location).answers
    crashed = read_eval_log(log.location)
    for sample in samples_of(crashed):
        sample.store = {}
    write_eval_log(crashed, log.location)
    results = frames(log.location)
    pd.testing.assert_frame_equal(results.answers, complete_answers)
    assert all(complete_answers["passages"])
    assert not any("without a trace" in notice.text for notice in results.notices)
    crashed = read_eval_log(log.location)
    scorers = [retrieval_pr(), efficiency()]
    rescored = score(crashed, scorers, action="overwrite", display="none")
    for before, after in zip(samples_of(log), samples_of(rescored), strict=True):
        assert trace_of(after).passages == trace_of(before).passages
        assert trace_of(after).cost_usd is None  # the model has no price
        for name in ("retrieval_pr", "efficiency"):
            assert scores_of(after)[name].reason == scores_of(before)[name].reason
            assert str(scores_of(after)[name].value) == str(scores_of(before)[name].value)


def test_answers_without_store_and_events_are_counted(synthetic_folder: Path) -> None:
    model, scorers = scripted(Script("Up.")), "retrieval_pr,efficiency"
    log = summarized(synthetic_folder, model, "naive_rag", scorers=scorers, limit=3)
    for sample in samples_of(log)[:2]:
        sample.store, sample.events = {}, []
    write_eval_log(log, log.location)
    notices = [notice.text for notice in frames(log.location).notices]
    assert any("has 2 answers without a trace" in text for text in notices), notices
