"""Tests that operating-system errors are reported in one line."""

import errno
import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.model import get_model

from arag_inspect._util.errors import InputError
from arag_inspect.cli.doctor import doctor
from arag_inspect.report.chart import Chart, as_svg
from tests.commands import call, typed

OUT_OF_MEMORY = (
    "Error: out of memory; close other programs, or run fewer samples at a time "
    "(-- --max-samples 1)\n"
)


def test_insufficient_memory_is_reported_in_one_line(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    with rules.open("wb") as file:
        file.truncate(4 << 30)
    words = ["gate", "new", "--against", "base", "--rules", str(rules)]
    call(*words[:-2], code=None)  # importing uses memory too
    memory = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory + (1 << 30), hard))
    try:
        result = call(*words, code=3)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert result.output == OUT_OF_MEMORY


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("unable to mmap 90868376 bytes from file <m>: Cannot allocate memory (12)"),
        RuntimeError("can't start new thread"),
        ValueError("zstd compress error: Allocation error : not enough memory"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ],
)
def test_library_memory_error_is_reported_in_one_line(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(**_: object) -> None:
        raise error

    monkeypatch.setattr(doctor, "callback", refused)
    result = call("doctor", code=1)
    assert result.output == OUT_OF_MEMORY


def test_inspect_prerequisite_error_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.setattr(
        doctor, "callback", lambda **_: get_model("anthropic/claude-haiku-4-5", memoize=False)
    )
    result = call("doctor", code=1)
    assert result.output.startswith("Error: ERROR: Unable to initialise Anthropic client")


def test_unwritable_sample_buffer_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(doctor, "callback", full)
    result = call("doctor", code=1)
    assert result.output == (
        "Error: Inspect's buffer of samples cannot be written (database or disk is full); check "
        "disk and memory\n"
    )


def test_chart_that_fails_to_render_is_named() -> None:
    chart = Chart("errors", "s", "t", "d", {"mark": 5})
    with pytest.raises(InputError, match="the chart errors cannot be drawn"):
        as_svg(chart)


_STARVED = """
import resource
from arag_inspect._util.errors import InputError
from arag_inspect.report.chart import Chart, as_svg
import vl_convert
chart = Chart("errors", "s", "t", "d", dict(mark="point"))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
for kind, most in (resource.RLIMIT_NOFILE, 6), (resource.RLIMIT_AS, used):
    limits = resource.getrlimit(kind)
    resource.setrlimit(kind, (most, limits[1]))
    try:
        as_svg(chart)
    except InputError as error:
        print(error.message)
    resource.setrlimit(kind, limits)
"""


def test_chart_is_named_when_descriptors_or_memory_run_out() -> None:
    result = subprocess.run(
        [sys.executable, "-c", _STARVED], capture_output=True, text=True, check=False, timeout=60
    )
    assert result.stdout.count("the chart errors cannot be drawn") == 2, result.stderr


RUN = (
    "arag-inspect run earnings_synthetic --systems closed_book --model offline/extractive "
    "--limit 1 -T corpus={corpus} -T scorers=efficiency --log-dir {logs} -- --display none"
)
NOWHERE = "/dev/null/folder"


@pytest.mark.skipif(os.name != "posix", reason="/dev/null is a file of POSIX systems")
@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("HOME", f"{NOWHERE}/.cache and {NOWHERE}/.local/share cannot be written: caches are in "),
        ("XDG_CACHE_HOME", f"{NOWHERE} cannot be written: caches are in "),
        ("XDG_DATA_HOME", f"{NOWHERE} cannot be written: caches are in "),
        ("HF_HOME", ""),
    ],
)
def test_run_falls_back_to_other_cache_when_cache_is_unwritable(
    variable: str, said: str, synthetic_folder: Path, tmp_path: Path
) -> None:
    environment = {"XDG_CACHE_HOME": "", "XDG_DATA_HOME": "", variable: NOWHERE}
    line = RUN.format(corpus=synthetic_folder, logs="logs")
    result = typed(tmp_path, line, code=0, **environment)
    assert said in result and result.count("cannot be written") == bool(said), result
    assert list((tmp_path / "logs").glob("*.eval"))


@pytest.mark.skipif(os.name != "posix", reason="/dev/null is a file of POSIX systems")
@pytest.mark.parametrize(
    "line",
    [
        RUN.replace("{logs}", NOWHERE),
        f"arag-inspect prepare synthetic --documents 2 --out {NOWHERE}",
        f"arag-inspect report {{log}} -o {NOWHERE}",
    ],
)
def test_unwritable_output_folder_is_reported_in_one_line(
    line: str, synthetic_folder: Path, tmp_path: Path
) -> None:
    log = Path(__file__).parents[1] / "frozen" / "logs" / "stuffing.eval"
    result = typed(tmp_path, line.format(corpus=synthetic_folder, log=log), code=1)
    (last,) = [text for text in result.splitlines() if text.startswith("Error: ")]
    assert "/dev/null" in last and "Traceback" not in result
