"""Tests that log contents never become a model, an address or a path.

An audit hook records every connection and every opened file.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, ModelConfig

from arag_inspect.cli.main import main
from tests.commands import call
from tests.report import material as m
from tests.scripted import STEADY

ADDRESS = "http://127.0.0.1:9/trap"
TRAP = "/trap/file.md"


def _scorer(name: str, **options: object) -> dict[str, Any]:
    return {"name": name, "options": options}


COVERAGE = _scorer("geval_coverage", criteria="pinned")


def _grader(**fields: Any) -> dict[str, Any]:
    return {"model_roles": {"grader": ModelConfig(**fields)}}


HOSTILE: dict[str, dict[str, Any]] = {
    "an address of the judge": _grader(model="openai/gpt-4o", base_url=ADDRESS),
    "code of the judge": _grader(model="hf//trap/model", args={"trust_remote_code": True}),
    "headers and files of the judge": _grader(
        model="anthropic/claude-haiku-4-5-20251001",
        base_url=ADDRESS,
        args={"api_key": "key", "config_file": TRAP},
        config=GenerateConfig(extra_headers={"x": "y"}, extra_body={"url": ADDRESS}),
    ),
    "a panel and other roles": {
        "model_roles": {
            "grader": [ModelConfig(model=f"openai/{n}", base_url=ADDRESS) for n in "ab"],
            "summarizer": ModelConfig(model="hf/local", args={"model_path": TRAP}),
        }
    },
    "the model under test": {
        "model": "hf//trap/model",
        "model_base_url": ADDRESS,
        "model_args": {"trust_remote_code": True, "model_path": TRAP},
    },
    "a model that is a module": {"model": "trap.module/model", "task_file": "/trap/task.py"},
    "files of the scorer": {"scorers": [_scorer("geval_coverage", criteria=TRAP)]},
    "models of the scorer": {
        "scorers": [
            COVERAGE,
            _scorer("bertscore", model="/trap/model"),
            _scorer("fact_match", profile=TRAP),
        ]
    },
    "code in place of a scorer": {
        "scorers": [_scorer("/trap/code.py@geval_coverage"), _scorer("MEASURES")]
    },
}


def _log(fields: dict[str, Any], corpus: str = "/trap/corpus") -> EvalLog:
    """A judged log in which most fields point to a trap."""
    facts = {"gold": [], "predicted": [], "grader": "offline/extractive"}
    names = [scorer["name"] for scorer in fields.get("scorers", [COVERAGE])]
    judged = {name: m.judged(4, "offline/extractive", name) for name in names}
    for score in judged.values():
        (score.metadata or {})["judges"][0].update(facts)
    metadata = {"corpus": corpus, "doc_ids": ["d"], "document_file": TRAP, "evidence": ["Sales."]}
    samples = [
        m.sample(n, judged, metadata={**metadata, "company": f"C{n}"}, store=m.trace("replay"))
        for n in range(3)
    ]
    model = "mockllm/model"  # Inspect can create this model, so it continues with the judges
    return m.log(samples, **{"model": model, "scorers": [COVERAGE], **fields})


class _Reached:
    """An audit hook that records addresses and trapped paths while it is active."""

    def __init__(self) -> None:
        self.events: list[str] | None = None
        """None while the hook is not active; Python cannot remove it."""

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.events is None or event not in _OUTSIDE | _INSIDE:
            return
        text = repr(arguments)[:300]
        if event in _OUTSIDE or "/trap" in text or "trap.module" in text:
            self.events.append(f"{event} {text}")


_OUTSIDE = {"socket.connect", "socket.getaddrinfo"}
_INSIDE = {"open", "import", "os.listdir", "os.scandir", "subprocess.Popen"}


@pytest.fixture(scope="module")
def reached() -> Iterator[_Reached]:
    hook = _Reached()
    sys.addaudithook(hook)
    yield hook
    hook.events = None


def test_commands_open_no_address_or_path_from_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reached: _Reached
) -> None:
    commands: list[list[str]] = []
    audit = f"--limit 1 --scorers geval_coverage,section_coverage --grader {STEADY}"
    for number, fields in enumerate(HOSTILE.values()):
        for corpus in ("/trap/corpus", ADDRESS)[: 2 if number < 2 else 1]:
            folder = m.write(tmp_path / f"{number}{len(corpus)}", _log(fields, corpus))
            log = str(next(folder.glob("*.eval")))
            out = str(folder / "again.eval")
            commands += [
                ["rejudge", log, "-o", out],
                ["rejudge", log, "--grader", STEADY, "-o", out],
            ]
            if number < 2:  # only in the judge, whatever its fields
                commands += [
                    ["rejudge", log, "--reverse-order"],
                    ["rejudge", log, "--reverse-order", "--grader", STEADY],
                    ["gate", log, "--against", log, "--rule", "geval_coverage >= -1"],
                    ["meta-eval", "audit", log, *audit.split()],
                ]
    monkeypatch.chdir(tmp_path)
    for provider in ("ANTHROPIC", "OPENAI"):
        monkeypatch.setenv(f"{provider}_API_KEY", "key")
    rejudged = 0
    for command in commands:
        reached.events = []
        done = CliRunner().invoke(main, command)
        assert reached.events == [], command
        assert done.exception is None or isinstance(done.exception, SystemExit), command
        rejudged += command[0] == "rejudge" and done.exit_code == 0
    reached.events = None
    assert rejudged == 8  # six kinds of log without a file, two with another corpus


@pytest.mark.parametrize("kind", ["an address of the judge", "code of the judge"])
def test_rejudge_names_logged_judge_and_stops_without_grader(tmp_path: Path, kind: str) -> None:
    log = str(next(m.write(tmp_path, _log(HOSTILE[kind])).glob("*.eval")))
    name = HOSTILE[kind]["model_roles"]["grader"].model
    done = call("rejudge", log, code=1)
    assert f"was judged by {name}; name the model" in done.output
    assert len(done.output.splitlines()) == 1 and len(list(tmp_path.iterdir())) == 1


def test_rejudge_requires_logged_files_on_command_line(tmp_path: Path) -> None:
    log = str(next(m.write(tmp_path, _log(HOSTILE["files of the scorer"])).glob("*.eval")))
    command = ["rejudge", log, "--grader", STEADY, "-o", str(tmp_path / "a.eval")]
    refused = call(*command, code=1)
    assert "-S geval_coverage.criteria=VALUE" in refused.output
    done = call(*command, "-S", "geval_coverage.criteria=pinned")
    assert "corpus /trap/corpus of the log was not opened" in done.output
    wrong = call(*command[:-1], "b.eval", "-S", "geval_coverage.x=1", code=1)
    assert "has no parameter 'x'" in wrong.output
