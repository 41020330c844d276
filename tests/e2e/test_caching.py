"""Tests of prompt caching against a server that accounts for its cache."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Scorer

from arag_inspect.benchmarks.advisor import extract_facts
from arag_inspect.scorers import geval_faithfulness, severity_judge
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.caching import CachingAPI, agent_or_judge
from tests.serving import serving

pytestmark = pytest.mark.usefixtures("logs")


def run(task: Task, loops: int = 0, caching: Any = None) -> tuple[EvalLog, CachingAPI]:
    """Run one sample; the model and the judge use the server."""
    api = CachingAPI(agent_or_judge(loops))
    config = GenerateConfig(cache_prompt=caching)
    with serving(api) as url:
        model = get_model(
            "anthropic/claude-sonnet-4-6",
            base_url=url,
            api_key="none",
            config=config,
            memoize=False,
        )
        log = eval(task, model=model, model_roles={"grader": model}, limit=1, display="none")[0]
    assert log.status == "success", log.error
    return log, api


def task(folder: Path, system: Any, *scorers: Scorer, **options: Any) -> Task:
    caching_task = earnings_synthetic(
        system=system, corpus=str(folder), scorers="efficiency", system_args=options
    )
    caching_task.scorer = list(scorers) or caching_task.scorer
    return caching_task


@pytest.mark.parametrize("system", ["naive_rag", "stuffing", "closed_book"])
def test_prompt_sent_once_is_not_cached(synthetic_folder: Path, system: str) -> None:
    log, api = run(task(synthetic_folder, system))
    [asked] = api.asked
    assert not asked.marked and (asked.written, asked.read) == (0, 0)
    assert system == "closed_book" or asked.input_tokens > 2048  # too short to be cached otherwise
    assert log.samples
    cost = (asked.input_tokens * 3 + asked.output_tokens * 15) / 1e6
    assert log.samples[0].store_as(RetrievalTrace).cost_usd == pytest.approx(cost)


def test_cache_setting_of_user_takes_precedence(synthetic_folder: Path) -> None:
    judge = severity_judge()
    _, api = run(task(synthetic_folder, "naive_rag", judge), caching="auto")
    assert all(asked.marked and asked.written for asked in api.asked) and len(api.asked) == 2


def test_conversation_is_cached_once_and_read_at_each_turn(
    synthetic_folder: Path,
) -> None:
    _, api = run(task(synthetic_folder, "arag"), loops=6)
    assert len(api.asked) == 7
    assert all(asked.marked for asked in api.asked)
    last = api.asked[-1]
    assert sum(asked.written for asked in api.asked) == last.written + last.read > 2048
    assert last.read > last.written


def test_forced_answer_is_not_cached(synthetic_folder: Path) -> None:
    _, api = run(task(synthetic_folder, "arag", max_loops=6), loops=99)
    *loop, last = api.asked
    assert len(loop) == 6 and all(asked.marked for asked in loop)
    assert not last.marked and last.input_tokens > 2048


def test_judges_with_single_calls_cache_nothing(synthetic_folder: Path) -> None:
    judges = (geval_faithfulness(criteria="pinned"), severity_judge())
    _, api = run(task(synthetic_folder, "naive_rag", *judges))
    assert [asked.marked for asked in api.asked] == [False] * 3
    assert all(asked.input_tokens > 2048 for asked in api.asked)


def test_judge_with_several_samples_reads_cached_prompt(
    synthetic_folder: Path,
) -> None:
    judge = geval_faithfulness(criteria="pinned", weighted=True, samples=4)
    _, api = run(task(synthetic_folder, "naive_rag", judge))
    first, *others = api.asked[1:]
    assert first.written > 2048 and len(others) == 4
    assert [(one.written, one.read) for one in others] == [(0, first.written)] * 4


def test_review_pass_reads_transcript_cached_by_first_pass() -> None:
    talk = "\n".join(f"[00:{n:02}] Client: I put {n} hundred pounds away." for n in range(400))
    _, api = run(Task(dataset=[Sample(talk)], solver=extract_facts(review=True)))
    first, second = api.asked
    assert first.written > 2048 and (second.written, second.read) == (0, first.written)
    _, api = run(Task(dataset=[Sample(talk)], solver=extract_facts()))
    assert [one.marked for one in api.asked] == [False]
