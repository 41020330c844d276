"""Tests of samples without a value: their reasons, and the console's summary of them."""

from pathlib import Path

import pytest
from inspect_ai import Task, score
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score

import arag_inspect
from arag_inspect.judge import panel
from arag_inspect.judge.unscored import OF_THE_SAMPLE
from arag_inspect.judge.unscored_counts import _report, count_unscored
from arag_inspect.scorers import (
    citation_accuracy,
    error_taxonomy,
    fact_coverage,
    fact_match,
    factual_consistency,
    geval_coverage,
    llm_accuracy,
    rouge,
)
from tests.logs import scores_of
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")


def test_unscored_reason_is_printed_once_with_count(caplog: pytest.LogCaptureFixture) -> None:
    _report()
    caplog.clear()
    samples = [Sample(input="?", target=target) for target in ("", "Sales rose.", "")]
    log = run(
        Task(dataset=samples, scorer=[rouge(), factual_consistency(context="document")]),
        scripted(Script("Sales rose.")),
    )
    assert [message for message in caplog.messages if "unscored:" in message] == [
        (
            "factual_consistency left 3 samples unscored: The sample has no text to check the "
            "answer against."
        ),
        "rouge left 2 samples unscored: The sample has no reference to compare with.",
    ]
    caplog.clear()
    score(log, rouge(), display="none")
    assert "no value" not in caplog.text  # not a run: reported when the process ends
    _report()
    assert caplog.text.count("rouge left 2 samples unscored: ") == 1


def test_reason_shared_by_systems_is_printed_once(caplog: pytest.LogCaptureFixture) -> None:
    _report()
    caplog.clear()
    lacking = Score.unscored(reason="no_reference", explanation="No reference.")
    for system in ("naive_rag", "arag", "stuffing"):
        for scorer in ("rouge", "fact_match"):
            count_unscored(scorer, lacking, system)
    count_unscored("rouge", lacking, "stuffing")
    _report()
    assert caplog.messages == [
        "arag and naive_rag: fact_match, rouge left 1 sample of each unscored: No reference.",
        "stuffing: fact_match left 1 sample unscored: No reference.",
        "stuffing: rouge left 2 samples unscored: No reference.",
    ]


def test_reason_names_keys_of_metadata_when_context_is_not_one_of_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sample = Sample(input="?", target="Sales rose.", metadata={"company": "A", "passages": "B"})
    scorer = factual_consistency(judge=False, context="metadata:pasages")
    run(Task(dataset=[sample], scorer=scorer), scripted(Script("Sales rose 5%.")))
    assert "The metadata has no `pasages`; it has company, passages." in caplog.text


def test_missing_key_of_default_grader_leaves_judged_scorers_unscored(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task of another package is scored by its other scorers, and one line names the rest."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    # Inspect keeps a model that another test of the process made with a key
    monkeypatch.setattr(panel, "DEFAULT_GRADER", "anthropic/claude-made-by-no-test")
    text = "Sales rose 5% to $4 million in 2021."
    scorers = [
        *(error_taxonomy(context="input"), llm_accuracy(), fact_match()),
        *(factual_consistency(context="input"), rouge()),
    ]
    samples = [Sample(input=f"Summarize: {text}", target=text) for _ in range(2)]
    log = run(Task(dataset=samples, scorer=scorers), scripted(Script(text)))
    assert log.status == "success" and log.samples, log.error
    scores = scores_of(log.samples[0])
    reasons = {name: score.reason for name, score in scores.items() if score.reason}
    assert reasons == dict.fromkeys(("error_taxonomy", "llm_accuracy", "fact_match"), "no_grader")
    assert scores["factual_consistency"].as_dict()["supported"] == 1
    (line,) = (message for message in caplog.messages if "unscored:" in message)
    names, _, explanation = line.partition(" left 2 samples unscored: ")
    assert set(reasons) <= set(names.split(", "))
    assert "ANTHROPIC_API_KEY" in explanation
    assert explanation.endswith("Set one with --model-role grader=MODEL, or remove the scorer.")


def test_failed_judge_of_some_keys_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    """The other keys have a value; a key that does not apply to the sample is not counted."""
    _report()
    caplog.clear()
    samples = [Sample(input="Costs were $1.1 billion.", target="Costs.") for _ in range(2)]
    scorers = [factual_consistency(context="input"), fact_coverage()]
    judge = scripted(Script("They add up."))
    task = Task(dataset=samples, scorer=scorers)
    run(task, scripted(Script("Costs came to $2.0 billion.")), model_roles={"grader": judge})
    assert [message for message in caplog.messages if "unscored:" in message] == [
        (
            "factual_consistency, judged keys left 2 samples unscored: No judge came to a verdict "
            "(mockllm/model: the last line is not `VERDICT CODE: ...`)."
        )
    ]


@pytest.mark.parametrize("roles", [{}, {"grader": "offline/extractive"}])
def test_judged_scorers_are_reported_unscored_in_one_line_without_grader(
    roles: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    text = "Sales rose 5% to $4 million in 2021."
    made_scorers = [
        *(geval_coverage(), llm_accuracy(), fact_match(), error_taxonomy(context="input")),
        *(citation_accuracy(context="input"), factual_consistency(context="input"), rouge()),
    ]
    task = Task(dataset=[Sample(input=f"Summarize: {text}", target=text)], scorer=made_scorers)
    log = run(task, "offline/extractive", model_roles=roles)
    assert log.status == "success" and log.samples, log.error
    scores = scores_of(log.samples[0])
    reasons = {name: score.reason for name, score in scores.items() if score.reason}
    judged = ("geval_coverage", "llm_accuracy", "fact_match", "citation_accuracy", "error_taxonomy")
    assert reasons == dict.fromkeys(judged, "no_grader")
    (line,) = (message for message in caplog.messages if "unscored:" in message)
    names, _, explanation = line.partition(" left 1 sample unscored: ")
    assert set(judged) <= set(names.split(", "))
    assert explanation.startswith("This scorer needs a judge model. Set one with --model-role ")
    assert explanation.endswith(
        "remove the scorer. Tasks of arag-inspect: run --grader MODEL, or -T scorers=no_grader."
    )
    checked = scores["factual_consistency"]
    assert checked.as_dict()["supported"] == 1 and (checked.metadata or {})["judges"] == []


def test_scorers_give_every_reason_that_lies_in_the_sample() -> None:
    """A sample counts as failed if its scorer gives the reason under another name."""
    modules = Path(arag_inspect.__file__).parent.rglob("*.py")
    source = "".join(module.read_text(encoding="utf-8") for module in modules)
    declared_only = [reason for reason in OF_THE_SAMPLE if source.count(f'"{reason}"') < 2]
    assert declared_only == []
