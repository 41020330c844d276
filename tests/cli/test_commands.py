"""Tests of command and option names, including former ones."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from arag_inspect.cli.main import main
from tests.commands import call

HEAVY = {"inspect_ai", "numpy", "pandas", "scipy", "torch"}


def _help_texts(command: click.Command, *path: str) -> Iterator[tuple[str, str]]:
    """Yield the help of a command and of its subcommands."""
    context = click.Context(command, info_name=" ".join(path), terminal_width=80)
    yield path[-1], command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if (subcommand := command.get_command(context, name)) is not None:
                yield from _help_texts(subcommand, *path, name)


def test_help_has_sections_and_fits_terminal_width() -> None:
    assert len(main.commands) <= 16
    (_, main_help), *others = _help_texts(main, "arag-inspect")
    first, *sections = main_help.split("\n\n")[3:]
    assert "arag-inspect demo" in first
    headings = [section.partition(":")[0] for section in sections]
    assert headings == ["Options", "Prepare", "Run", "Report", "Corpus", "Check"]
    assert "..." not in main_help.partition("Prepare:")[2]
    names = {name for name, _ in others}
    assert {*main.commands, "ectsum", "audit", "serve"} <= names
    long = [line for _, text in others for line in text.splitlines() if len(line) > 80]
    assert not long and max(map(len, main_help.splitlines())) <= 80


@pytest.mark.parametrize(
    ("command", "equivalent"),
    [
        ("eval", "inspect eval TASK"),
        ("run --workers", "-- --max-samples N, samples at a time"),
        ("run --split", "-T split=NAME"),
    ],
)
def test_command_name_of_another_tool_suggests_equivalent(command: str, equivalent: str) -> None:
    done = call(f"{command} x --more", code=1)
    assert done.output == f"Error: no command {command}; use: {equivalent}\n"


@pytest.mark.parametrize("name", ["bertscore", "fact-match"])
def test_scorer_given_as_option_suggests_scorers_parameter(name: str) -> None:
    done = call(f"run ectsum --{name}", code=1)
    parameter = f"-T scorers=default,{name.replace('-', '_')}"
    assert done.output == f"Error: run has no option --{name}; use: {parameter}\n"


def test_help_imports_no_heavy_package() -> None:
    code = (
        "import sys; from arag_inspect.cli.main import main; "
        "main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sys" in done.stdout.split() and not HEAVY & set(done.stdout.split())


def test_api_keys_are_read_from_dotenv_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=of-a-file\n")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")  # restored after the test
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.chdir(tmp_path)
    call("run none.yaml", code=1)
    assert os.environ["ANTHROPIC_API_KEY"] == "of-a-file"
