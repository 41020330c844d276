"""Tests of reports on logs made without this package, against scipy or published figures."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score, Scorer, Target, accuracy, includes, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from scipy.stats import ttest_rel

from arag_inspect._util.errors import InputError
from arag_inspect.report import Frames, LogOptions, frames, studies
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.comparison.changes import Difference, recorded_differences
from arag_inspect.report.comparison.comparisons import Comparison, compare_systems
from arag_inspect.report.comparison.means import mean_of_measure
from arag_inspect.report.comparison.primary import primary_measures
from arag_inspect.report.study import Choices
from tests.commands import typed
from tests.conftest import SHARED_DATA
from tests.logs import samples_of, scores_of
from tests.report.material import report_on
from tests.tables import tables_beside

LOGS = SHARED_DATA / "logs"
_EXPECTED = LOGS / "expected.json"
QUESTIONS: list[dict[str, Any]] = (
    json.loads(_EXPECTED.read_text(encoding="utf-8")) if _EXPECTED.exists() else []
)
_BETTER = {"pop-2": "new", "sta-1": "new", "sta-6": "new", "gat-8": "earlier", "gat-9": "earlier"}
"""Questions whose answer contains a winner."""

_RENAMED = ("pop-2", "tom-2", "sta-1", "sta-6", "vit-1")
"""Questions for renamed and reversed logs: one per scorer."""

_AS_THEY_ARE = ("pop-1", "sta-2", "gat-7", "gat-8")

WITHOUT = pytest.mark.skipif(not QUESTIONS, reason="no logs of others in ../shared/data/logs")


def of_kind(*kinds: str) -> list[Any]:
    """Return the questions of the given kinds."""
    return [pytest.param(one, id=one["id"]) for one in QUESTIONS if one["kind"] in kinds]


def renamed(log: EvalLog) -> EvalLog:
    """Rename every scorer, write numbers as text, and reverse the samples."""
    log.samples = list(reversed(samples_of(log)))
    for sample in samples_of(log):
        for score in scores_of(sample).values():
            score.value = str(score.value) if isinstance(score.value, float) else score.value
        sample.scores = {f"my {name}": score for name, score in scores_of(sample).items()}
    for record in log.eval.scorers or []:
        record.name = f"my {record.name}"
    for result in log.results.scores if log.results else []:
        result.name = result.scorer = f"my {result.scorer}"
    return log


def read(name: str) -> EvalLog:
    """Return a log without the parts that no figure needs, which take the most time."""
    return read_eval_log(str(LOGS / name), exclude_fields={"messages", "events", "attachments"})


def compared(
    logs: Sequence[EvalLog], folder: Path, suffix: str = ".eval", cluster: str | None = None
) -> tuple[Comparison, ...]:
    """Compare two logs after writing them to files again."""
    sides = []
    for side, log in enumerate(logs):
        path = folder / f"{side}{suffix}"
        write_eval_log(log, str(path))
        sides.append(frames(path, reading=LogOptions(cluster=cluster)))
    return compared_frames(*sides)


def compared_frames(base: Frames, new: Frames) -> tuple[Comparison, ...]:
    """Compare the runs of two sides."""
    (pair,) = studies(pair_runs(base, new), Choices(is_change=True))
    return compare_systems(pair, {}, primary_measures(pair))


@WITHOUT
@pytest.mark.parametrize("name", [*_RENAMED, *_AS_THEY_ARE])
def test_foreign_logs_reproduce_published_figures(name: str, tmp_path: Path) -> None:
    question = next(one for one in QUESTIONS if one["id"] == name)
    logs = [read(question[side]) for side in ("a", "b")]
    if name in _RENAMED:
        check(question, compared([*map(renamed, logs)], tmp_path), "my ")
    else:
        check(question, compared(logs, tmp_path, ".json"))


def check(question: dict[str, Any], comparisons: Sequence[Comparison], renamed: str = "") -> None:
    for name, expected in question["figures"].items():
        (found,) = [own for own in comparisons if own.measure.key == f"{renamed}{name}"]
        assert found.paired.n == expected["n"]
        assert found.paired.mean_b == pytest.approx(expected["mean_a"], abs=1e-6)
        assert found.paired.mean_a == pytest.approx(expected["mean_b"], abs=1e-6)
        assert found.paired.difference == pytest.approx(expected["difference"], abs=1e-6)
        better = _BETTER.get(question["id"])
        assert found.winner == (found.a if better == "new" else found.b if better else None)


@WITHOUT
def test_cluster_option_groups_samples_by_metadata_key(tmp_path: Path) -> None:
    questions = {question["id"]: question for question in QUESTIONS}
    winners = {}
    for name in ("sta-1", "sta-2"):
        logs = [read(questions[name][side]) for side in ("a", "b")]
        (found,) = compared(logs, tmp_path, cluster="problem_id")
        assert found.paired.clusters == questions[name]["figures"]["starsim_scorer"]["clusters"]
        winners[name] = found.winner
    assert winners["sta-2"] is None
    with pytest.raises(InputError, match="no sample has 'colour'"):
        compared(logs, tmp_path, cluster="colour")


@WITHOUT
@pytest.mark.parametrize("question", of_kind("gate_alone"))
def test_gate_on_one_log_exits_with_expected_code(question: dict[str, Any], tmp_path: Path) -> None:
    (log,) = question["logs"]
    (tmp_path / "rules.yaml").write_text(json.dumps([question["rule"]]), encoding="utf-8")
    printed = typed(
        tmp_path, f"arag-inspect gate {LOGS / log} --rules rules.yaml", code=question["exit"]
    )
    assert {0: "kept", 1: "broken", 2: "undecided"}[question["exit"]] in printed


@WITHOUT
@pytest.mark.parametrize("question", [one for one in of_kind("compare") if "gate" in one.values[0]])
def test_gate_on_two_logs_exits_with_expected_code(
    question: dict[str, Any], tmp_path: Path
) -> None:
    rule = question["gate"].split("'")[1]
    (tmp_path / "rules.yaml").write_text(json.dumps([rule]), encoding="utf-8")
    new, base = LOGS / question["b"], LOGS / question["a"]
    line = f"arag-inspect gate {new} --against {base} --rules rules.yaml"
    typed(tmp_path, line, code=question["exit"])


@WITHOUT
@pytest.mark.parametrize("question", of_kind("refuse"))
def test_incomparable_logs_are_reported_in_one_line(
    question: dict[str, Any], tmp_path: Path
) -> None:
    logs = [str(LOGS / log) for log in question["logs"]]
    if "rule" in question:
        (tmp_path / "rules.yaml").write_text(json.dumps([question["rule"]]), encoding="utf-8")
        line = f"arag-inspect gate {logs[0]} --rules rules.yaml"
        assert "choose from match" in typed(tmp_path, line, code=3)
        return
    command = "report" if len(logs) == 1 else "compare"
    printed = typed(tmp_path, f"arag-inspect {command} {' '.join(logs)}", code=1)
    (line,) = printed.strip().splitlines()
    reasons = {"pop-9": "inspect score", "pop-10": "no finished sample", "vit-2": "cannot be read"}
    assert reasons.get(question["id"], "in common") in line


@WITHOUT
def test_report_on_several_models_matches_published_means_and_winners() -> None:
    question = next(one for one in QUESTIONS if one["id"] == "pop-4")
    report = report_on(frames([LOGS / log for log in question["logs"]]))
    names = {run.location.split("popularity/")[-1]: run.system for run in report.study.rows}
    for log, own in question["figures"].items():
        mean_of = mean_of_measure(report.study, names[log.removeprefix("popularity/")], "match")
        assert mean_of is not None
        assert (mean_of.n, mean_of.mean) == (own["match"]["n"], pytest.approx(own["match"]["mean"]))
    shown = [p for p in question["pairs"] if max(p["t_p_holm"], p["sign_flip_p_holm"]) < 0.05]
    files = {system: f"popularity/{file}" for file, system in names.items()}
    winners = {frozenset((files[one.a], files[one.b])) for one in report.comparisons if one.winner}
    assert winners == {frozenset((pair["a"], pair["b"])) for pair in shown}


@WITHOUT
def test_system_names_show_differing_arguments() -> None:
    logs = [LOGS / "starsim" / f"sonnet46_{kind}.eval" for kind in ("bg", "nobg")]
    systems = sorted(frames(logs).runs["system"])
    assert systems == [
        "starsim_solver (with_background=False, with_test_cases=False)",
        "starsim_solver (with_background=True)",
    ]
    labels = {"sonnet46_bg.eval": "with", "sonnet46_nobg.eval": "without"}
    runs = frames(logs, reading=LogOptions(labels=labels)).runs
    assert sorted(runs["system"]) == ["with", "without"]


@solver
def saying(answers: list[str]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = answers[int(state.sample_id) - 1]
        return state

    return solve


@scorer(
    metrics={name: [mean()] for name in ("length", "kind", "stance")}
    | {"loss": [mean(), stderr()], "ok": [accuracy()]}
)
def several() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        words = state.output.completion.split()
        return Score(
            value={
                "length": len(words) if len(words) > 1 else -1,
                "kind": "a text" if len(words) > 2 else "another",
                "loss": str(len(words) / 2),
                "ok": len(words) > 2,
                "stance": len(words) % 3 - 1,
            }
        )

    return score


def run_foreign(answers: list[str], folder: Path, name: str) -> Path:
    """Run a task that uses nothing from this package."""
    samples = [
        Sample(id=number, input=f"Question {number}", target="yes", metadata={"pair": number // 2})
        for number in range(1, len(answers) + 1)
    ]
    task = Task(samples, solver=saying(answers), scorer=[includes(), several()], name="foreign")
    (log,) = eval(task, model="mockllm/model", log_dir=str(folder / name), display="none")
    path = folder / f"{name}.json"
    write_eval_log(log, str(path))
    return path


@pytest.fixture(scope="module")
def two_logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path, Any, Any]]:
    folder = tmp_path_factory.mktemp("foreign")
    random = np.random.default_rng(1)
    right = [random.random(40) < share for share in (0.3, 0.8)]
    texts = [
        [f"{'yes' if hit else 'no'}{' word' * (number % 4)}" for number, hit in enumerate(own)]
        for own in right
    ]
    yield (*(run_foreign(own, folder, f"run{n}") for n, own in enumerate(texts)), *right)  # type: ignore[misc]


def test_foreign_task_comparison_matches_scipy(two_logs: tuple[Path, Path, Any, Any]) -> None:
    base, new, right_before, right_now = two_logs
    comparisons = compared_frames(frames(base), frames(new))
    (found,) = [one for one in comparisons if one.measure.key == "includes"]
    assert found.role == "primary" and found.winner == found.a
    expected = ttest_rel(right_now.astype(float), right_before.astype(float)).confidence_interval()
    assert found.paired.difference == pytest.approx(right_now.mean() - right_before.mean())
    assert (found.paired.low, found.paired.high) == pytest.approx((expected.low, expected.high))


def test_label_that_names_no_log_is_refused(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    base, new, *_ = two_logs
    for command in (
        f"report {base} {new}",
        f"compare {base} {new}",
        f"gate {new} --against {base}",
    ):
        line = f"arag-inspect {command} --label {base.parent}=mine"
        output = typed(tmp_path, line, code=3 if "gate" in command else 1)
        assert f"--label {base.parent}=mine matches no log; give the file name of a log" in output
    typed(tmp_path, f"arag-inspect compare {base} {new} --label {base.name}=before")


def test_foreign_task_plan_uses_deviation_of_logged_differences(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    base, new, right_before, right_now = two_logs
    line = f"arag-inspect plan {base} {new} --label run1.json=new --label run0.json=old"
    line += " --effect 0.5"
    printed = typed(tmp_path, line)
    (row,) = [cells for cells in map(str.split, printed.splitlines()) if "includes" in cells]
    deviation = np.std(right_now.astype(float) - right_before, ddof=1)
    assert float(row[1]) == pytest.approx(deviation, abs=5e-4)
    assert "In the logs, shared by every two systems: 40 samples; they show" in printed
    assert "of equal size" not in printed
    grouped = typed(tmp_path, f"{line} --cluster pair")
    assert (
        "21 groups by pair" in grouped and ", if all groups by pair are of equal size." in grouped
    )
    assert "name of a task, not logs" in typed(tmp_path, f"{line} --limit 3", code=1)
    alone = typed(tmp_path, f"arag-inspect plan {new} --effect 0.5")
    assert "over 1 primary comparison" in alone and next(
        cells[:2] for cells in map(str.split, alone.splitlines()) if "includes" in cells
    ) == ["includes", "-"]


def test_measure_without_direction_has_no_winner(
    two_logs: tuple[Path, Path, Any, Any],
) -> None:
    base, new, *_ = two_logs
    all_frames = frames(new)
    (run,) = all_frames.runs.itertuples()
    better = {key: run.declared[key].higher_is_better for key in run.measures}
    unknown = ("several.length", "several.loss", "several.stance")
    assert better == {"includes": True, "several.ok": True, **dict.fromkeys(unknown)}
    stances = all_frames.scores.loc[all_frames.scores["measure"] == "several.stance", "value"]
    assert set(stances) == {-1.0, 0.0, 1.0}
    message = "\n".join(notice.text for notice in all_frames.notices)
    assert "several.stance is -1 on some samples, read as a value" in message
    assert "several.kind holds texts" in message and "several.length is -1 on 10 samples" in message
    assert "several.length, several.stance and several.loss is better" in message
    reading = LogOptions(lower=("several.loss",))
    now, before = (frames(side, reading=reading) for side in (new, base))
    (loss,) = [one for one in compared_frames(before, now) if one.measure.key == "several.loss"]
    assert loss.measure.higher_is_better is False


def test_different_questions_under_same_ids_are_not_paired(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    base, new, *_ = two_logs
    for kept in (0, 10):
        log = read_eval_log(str(new))
        for sample in samples_of(log)[kept:]:
            sample.input = f"Another question than {sample.input}"
        write_eval_log(log, str(tmp_path / "other.json"))
        comparisons = compared_frames(frames(base), frames(tmp_path / "other.json"))
        (found,) = [one for one in comparisons if one.measure.key == "includes"]
        if kept:
            assert (found.paired.n, found.left_out) == (10, 30)
        else:
            assert found.winner is None and "other questions" in found.verdict


def test_run_without_values_does_not_affect_measure_direction(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    base, new, *_ = two_logs
    log = read_eval_log(str(new))
    for sample in samples_of(log):
        scores_of(sample)["includes"].value = float("nan")
    log.eval.eval_id, log.eval.model = "another", "mockllm/failing"
    write_eval_log(log, str(tmp_path / "failing.eval"))
    (study,) = studies(frames([base, tmp_path / "failing.eval"]))
    assert study.catalogue.spec("includes").higher_is_better and not study.catalogue.contested


def test_changed_solver_is_listed_as_change(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    base, new, *_ = two_logs
    log = read_eval_log(str(new))
    log.eval.solver, log.plan.steps[-1].solver = "mine/patched", "mine/patched"
    write_eval_log(log, str(tmp_path / "odd [1].json"))
    (pair,) = studies(pair_runs(frames(base), frames(tmp_path)))
    assert Difference("solver", "saying", "patched") in list(recorded_differences(pair))


def test_tokens_are_unknown_when_judge_usage_cannot_be_separated(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    def usage(tokens: int) -> ModelUsage:
        return ModelUsage(input_tokens=tokens, output_tokens=1, total_tokens=tokens + 1)

    log = read_eval_log(str(two_logs[1]))
    log.eval.model = "openai/gpt-5"
    for sample in samples_of(log):
        sample.model_usage = {"openai/gpt-5": usage(100), "openai/gpt-4o": usage(50)}
        sample.role_usage = {"grader": usage(50 if sample.id != 1 else 60)}
    write_eval_log(log, str(tmp_path / "used.json"))
    tokens = frames(tmp_path / "used.json").answers.set_index("id")["input_tokens"]
    assert tokens["2"] == 100 and math.isnan(tokens["1"])


USAGES = tables_beside(__file__, "token_usages.yaml")


def test_token_counts_follow_meaning_shown_by_totals(
    two_logs: tuple[Path, Path, Any, Any], tmp_path: Path
) -> None:
    log = read_eval_log(str(two_logs[1]))
    log.eval.model = "openai/gpt-5"
    log.samples = samples_of(log)[: len(USAGES)]
    for sample, usage in zip(log.samples, USAGES.values(), strict=True):
        sample.model_usage = {"openai/gpt-5": ModelUsage(**usage["logged"], total_cost=123.0)}
    write_eval_log(log, str(tmp_path / "used.json"))
    all_frames = frames(tmp_path / "used.json")
    unknown = sum(usage["means"] is None for usage in USAGES.values())
    (text,) = [one.text for one in all_frames.notices if "ambiguous token counts" in one.text]
    assert f"on {unknown} of {len(USAGES)} samples" in text
    answers = all_frames.answers.set_index("id")
    for number, (name, usage) in enumerate(USAGES.items(), start=1):
        logged, expected = usage["logged"], usage["means"]
        row = answers.loc[str(number)]
        read_tokens = [row.input_tokens, row.output_tokens]
        if expected is None:
            assert all(map(math.isnan, (*read_tokens, row.cost_usd))), name
            continue
        assert read_tokens == expected, name
        cached = logged.get("input_tokens_cache_read", 0)
        cache_write = logged.get("input_tokens_cache_write", 0)
        tokens = [logged["input_tokens"] + cached + cache_write, logged["output_tokens"]]
        paid = (expected[0] - cached) * 1.25e-6 + cached * 0.125e-6 + expected[1] * 10e-6
        assert row.cost_usd == (123.0 if tokens == expected else pytest.approx(paid)), name


def test_git_lfs_pointer_is_named(tmp_path: Path) -> None:
    pointer = tmp_path / "2026-01-01T00-00-00_task_id.eval"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(InputError, match="git lfs pull"):
        frames(pointer)


def test_log_labels_apply_and_unknown_measure_is_named(
    two_logs: tuple[Path, Path, Any, Any],
) -> None:
    base, new, *_ = two_logs
    labels = {f"{base.parent.name}/{base.name}": "before", f"{new}": "after"}
    all_frames = frames([base, new], reading=LogOptions(lower=("toxicity",), labels=labels))
    assert sorted(all_frames.runs["system"]) == ["after", "before"]
    message = "no log has the measure toxicity; choose from includes, "
    assert any(notice.text.startswith(message) for notice in all_frames.notices)
