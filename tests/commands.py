"""Helpers that run command lines inside the test process, where imports are already loaded."""

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
        folder: Working directory.
        words: Program and arguments.
        env: Additional environment variables.

    Returns:
        Exit code, standard output and standard error.
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
    """Run a console script in a folder and return its output.

    Args:
        folder: Working directory.
        line: Program and arguments, separated by spaces.
        code: Expected exit code.
        env: Additional environment variables.
    """
    ended, output, errors = run_script(folder, line.split(), **env)
    assert ended == code, output + errors
    return output + errors


def call(line: object, *words: object, code: int | None = 0, **env: str) -> Result:
    """Run `arag-inspect` in the working directory and return its output, also by stream.

    Args:
        line: Command and arguments, separated by spaces.
        words: Further arguments.
        code: Expected exit code; None for any.
        env: Additional environment variables.
    """
    typed = [*str(line).split(), *map(str, words)]
    result = CliRunner().invoke(main, typed, env=env, catch_exceptions=False)
    assert code in (None, result.exit_code), result.output
    return result
