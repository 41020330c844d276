"""Tests that the documented examples of added data sets work, inside and outside the package.

All commands and the documented test run in one process, with warnings as errors.
"""

import re
import shlex
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from tests.benchmarks.copies import Typed, copy_package, type_all
from tests.logs import samples_of, scores_of
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "development" / "adding-a-benchmark.md").read_text(encoding="utf-8")
DATA_SET_PAGE = (ROOT / "docs" / "adding-a-data-set.md").read_text(encoding="utf-8")
RELEASES = {
    "ZORG_2021": ("Zorg sold 40 pumps in May 2021. Its plant in Ohio closed.",
                  "- Zorg sold 40 pumps."),
    "ACME_2020": ("Acme opened a works in Utah. Sales fell by 3 % to $12 million.",
                  "Sales fell by 3 %."),
    "untitled": ("Nobody knows whose release this is.", "Nobody knows."),
}  # fmt: skip


BROKEN = {"broken": "import nothing_of_this_name", "lacking": '__all__ = ["NOTHING"]'}
"""Packages whose benchmark cannot be imported."""


def block(language: str, page: str = PAGE, number: int = 0) -> str:
    return str(re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[number])


def renamed(text: str) -> str:
    """Rename the example, for a second copy in another package."""
    return text.replace("releases", "bulletins").replace("RELEASES", "BULLETINS")


def write_benchmark(folder: Path, source: str) -> None:
    """Write the folder of the documented example."""
    (folder / "prompts" / "styles").mkdir(parents=True)
    (folder / "__init__.py").write_text(source)
    (folder / "prompts" / "styles" / "release.md").write_text(block("markdown"))


def write_releases(folder: Path) -> None:
    folder.mkdir()
    for name, (text, reference) in RELEASES.items():
        (folder / f"{name}.txt").write_text(text)
        (folder / f"{name}.summary.txt").write_text(reference)
    (folder / "LONE_2019.txt").write_text("Nobody summarised this.")
    (folder / "GONE_2018.summary.txt").write_text("Its release is lost.")


def install(site: Path, package: str, entry_points: str) -> None:
    """Write the metadata that installing a package leaves beside it."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "top_level.txt").write_text(f"{package}\n")
    (info / "entry_points.txt").write_text(entry_points)


def install_packages(site: Path) -> None:
    """Install three packages with benchmarks; only one is usable."""
    write_benchmark(site / "my_package" / "bulletins", renamed(block("python")))
    (site / "my_package" / "__init__.py").write_text("")
    groups = re.findall(r"\[project\.entry-points\.\"?([\w.]+)\"?\]\n(.+)\n", PAGE)
    lines = [f"[{group}]\n{entry}\n".replace('"', "") for group, entry in groups]
    install(site, "my_package", renamed("".join(lines)))
    for name, text in BROKEN.items():
        package = f"{name}_package"
        (site / package).mkdir()
        (site / package / "__init__.py").write_text(text)
        install(site, package, f"[arag_inspect.benchmarks]\n{name} = {package}\n")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data, a package copy with both examples, and three other packages."""
    root = tmp_path_factory.mktemp("project")
    site = root / "site-packages"  # so that Inspect treats the packages as installed
    benchmarks = copy_package(site) / "benchmarks"
    write_benchmark(benchmarks / "releases", block("python"))
    write_releases(root / "releases")
    (benchmarks / "press").mkdir()
    (benchmarks / "press" / "__init__.py").write_text(block("python", DATA_SET_PAGE))
    (root / "press.jsonl").write_text(block("json", DATA_SET_PAGE))
    (root / "damaged.jsonl").write_text('{"id": "a"}')
    install_packages(site)
    return root


@pytest.fixture(scope="module")
def commands(project: Path) -> dict[str, Typed]:
    """Output of the commands on both pages, and of others that show descriptions and errors.

    The documented test of the benchmark runs after them.
    """
    prepare, evaluate, report = block("bash").splitlines()
    prepare_press, evaluate_press = block("bash", DATA_SET_PAGE).splitlines()
    foreign = evaluate.replace("arag_inspect/releases", "my_package/bulletins")
    offline = "--model offline/extractive"
    lines = {
        "prepare": prepare,
        "evaluate": f"{evaluate} --display none",
        "report": report,
        "evaluate without a corpus": (
            f"inspect eval arag_inspect/releases -T corpus=nowhere {offline}"
        ),
        "ask": f"arag-inspect ask releases 'How many pumps?' --system naive_rag {offline}",
        "prepare press": prepare_press,
        "evaluate press": f"{evaluate_press} --display none --log-dir press-logs",
        "describe press": "arag-inspect prepare press -h",
        "prepare damaged press": "arag-inspect prepare press --file damaged.jsonl --out none",
        "prepare foreign": renamed(prepare).replace("--source bulletins", "--source releases"),
        "evaluate foreign": f"{foreign} --display none --log-dir foreign-logs",
        "plan foreign": "arag-inspect plan my_package/bulletins --effect 0.5",
        "run foreign": (
            f"arag-inspect run bulletins --systems naive_rag -T scorers=no_grader {offline} "
            "--log-dir run-logs"
        ),
        "run unknown": f"arag-inspect run bulletin {offline}",
        "prepare broken": "arag-inspect prepare broken",
        "doctor": "arag-inspect doctor",
    }
    (project / "tested").mkdir()
    call = "test_press_release_becomes_a_sample(Path('tested'))\nPath('tested/passed').touch()"
    printed = type_all(
        project,
        *map(shlex.split, lines.values()),
        site=project / "site-packages",
        program=f"{block('python', number=1)}\n{call}",
    )
    return dict(zip(lines, printed, strict=True))


