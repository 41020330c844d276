"""Benchmarks of other packages, found by an entry point."""

import re
import shlex
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from tests.benchmarks.copies import Typed, type_all
from tests.benchmarks.test_added_benchmark import PAGE, block, write_benchmark, write_releases


def install(site: Path, package: str, entry_points: str) -> None:
    """Write what an installation of a package leaves beside it."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "top_level.txt").write_text(f"{package}\n")
    (info / "entry_points.txt").write_text(entry_points)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three installed packages, of which only one can be used; data is beside it."""
    folder = tmp_path_factory.mktemp("foreign")
    write_releases(folder / "releases")
    root = folder / "site-packages"  # so Inspect takes the packages for installed ones
    write_benchmark(root / "my_package" / "releases")
    (root / "my_package" / "__init__.py").write_text("")
    groups = re.findall(r"\[project\.entry-points\.\"?([\w.]+)\"?\]\n(.+)\n", PAGE)
    install(
        root,
        "my_package",
        "".join(f"[{group}]\n{entry}\n".replace('"', "") for group, entry in groups),
    )
    faults = {"broken": "import nothing_of_this_name", "lacking": '__all__ = ["NOTHING"]'}
    for name, text in faults.items():
        (root / f"{name}_package").mkdir()
        (root / f"{name}_package" / "__init__.py").write_text(text)
        install(root, f"{name}_package", f"[arag_inspect.benchmarks]\n{name} = {name}_package\n")
    return root


@pytest.fixture(scope="module")
def commands(site: Path) -> list[Typed]:
    prepare, evaluate, _ = (shlex.split(line) for line in block("bash").splitlines())
    evaluate = [word.replace("arag_inspect/releases", "my_package/releases") for word in evaluate]
    return type_all(
        site.parent,
        prepare,
        [*evaluate, "--display", "none"],
        ["arag-inspect", "doctor"],
        ["arag-inspect", "prepare", "broken"],
        site=site,
    )


def test_foreign_benchmark_is_prepared_and_evaluated(site: Path, commands: list[Typed]) -> None:
    prepared, evaluated, *_ = commands
    assert prepared.code == 0, prepared.stderr
    assert evaluated.code == 0, evaluated.stderr
    (path,) = (site.parent / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success" and log.eval.task == "my_package/releases", log.error
    sample = (log.samples or [])[0]
    assert "Summarize the press release in at most " in str(sample.messages[0].content)


def test_broken_benchmark_is_a_line_of_doctor_and_stops_nothing_else(
    commands: list[Typed],
) -> None:
    *_, doctor, prepared = commands
    reason = "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    words = " ".join(doctor.stdout.split())  # lines are wrapped
    assert doctor.code == 0 and words.count("benchmark broken (broken_package)") == 1
    assert "benchmark lacking (lacking_package) cannot be imported: AttributeError" in words
    assert reason in words and "ok benchmark releases (my_package.releases)" in words
    assert prepared.code == 1 and len(prepared.stderr.splitlines()) == 1
    assert f"benchmark broken (broken_package) cannot be imported: {reason}" in prepared.stderr
