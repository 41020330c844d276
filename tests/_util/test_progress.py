"""Tests of progress output of long jobs, on a terminal and in CI logs."""

import pytest

from arag_inspect._util.progress import SampleProgress, bar


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make rich treat any output as a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("total", "count"), [(None, ""), (2193, "0/2193")])
def test_progress_bar_shows_elapsed_time_on_terminal(
    capsys: pytest.CaptureFixture[str], total: int | None, count: str
) -> None:
    with bar("Embedding [x]")(total):
        pass
    printed = capsys.readouterr().err
    assert "Embedding [x]" in printed and count in printed and "0:00:0" in printed


@pytest.mark.usefixtures("terminal")
def test_sample_progress_adds_up_samples_of_started_tasks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with SampleProgress("Samples") as progress:
        progress.expect(4)
        progress.advance()
        progress.expect(8)
        progress.advance()
    assert "2/12" in capsys.readouterr().err


def test_sample_progress_prints_lines_without_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with SampleProgress("Samples") as progress:
        progress.expect(100)
        for _ in range(100):
            progress.advance()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [f"Samples: {n} of 100" for n in range(10, 101, 10)]


def test_cancelled_samples_do_not_count_as_ended(capsys: pytest.CaptureFixture[str]) -> None:
    with SampleProgress("Samples ended") as progress:
        progress.expect(10)
        progress.advance()
        for _ in range(9):
            progress.cancel()
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Samples ended: 1 of 10", "Samples cancelled: 9"]


def test_progress_bar_is_hidden_without_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("Embedding")(3) as advance:
        advance()
    assert capsys.readouterr().err == ""
