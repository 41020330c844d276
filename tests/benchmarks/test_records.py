"""Tests that benchmark records match the tasks built from them."""

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Sequence
from typing import Any, get_args, get_type_hints

import pytest
from inspect_ai.util import registry_info

from arag_inspect import scorers, solvers, tasks
from arag_inspect.benchmark import Benchmark, TaskArgs
from arag_inspect.benchmark.scorers import Parameter, bind
from arag_inspect.benchmarks import benchmark_records


def common(
    *,
    system: str = "arag",
    corpus: str | None = None,
    system_args: dict[str, Any] | None = None,
    scorers: str | Sequence[str] = "default",
    scorer_args: dict[str, Any] | None = None,
    **unknown: Any,
) -> None:
    """Return the parameters that tasks share, with their types and defaults."""


RECORDS = benchmark_records()
OF_SCORERS = ("scorers", "scorer_args", "unknown")


@pytest.mark.parametrize("name", tasks.__all__)
def test_task_has_common_parameters(name: str) -> None:
    parameters = inspect.signature(inspect.unwrap(getattr(tasks, name))).parameters
    shared = inspect.signature(common).parameters
    assert set(OF_SCORERS) <= set(parameters)
    for parameter in parameters.values():
        if parameter.name in shared:
            expected = shared[parameter.name]
            assert parameter.annotation == expected.annotation, parameter.name
            assert parameter.kind == expected.kind, parameter.name
            assert parameter.name == "system" or parameter.default == expected.default


@pytest.mark.parametrize("name", tasks.__all__)
def test_task_body_has_at_most_four_lines(name: str) -> None:
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(tasks, name))))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    _, *body = function.body
    assert (body[-1].end_lineno or 0) - body[0].lineno < 4


@pytest.mark.parametrize("name", tasks.__all__)
def test_task_passes_each_parameter_under_its_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = inspect.unwrap(getattr(tasks, name))
    values = {
        parameter: (*get_args(annotation), parameter)[0]
        for parameter, annotation in get_type_hints(task).items()
        if parameter not in ("return", "unknown")
    }
    passed: dict[str, Any] = {}

    def keep(_: Benchmark, args: TaskArgs, **parameters: Any) -> None:
        passed.update(dataclasses.asdict(args) | parameters)
        raise InterruptedError

    monkeypatch.setattr(Benchmark, "task", keep)
    with pytest.raises(InterruptedError):
        task(**values, colour="red")
    assert passed.pop("unknown") == {"colour": "red"}
    assert {parameter: passed[parameter] for parameter in values} == values


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_benchmark_record_matches_task(record: Benchmark) -> None:
    task = getattr(tasks, record.name)
    first_line = (task.__doc__ or "").partition("\n")[0]
    assert first_line == record.summary, "the docstring of a task begins with its record's summary"
    parameters = inspect.signature(task).parameters
    if "system" in parameters:
        assert parameters["system"].default == record.system
    for scorer in map(bind, record.scorers):
        for value in scorer.arguments.values():
            if isinstance(value, Parameter):
                assert value.name in {*parameters, "judged"}
    known = {registry_info(bind(scorer).make).name for scorer in record.scorers}
    member_names = {f"arag_inspect/{name}" for members in record.sets.values() for name in members}
    assert member_names | {registry_info(make).name for make in record.default_scorers} <= known


def test_every_task_has_benchmark_record() -> None:
    assert {record.name for record in RECORDS} == set(tasks.__all__)


@pytest.mark.parametrize(
    ("module", "name"),
    [(tasks, "legal_cases"), (solvers, "multi_perspective"), (scorers, "client_file")],
)
def test_root_modules_list_benchmark_exports(module: Any, name: str) -> None:
    assert name in module.__all__ and registry_info(getattr(module, name)).name.endswith(name)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        module.nonsense  # noqa: B018
