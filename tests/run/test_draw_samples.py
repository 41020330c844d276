"""Tests that `--limit` spreads samples over companies, identically for every system."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs, read_eval_log

from arag_inspect.run.api import run_systems
from arag_inspect.run.experiment import as_patterns, draw_samples
from tests.commands import call
from tests.logs import samples_of

SIZES = (1, 2, 3, 9, 25)


def _task(key: str) -> Task:
    samples = [
        Sample("?", id=f"{company}-{number} [{key}]", metadata={key: group})
        for company, size in zip("ABCDE", SIZES, strict=True)
        for number in range(size)
        for group in ([company] if key == "doc_ids" else company,)
    ]
    return Task(dataset=samples)


@pytest.mark.parametrize("key", ["company", "doc_ids"])
@pytest.mark.parametrize("seed", [1, 2, 42])
def test_draw_takes_one_sample_per_company_before_second(key: str, seed: int) -> None:
    task, smaller = _task(key), set[str | int]()
    for limit in range(1, sum(SIZES) + 5):
        drawn = draw_samples(task, limit, seed)
        assert len(drawn) == min(limit, sum(SIZES)) and smaller <= set(drawn)
        smaller = set(drawn)
        counts = Counter(str(name)[0] for name in drawn)
        most = max(counts.values())
        assert all(counts[c] >= min(size, most - 1) for c, size in zip("ABCDE", SIZES, strict=True))
    assert draw_samples(task, None) == [sample.id for sample in task.dataset]


def test_draw_depends_on_seed_and_not_on_data_order() -> None:
    task = _task("company")
    turned = Task(dataset=list(reversed(list(task.dataset))))
    assert set(draw_samples(task, 10)) == set(draw_samples(turned, 10))
    draws = {tuple(draw_samples(task, 10, seed)) for seed in range(20)}
    assert len(draws) > 15


def test_ungrouped_samples_are_drawn_individually() -> None:
    task = Task(dataset=[Sample("?", id=number) for number in range(1, 101)])
    drawn = draw_samples(task, 10)
    assert len(drawn) == 10 and drawn != list(range(1, 11)) and drawn == sorted(drawn, key=int)
    assert as_patterns([3, "a[1]*"]) == [3, "a[[]1][*]"]


@pytest.mark.usefixtures("logs")
def test_systems_share_one_draw_and_larger_limit_extends_answers(synthetic_folder: Path) -> None:
    def answered(limit: int) -> list[dict[str, str]]:
        task_parameters: Any = {"corpus": str(synthetic_folder), "scorers": "efficiency"}
        options: Any = {"parameters": task_parameters, "log_dir": "logs/run", "display": "none"}
        systems, models = ["closed_book", "naive_rag"], ["offline/extractive"]
        systems_run = run_systems("earnings_synthetic", systems, models, limit=limit, **options)
        assert systems_run.complete
        logs = [read_eval_log(log.name) for log in list_eval_logs("logs/run")]
        assert len(logs) == 2
        return [{str(s.id): str(s.uuid) for s in samples_of(log)} for log in logs]

    first = answered(3)
    assert first[0].keys() == first[1].keys() and len(first[0]) == 3
    assert len({name.split("_")[0] for name in first[0]}) == 3  # companies
    assert sorted(map(str, answered(3))) == sorted(map(str, first))
    more = answered(5)
    assert all(len(ids) == 5 for ids in more)
    kept_uuids = {uuid for ids in more for uuid in ids.values()}
    assert all(set(ids.values()) <= kept_uuids for ids in first)


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize("own", [("--", "--limit", "2"), ("--", "--sample-id", "KRVCT_q1_2016")])
def test_inspect_sample_options_override_draw(
    synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch, own: tuple[str, ...]
) -> None:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    command = ["run", "earnings_synthetic", "--model", "offline/extractive", "--limit", "1"]
    command += ["--systems", "closed_book", "-T", "scorers=efficiency", "--log-dir", "logs/run"]
    call(*command, "-T", f"corpus={synthetic_folder}", *own)
    (log,) = list_eval_logs("logs/run")
    ids = read_eval_log(log.name).eval.dataset.sample_ids or []
    assert len(ids) == (2 if "--limit" in own else 1)


def test_plan_reports_drawn_samples_and_companies(synthetic_folder: Path) -> None:
    command = ["plan", "earnings_synthetic", "-T", f"corpus={synthetic_folder}", "--effect", "0.5"]
    result = call(*command, "--limit", "3")
    assert "Drawn: 3 samples of 3 companies" in result.output
