"""Tests of naive RAG, stuffing, closed book and oracle."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ModelName, ModelOutput
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.solvers import naive_rag, stuffing, system_solver
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.sample import most_words, sample_metadata_or_default
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.scripted import Script, run, scripted, speak, summarized, trace_of

pytestmark = pytest.mark.usefixtures("logs")


def test_naive_rag_reads_results_of_one_search(synthetic_folder: Path, corpus: Corpus) -> None:
    script = Script("A summary.")
    log = summarized(synthetic_folder, scripted(script), "naive_rag", system_args={"top_k": 4})
    trace, (sample,) = trace_of(log), samples_of(log)
    assert len(script.asked) == trace.loops == 1
    (search,) = trace.searches
    assert search.query == sample.input
    assert [p.chunk_id for p in trace.passages] == search.chunk_ids and len(search.chunk_ids) == 4
    assert search.scores == sorted(search.scores, reverse=True)
    request = script.asked[0][-1].text
    assert all(corpus.chunk(i).text in request for i in search.chunk_ids)
    assert request.endswith(str(sample.input))


def test_stuffing_reads_whole_document_only(synthetic_folder: Path, corpus: Corpus) -> None:
    script = Script("A summary.")
    log = summarized(synthetic_folder, scripted(script), "stuffing")
    trace, (sample,) = trace_of(log), samples_of(log)
    chunks = corpus.document_chunks(sample.metadata["doc_ids"])
    assert [p.chunk_id for p in trace.passages] == [chunk.chunk_id for chunk in chunks]
    assert (trace.context, trace.searches) == ("document", [])
    assert all(chunk.text in script.asked[0][-1].text for chunk in chunks)
    assert scores_of(sample)["retrieval_pr"].reason == "no_retrieval"


def test_stuffing_skips_overlong_document_and_leaves_sample_unscored(
    synthetic_folder: Path,
) -> None:
    script = Script("never asked")
    task_options: Any = {"system_args": {"max_tokens": 100}, "scorers": "no_grader"}
    log = summarized(synthetic_folder, scripted(script), "stuffing", **task_options, limit=2)
    trace = trace_of(log)
    assert log.status == "success" and log.samples and log.results
    assert script.asked == [] and trace.stopped_by == "skipped"
    tokenizer = Corpus.open(synthetic_folder).manifest.tokenizer
    reason = f"tokens by the corpus's tokenizer ({tokenizer}) are over the limit of 100"
    assert str(trace.skipped) == f"{trace.skipped_tokens:,} {reason}"
    for score in scores_of(log.samples[0]).values():
        assert score.reason == "skipped" and score.value != score.value
    assert {(s.scored_samples, s.unscored_samples) for s in log.results.scores} == {(0, 2)}


def test_sample_is_skipped_when_model_window_is_exceeded(synthetic_folder: Path) -> None:
    def too_long(*_: object) -> ModelOutput:
        output = speak("prompt is too long", 1)
        output.choices[0].stop_reason = "model_length"
        return output

    log = summarized(synthetic_folder, scripted(too_long), "stuffing")
    trace = trace_of(log)
    assert "over the model's window" in str(trace.skipped)
    assert str(trace.skipped).startswith(f"{trace.skipped_tokens:,} tokens")
    assert log.samples and log.samples[0].output.completion == ""


def test_closed_book_prompt_contains_no_document(synthetic_folder: Path, corpus: Corpus) -> None:
    script = Script("I do not know.")
    trace = trace_of(summarized(synthetic_folder, scripted(script), "closed_book"))
    assert (trace.context, trace.passages, trace.loops) == ("none", [], 1)
    prompt = " ".join(message.text for message in script.asked[0])
    assert corpus.chunk(0).text[:80] not in prompt and "<passage" not in prompt


def test_only_whole_document_prompt_asks_to_state_missing_guidance(
    synthetic_folder: Path,
) -> None:
    prompts = {}
    for system in ("stuffing", "naive_rag", "arag", "closed_book", "oracle"):
        script = Script("A summary.")
        summarized(synthetic_folder, scripted(script), system, scorers="no_grader")
        prompts[system] = script.asked[0][0].text.partition("Summarize the earnings call")[2]
    says_so = {system for system, text in prompts.items() if "gives no guidance, say so" in text}
    assert says_so == {"stuffing"}
    assert prompts["naive_rag"] == prompts["arag"] == prompts["oracle"]
    assert "do not say that it is missing" in prompts["arag"]
    assert (
        "source" not in prompts["closed_book"]
        and "State only what you know" in prompts["closed_book"]
    )
    openings = {text.partition("State only what ")[0] for text in prompts.values()}
    endings = {text.partition("Copy figures exactly")[2] for text in prompts.values()}
    assert len(openings) == len(endings) == 1 and "at most 85 words" in openings.pop()


@pytest.mark.parametrize(
    ("target", "most"), [(75, 85), (100, 115), (150, 170), (250, 290), (10, 10), (3, 5), (1, 1)]
)
def test_most_words_allows_15_percent_more_rounded_to_5(target: int, most: int) -> None:
    assert most_words(target) == most


@pytest.mark.parametrize("gold", ["chunks", "evidence", "none"])
def test_oracle_sees_gold_evidence_only(synthetic_folder: Path, corpus: Corpus, gold: str) -> None:
    script = Script("A summary.")
    task = earnings_synthetic(corpus=str(synthetic_folder), scorers="no_grader", system="oracle")
    sample = task.dataset[0]
    metadata = dict(sample.metadata or {})
    if gold != "chunks":
        metadata["gold_chunk_ids"] = []
    if gold == "none":
        metadata["evidence"] = []
    sample.metadata = metadata
    log = run(task, scripted(script), limit=1)
    assert log.status == "success" and log.samples
    trace = log.samples[0].store_as(RetrievalTrace)
    if gold == "none":
        assert script.asked == [] and trace.skipped == "it has no gold evidence"
        return
    expected = [corpus.chunk(i).text for i in metadata["gold_chunk_ids"]] or metadata["evidence"]
    assert expected and [passage.text for passage in trace.passages] == list(expected)
    request = script.asked[0][-1].text
    assert all(text in request for text in expected) and request.count("<passage") == len(expected)
    assert (trace.context, trace.searches, trace.loops) == ("gold", [], 1)
    assert log.samples[0].scores["retrieval_pr"].reason == "no_retrieval"  # type: ignore[index]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: naive_rag(top_k=0), "top_k must be a whole number of at least 1, got 0"),
        (lambda: stuffing(max_tokens=0), "max_tokens must be a whole number of at least 1, got 0"),
        (lambda: system_solver("magic"), "system 'magic' is unknown; choose from arag, grep_agent"),
    ],
)
def test_single_call_systems_reject_bad_parameters(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]


def test_naive_rag_run_fails_when_corpus_was_removed(
    synthetic_folder: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(synthetic_folder, tmp_path / "copy")
    task = earnings_synthetic(corpus=str(copy), scorers="no_grader", system="naive_rag")
    shutil.rmtree(copy)
    log = run(task, scripted(Script("x")), limit=1)
    assert log.status == "error" and log.error
    assert f"no prepared corpus at {copy}" in log.error.message


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"period": 2021, "company": None, "group": 3}, ""),
        ({"target_length": None, "facts": None}, ""),
        ({"facts": "none"}, "metadata of sample 1 cannot be read: facts: Input should be"),
        ({"style": "formal"}, "metadata 'formal' is unknown; choose from client_file, comp"),
    ],
)
def test_foreign_metadata_is_tolerated_or_reported(
    synthetic_folder: Path, more: dict[str, Any], message: str
) -> None:
    """Solvers report unreadable metadata next to known fields; scorers use the readable rest."""
    metadata = {"corpus": str(synthetic_folder), "gold_chunk_ids": [0, 1], **more}
    sample = Sample(id=1, input="What was revenue?", target="$1", metadata=metadata)
    task = Task(dataset=[sample], solver=naive_rag())
    log = run(task, scripted(Script("A summary.")), fail_on_error=False)
    assert log.samples
    error = log.samples[0].error
    assert (error and message in error.message) if message else error is None
    state = TaskState(ModelName("none/none"), 1, 1, "", [], metadata=metadata)
    assert sample_metadata_or_default(state).gold_chunk_ids == (0, 1)


@pytest.mark.parametrize("system", ["arag", "naive_rag", "closed_book"])
def test_input_without_user_message_is_sample_error(synthetic_folder: Path, system: str) -> None:
    metadata = {"corpus": str(synthetic_folder)}
    sample = Sample(id=1, input=[ChatMessageSystem(content="Be brief.")], metadata=metadata)
    task = Task(dataset=[sample], solver=system_solver(system))
    log = run(task, "offline/extractive", fail_on_error=False)
    assert log.samples and log.samples[0].error
    assert log.samples[0].error.message == "input of sample 1 has no user message"
