"""A copy of the package in which a test adds or removes folders, and commands that run it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.test_docs import ROOT

TYPE_ALL = """
import json, sys
import tests.quick
from pathlib import Path
from tests.commands import run_script
print(json.dumps([run_script(Path.cwd(), words) for words in json.load(sys.stdin)]))
"""


@dataclass(frozen=True)
class Typed:
    """What a command ended with and printed."""

    code: int
    stdout: str
    stderr: str


def copy_package(folder: Path) -> Path:
    """Copy the package into a folder; returns the copy."""
    return Path(shutil.copytree(ROOT / "arag_inspect", folder / "arag_inspect"))


def run_python(
    folder: Path, program: str, site: Path | None = None, stdin: str = "", strict: bool = False
) -> str:
    """Run a program in a fresh process that imports the packages of a folder.

    Args:
        folder: Working folder.
        program: Text of the program.
        site: Folder of the packages; default: the working folder.
        stdin: What the program reads.
        strict: Whether warnings are errors.

    Returns:
        What it printed.
    """
    env = {name: value for name, value in os.environ.items() if name != "INSPECT_LOG_DIR"}
    done = subprocess.run(
        [sys.executable, *(["-W", "error"] if strict else []), "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        input=stdin,
        env={**env, "PYTHONPATH": f"{site or folder}{os.pathsep}{ROOT}", "COLUMNS": "200"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def type_all(
    folder: Path, *lines: list[str], site: Path | None = None, strict: bool = False
) -> list[Typed]:
    """Type commands one after another in one fresh process, as importing it all takes longest.

    Args:
        folder: Working folder.
        lines: Program and arguments of each command.
        site: Folder of the packages; default: the working folder.
        strict: Whether warnings are errors.
    """
    printed = run_python(folder, TYPE_ALL, site, json.dumps(lines), strict)
    return [Typed(*ended) for ended in json.loads(printed.splitlines()[-1])]
