"""Tests that every registered scorer's keys are described once and shown in every output."""

import runpy
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, Scorer, Target, match, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info
from inspect_ai.viewer import TaskSamplesView

from arag_inspect import _registry, scorers, task_viewer  # noqa: F401  # with the scorers of all benchmarks
from arag_inspect._util.errors import InputError
from arag_inspect.measure import (
    Aspect,
    MeasureKey,
    MeasureSpec,
    Scale,
    find_key,
    find_measure,
    measures,
    measures_of,
    parse_scale,
)
from arag_inspect.measures.taxonomy_file import load_taxonomy
from arag_inspect.report.load.measures import read_declared
from arag_inspect.scorers import MEASURES, error_taxonomy

ARGUMENTS = {"geval": {"dimension": "coverage"}}


def make_scorer(name: str) -> Scorer:
    result: Scorer = getattr(scorers, name)(**ARGUMENTS.get(name, {}))
    return result


def keys_of(name: str) -> list[str]:
    """Return the keys as in a log, from the metrics that the scorer registered with Inspect."""
    metrics = registry_info(make_scorer(name)).metadata["metrics"]
    if isinstance(metrics, list):  # over all keys, next to those for single keys
        metrics = next((metric for metric in metrics if isinstance(metric, dict)), None)
    if not isinstance(metrics, dict):
        return [name]
    codes = load_taxonomy("financial").codes
    keys = [key for key in metrics if key != "*"] + ([*codes, "any"] if "*" in metrics else [])
    return [f"{name}.{key}" for key in keys]


@pytest.mark.parametrize("name", scorers.__all__)
def test_every_score_key_has_spec_and_labelled_column(name: str) -> None:
    view = task_viewer([make_scorer(name)]).task_samples_view
    assert (
        isinstance(view, TaskSamplesView)
        and view.columns
        and view.score_labels
        and view.score_color_scales
    )
    columns = {column.id for column in view.columns}
    specs = {spec.key: spec for spec in measures_of(make_scorer(name))}
    for key in keys_of(name):
        spec = find_measure(key, specs)
        assert spec.family != "other" and (spec.description or ".")[-1] in ".?", key
        assert spec.label != key and spec.short_label, key
        assert f"score__{name}__{spec.value_key}" in columns, key
        assert view.score_labels[spec.value_key] == spec.short_label
        assert spec.value_key in view.score_color_scales
        assert spec.value_key != name or "." not in key, "the browser takes it for the whole value"


def test_log_viewer_has_column_of_each_code_of_scorers_taxonomy() -> None:
    view: Any = task_viewer([error_taxonomy(taxonomy="legal")]).task_samples_view
    columns = {column.id for column in view.columns}
    codes = load_taxonomy("legal").codes
    assert {f"score__error_taxonomy__{code}" for code in codes} <= columns
    assert "score__error_taxonomy__IR" not in columns


@pytest.mark.parametrize("text", ["1,5", "[1, 5]", "(1,5)", " 1 , 5 ", [1, 5], ("1", "5")])
def test_scale_is_read_in_any_notation(text: object) -> None:
    assert parse_scale(text) == (1, 5)


@pytest.mark.parametrize("text", ["[1, 5", "1,5)", "[1,5)", "1-5", "5,1", "-1,5", "1,5,9"])
def test_malformed_scale_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="scale must"):
        parse_scale(text)


def test_measure_specs_match_score_keys_without_duplicates() -> None:
    keys = [key for name in scorers.__all__ for key in keys_of(name)]
    beside = {key for key, spec in MEASURES.items() if spec.in_metadata}
    assert {key for key in MEASURES if "*" not in key} - beside <= {*keys}
    spec_keys = [spec.key for name in scorers.__all__ for spec in measures_of(make_scorer(name))]
    assert len(spec_keys) == len({*spec_keys}) == len(MEASURES)
    labels = [spec.label for spec in MEASURES.values()]
    assert len(labels) == len({*labels})


def test_analyses_know_every_declared_aspect() -> None:
    aspects = {spec.aspect for spec in MEASURES.values()}
    assert aspects - {""} == {*get_args(Aspect)}


def test_match_measures_have_one_label() -> None:
    for key in ("answer_match", "numeric_match"):
        assert MEASURES[key].short_label == MEASURES[key].label


def test_shared_score_key_has_one_heading_and_direction() -> None:
    # the log browser identifies headings and colours by key alone
    shared = defaultdict(set)
    for spec in MEASURES.values():
        shared[spec.value_key].add((spec.short_label, spec.higher_is_better, spec.low, spec.high))
    assert {key: properties for key, properties in shared.items() if len(properties) > 1} == {}


def test_lower_is_better_measures_are_as_listed() -> None:
    assert {key for key, spec in MEASURES.items() if spec.higher_is_better is False} == {
        "abstention.wrong", "client_file.failing_paths", "context_sufficiency.insufficient",
        "efficiency.cost_usd", "efficiency.input_tokens", "efficiency.latency_ms",
        "efficiency.output_tokens", "efficiency.wall_ms", "error_taxonomy.*", "error_taxonomy.any",
        "factual_consistency.contradicted", "llm_accuracy.incorrect", "obedience",
    }  # fmt: skip