def log_of(command: Typed, folder: Path) -> EvalLog:
    """Return the only log in a folder."""
    assert command.code == 0, command.stderr
    (path,) = folder.glob("*.eval")
    log = read_eval_log(str(path))
    assert log.status == "success" and log.samples, log.error
    return log


@pytest.mark.usefixtures("commands")
def test_documented_test_of_added_benchmark_passes(project: Path) -> None:
    assert (project / "tested" / "passed").exists()


def test_added_benchmark_is_prepared_and_reports_skipped_files(commands: dict[str, Typed]) -> None:
    prepared = commands["prepare"]
    assert prepared.code == 0, prepared.stderr
    assert re.search(r"^samples\s+2$", prepared.stdout, re.MULTILINE)
    assert "Next: inspect eval arag_inspect/releases --model MODEL" in prepared.stdout
    assert "untitled.txt: its name does not fit" in prepared.stdout
    assert "LONE_2019.txt: LONE_2019.summary.txt is missing" in prepared.stdout
    assert "GONE_2018.summary.txt: its name does not fit" in prepared.stdout


def test_added_benchmark_is_evaluated_with_its_prompt_and_facts(
    project: Path, commands: dict[str, Typed]
) -> None:
    log = log_of(commands["evaluate"], project / "logs")
    assert log.eval.task_args["target_length"] == 40 and log.eval.task_args["system"] == "arag"
    assert log.eval.task_description == "Summaries of press releases."
    samples = {sample.id: sample for sample in samples_of(log)}
    assert set(samples) == {"ZORG_2021", "ACME_2020"}
    zorg = samples["ZORG_2021"]
    assert zorg.input == "Summarise the press release of ZORG of 2021."
    assert zorg.metadata["company"] == "ZORG" and zorg.metadata["style"] == "release"
    assert [fact["text"] for fact in zorg.metadata["facts"]] == ["Zorg sold 40 pumps."]
    assert "Summarize the press release in at most " in str(zorg.messages[0].content)


def test_added_benchmark_appears_in_report(project: Path, commands: dict[str, Typed]) -> None:
    reported = commands["report"]
    assert reported.code == 0, reported.stderr
    report = project / "report" / "summarization_report.md"
    assert "releases" in report.read_text(encoding="utf-8")


def test_missing_corpus_error_gives_prepare_command(commands: dict[str, Typed]) -> None:
    elsewhere = commands["evaluate without a corpus"]
    assert "arag-inspect prepare releases --source DIR" in elsewhere.stdout + elsewhere.stderr


def test_added_data_set_is_prepared_and_evaluated(
    project: Path, commands: dict[str, Typed]
) -> None:
    prepared = commands["prepare press"]
    assert prepared.code == 0, prepared.stderr
    assert re.search(r"aligned exact\s+2", prepared.stdout)
    following = "Next: inspect eval arag_inspect/custom -T corpus=press --model MODEL"
    assert following in prepared.stdout
    samples = samples_of(log_of(commands["evaluate press"], project / "press-logs"))
    recalls = [scores_of(sample)["retrieval_pr"].as_dict()["recall"] for sample in samples]
    assert recalls == [1, 1]


def test_added_data_set_help_and_errors_come_from_declaration(
    project: Path, commands: dict[str, Typed]
) -> None:
    assert "File of press releases: JSON" in commands["describe press"].stdout
    refused = commands["prepare damaged press"]
    assert refused.code == 1 and not (project / "none").exists()
    reason = "Error: damaged.jsonl, row 1: company: Field required; it has id\n"
    assert refused.stderr.endswith(reason)


def test_foreign_benchmark_is_prepared_and_evaluated(
    project: Path, commands: dict[str, Typed]
) -> None:
    prepared = commands["prepare foreign"]
    assert prepared.code == 0, prepared.stderr
    assert "Next: inspect eval my_package/bulletins --model MODEL" in prepared.stdout
    log = log_of(commands["evaluate foreign"], project / "foreign-logs")
    assert log.eval.task == "my_package/bulletins"
    sample = samples_of(log)[0]
    assert "Summarize the press release in at most " in str(sample.messages[0].content)


def test_foreign_benchmark_is_planned_and_run_with_several_systems(
    project: Path, commands: dict[str, Typed]
) -> None:
    following = "or, with several systems: arag-inspect run my_package/bulletins --model MODEL"
    assert following in commands["prepare foreign"].stdout
    assert commands["plan foreign"].code == 0, commands["plan foreign"].stderr
    assert log_of(commands["run foreign"], project / "run-logs").eval.task == "my_package/bulletins"
    assert "did you mean bulletins?" in commands["run unknown"].stderr


def test_broken_benchmark_is_reported_by_doctor_without_affecting_others(
    commands: dict[str, Typed],
) -> None:
    doctor, prepared = commands["doctor"], commands["prepare broken"]
    reason = "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    words = " ".join(doctor.stdout.split())  # lines are wrapped
    assert doctor.code == 0 and words.count("benchmark broken (broken_package)") == 1
    assert "benchmark lacking (lacking_package) cannot be imported: AttributeError" in words
    assert reason in words and "ok benchmark bulletins (my_package.bulletins)" in words
    assert prepared.code == 1 and len(prepared.stderr.splitlines()) == 1
    assert f"benchmark broken (broken_package) cannot be imported: {reason}" in prepared.stderr


def test_commands_print_no_warning_when_warnings_are_errors(commands: dict[str, Typed]) -> None:
    assert commands["ask"].code == 0, commands["ask"].stderr
    for command in commands.values():
        assert "Warning" not in command.stderr and "Traceback" not in command.stderr
