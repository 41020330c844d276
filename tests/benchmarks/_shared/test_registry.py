"""Tests that each data set's declaration matches its reader."""

from dataclasses import replace

import pytest
from click import Context, IntRange
from inspect_ai.util import registry_info

from arag_inspect import tasks
from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.samples import prepared_samples
from arag_inspect.benchmarks import (
    benchmark_names,
    evaluation_command,
    get_dataset,
    prepare_dataset,
)
from arag_inspect.cli.prepare import prepare
from tests.test_docs import ROOT


@pytest.mark.parametrize("name", benchmark_names())
def test_dataset_spec_matches_datasheet_title_and_task(name: str) -> None:
    spec = get_dataset(name)
    assert spec.name == name
    datasheet = ROOT / "docs" / "datasets" / f"{name}.md"
    title = datasheet.read_text(encoding="utf-8").partition("\n")[0]
    assert title == f"# {spec.title}"
    assert registry_info(getattr(tasks, spec.task)).name == f"arag_inspect/{spec.task}"


def test_prepare_command_options_match_reader_parameters() -> None:
    commands = [
        prepare.get_command(Context(prepare), name) for name in ("financebench", "synthetic")
    ]
    options, others = (
        {option.name: option for option in command.params} for command in commands if command
    )
    assert isinstance(options["limit"].type, IntRange) and options["limit"].type.min == 1
    assert options["open_only"].secondary_opts == ["--all"]
    assert options["docs"].default is None and others["documents"].default == 40
    assert options["source"].type.name == "path"
    help_text = getattr(options["limit"], "help", "")
    assert help_text == "Only the first questions, with the documents that they need."


def test_dataset_spec_builds_task_arguments_and_corpus_names() -> None:
    finqa, custom = get_dataset("finqa"), get_dataset("custom")
    assert finqa.evaluation("dev") == "finqa -T split=dev"
    assert finqa.evaluation("dev", "my/c") == "finqa -T split=dev -T corpus=my/c"
    assert custom.evaluation("mine") == "custom -T corpus=mine"
    assert custom.evaluation("mine", "my/c") == "custom -T corpus=my/c"
    assert (finqa.corpus_name("dev"), custom.corpus_name("mine")) == ("finqa-dev", "mine")
    assert (finqa.corpus_name(None), custom.corpus_name(None)) == ("finqa", "custom")


def test_samples_are_read_from_corpus_named_by_dataset() -> None:
    texts = replace(get_dataset("finqa"), corpus="{name}-texts-{split}")
    with pytest.raises(InputError, match="corpus finqa-texts-dev is not prepared"):
        prepared_samples(texts, None, split="dev")


def test_prepare_dataset_rejects_unknown_and_bundled_data_sets() -> None:
    with pytest.raises(
        InputError, match="data set 'nope' is unknown; choose from advisor, custom, "
    ):
        prepare_dataset("nope")
    command = "inspect eval arag_inspect/perspectives$"
    with pytest.raises(InputError, match=f"perspectives needs no preparation; run: {command}"):
        prepare_dataset("perspectives")


@pytest.mark.parametrize("name", benchmark_names())
def test_command_after_preparation_names_a_task(name: str) -> None:
    spec = get_dataset(name)
    split = spec.splits[0] if spec.splits else "mine"
    evaluation = spec.evaluation(split)
    assert evaluation_command(evaluation) == f"inspect eval arag_inspect/{evaluation}"
    assert evaluation_command("unknown -T corpus=mine") is None
