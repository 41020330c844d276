"""Tests that figures do not depend on process settings; see `measurements/matrix`."""

import os
from pathlib import Path

import pytest

from measurements.matrix.compare import EMBEDDING
from measurements.matrix.runs import Matrix
from measurements.matrix.settings import QUICK, SETTINGS, Setting, is_possible
from measurements.matrix.table import effect
from tests.faults import FULL

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

_CALLS, _SEARCHES = (40, 400) if FULL else (2, 20)


@pytest.fixture(scope="session")
def matrix(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Matrix:
    """The results folder; ARAG_MATRIX sets it, so that interrupted runs resume."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    folder = Path(os.environ.get("ARAG_MATRIX") or shared / "matrix")
    return Matrix(folder, _ectsum(request) if FULL else None, _CALLS, _SEARCHES)


def _ectsum(request: pytest.FixtureRequest) -> Path:
    if ectsum_folder := os.environ.get("ARAG_ECTSUM"):
        return Path(ectsum_folder)
    folder: Path = request.getfixturevalue("ectsum_copy")
    return folder


@pytest.mark.parametrize("setting", SETTINGS if FULL else QUICK, ids=lambda setting: setting.name)
def test_figures_are_identical_in_every_process_setting(matrix: Matrix, setting: Setting) -> None:
    if not is_possible(setting):
        pytest.skip(f"the processor has no {setting.needs}")
    for repeat in (1, 2) if FULL else (1,):
        assert matrix.compare(setting, repeat).faults == []


@pytest.mark.parametrize("name", ["1-thread", "everything-lowest", "other-process"])
def test_setting_takes_effect_in_child_process(matrix: Matrix, name: str) -> None:
    assert " instead of " in effect(matrix, _named(name))


def test_lowest_instruction_set_changes_last_digits_of_vectors(matrix: Matrix) -> None:
    assert matrix.compare(_named("everything-lowest")).largest[EMBEDDING] > 0


def _named(name: str) -> Setting:
    (setting,) = [setting for setting in SETTINGS if setting.name == name]
    return setting