def test_listed_measures_are_primary() -> None:
    primary = {spec.key for spec in MEASURES.values() if spec.role == "primary"}
    assert primary >= {
        "geval_faithfulness", "geval_coverage", "retrieval_pr.recall", "llm_accuracy.correct",
        "numeric_match", "composite_faithfulness",
    }  # fmt: skip
    assert all(MEASURES[key].is_quality for key in primary)


@pytest.mark.parametrize(
    ("text", "scorer_name", "value_key"),
    [("rouge", "rouge", "rouge"), ("rouge.f1", "rouge", "f1"), ("ragas.f1.5", "ragas", "f1.5")],
)
def test_measure_key_names_scorer_and_key_of_value(
    text: str, scorer_name: str, value_key: str
) -> None:
    spec = MeasureSpec(text, "Label")

    assert (spec.scorer, spec.value_key) == (scorer_name, value_key)
    assert str(MeasureKey.parse(text)) == text


def test_find_measure_labels_grade_with_scale() -> None:
    spec = find_measure("geval_coverage", MEASURES, [Scale(0, 10)])
    assert (spec.label, spec.low, spec.high) == ("Coverage (0-10)", 0, 10)
    assert find_measure("geval_tone", MEASURES).label == "G-Eval tone (1-5)"
    assert find_measure("error_taxonomy.IR", MEASURES).label == "Error IR"
    assert find_measure("human.tone", MEASURES).label == "Human tone"


_KEYS = ("rouge.rouge1", "rouge.rouge2", "units.with_unit", "a.recall", "b.recall", "match")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("rouge2", "rouge.rouge2"),
        ("with_unit", "units.with_unit"),
        ("a.recall", "a.recall"),
        ("match", "match"),
    ],
)
def test_measure_is_found_by_its_key_without_scorer(name: str, key: str) -> None:
    assert find_key(name, _KEYS) == key


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("recall", "measure 'recall' is one of several: a.recall, b.recall"),
        ("roug2", "unknown; choose from rouge.rouge1, .*; did you mean rouge.rouge2?"),
        ("with_units", "did you mean units.with_unit?"),
        ("rouge", "did you mean rouge.rouge1?"),
        ("units", "did you mean units.with_unit?"),
        ("tone", "match$"),
    ],
)
def test_unknown_or_ambiguous_name_of_measure_is_explained(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        find_key(name, _KEYS)


def test_undeclared_measure_keeps_key_as_label_and_is_no_quality() -> None:
    spec = find_measure("other_suite.key", MEASURES)
    assert (spec.label, spec.is_quality, spec.low) == ("other_suite.key", False, None)


@scorer(
    metrics={"tone": [mean()]},
    measures=measures(MeasureSpec("own.tone", "Tone", "Tone", "How it sounds."), family="facts"),
)
def own() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value={"tone": 1.0})

    return score


def test_measure_of_foreign_scorer_is_declared_in_log(logs: None) -> None:
    task = Task(dataset=[Sample("question")], scorer=own())
    (log,) = eval(task, model="mockllm/model", display="none")
    specs = read_declared(read_eval_log(log.location))
    assert find_measure("own.tone", specs).label == "Tone"
    assert find_measure("rouge.rouge2", specs).label == "ROUGE-2"
    view = task_viewer([own()]).task_samples_view
    assert isinstance(view, TaskSamplesView) and view.score_labels == {"tone": "Tone"}


def test_log_viewer_of_own_task_has_column_of_each_scorer() -> None:
    task_scorers = [own(), match()]
    task = Task(
        dataset=[Sample("question", target="x")],
        scorer=task_scorers,
        viewer=task_viewer(task_scorers),
    )
    (log,) = eval(task, model="mockllm/model", display="none")
    view: Any = log.eval.viewer and log.eval.viewer.task_samples_view
    columns = [column.id for column in view.columns if column.id.startswith("score__")]
    assert columns == ["score__own__tone", "score__match__match"]


def test_malformed_measure_declaration_is_ignored() -> None:
    @scorer(metrics=[mean()], measures=[{"label": "without a key"}])
    def broken() -> Scorer:
        return own()

    assert measures_of(broken()) == ()


def test_every_measure_has_documented_row() -> None:
    path = Path(__file__).parents[1] / "docs" / "_generate.py"
    pages = runpy.run_path(str(path))["scorer_pages"]()
    assert {*pages} == {f"scorers/{name}.md" for name in ("index", *scorers.__all__)}
    for name in scorers.__all__:
        for spec in measures_of(make_scorer(name)):
            assert f"| `{spec.key}` |" in pages[f"scorers/{name}.md"]
            assert f"`{spec.value_key}`" in pages["scorers/index.md"]
