"""Tests of the offline extractive model: content, length and determinism."""

import re
from pathlib import Path

import anyio
import pytest
from inspect_ai import Task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.solver import generate
from inspect_ai.tool import ToolCallError

from arag_inspect.corpus import Corpus
from arag_inspect.models.call_monitor import watching
from arag_inspect.tools import chunk_read, keyword_search
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of
from tests.scripted import run, scores, summarized
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("logs")
MODEL = "offline/extractive"


def sentences_of(text: str) -> list[str]:
    """Split into sentences, and after lines that name a speaker."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z])|(?<=Officer|Analyst) (?=[A-Z])", text)


@pytest.mark.parametrize("system", ["arag", "naive_rag", "stuffing"])
@pytest.mark.parametrize("length", [40, 120])
def test_summary_is_extracted_from_passages_near_target_length(
    synthetic_folder: Path, system: str, length: int
) -> None:
    log = summarized(
        synthetic_folder, MODEL, system, target_length=length, scorers="efficiency", limit=3
    )
    assert log.status == "success" and log.samples
    for sample in log.samples:
        source = " ".join(p.text for p in sample.store_as(RetrievalTrace).passages)
        summary = sample.output.completion
        assert all(part in source for part in sentences_of(summary))
        assert 0.6 * length <= len(summary.split()) <= 1.3 * length


def test_agent_reads_only_requested_document(synthetic_folder: Path, corpus: Corpus) -> None:
    log = summarized(synthetic_folder, MODEL, limit=None)
    assert log.samples
    for sample in log.samples:
        trace = sample.store_as(RetrievalTrace)
        assert trace.stopped_by == "answer" and 3 <= trace.loops <= 22
        assert {p.doc_id for p in trace.passages} == {sample.id}
        assert len({s.tool for s in trace.searches}) == 2
        assert trace.cost_usd == 0.0  # known to be free, unlike an unknown cost
    values = scores(log, "retrieval_pr")
    assert sum(value["search_recall"] for value in values) / len(values) >= 0.9
    assert sum(value["recall"] for value in values) / len(values) >= 0.8


def test_offline_answers_are_reproducible(synthetic_folder: Path) -> None:
    first, second_answer = (
        [
            sample.output.completion
            for sample in summarized(synthetic_folder, MODEL, scorers="efficiency", limit=2).samples
            or []
        ]
        for _ in range(2)
    )
    assert first == second_answer and all(first)


def test_answer_without_document_admits_missing_knowledge(synthetic_folder: Path) -> None:
    log = summarized(synthetic_folder, MODEL, "closed_book", scorers="efficiency")
    assert log.samples and "knows nothing by itself" in log.samples[0].output.completion


def test_offline_model_submits_answer_to_react(synthetic_folder: Path) -> None:
    tools = [keyword_search(corpus=str(synthetic_folder)), chunk_read(corpus=str(synthetic_folder))]
    samples = [Sample(input="What does management expect for the full year?", target="x")]
    log = run(Task(dataset=samples, solver=react(tools=tools), message_limit=40), MODEL)
    assert log.samples and log.samples[0].limit is None
    spoken = [m for m in log.samples[0].messages if m.role == "assistant"]
    calls = [call.function for message in spoken for call in message.tool_calls or []]
    assert calls == ["keyword_search", "chunk_read"]  # react itself removes the last call
    assert len(log.samples[0].output.completion.split()) > 8


def test_unknown_offline_model_name_is_rejected() -> None:
    with pytest.raises(ValueError, match="offline/other is unknown; use offline/extractive"):
        run(Task(dataset=[Sample(input="?")]), "offline/other")


@pytest.mark.parametrize(("prompt", "answer"), TABLES["prompts"])
def test_offline_model_answers_prompts_of_other_tasks(prompt: str, answer: str) -> None:
    text = (
        "Revenue was $3.2 billion, up 5 percent from last year. Operating income rose to $410 "
        "million. We expect revenue of $3.3 billion in the next quarter, and thank you all "
        "for joining us."
    )
    assert answer in _answer(prompt.format(text))


DOCUMENT = " ".join(
    (f"Revenue of {name} rose {n} percent to ${n}.2 billion as more customers bought its "
     f"{product} abroad.")
    for n, (name, product) in enumerate(
        [("Acme", "pumps"), ("Borel", "wheels"), ("Cantor", "sets"), ("Dirac", "deltas"),
         ("Euler", "bridges"), ("Fermat", "margins"), ("Gauss", "bells"), ("Hilbert", "hotels"),
         ("Ito", "paths"), ("Jordan", "curves"), ("Klein", "bottles"), ("Lorenz", "wings")],
        start=2,
    )
)  # fmt: skip


@pytest.mark.parametrize("most", [60, 35, 8])
def test_answer_respects_word_limit_in_request(most: int) -> None:
    limit = f"at most {most} words"
    prompts = [
        f"Summarize the text in {limit}.\n\n{DOCUMENT}",
        f"Summarize the text.\n\n{DOCUMENT}\n\nUse {limit}.",
        f"How much did revenue of Acme and Borel rise? Answer in {limit}.\n\n{DOCUMENT}",
    ]
    counts = [len(_answer(prompt).split()) for prompt in prompts]
    assert max(counts) <= most and min(counts) >= min(most, 14)


def test_summary_is_near_length_in_request() -> None:
    words = _answer(f"Summarize the text in about 40 words.\n\n{DOCUMENT}").split()
    assert 26 <= len(words) <= 46


@pytest.mark.parametrize(("request_", "lines"), TABLES["unnamed"])
def test_summaries_without_named_document_are_counted_in_warnings(
    request_: str, lines: int
) -> None:
    passages = "\n".join(
        f'<passage chunk_id="{n}" source="[DOCUMENT: {n}]">\n{DOCUMENT}\n</passage>' for n in (1, 2)
    )
    samples = [Sample(input=f"{passages}\n\nRequest: {request_}") for _ in range(3)]
    with watching() as watch:
        run(Task(dataset=samples, solver=generate()), MODEL)
    output_lines = watch.lines()
    assert len(output_lines) == lines and all("offline/extractive" in line for line in output_lines)
    assert all("(3)" in line for line in output_lines)


def test_request_and_short_text_on_one_line_are_separated() -> None:
    assert _answer("Summarize: Sales rose 7% to $4.2 billion.") == "Sales rose 7% to $4.2 billion."


def test_tool_results_are_read_but_tool_errors_are_not() -> None:
    rest = "The results are those of all our segments. They are those of all regions of the world."
    failed, result = (f"Operating income rose to ${n} million. {rest}" for n in (999, 410))
    error = ToolCallError(type="unknown", message=failed)
    messages: list[ChatMessage] = [
        ChatMessageUser(content="What was operating income?"),
        ChatMessageTool(content=failed, error=error),
        ChatMessageTool(content=result),
    ]
    output = anyio.run(lambda: get_model(MODEL).generate(messages))
    assert output.completion == ". ".join(result.split(". ")[:2]) + "."


def _answer(prompt: str) -> str:
    [sample] = samples_of(run(Task(dataset=[Sample(input=prompt)], solver=generate()), MODEL))
    return sample.output.completion
