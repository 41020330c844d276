"""Tests of joining slices of a run and parts of a task, and of naming logs that are not slices."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import EvalConfig, EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import Frames, LogOptions, frames, studies
from arag_inspect.report.findings.notices import study_notices
from tests.commands import typed
from tests.logs import samples_of, scores_of
from tests.report import material as m

_SLICES: dict[str, dict[str, Any]] = {
    "range": {"limit": (1, 20)},
    "ids": {"sample_id": ["s000"]},
    "none": {},
}


def slice_of(
    numbers: Sequence[int],
    value: float = 1.0,
    *,
    epochs: int = 1,
    config: dict[str, Any] | None = None,
    change: Callable[[EvalLog], object] | None = None,
    signature: str = "rouge",
    name: str = "rouge",
    system: str = "arag",
    **options: Any,
) -> EvalLog:
    """Return a log of some samples, all with the same value of one measure."""
    samples = [
        m.sample(number, {name: m.scored(value, signature)}, epoch=epoch, system=system)
        for number in numbers
        for epoch in range(1, epochs + 1)
    ]
    log = m.log(samples, system=system, **options)
    log.eval.config = EvalConfig(epochs=epochs, **(config or {}))
    if change is not None:
        change(log)
    return log


def read(folder: Path, *logs: EvalLog, **reading: Any) -> Frames:
    """Read logs created one day apart."""
    for day, log in enumerate(logs, start=1):
        log.eval.created = f"2026-01-{day:02}T00:00:00+00:00"
    return frames(m.write(folder, *logs), reading=LogOptions(**reading))


def texts(result: Frames) -> str:
    return "\n".join(notice.text for notice in result.notices)


@pytest.mark.parametrize("kind", _SLICES)
def test_slices_are_joined_when_nothing_else_differs(tmp_path: Path, kind: str) -> None:
    logs = [
        slice_of(numbers, config=_SLICES[kind])
        for numbers in (range(20), range(20, 40), range(40, 60))
    ]
    result = read(tmp_path, *logs)
    (run,) = result.runs.itertuples()
    assert len(result.answers) == run.planned == 60 and len(run.logs) == 3
    assert result.answers["id"].is_unique and set(result.scores["system"]) == {"A-RAG"}
    assert set(result.answers["eval_id"]) == {log.eval.eval_id for log in logs}
    assert "are slices of one run with 60 samples" in texts(result)
    assert list(result.answers["answer"]) == list(range(60))


_GOLD = "fact_coverage|gold:{}|rules:8"


@pytest.mark.parametrize(
    ("origins", "numbers", "count"),
    [
        (("bank", "reference"), range(20, 32), 32),
        (("metadata:facts", "bank"), range(20, 21), 21),
        (("bank", "bank"), range(15, 32), 32),
        (("bank", "reference"), range(15, 32), 17),  # shared samples were measured differently
    ],
)
def test_slices_with_different_kinds_of_gold_are_joined(
    tmp_path: Path, origins: tuple[str, str], numbers: range, count: int
) -> None:
    first, second = map(_GOLD.format, origins)
    slices = [slice_of(range(20), signature=first), slice_of(numbers, signature=second)]
    result = read(tmp_path, *slices)
    assert result.answers["id"].nunique() == count
    is_joined = count != len(numbers)
    assert ("slices of one run" in texts(result)) is is_joined
    assert not [notice for notice in study_notices(studies(result)) if "ways" in notice.text]


def test_single_run_measured_by_two_methods_causes_warning(tmp_path: Path) -> None:
    def score(number: int) -> dict[str, Score]:
        return {"rouge": m.scored(1, f"rouge|gold:bank|rules:{number % 2}")}

    result = frames(m.write(tmp_path, m.run_of("arag", score)))
    (notice,) = (notice for notice in study_notices(studies(result)) if "ways" in notice.text)
    assert "rouge was computed in different ways" in notice.text


def test_sample_in_two_slices_is_taken_from_newest(tmp_path: Path) -> None:
    result = read(tmp_path, slice_of(range(20), 0.0), slice_of(range(15, 30), 1.0))
    means = result.scores.groupby("id")["value"].agg(list)
    assert means.to_dict() == {f"s{n:03}": [float(n >= 15)] for n in range(30)}
    assert "30 samples; 5 are in several of them, and the newest counts" in texts(result)


def test_newest_run_counts_alone_when_a_question_under_the_same_id_differs(tmp_path: Path) -> None:
    def ask_differently(log: EvalLog) -> None:
        for sample in (log.samples or [])[:3]:
            sample.input = f"In other words: {sample.input}"

    earlier = slice_of(range(20), 0.0, change=ask_differently)
    result = read(tmp_path, earlier, slice_of(range(12), 1.0))
    assert len(result.answers) == 12 and set(result.scores["value"]) == {1.0}
    assert "is another run of the same system" in texts(result)
    assert "they differ in the questions of 3 shared samples" in texts(result)


def _edit_prompts(log: EvalLog) -> None:
    log.eval.metadata = {"prompts_sha256": "b" * 64}


def _edit_corpus(log: EvalLog) -> None:
    log.eval.metadata = {"corpus": {"chunks_sha256": "b" * 64}}


def _edit_code(log: EvalLog) -> None:
    log.eval.metadata = {"code_sha256": {"rag.py": "b" * 64}}


def _edit_limit(log: EvalLog) -> None:
    log.eval.config.message_limit = 9


_CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "prompts": ({"change": _edit_prompts}, "they differ in prompts"),
    "corpus": ({"change": _edit_corpus}, "they differ in corpus"),
    "code": ({"change": _edit_code}, "they differ in code of rag.py"),
    "limit": ({"change": _edit_limit}, "they differ in message_limit"),
    "signature": ({"signature": "rouge|2"}, "they differ in how rouge measures"),
    "seed": ({"params": {"seed": 2}}, "they differ in seed"),
}


@pytest.mark.parametrize("kind", _CHANGES)
def test_slices_that_differ_otherwise_are_separate_runs_and_named(
    tmp_path: Path, kind: str
) -> None:
    change, message = _CHANGES[kind]
    before: dict[str, Any] = {"prompts_sha256": "a" * 64, "corpus": {"chunks_sha256": "a" * 64}}
    before["code_sha256"] = {"rag.py": "a" * 64}
    first = slice_of(range(20), 0.0, metadata=before)
    result = read(tmp_path, first, slice_of(range(20, 40), **change))
    assert len(result.answers) == 20 and set(result.scores["value"]) == {1.0}
    assert "is another run of the same system" in texts(result) and message in texts(result)


@pytest.mark.parametrize("params", [{"max_loops": 5}, {"top_k": 3}])
def test_slices_of_different_systems_stay_apart(tmp_path: Path, params: dict[str, Any]) -> None:
    config = _SLICES["range"]
    result = read(
        tmp_path,
        slice_of(range(20), config=config),
        slice_of(range(20, 40), config=config, params=params),
    )
    assert len(result.runs) == 2


@pytest.mark.parametrize(("many", "few"), [((100, 1), (10, 5)), ((10, 5), (4, 1))])
def test_run_with_most_samples_is_kept_when_epochs_differ(
    tmp_path: Path, many: tuple[int, int], few: tuple[int, int]
) -> None:
    logs = [slice_of(range(count), epochs=epochs) for count, epochs in (many, few)]
    for number, order in enumerate((logs, logs[::-1])):
        result = read(tmp_path / str(number), *order)
        assert result.answers["id"].nunique() == many[0]
        assert "they differ in run.epochs" in texts(result)


def test_unfinished_slice_is_completed_by_newer_one(tmp_path: Path) -> None:
    first = slice_of(range(12), status="cancelled")
    first.eval.dataset.sample_ids = [f"s{n:03}" for n in range(20)]
    result = read(tmp_path, first, slice_of(range(12, 20)))
    (run,) = result.runs.itertuples()
    assert (run.status, run.planned, len(result.answers)) == ("success", 20, 20)


def stranger(numbers: Sequence[int], model: str, value: float, **arguments: Any) -> EvalLog:
    """Return a log of a third-party task, on some of its samples."""
    samples = [m.sample(number, {"match": Score(value=value)}, store={}) for number in numbers]
    log = m.log(samples, task="stranger", model=model)
    log.eval.dataset.name = arguments.pop("dataset", "d")
    log.eval.task_args = arguments
    log.plan.steps[0].solver = "generate"
    return log


_PARTS: dict[str, list[dict[str, Any]]] = {
    "argument": [{"subject": "law"}, {"subject": "bio"}],
    "data set": [{"dataset": "law"}, {"dataset": "bio"}],
    "both": [{"dataset": "law", "subject": "law"}, {"dataset": "bio", "subject": "bio"}],
    "path": [{"path": "data/de"}, {"path": "data/en"}],
}


@pytest.mark.parametrize("kind", _PARTS)
def test_task_parts_are_joined_into_one_run_per_model(tmp_path: Path, kind: str) -> None:
    logs = [
        stranger(range(12 * part, 12 * part + 12), model, value, **arguments)
        for model, value in (("a/x", 1.0), ("b/y", 0.0))
        for part, arguments in enumerate(_PARTS[kind])
    ]
    result = read(tmp_path, *logs)
    assert sorted(result.runs["system"]) == ["x", "y"] and result.runs["benchmark"].nunique() == 1
    assert result.answers.groupby(["system", "part"])["id"].nunique().tolist() == [12] * 4
    assert texts(result).count("are parts of one run with 24 samples") == 2


def test_argument_makes_separate_systems_when_samples_are_shared(tmp_path: Path) -> None:
    logs = [
        stranger(range(10 * part, 10 * part + 10), "a/x", 1.0, subject=subject, hint=hint)
        for part, subject in enumerate(("law", "bio"))
        for hint in (True, False)
    ]
    result = read(tmp_path, *logs)
    assert sorted(result.runs["system"]) == ["x (hint=False)", "x (hint=True)"]
    assert len(result.answers) == 40


def test_slices_with_different_arguments_are_not_joined(tmp_path: Path) -> None:
    first = stranger(range(10), "a/x", 1.0, few_shot=1)
    second = stranger(range(10, 20), "a/x", 1.0, few_shot=5)
    first.eval.config.limit, second.eval.config.limit = (0, 10), (10, 20)
    assert len(read(tmp_path, first, second).runs) == 2


def test_joined_slices_are_compared_on_all_samples(tmp_path: Path) -> None:
    slices = [slice_of(range(20), 0.9, name="mine"), slice_of(range(20, 40), 0.9, name="mine")]
    other = slice_of(range(40), 0.1, name="mine", system="naive_rag")
    for name, logs in (("a", slices), ("b", [other])):
        m.write(tmp_path / name, *logs)
    output = typed(tmp_path, "arag-inspect report a b --cluster id --higher mine")
    assert "slices of one run with 40 samples" in output
    table = pd.read_csv(next(tmp_path.rglob("tables/comparisons.csv")))
    (row,) = table.itertuples()
    assert row.n == 40


def test_task_parts_are_reported_apart_and_pooled_as_strata(tmp_path: Path) -> None:
    means = {"law": 0.9, "bio": 0.1}
    logs = []
    for model, gain in (("a/x", 0.05), ("b/y", 0.0)):
        for start, subject in enumerate(means):
            log = stranger(range(12 * start, 12 * start + 12), model, 0.0, subject=subject)
            for number, sample in enumerate(samples_of(log)):
                sample.metadata = {}
                value = means[subject] + gain * (number % 3)
                scores_of(sample)["match"].value = value
            logs.append(log)
    m.write(tmp_path / "logs", *logs)
    typed(tmp_path, "arag-inspect report logs --higher match")
    table = pd.read_csv(next(tmp_path.rglob("tables/by_part.csv")))
    assert table["part"].tolist() == ["subject=bio", "subject=law", "all parts"]
    assert table["y"].tolist() == pytest.approx([0.1, 0.9, 0.5])
    assert table["x"].tolist() == pytest.approx([0.15, 0.95, 0.55])
    widths = table["x high"] - table["x low"]
    assert widths[2] < widths[0]
    (pair,) = pd.read_csv(next(tmp_path.rglob("tables/comparisons.csv"))).itertuples()
    assert (pair.n, pair.verdict) == (24, "x is better")
