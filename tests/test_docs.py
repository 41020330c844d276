"""Tests of the documentation: commands, options and paths exist, and examples run."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from arag_inspect import scorers, solvers, tasks
from arag_inspect.benchmark.scorers import BoundScorer
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS, SUMMARY_SCORERS
from arag_inspect.benchmarks import exports
from arag_inspect.cli.main import main
from tests.commands import typed
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Script, run, scripted

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", ROOT / "datasets" / "README.md", *ROOT.glob("docs/**/*.md"))
    if path.name
    not in ("adding-a-benchmark.md", "adding-a-data-set.md")  # tests/benchmarks runs both
)
RUNNABLE = "<!-- runnable -->"
"""Marks a page whose Python blocks run in sequence."""


def test_docs_navigation_has_at_most_thirty_pages() -> None:
    navigation = text_of("mkdocs.yml").partition("\nnav:")[2]
    assert 20 < len(re.findall(r"\.(?:md|ipynb)$", navigation, re.MULTILINE)) <= 30


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE)


def commands(page: str) -> Iterator[list[str]]:
    """Yield a page's command lines: from shell blocks, transcripts and text."""
    lines = shell_lines(page)
    prose = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    lines += re.findall(r"`((?:arag-inspect|inspect) [^`]+)`", prose)
    for line in lines:
        for part in re.split(r"&&|\s#", line):
            if not part.strip().startswith(("arag-inspect ", "inspect ")):
                continue
            words = shlex.split(re.sub(r"[\[\]|]|\.\.\.|…", " ", part) if "'" not in part else part)
            if len(words) > 1:
                yield words


def shell_lines(page: str) -> list[str]:
    """Return the lines, without prompts, of a page's shell blocks and blocks without a language."""
    text = "".join([*blocks(page, "bash"), *blocks(page, "")]).replace("\\\n", " ")
    return [re.sub(r"^\$ |^(?:[A-Z_]+=\S+ )+", "", line) for line in text.splitlines()]


def check_own(words: list[str]) -> None:
    """Raise if a command line of arag-inspect has an unknown command, option or choice."""
    command: click.Command = main
    context = click.Context(main, info_name=words[0])
    rest = words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        if rest[0].isupper():  # a placeholder
            return
        name, subcommand_found, rest = command.resolve_command(context, rest)
        assert subcommand_found
        context = click.Context(subcommand_found, parent=context, info_name=name)
        command = subcommand_found
    values, _, _ = command.make_parser(context).parse_args(rest)
    for parameter in command.params:
        value = values.get(parameter.name or "")
        placeholder = not isinstance(value, str) or value.isupper()
        if isinstance(parameter.type, click.Choice) and not placeholder:
            parameter.type.convert(value, parameter, context)
    task = str(values.get("task"))
    if context.info_name == "run" and task in tasks.__all__:
        parameter_names = [part.partition("=")[0] for part in values.get("parameters") or ()]
        assert {*parameter_names} <= {*signature(getattr(tasks, task)).parameters}, parameter_names


@cache
def options_of_inspect(subcommand: str) -> set[str]:
    """Return the options listed in the help of an Inspect command."""
    help_text = typed(ROOT, f"inspect {subcommand} --help")
    return set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", help_text))


def check_inspect(words: list[str]) -> None:
    """Raise if a command line of Inspect has an unknown option, task, solver or scorer."""
    subcommand, rest = words[1], words[2:]
    options = options_of_inspect(subcommand)
    factories: dict[str, Any] = {}
    for flag, package, name in registered(rest):
        assert name in package.__all__, f"{name} is none of {package.__name__}"
        factories[flag] = getattr(package, name)
    for option, value in pairwise([*rest, ""]):
        if option.startswith("-"):
            option = option.partition("=")[0]
            assert option in options, f"inspect {subcommand} has no option {option}"
        factory = factories.get(option)
        if factory is not None and "=" in value:
            name = value.partition("=")[0]
            assert name in signature(factory).parameters, f"{factory.__name__} has no {name}"


def registered(words: list[str]) -> Iterator[tuple[str, Any, str]]:
    """Yield names from this package in a command line, with the flag for their parameters."""
    packages = {"--solver": ("-S", solvers), "--scorer": ("-S", scorers)}
    for before, word in pairwise(["", *words]):
        name = word.removeprefix("arag_inspect/")
        if name != word and not name.isupper():
            flag, package = packages.get(before, ("-T", tasks))
            yield flag, package, name


def test_readme_has_at_most_seven_hundred_words() -> None:
    assert len(text_of("README.md").split()) <= 700


