"""Tests of data frames of logs: no duplicates, and joins with Inspect's frames."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.analysis import evals_df, samples_df

from arag_inspect.report import frames
from tests.report import material as m


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    search = {"tool": "keyword_search", "query": ["sales", "margin"], "chunk_ids": [1], "loop": 1}
    search["scores"] = [1.0]
    logs = []
    for system, grade in (("arag", 4), ("naive_rag", 3)):
        passages = [m.passage(1, loop=1), m.passage(9, loop=2)]
        effort = {"input_tokens": 1000 * grade, "searches": [search], "passages": passages}
        samples = []
        for n in range(4):
            rouge = m.scored({"rouge2": n / 10, "rougeL": float("nan")})
            scores = {"geval_coverage": m.judged(grade), "rouge": rouge}
            own: Any = {
                "system": system,
                "store": m.trace(system, **effort),
                "uuid": f"{system}-{n}",
            }
            samples.append(m.sample(n, scores, **own))
        logs.append(m.log(samples, system=system, eval_id=f"eval-{system}"))
    return m.write(tmp_path_factory.mktemp("logs"), *logs)


def test_frames_have_row_per_answer_score_and_step(folder: Path) -> None:
    all_frames = frames(folder)
    answers, scores, steps = all_frames.answers, all_frames.scores, all_frames.steps()
    assert [*all_frames.verdicts["judge"]] == ["mock/judge"] * 8
    assert len(answers) == 8 and len(scores) == 24 and len(steps) == 24
    assert set(answers["sample_id"]) == {
        f"{s}-{n}" for s in ("arag", "naive_rag") for n in range(4)
    }
    means = scores.pivot_table(index="system", columns="measure", values="value")
    assert means["geval_coverage"].to_dict() == {"A-RAG": 4.0, "Naive RAG": 3.0}
    assert means["rouge.rouge2"].to_dict() == pytest.approx({"A-RAG": 0.15, "Naive RAG": 0.15})
    missing = scores[scores["measure"] == "rouge.rougeL"]
    assert missing["value"].isna().all() and set(missing["status"]) == {"unscored"}
    assert set(scores.loc[scores["measure"] == "geval_coverage", "signature"]) == {
        "geval_coverage|judge:mock/judge"
    }
    assert set(answers["gold_missed"].map(len)) == {1} and set(answers["cost_usd"]) == {0.01}
    assert steps["gold"].sum() == 8
    assert set(steps.loc[steps["kind"] == "search", "query"]) == {"sales; margin"}


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # from Inspect's samples_df
def test_frames_join_with_inspect_frames(folder: Path) -> None:
    answers = frames([folder]).answers
    samples = pd.DataFrame(samples_df(str(folder), quiet=True))
    evals = pd.DataFrame(evals_df(str(folder), quiet=True))
    joined = answers.merge(samples, on=["sample_id", "eval_id"], suffixes=("", "_inspect"))
    assert len(joined) == 8 and (joined["id"] == joined["id_inspect"]).all()
    assert len(answers.merge(evals, on="eval_id")) == 8
