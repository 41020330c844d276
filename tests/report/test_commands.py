"""Tests of `run`, `rejudge` and `report` on logs of real runs, with two judges."""

import errno
import json
import re
import shutil
import time
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import Result
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from arag_inspect import tasks
from arag_inspect.report import Report, frames, make_report
from arag_inspect.report.cells import Share
from arag_inspect.scorers import geval_coverage, rouge
from arag_inspect.solvers import replay
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.report import material as m
from tests.scripted import STEADY, graded, tagged

REFERENCE = "Sales rose 4 % to $12.5 million in 2021. The margin was 31 %."
ANSWERS = {"arag": REFERENCE, "stuffing": "Sales fell. Nothing else was said."}
_MOODS = count()


@modelapi(name="moody")
def moody() -> type[ModelAPI]:
    """A judge that gives 2, 3, 4, 2, ... whatever it is shown."""

    class Moody(ModelAPI):
        async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
            verdict = tagged(graded(2 + next(_MOODS) % 3, input[0].text), input)
            output = ModelOutput.from_content("moody", verdict)
            output.usage = ModelUsage(input_tokens=10, output_tokens=2, total_tokens=12)
            return output

        async def count_text_tokens(self, text: str) -> int:
            return len(text) // 4

    return Moody


@task
def tiny(*, system: str = "arag", answers: str = "") -> Task:
    """Four calls, answered from a file."""
    own: Any = {"input": "Summarize.", "target": REFERENCE}
    return Task(
        dataset=[Sample(id=f"s{n}", metadata={"company": f"C{n}"}, **own) for n in range(4)],
        solver=replay(predictions=f"{answers}/{system}"),
        scorer=[geval_coverage(criteria="pinned"), rouge()],
        config=GenerateConfig(temperature=0),
        version=1,
    )


GRADERS = ("--grader", f"{STEADY},moody/judge")


def _run(answers: Path, logs: Path, *more: str, code: int = 0) -> Result:
    """Run `run` for two systems and two judges."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "tiny", tiny, raising=False)
        patch.setattr(tasks, "__all__", [*tasks.__all__, "tiny"])
        patch.setenv("INSPECT_DISPLAY", "none")
        line = "run tiny --systems arag,stuffing --model offline/extractive"
        own = (*GRADERS, "-T", f"answers={answers}", "--log-dir", logs)
        return call(line, *own, *more, code=code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of two systems made by `run`, with one of them rejudged."""
    project = tmp_path_factory.mktemp("project")
    for system, answer in ANSWERS.items():
        (project / system).mkdir()
        for n in range(4):
            (project / system / f"s{n}.txt").write_text(answer)
    for _ in range(2):  # the second time, nothing is left to do
        result = _run(project, project / "logs")
        assert f"Next: arag-inspect report {project / 'logs'}" in result.output
    assert len(list_eval_logs(str(project / "logs"))) == 2
    locations = (log.name for log in list_eval_logs(str(project / "logs")))
    first = next(name for name in locations if _is_of(name, "arag"))
    result = call("rejudge", first, *GRADERS, "-o", project / "logs/again.eval")
    assert "Judged again:" in result.output
    assert re.search(r"\n  Items stated: change .*, the same value on \d+\.0 %\n", result.output)
    assert "only marks of people show whether it is right" in result.output
    return project


def _is_of(log: str, system: str) -> bool:
    return bool(read_eval_log(log, header_only=True).eval.task_args["system"] == system)


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return make_report(frames(folder / "logs"))


def test_rejudged_run_counts_once(report: Report) -> None:
    study = report.studies[0].study
    assert [run.solver for run in study.rows] == ["replay", "replay"]
    assert len(study.runs) == 2 and study.catalogue.keys[0] == "geval_coverage"
    texts = [notice.text for notice in report.notices]
    assert any("is the same run as again.eval" in text for text in texts)
    assert not any("differently" in text for text in texts)


