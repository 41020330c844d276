"""The benchmark of docs/development/adding-a-benchmark.md works as it stands, with no file changed."""

import re
import shlex
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tests.benchmarks.copies import Typed, copy_package, type_all
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "development" / "adding-a-benchmark.md").read_text(encoding="utf-8")
RELEASES = {
    "ZORG_2021": ("Zorg sold 40 pumps in May 2021. Its plant in Ohio closed.", "- Zorg sold 40 pumps."),
    "ACME_2020": ("Acme opened a works in Utah. Sales fell by 3 % to $12 million.", "Sales fell by 3 %."),
    "untitled": ("Nobody knows whose release this is.", "Nobody knows."),
}  # fmt: skip


def block(language: str) -> str:
    match = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    return match[1]


def write_benchmark(folder: Path) -> None:
    """Write the folder of the page's example."""
    (folder / "prompts" / "styles").mkdir(parents=True)
    (folder / "__init__.py").write_text(block("python"))
    (folder / "prompts" / "styles" / "release.md").write_text(block("markdown"))


def write_releases(folder: Path) -> None:
    folder.mkdir()
    for name, (text, reference) in RELEASES.items():
        (folder / f"{name}.txt").write_text(text)
        (folder / f"{name}.summary.txt").write_text(reference)
    (folder / "LONE_2019.txt").write_text("Nobody summarised this.")
    (folder / "GONE_2018.summary.txt").write_text("Its release is lost.")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data and a copy of the package that has the example's folder."""
    root = tmp_path_factory.mktemp("project")
    write_benchmark(copy_package(root) / "benchmarks" / "releases")
    write_releases(root / "releases")
    return root


@pytest.fixture(scope="module")
def commands(project: Path) -> list[Typed]:
    """The commands of the page, and one for a corpus that nobody prepared."""
    prepare, evaluate, report = (shlex.split(line) for line in block("bash").splitlines())
    elsewhere = "inspect eval arag_inspect/releases -T corpus=nowhere --model offline/extractive"
    quiet = ["--display", "none"]
    return type_all(project, prepare, [*evaluate, *quiet], report, [*elsewhere.split(), *quiet])


@pytest.fixture(scope="module")
def log(project: Path, commands: list[Typed]) -> EvalLog:
    _, evaluated, *_ = commands
    assert evaluated.code == 0, evaluated.stderr
    (path,) = (project / "logs").glob("*.eval")
    return read_eval_log(str(path))


def test_added_benchmark_is_prepared_and_names_what_it_skips(commands: list[Typed]) -> None:
    prepared, *_ = commands
    assert prepared.code == 0, prepared.stderr
    assert re.search(r"^samples\s+2$", prepared.stdout, re.MULTILINE)
    assert "Next: inspect eval arag_inspect/releases --model MODEL" in prepared.stdout
    assert "untitled.txt: its name does not fit" in prepared.stdout
    assert "LONE_2019.txt: there is no LONE_2019.summary.txt" in prepared.stdout
    assert "GONE_2018.summary.txt: there is no document of this reference" in prepared.stdout


def test_added_benchmark_is_evaluated_with_its_prompt_and_facts(log: EvalLog) -> None:
    assert log.status == "success" and log.samples, log.error
    assert log.eval.task_args["target_length"] == 40 and log.eval.task_args["system"] == "arag"
    assert log.eval.task_description == "Summaries of press releases."
    samples = {sample.id: sample for sample in log.samples}
    assert set(samples) == {"ZORG_2021", "ACME_2020"}
    zorg = samples["ZORG_2021"]
    assert zorg.input == "Summarise the press release of ZORG of 2021."
    assert zorg.metadata["company"] == "ZORG" and zorg.metadata["style"] == "release"
    assert [fact["text"] for fact in zorg.metadata["facts"]] == ["Zorg sold 40 pumps."]
    assert "Summarize the press release in at most " in str(zorg.messages[0].content)


def test_added_benchmark_is_reported(project: Path, commands: list[Typed]) -> None:
    _, _, reported, _ = commands
    assert reported.code == 0, reported.stderr
    report = project / "report" / "summarization_report.md"
    assert "releases" in report.read_text(encoding="utf-8")


def test_missing_corpus_names_the_command_that_prepares_it(commands: list[Typed]) -> None:
    *_, elsewhere = commands
    assert "arag-inspect prepare releases --source DIR" in elsewhere.stdout + elsewhere.stderr
