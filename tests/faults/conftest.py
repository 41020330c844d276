"""Run fault tests only under `make faults`: ARAG_FAULTS=quick, or full for many more tries."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from tests.faults.desk import Desk

if not os.environ.get("ARAG_FAULTS"):
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shared inputs of all commands, prepared once for all workers."""
    from tests.faults.desk import make_material, preload
    from tests.faults.processes import apart

    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = shared / "material"
    with FileLock(shared / "material.lock"):
        if not (folder / "made").is_file():
            folder.mkdir()
            apart(lambda: make_material(folder))
            (folder / "made").touch()
    preload(folder)
    return folder


@pytest.fixture
def desk(material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Desk":
    """An empty desk."""
    from tests.faults.desk import Desk

    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "inspect-logs"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.delenv("ARAG_DATASETS", raising=False)
    return Desk(material, tmp_path / "w")
