"""The demo's table: each figure is the statistic that the docs name."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from rich.console import Console

from arag_inspect.scorers import efficiency
from arag_inspect.types.trace import RetrievalTrace
from arag_inspect.workflows.demo import _table
from tests.scripted import run


@solver
def _slow_once() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trace, last = state.store_as(RetrievalTrace), state.sample_id == "s4"
        trace.system, trace.latency_ms = "arag", 9000.0 if last else 100.0
        trace.loops = 9 if last else 4
        return state

    return solve


@pytest.mark.usefixtures("logs")
def test_latency_is_a_median_and_the_rest_are_means() -> None:
    samples = [Sample(id=f"s{n}", input="?") for n in range(5)]
    log = run(Task(dataset=samples, solver=_slow_once(), scorer=efficiency()), "mockllm/model")
    keys = ("efficiency.loops", "efficiency.latency_ms")
    console = Console(width=80)
    with console.capture() as capture:
        console.print(_table("t", keys, [log] * 3))
    assert capture.get().splitlines()[-2].split() == ["stuffing", "5.00", "100"]
