"""Tests of third-party logs: nothing is dropped or misread silently."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import SpanBeginEvent, SpanEndEvent
from inspect_ai.log import (
    EvalError,
    EvalLog,
    EvalPlanStep,
    EvalSampleLimit,
    write_eval_log,
)
from inspect_ai.model import (
    GenerateConfig,
    ModelConfig,
    ModelUsage,
)
from inspect_ai.scorer import Score

from arag_inspect.report import LogOptions, frames, studies
from arag_inspect.report.comparison.primary import primary_measures
from tests.commands import typed
from tests.logs import samples_of, scores_of
from tests.report import material as m

_LETTERS = "CICCICCCICCI"


def make_log(values: Sequence[Any] = _LETTERS, name: str = "match", **spec: Any) -> EvalLog:
    """A log of a task that uses nothing from this package."""
    samples = [m.sample(n, {name: Score(value=v)}, store={}) for n, v in enumerate(values)]
    for sample in samples:
        sample.metadata = {}
    log = m.log(samples, task="stranger", **{"model": "openai/gpt-4o", **spec})
    log.eval.task_args, log.plan.steps = {}, [EvalPlanStep(solver="generate")]
    return log


def write(folder: Path, *logs: EvalLog) -> list[Path]:
    """Write logs in the order of their runs."""
    paths = [folder / f"{number}.json" for number in range(len(logs))]
    for number, (log, path) in enumerate(zip(logs, paths, strict=True)):
        log.eval.eval_id, log.eval.created = f"e{number}", f"2026-01-01T10:0{number}:00+00:00"
        write_eval_log(log, str(path))
    return paths


def _differences(folder: Path, *logs: EvalLog) -> str:
    """Return the differences between two logs, the earlier one first."""
    return m.changed(*(frames(path) for path in write(folder, *logs)))


def _step(log: EvalLog, *steps: tuple[str, dict[str, Any]]) -> None:
    log.plan.steps = [EvalPlanStep(solver=name, params=params) for name, params in steps]


def _say(log: EvalLog, text: str) -> None:
    chain = "chain_of_thought", {"template": "Think. {prompt}"}
    _step(log, ("system_message", {"template": text}), chain, ("generate", {}))


def _role(log: EvalLog, name: str) -> None:
    log.eval.model_roles = {"critic": ModelConfig(model=name)}


def _generate(log: EvalLog, **settings: Any) -> None:
    log.eval.model_generate_config = GenerateConfig(**settings)


_CHANGES: dict[str, tuple[Any, Any, str]] = {
    "role": (
        lambda log: _role(log, "a/x"),
        lambda log: _role(log, "a/y"),
        "role.critic: a/x → a/y",
    ),
    "setting": (
        lambda log: _generate(log, verbosity="low"),
        lambda log: _generate(log, verbosity="high"),
        "generate.verbosity: low → high",
    ),
    "hidden": (lambda log: _say(log, "Be brief"), lambda log: _say(log, "Be long"), "Be long"),
    "step": (
        lambda log: _step(log, ("mine/plan", {}), ("generate", {})),
        lambda log: _step(log, ("mine/reflect", {}), ("generate", {})),
        "['plan', 'generate'] → ['reflect', 'generate']",
    ),
    "model": (
        lambda log: log.eval.model_args.update(quantization="awq", auth_token="a"),
        lambda log: log.eval.model_args.update(quantization="fp8", auth_token="b"),
        "model.quantization: awq → fp8",
    ),
}


@pytest.mark.parametrize("kind", _CHANGES)
def test_changed_setting_makes_separate_system_and_is_named(tmp_path: Path, kind: str) -> None:
    first, second, message = _CHANGES[kind]
    logs = make_log(), make_log()
    for change, log in zip((first, second), logs, strict=True):
        change(log)
    assert message in _differences(tmp_path, *logs)
    assert frames(tmp_path).runs["system"].nunique() == 2


def test_changed_limits_and_epochs_keep_one_system_and_are_named(tmp_path: Path) -> None:
    logs = make_log(), make_log()
    logs[0].eval.config.message_limit, logs[1].eval.config.message_limit = 10, 50
    logs[1].eval.config.epochs = 3
    message = _differences(tmp_path, *logs)
    assert "message_limit: 10 → 50" in message and "epochs: 1 → 3" in message
    assert len(frames(tmp_path).runs) == 1


def test_same_model_from_different_providers_is_kept_apart(tmp_path: Path) -> None:
    names = ["azureai/org/llama", "together/org/llama", "openai/other"]
    write(tmp_path, *(make_log(model=name) for name in names))
    assert sorted(frames(tmp_path).runs["system"]) == sorted([*names[:2], "other"])


@pytest.mark.parametrize(
    ("metadata", "noun"),
    [
        (lambda n: {"group": n // 4}, "group"),
        (
            lambda n: {"company": f"c{n // 4}", "facts": "a text", "target_length": "long"},
            "company",
        ),
        (lambda n: {"doc_ids": [n // 4], "period": 2020}, "document"),
        (lambda n: {"company": float("nan"), "group": {"a": 1}}, "sample"),
    ],
)
def test_clusters_are_found_regardless_of_other_metadata(
    tmp_path: Path, metadata: Any, noun: str
) -> None:
    log = make_log()
    for number, sample in enumerate(samples_of(log)):
        sample.metadata = metadata(number)
    write(tmp_path, log)
    all_frames = frames(tmp_path)
    assert all_frames.runs["cluster"][0] == noun
    assert all_frames.answers["company"].nunique() == (1 if noun == "sample" else 3)


def test_noun_for_companies_is_the_one_in_the_log(tmp_path: Path) -> None:
    log = make_log()
    log.eval.metadata = {"cluster_noun": "court"}
    for number, sample in enumerate(samples_of(log)):
        sample.metadata = {"company": f"c{number}", "style": "legal"}
    write(tmp_path, log)
    assert frames(tmp_path).runs["cluster"][0] == "court"


_ODD_VALUES: dict[str, tuple[list[Any], str, int]] = {
    "word": (["C", "I", "unsure", "C"], "holds texts (e.g. 'unsure') on 1 sample", 3),
    "sign": (["0.5", "?", "1", "0"], "holds texts (e.g. '?') on 1 sample", 3),
    "pair": ([[1, 0], 1, [0, 1], 0], "holds lists (e.g. [1, 0]) on 2 samples", 2),
    "city": (["Paris", "no", "Rome", "Oslo"], "holds texts (e.g. 'Paris') and is left out", 0),
    "list": ([[1], [0], [1], [0]], "holds lists (e.g. [1]) and is left out", 0),
}
"""A scorer's values, the expected message, and how many values remain."""


