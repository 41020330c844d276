"""Copies of the package in which tests add or remove folders, and commands that run them."""

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
from arag_inspect.corpus.embedding import models
from pytest import MonkeyPatch
from tests.cheaper import HashedModel, leave_unpainted
from tests.commands import run_script
models._embedding_model = HashedModel  # loading the real one takes long
leave_unpainted(MonkeyPatch())  # drawing takes long
lines, program = json.load(sys.stdin)
typed = [run_script(Path.cwd(), words) for words in lines]
exec(program, {})
print(json.dumps(typed))
"""


@dataclass(frozen=True)
class Typed:
    """Exit code and output of a command."""

    code: int
    stdout: str
    stderr: str


def copy_package(folder: Path) -> Path:
    """Copy the package into a folder and return the copy."""
    return Path(shutil.copytree(ROOT / "arag_inspect", folder / "arag_inspect"))


def run_python(
    folder: Path, program: str, site: Path | None = None, stdin: str = "", strict: bool = False
) -> str:
    """Run a program in a new process that imports packages from a folder.

    Args:
        folder: Working directory.
        program: Source code of the program.
        site: Folder with the packages; defaults to the working directory.
        stdin: Standard input of the program.
        strict: Whether warnings are errors.

    Returns:
        Its output.
    """
    env = {name: value for name, value in os.environ.items() if name != "INSPECT_LOG_DIR"}
    process = subprocess.run(
        [sys.executable, *(["-W", "error"] if strict else []), "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        input=stdin,
        env={**env, "PYTHONPATH": f"{site or folder}{os.pathsep}{ROOT}", "COLUMNS": "200"},
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def type_all(folder: Path, *lines: list[str], site: Path, program: str) -> list[Typed]:
    """Run commands in one new process, as imports take the most time; warnings are errors.

    Args:
        folder: Working directory.
        lines: Program and arguments of each command.
        site: Folder with the packages.
        program: Source code to run after the commands.
    """
    printed = run_python(folder, TYPE_ALL, site, json.dumps([lines, program]), strict=True)
    return [Typed(*ended) for ended in json.loads(printed.splitlines()[-1])]