def test_repeated_run_leaves_logs_unchanged_after_rejudge(folder: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(folder / "logs", logs)
    before = {path.name: path.read_bytes() for path in logs.glob("*.eval")}
    _run(folder, logs)
    assert {path.name: path.read_bytes() for path in logs.glob("*.eval")} == before
    assert len(before) == 3 and "again.eval" in before


def test_run_resumes_only_from_own_log(folder: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    shutil.copytree(folder / "logs", logs)
    _run(folder, logs, "--epochs", "2")
    assert (logs / "again.eval").read_bytes() == (folder / "logs" / "again.eval").read_bytes()
    taken_up = [path for path in logs.glob("*.eval") if path.name != "again.eval"]
    assert len(taken_up) == 2
    for path in taken_up:
        samples = samples_of(read_eval_log(str(path)))
        assert [set(scores_of(sample)) for sample in samples] == 8 * [{"geval_coverage", "rouge"}]


def test_second_concurrent_run_is_rejected(folder: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    second: list[Any] = []

    @modelapi(name="hasty")
    def hasty() -> type[ModelAPI]:
        class Hasty(ModelAPI):
            async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
                if not second:
                    second.append(_run(folder, logs, code=1))
                return ModelOutput.from_content("hasty", tagged(graded(3, input[0].text), input))

            async def count_text_tokens(self, text: str) -> int:
                return len(text) // 4

        return Hasty

    _run(folder, logs, "--grader", "hasty/judge")
    assert second[0].output == (
        f"Error: another run uses {logs}; wait for it to finish, or use another --log-dir\n"
    )
    assert len(list_eval_logs(str(logs))) == 2


def test_inconsistent_judge_sets_noise_floor(report: Report) -> None:
    table = m.table_of(report.studies[0], "self_consistency")
    by_measure = {row[0]: row for row in table.rows}
    assert [*by_measure] == ["Coverage (1-5)", "Items stated"]
    _, _, n, _, size, same, floor = by_measure["Coverage (1-5)"]
    assert n == 4
    # the steady judge repeats itself, so the change is half of the moody judge's change
    assert isinstance(size, float) and isinstance(floor, float) and 0 < size <= 1 and floor > 0
    assert isinstance(same, Share) and same.value < 1


def test_report_prints_progress_and_output_paths(
    folder: Path, report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def marks(system: str) -> str:
        path = tmp_path / "marks.json"
        records = [{"id": f"s{n}", "value": 2 + n, "system": system} for n in range(3)]
        path.write_text(json.dumps(records))
        return str(path)

    logs, out = str(folder / "logs"), tmp_path / "report"
    wrong = call("report", logs, "--human", marks("nobody"), "-o", out, code=1)
    assert "Error: none of the 3 marks" in wrong.output
    assert not out.exists()
    systems = report.studies[0].study.systems
    first = next(name for name in systems if name.endswith("arag)"))
    assert first.startswith("replay (predictions=")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")  # like a terminal
    result = call("report", logs, "--human", marks(first), "-o", out)
    assert str(out / "summarization_report.md") in result.stdout
    for step in ("Reading logs", "Comparing", "Drawing charts"):
        assert step in result.stderr and step not in result.stdout
    markdown = (out / "summarization_report.md").read_text()
    assert "#### Agreement with people" in markdown and "#### Means corrected by people" in markdown


def test_rejudge_rejects_scorer_without_verdicts_and_existing_output(folder: Path) -> None:
    first = list_eval_logs(str(folder / "logs"))[0].name
    wrong = call("rejudge", first, "--scorer", "rouge", *GRADERS, "-o", "x.eval", code=1)
    assert "scorer 'rouge' recorded no judge's verdict" in wrong.output
    refused = call("rejudge", first, *GRADERS, "-o", folder / "logs/again.eval", code=1)
    assert "again.eval exists" in refused.output


def test_rejudge_skips_scorer_of_other_package(folder: Path, tmp_path: Path) -> None:
    """As after `inspect score --scorer mine.py --action append`."""
    log = read_eval_log(list_eval_logs(str(folder / "logs"))[0])
    (entry, *_) = log.eval.scorers or []
    log.eval.scorers = [entry.model_copy(update={"name": "mine"}), *(log.eval.scorers or ())]
    for sample in samples_of(log):
        sample.scores = {"mine": scores_of(sample)[entry.name], **scores_of(sample)}
    first = tmp_path / "log.eval"
    write_eval_log(log, str(first))
    result = call("rejudge", first, *GRADERS)
    assert "mine: not from arag-inspect, so not judged again" in result.stderr
    alone = call("rejudge", first, "--scorer", "mine", *GRADERS, "-o", "x.eval", code=1)
    assert "'mine' of" in alone.output


def test_rejudge_removes_partial_log_when_disk_is_full(folder: Path) -> None:
    def full(_: object, location: str, **__: object) -> None:
        Path(location).write_bytes(b"PK")
        raise OSError(errno.ENOSPC, "No space left on device", location)

    first = list_eval_logs(str(folder / "logs"))[0].name
    out = folder / "half" / "again.eval"
    with patch("arag_inspect.run.rejudge.rejudge.write_eval_log", full):
        failed = call("rejudge", first, *GRADERS, "-o", out, code=1)
    assert "No space left on device" in failed.output
    assert not list(out.parent.iterdir())
    call("rejudge", first, *GRADERS, "-o", out)


def test_report_watch_rewrites_page_until_runs_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs, out = tmp_path / "logs", tmp_path / "report"
    page = out / "report.html"
    samples = [m.sample(n, {"geval_coverage": m.judged(3)}) for n in range(4)]
    m.write(logs, m.log(samples[:2], status="started"))
    (path,) = logs.iterdir()
    terminal_flags: list[bool] = []

    def more(_: float) -> None:
        text = page.read_text()
        terminal_flags.append('http-equiv="refresh"' in text and "2 samples ·" in text)
        if len(terminal_flags) == 2:
            write_eval_log(m.log(samples), str(path))

    monkeypatch.setattr(time, "sleep", more)
    result = call("report", logs, "--watch", "-o", out)
    assert terminal_flags == [True, True] and result.output.count("Page:") == 2
    assert "4 samples ·" in page.read_text() and 'http-equiv="refresh"' not in page.read_text()