def test_non_numeric_scores_are_named_and_others_are_kept(tmp_path: Path) -> None:
    log = make_log("CICI")
    for number, sample in enumerate(samples_of(log)):
        values_by_name = {name: values[number] for name, (values, *_) in _ODD_VALUES.items()}
        sample.scores = {name: Score(value=value) for name, value in values_by_name.items()}
    write(tmp_path, log)
    all_frames = frames(tmp_path)
    notices = m.noticed(all_frames)
    remaining = all_frames.scores.dropna(subset=["value"])["measure"].value_counts()
    for name, (_, text, count) in _ODD_VALUES.items():
        assert f"{name} {text}" in notices and remaining.get(name, 0) == count


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([float("nan"), 1], "has no value for match on 1 sample"),
        ([float("nan"), float("nan")], "No score is a number (2 no_value)"),
    ],
)
def test_scores_without_value_are_counted(tmp_path: Path, values: list[float], said: str) -> None:
    write(tmp_path, make_log(values))
    assert said in typed(tmp_path, "arag-inspect report 0.json")


def test_measures_without_value_beyond_three_are_counted(tmp_path: Path) -> None:
    log = make_log("CI")
    first, *_ = samples_of(log)
    for sample in samples_of(log):
        value = float("nan") if sample is first else 1
        sample.scores = {name: Score(value=value) for name in ("m1", "m2", "m3", "m4", "m5")}
    write(tmp_path, log)
    printed = typed(tmp_path, "arag-inspect report 0.json")
    assert "m2 on 1 sample, m3 on 1 sample and 2 more measures" in " ".join(printed.split())


def test_scorer_named_human_is_not_read_as_human_marks(tmp_path: Path) -> None:
    names = ["humaneval", "human_loss", "human-preference"]
    log = make_log([0.5, 2.0, 3.5, 1.0])
    for sample in samples_of(log):
        (score,) = scores_of(sample).values()
        sample.scores = dict.fromkeys(names, score)
    write(tmp_path, log)
    notices = m.noticed(frames(tmp_path))
    assert "higher or lower humaneval, human_loss and human-preference is better" in notices
    for name in names:
        lower = frames(tmp_path, reading=LogOptions(lower=(name,))).runs["declared"][0]
        assert lower[name].label == name and lower[name].higher_is_better is False


