"""Command lines typed in the process of the tests, which has loaded already what they need."""

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result

from arag_inspect.cli.main import main


def run_script(folder: Path, words: Sequence[str], **env: str) -> tuple[int, str, str]:
    """Run a console script in a folder.

    Args:
        folder: Working folder.
        words: Program and arguments.
        env: Environment variables beside those that are set.

    Returns:
        Exit status, and what it printed on the standard output and as errors.
    """
    program, *arguments = words
    (script,) = entry_points(group="console_scripts", name=program)
    output, errors = StringIO(), StringIO()
    with (
        patch.dict(os.environ, {"NO_COLOR": "1", "COLUMNS": "200", **env}),
        pytest.MonkeyPatch.context() as patched,
        redirect_stdout(output),
        redirect_stderr(errors),
        pytest.raises(SystemExit) as ended,
    ):
        patched.chdir(folder)
        patched.setattr(sys, "argv", [program, *arguments])
        patched.setattr(sys, "excepthook", sys.excepthook)  # Inspect sets its own
        script.load()()
    code = ended.value.code or 0
    return (code if isinstance(code, int) else 1), output.getvalue(), errors.getvalue()


def typed(folder: Path, line: str, *, code: int = 0, **env: str) -> str:
    """Run a console script in a folder and give what it printed.

    Args:
        folder: Working folder.
        line: Program and arguments, separated by spaces.
        code: Exit status that it must end with.
        env: Environment variables beside those that are set.
    """
    ended, output, errors = run_script(folder, line.split(), **env)
    assert ended == code, output + errors
    return output + errors


def call(line: object, *words: object, code: int | None = 0, **env: str) -> Result:
    """Call `arag-inspect` in this folder, and give what it printed, by stream too.

    Args:
        line: Command, and arguments separated by spaces.
        words: Further arguments.
        code: Exit status that it must end with; None for any.
        env: Environment variables beside those that are set.
    """
    typed = [*str(line).split(), *map(str, words)]
    done = CliRunner().invoke(main, typed, env=env, catch_exceptions=False)
    assert code in (None, done.exit_code), done.output
    return done