def test_every_default_scorer_has_row_in_docs() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", text_of("docs/scorers.md"), re.MULTILINE)
    usual = [
        make for make in (*SUMMARY_SCORERS, *ANSWER_SCORERS) if not isinstance(make, BoundScorer)
    ]
    names = {make.__name__ for make in usual} | {*exports("scorer")}
    assert sorted(names - {*rows}) == []


@pytest.mark.parametrize("page", PAGES)
def test_documented_command_lines_exist(page: str) -> None:
    for words in commands(page):
        try:
            check_own(words) if words[0] == "arag-inspect" else check_inspect(words)
        except (click.UsageError, AssertionError) as error:
            pytest.fail(f"{page}: {shlex.join(words)}: {error}")


@pytest.mark.parametrize(
    "line",
    [
        "arag-inspect prepare nothing",
        "arag-inspect prepare ectsum --asides 3",
        "arag-inspect prepare ectsum --split dev",
        "arag-inspect run ectsum --model M -T kind=qa",
        "inspect eval arag_inspect/nothing --model M",
        "inspect eval arag_inspect/ectsum -T kind=qa",
        "inspect eval arag_inspect/ectsum --solver arag_inspect/replay -S answers=x",
        "inspect score some.eval --scoring arag_inspect/rouge",
    ],
)
def test_nonexistent_command_line_is_detected(line: str) -> None:
    words = shlex.split(line)
    with pytest.raises((click.UsageError, AssertionError)):
        check_own(words) if words[0] == "arag-inspect" else check_inspect(words)


@pytest.mark.parametrize("page", PAGES)
def test_documented_paths_and_links_exist(page: str) -> None:
    names = {*tasks.__all__, *scorers.__all__, *solvers.__all__, "rules"}
    missing = []
    for path in re.findall(
        r"`((?:arag_inspect|tests|measurements|examples|docs)/[^`\s]*)`", text_of(page)
    ):
        name = path.removeprefix("arag_inspect/")
        if name not in names and not name.isupper() and not any(ROOT.glob(path.rstrip("/"))):
            missing.append(path)
    for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text_of(page)):
        if ":" not in link and not ((ROOT / page).parent / link).exists():
            missing.append(link)
    assert not missing


@pytest.mark.parametrize("page", [page for page in PAGES if RUNNABLE in text_of(page)])
def test_documented_python_examples_run(page: str) -> None:
    assert run_blocks(page)


def run_blocks(page: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block, page, "exec"), names)
    return names


def test_documented_solver_records_passages_for_retrieval_scorers() -> None:
    def search(question: str) -> list[tuple[int, str, str]]:
        return [(3, "acme", "Revenue rose 7.5%."), (8, "acme", f"No answer to: {question}")]

    gold = {"gold_chunk_ids": [3, 4], "evidence": ["Revenue rose 7.5%."], "doc_ids": ["acme"]}
    solver = run_blocks("docs/in-your-own-suite.md")["my_rag"](search)
    sample = Sample(input="How was it?", metadata=gold)
    task = Task(dataset=[sample], solver=solver, scorer=scorers.retrieval_pr())
    (answered,) = samples_of(run(task, scripted(Script("It rose."))))
    assert "Revenue rose 7.5%." in str(answered.messages)
    assert scores_of(answered)["retrieval_pr"].value == {
        "recall": 0.5, "precision": 0.5, "search_recall": 0.5, "documents": 1.0, "evidence": 1.0
    }  # fmt: skip


@pytest.mark.usefixtures("logs")
def test_documented_scorers_score_foreign_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    task = run_blocks("docs/in-your-own-suite.md")["everything"]()
    assert isinstance(task, Task)
    answer = "Revenue rose 7.5% to $4.2 billion. Free cash flow fell to $310 million."
    log = run(
        task,
        scripted(Script([("read_report", {})], answer)),
        model_roles={"grader": STEADY},
    )
    assert log.status == "success" and log.samples and log.samples[0].scores
    scores = log.samples[0].scores
    assert len(scores) == 17 and "read_report" in str(log.samples[0].messages)
    unscored = {name: score.reason for name, score in scores.items() if score.reason}
    assert list(unscored) == ["error_taxonomy", "nli_contradiction"]  # of the latter, no weights
    assert unscored["error_taxonomy"] == "no_retrieval"  # only its code IR has no value
    assert scores["geval_faithfulness"].value == 3
    verified = scores["factual_consistency"].value
    assert isinstance(verified, dict) and verified["supported"] == 1.0