def test_lower_option_is_reported_as_ignored_for_declared_measure(tmp_path: Path) -> None:
    write(tmp_path, make_log([0.5, 0.2, 0.4], "numeric_match"))
    notices = m.noticed(frames(tmp_path, reading=LogOptions(lower=("numeric_match",))))
    assert "has numeric_match, whose direction is declared" in notices


def test_failed_or_limited_samples_are_counted_in_notice(tmp_path: Path) -> None:
    log = make_log()
    for sample in samples_of(log)[:3]:
        sample.error, sample.scores = EvalError(message="boom", traceback="", traceback_ansi=""), {}
    samples_of(log)[4].limit = EvalSampleLimit(type="token", limit=100)
    write(tmp_path, log)
    notices = m.noticed(frames(tmp_path))
    assert (
        "4 of 12 samples of gpt-4o failed or were stopped by a limit; most often: boom" in notices
    )


@pytest.mark.parametrize("reducer", ["pass_at_2", "max"])
def test_epoch_reducer_other_than_mean_is_reported(tmp_path: Path, reducer: str) -> None:
    log = make_log()
    log.eval.config.epochs, log.eval.config.epochs_reducer = 3, [reducer]
    write(tmp_path, log)
    assert f"reduces epochs by {reducer}" in m.noticed(frames(tmp_path))


def test_log_without_samples_is_reported(tmp_path: Path) -> None:
    log = make_log()
    log.samples, log.eval.config.log_samples = [], False
    write(tmp_path, log)
    assert "--no-log-samples" in typed(tmp_path, "arag-inspect report 0.json", code=1)


@pytest.mark.parametrize(
    ("scores", "means"),
    [
        ({"a.b": 1.0, "a": {"b": 3.0}}, {"a.b": 1.0, "a.b (a)": 3.0}),
        ({"a": {"b.c": 1.0}, "a.b": {"c": 3.0}}, {"a.b.c": 1.0, "a.b.c (a.b)": 3.0}),
        ({"a": float("nan"), "a.b": 1.0}, {"a.b": 1.0}),
    ],
)
def test_scorers_with_dotted_names_are_kept_apart(
    tmp_path: Path, scores: dict[str, Any], means: dict[str, float]
) -> None:
    logs = [make_log(), make_log(model="a/b")]
    for sample in [own for log in logs for own in samples_of(log)]:
        sample.scores = {name: Score(value=value) for name, value in scores.items()}
    write(tmp_path, *logs)
    all_frames = frames(tmp_path)
    assert "differs" not in m.noticed(all_frames)
    mean_by_measure = all_frames.scores.dropna(subset=["value"]).groupby("measure")["value"].mean()
    assert mean_by_measure.to_dict() == means


def _sorted(log: dict[str, Any]) -> dict[str, Any]:
    return dict(sorted(log.items()))


def _of_the_future(log: dict[str, Any]) -> dict[str, Any]:
    for sample in log["samples"]:
        sample["events"] = [{"event": "of another version", "x": 1}]
    return log | {"unheard": {"of": 1}}


def _without(*names: str) -> Any:
    return lambda log: {name: value for name, value in log.items() if name not in names}


