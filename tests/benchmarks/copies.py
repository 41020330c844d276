"""A copy of the package in which a test adds or removes folders, and commands that run it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.test_docs import ROOT


def copy_package(folder: Path) -> Path:
    """Copy the package into a folder; returns the copy."""
    return Path(shutil.copytree(ROOT / "arag_inspect", folder / "arag_inspect"))


def call(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the environment, or `python`, in a folder, with the copy that is there."""
    name, *arguments = command
    scripts = [] if name == "python" else [str(Path(sys.executable).with_name(name))]
    return subprocess.run(
        [sys.executable, *scripts, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        check=False,
    )
