"""Command lines typed in the process of the tests, which has loaded already what they need."""

import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import entry_points
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result

from arag_inspect.cli.main import main


def typed(folder: Path, line: str, *, code: int = 0, **env: str) -> str:
    """Run a console script in a folder and give what it printed.

    Args:
        folder: Working folder.
        line: Program and arguments, separated by spaces.
        code: Exit status that it must end with.
        env: Environment variables beside those that are set.
    """
    program, *arguments = line.split()
    (script,) = entry_points(group="console_scripts", name=program)
    shown = StringIO()
    with (
        patch.dict(os.environ, {"NO_COLOR": "1", "COLUMNS": "200", **env}),
        pytest.MonkeyPatch.context() as patched,
        redirect_stdout(shown),
        redirect_stderr(shown),
        pytest.raises(SystemExit) as ended,
    ):
        patched.chdir(folder)
        patched.setattr(sys, "argv", [program, *arguments])
        patched.setattr(sys, "excepthook", sys.excepthook)  # Inspect sets its own
        script.load()()
    assert (ended.value.code or 0) == code, shown.getvalue()
    return shown.getvalue()


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