@pytest.mark.parametrize(
    ("edit", "encoding"),
    [
        (_sorted, "utf-8"),
        (dict, "utf-8-sig"),
        (_of_the_future, "utf-8"),
        (_without("plan"), "utf-8"),
        (_without("results", "stats"), "utf-8"),
    ],
)
def test_json_log_written_by_other_program_is_read(
    tmp_path: Path, edit: Any, encoding: str
) -> None:
    (path,) = write(tmp_path, make_log())
    log = edit(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(json.dumps(log), encoding=encoding)
    for where in (path, tmp_path):
        assert len(frames(where).answers) == len(_LETTERS)


@pytest.mark.parametrize("name", ["run #1.json", "a%20b?.json", "[x] é.json"])
def test_log_with_special_characters_in_name_is_read(tmp_path: Path, name: str) -> None:
    (path,) = write(tmp_path, make_log())
    path.rename(tmp_path / name)
    assert len(frames(tmp_path).answers) == len(_LETTERS)


@pytest.mark.parametrize(
    ("usage", "column", "said"),
    [
        ({"input_tokens": -4}, "input_tokens", "input_tokens -4"),
        ({"output_tokens": 10**30}, "output_tokens", "output_tokens of too many digits"),
        ({"total_cost": -3.0}, "cost_usd", "cost_usd -3"),
    ],
)
def test_impossible_usage_is_excluded_and_named(
    tmp_path: Path, usage: dict[str, Any], column: str, said: str
) -> None:
    log = make_log()
    for sample in samples_of(log):
        sample.model_usage = {"openai/gpt-4o": ModelUsage(**usage)}
    samples_of(log)[0].events = [
        SpanBeginEvent(id="a", span_id="a", name="solvers", type="solvers"),
        SpanEndEvent(id="a", span_id="a", working_start=float("nan")),
    ]
    write(tmp_path, log)
    all_frames = frames(tmp_path)
    assert not all_frames.answers[column].sum()
    assert said in all_frames.notices[0].text and "latency_ms nan" in all_frames.notices[0].text


def test_cost_table_counts_samples_stopped_by_limit(tmp_path: Path) -> None:
    log = make_log()
    for sample in samples_of(log)[:3]:
        sample.limit = EvalSampleLimit(type="time", limit=9)
    (row,) = m.rows_of(m.report_of(tmp_path, log), "cost")
    assert row["stopped"].value.value == 0.25


def test_compare_shows_no_gain_for_measure_without_direction(tmp_path: Path) -> None:
    values = [-0.5, -2.0, -3.5, -1.0]
    write(tmp_path, make_log(values, "loss"), make_log([value * 2 for value in values], "loss"))
    output = typed(tmp_path, "arag-inspect compare 0.json 1.json")
    assert output.count(" on 4 samples") == 2 and "--lower loss or --higher loss sets" in output
    page = (tmp_path / "report" / "summarization_report.md").read_text(encoding="utf-8")
    assert not any(word in page for word in ("Regressions", "Gains", "Samples worth", "weakest"))
    lower = typed(tmp_path, "arag-inspect compare 0.json 1.json --lower loss")
    assert "sets which is better" not in lower and "cannot show a difference" in lower


def test_plan_on_non_numeric_scores_is_rejected_in_one_line(tmp_path: Path) -> None:
    write(tmp_path, make_log(["a text", [1.0]]))
    output = typed(tmp_path, "arag-inspect plan 0.json --effect 0.3", code=1)
    assert output.strip() == "Error: no score in the logs is a number, so a plan cannot be computed"


@pytest.mark.parametrize(
    ("used", "unused", "lacking"),
    [
        (["match", "rouge", "nli"], ["match", "match"], "lacks match1;"),
        (["match", "rouge"], ["match"], ""),
        ([{"name": "match", "options": {"k": 1}}, "rouge"], ["match"], "lacks match (no options);"),
        (
            ["match", "rouge"],
            [{"name": "match", "options": {"k": 2, "fold": True}}],
            "lacks match (k=2, fold=True);",
        ),
    ],
)
def test_notice_on_log_copy_names_repeated_and_differently_set_scorers(
    tmp_path: Path, used: list[Any], unused: list[Any], lacking: str
) -> None:
    for number, entries in enumerate((unused, used)):
        scorers = [{"name": entry} if isinstance(entry, str) else entry for entry in entries]
        log = make_log(eval_id="one", run_id="one", scorers=scorers)
        write_eval_log(log, str(tmp_path / f"{number}.json"))
    (text,) = (own.text for own in frames(tmp_path).notices if "is the same run as" in own.text)
    assert text.startswith("0.json is the same run as 1.json, which is used")
    assert lacking in text and bool(lacking) == (" but lacks " in text)


@pytest.mark.parametrize("first", ["includes", "rouge", "match"])
def test_first_measure_of_foreign_log_is_primary(tmp_path: Path, first: str) -> None:
    values = {"rouge": {"rouge2": 0.5}, "includes": "C", "match": 1.0}
    log = make_log()
    for sample in samples_of(log):
        ordered = sorted(values, key=lambda name: name != first)
        sample.scores = {name: Score(value=values[name]) for name in ordered}  # type: ignore[arg-type]
    write(tmp_path, log)
    (study,) = studies(frames(tmp_path))
    assert primary_measures(study)[0].split(".")[0] == first


@pytest.mark.parametrize("name", ["tools", "system"])
def test_any_argument_of_foreign_task_makes_separate_system(tmp_path: Path, name: str) -> None:
    logs = make_log(), make_log()
    logs[0].eval.task_args, logs[1].eval.task_args = {name: "one"}, {name: "two"}
    assert f"{name}: one → two" in _differences(tmp_path, *logs)
    assert sorted(frames(tmp_path).runs["system"]) == [
        f"gpt-4o ({name}={v})" for v in ("one", "two")
    ]


@pytest.mark.parametrize(
    ("solver", "arguments", "parameters", "differences"),
    [
        ("mine", ("terse", "terse"), ("terse", "careful"), "prompt: terse → careful"),
        ("mine", ("terse", "long"), ("careful", "careful"), "task.prompt: terse → long"),
        (None, ("terse", "terse"), ("terse 1", "terse 2"), "prompt: terse 1 → terse 2"),
        (None, ("terse", "careful"), ("terse", "careful"), "prompt: terse → careful"),
    ],
)
def test_parameters_of_solver_and_task_with_one_name_both_distinguish_systems(
    tmp_path: Path,
    solver: str | None,
    arguments: tuple[str, str],
    parameters: tuple[str, str],
    differences: str,
) -> None:
    logs = make_log(), make_log()
    for log, argument, parameter in zip(logs, arguments, parameters, strict=True):
        log.eval.solver = solver
        log.eval.task_args = {"prompt": argument}
        log.plan.steps = [EvalPlanStep(solver="mine", params={"prompt": parameter})]
    assert _differences(tmp_path, *logs) == differences
    assert len(frames(tmp_path).runs) == 2


def test_limit_of_run_does_not_hide_parameter_of_the_same_name(tmp_path: Path) -> None:
    logs = make_log(), make_log()
    for log, limit in zip(logs, (10, 20), strict=True):
        log.eval.config.token_limit = 500
        log.plan.steps = [EvalPlanStep(solver="mine", params={"token_limit": limit})]
    assert "token_limit: 10 → 20" in _differences(tmp_path, *logs)


@pytest.mark.parametrize("suffix", [".json", ".eval"])
@pytest.mark.parametrize("full", [0, 1])
def test_log_copy_without_samples_is_ignored(tmp_path: Path, suffix: str, full: int) -> None:
    for number in range(2):
        scorers = [{"name": "match"}, {"name": "another"}][: 1 if number == full else 2]
        log = make_log(run_id="one", eval_id="one", scorers=scorers)
        log.samples = log.samples if number == full else []
        write_eval_log(log, str(tmp_path / f"{number}{suffix}"))
    assert len(frames(tmp_path).answers) == len(_LETTERS)


def test_different_questions_under_shared_ids_are_named(tmp_path: Path) -> None:
    logs = make_log("CICCI"), make_log("CCICI")
    for number, sample in enumerate(samples_of(logs[1]), start=1):
        sample.id, sample.input = f"s{number:03}", "Another question"
    write(tmp_path, *logs)
    output = typed(tmp_path, "arag-inspect compare 0.json 1.json")
    assert "(other questions under the same ids)" in output and "measured differently" not in output


def test_sample_id_cannot_break_console_line(tmp_path: Path) -> None:
    log = make_log("ICC")
    samples_of(log)[0].id = "x\nError: all is lost " + "y" * 3_000
    write(tmp_path, log)
    output = typed(tmp_path, "arag-inspect report 0.json")
    assert "\nError" not in output and "y" * 60 not in output


@pytest.mark.parametrize("model", ["openai/gpt-4o", "none/none"])
def test_additional_models_called_by_agent_are_named(tmp_path: Path, model: str) -> None:
    log = make_log(model=model, model_roles={"grader": ModelConfig(model="judge/x")})
    for sample in samples_of(log):
        names = (model, "openai/o3", "judge/x")
        sample.model_usage = {name: ModelUsage(input_tokens=5, total_tokens=5) for name in names}
    write(tmp_path, log)
    notices = m.noticed(frames(tmp_path))
    assert "also called openai/o3, not counted in its tokens and cost" in notices


@pytest.mark.parametrize("seconds", [None, 2.5])
def test_latency_that_includes_scorers_is_left_out(tmp_path: Path, seconds: float | None) -> None:
    log = make_log()
    for sample in samples_of(log):
        sample.working_time = seconds
    write(tmp_path, log)
    all_frames = frames(tmp_path)
    assert ("latency is omitted" in m.noticed(all_frames)) is (seconds is not None)
    assert all_frames.answers["latency_ms"].isna().all()
