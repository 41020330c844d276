"""The names of commands and options, former ones included."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from arag_inspect.cli.main import _COMMANDS, _RENAMED, main

HEAVY = {"inspect_ai", "numpy", "pandas", "scipy", "torch"}


def test_at_most_sixteen_names_and_every_command_has_help() -> None:
    context = click.Context(main)
    assert len(main.list_commands(context)) <= 16
    for name in _COMMANDS:
        command = main.get_command(context, name)
        assert command is not None and command.get_short_help_str()


@pytest.mark.parametrize("former", _RENAMED)
def test_a_former_spelling_is_answered_by_the_new_one(former: str) -> None:
    group, _, option = former.partition(" ")
    words = [group, "synthetic", option] if option else [former, "x", "--more"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert done.output == f"Error: {former} is now: {_RENAMED[former]}\n"
    program, *words = _RENAMED[former].split()
    if program == "arag-inspect":
        path = [word for word in words[:2] if word.islower() and word[0] != "-"]
        assert CliRunner().invoke(main, [*path, "--help"]).exit_code == 0


def test_other_commands_keep_options_of_these_names() -> None:
    done = CliRunner().invoke(main, ["plan", "ectsum", "--effect", "1", "--dtype", "x"])
    assert done.exit_code == 2 and "No such option" in done.output


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            "colour=red",
            "--build has no parameter 'colour'; choose from dtype, embed_prefix, engine",
        ),
        ("engine=slurm", "--build engine: Input should be 'local' or 'ray'"),
        ("dtype=float8", "--build dtype: Input should be 'auto', 'float32' or 'bfloat16'"),
        ("embed_prefix=perhaps", "--build embed_prefix: Input should be a valid boolean"),
        ("engine", "--build 'engine' is not NAME=VALUE"),
    ],
)
def test_a_wrong_setting_of_building_is_one_line(build: str, message: str) -> None:
    done = CliRunner().invoke(main, ["prepare", "synthetic", "--build", build])
    assert done.exit_code == 1 and message in done.output and done.output.count("\n") == 1


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from arag_inspect.cli.main import main; "
        "main(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sys" in done.stdout.split() and not HEAVY & set(done.stdout.split())
