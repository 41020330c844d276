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


def call(folder: Path, *command: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a script of the environment, or `python`, in a folder.

    Args:
        folder: Working folder.
        command: Name of the script, and arguments.
        site: Folder of the packages; default: the working folder.
    """
    name, *arguments = command
    scripts = [] if name == "python" else [str(Path(sys.executable).with_name(name))]
    env = {name: value for name, value in os.environ.items() if name != "INSPECT_LOG_DIR"}
    return subprocess.run(
        [sys.executable, *scripts, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**env, "PYTHONPATH": str(site or folder), "COLUMNS": "200"},
        check=False,
    )
