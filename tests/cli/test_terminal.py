"""Tests that file contents cannot inject terminal control sequences or CI commands."""

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arag_inspect._util.errors import printable
from tests.commands import call
from tests.report.material import run_of, scored, write

_ESCAPE = "\x1b]0;owned\x07\x1b[2J"


@pytest.mark.parametrize("value", [f"make {_ESCAPE}", "\u202egnp.exe\x9b2J", "x" * 3_000_000])
def test_manifest_command_is_printed_as_plain_text(
    tmp_path: Path, synthetic_folder: Path, value: str
) -> None:
    folder = shutil.copytree(synthetic_folder, tmp_path / "corpus")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["command"] = value
    manifest["files"] = dict.fromkeys(manifest["files"], "0" * 64)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    command = ["corpus", "export", "corpus", "-o", str(tmp_path / "out")]
    printed = call(*command, code=1, ARAG_DATASETS=str(tmp_path))
    assert "prepare the corpus again with" in printed.output
    assert len(printed.output) < 2_100
    assert all(sign == "\n" or sign.isprintable() for sign in printed.output)


def _plain_output(*words: str) -> str:
    result = call(*words, code=None)
    assert result.output
    assert all(sign == "\n" or sign.isprintable() for sign in result.output)
    assert "owned" in result.output
    return result.output


@pytest.mark.usefixtures("logs")
def test_system_answers_are_printed_as_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "zorg.txt").write_text("Revenue of \u202eowned Zorg was $4.2 billion.\n", "utf-8")
    printed = _plain_output("ask", str(folder), "What was revenue of Zorg?", "--system", "stuffing")
    assert "Cost: $0" in printed
    system = tmp_path / "system.py"
    long = "x" * 100_000
    system.write_text(f"def answer(question):\n    return {_ESCAPE + long!r}\n", "utf-8")
    assert len(_plain_output("doctor", "--system", f"{system}:answer")) < 2_000


def test_gate_prints_measure_names_as_plain_text(tmp_path: Path) -> None:
    name = f"{_ESCAPE}{'x' * 100_000}"
    runs = [
        write(tmp_path / part, run_of("arag", lambda _: {name: scored(0.5)}))
        for part in ("new", "old")
    ]
    line = ("gate", str(runs[0]), "--against", str(runs[1]), "--rule", "nothing >= 0")
    assert len(_plain_output(*line)) < 2_500


def test_plan_prints_measure_names_as_plain_text(tmp_path: Path) -> None:
    for system in ("arag", "stuffing"):
        runs = run_of(system, lambda _: {f"own{_ESCAPE}": scored(0.5)}, company="C{}")
        write(tmp_path / "logs", runs)
    _plain_output("plan", str(tmp_path / "logs"), "--effect", "0.3", "--higher", f"own{_ESCAPE}")


CI_COMMANDS = (
    "\n::error::owned",
    "\n \t::add-mask::owned",
    "##vso[task.setvariable variable=owned]",
    "##[group]owned",
    "##teamcity[owned]",
)
"""Text that GitHub, Azure or TeamCity would read as a command in a program's output."""


def _output_without_ci_commands(*words: str) -> str:
    printed = call(*words, code=None).output
    assert not re.search(r"^\s*::|##\w*\[", printed, re.MULTILINE)
    return printed


@pytest.mark.parametrize("order", CI_COMMANDS)
def test_name_in_log_cannot_issue_ci_command_through_gate_or_plan(
    tmp_path: Path, order: str
) -> None:
    name = f"own{order}"
    runs = run_of("arag", lambda _: {name: scored(0.5)}, company=f"C{order}")
    new, old = (str(write(tmp_path / part, runs)) for part in ("new", "old"))
    for line in (
        ("gate", new, "--against", old, "--rule", f"{name} >= 0"),
        ("plan", new, "--effect", "0.3"),
    ):
        assert "owned" in _output_without_ci_commands(*line)


def test_names_in_logs_cannot_issue_ci_commands_through_reports(tmp_path: Path) -> None:
    names = [f"own{order}" for order in CI_COMMANDS]
    companies = f"C{''.join(CI_COMMANDS)}"
    runs = run_of("arag", lambda _: {name: scored(0.5) for name in names}, company=companies)
    new, old = (str(write(tmp_path / part, runs)) for part in ("new", "old"))
    out = str(tmp_path / "out")
    for line in (("report", new, "-o", out), ("compare", old, new, "-o", out)):
        assert _output_without_ci_commands(*line).count("owned") >= len(CI_COMMANDS)


@pytest.mark.parametrize("sign", ["\x1b", "\x08", "\ufffe", "\0"])
def test_junit_file_is_valid_xml_for_any_task_name(tmp_path: Path, sign: str) -> None:
    runs = run_of("arag", lambda _: {"rouge": scored({"rouge1": 0.5})}, task=f"ectsum{sign}")
    junit = tmp_path / "gate.xml"
    new = str(write(tmp_path / "new", runs))
    call("gate", new, "--rule", "rouge.rouge1 >= 0", "--junit", str(junit))
    (case,) = ElementTree.parse(junit).getroot()
    assert str(case.get("classname")).startswith("ectsum")


def test_printable_truncates_long_text_in_middle() -> None:
    text = printable("first " + "word " * 10_000 + "last")
    assert len(text) <= 2_000
    assert text.startswith("first word") and text.endswith("word last")
    assert printable("Größe\t日本\n👩‍💻") == "Größe\t日本\n👩‍💻"
