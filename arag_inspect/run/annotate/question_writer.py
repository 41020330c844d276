"""Write and test questions from passages.

This is a solver, so that Inspect handles retries, limits and costs.
"""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from inspect_ai.model import ChatMessage, ChatMessageUser, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from ...benchmarks._shared.written_questions import (
    NOT_SAID,
    Candidate,
    QuestionOutcome,
    QuestionType,
)
from ...corpus import Chunk, Corpus
from ...judge.judge import judge
from ...judge.parsing import StrictModel, choice_form, json_form
from ...models.call import call_model, one_off_config
from ...prompts import fence, fill, load_prompt
from ...systems.prompting import system_message
from ...systems.tools.retrieval import Retrieval
from ...systems.tools.search import show_passage
from ...text.replies import ReplyParseError
from ...types.sample import SampleMetadata
from ...types.system import ContextSource

CANDIDATE = "candidate"
"""Key in the sample's store."""

_VERDICT = choice_form(("CORRECT", "INCORRECT", "REFUSAL"))
_EXAMPLE = '{"question": "...", "answer": "...", "evidence": ["..."]}'
_LONGEST = 600
"""Maximum characters of a question."""

_NOT_VERBATIM = "occurs in no passage; copy it character by character"
_SEARCHED = 5
"""Chunks searched for an answer to a question that should be unanswerable."""


class _Reply(StrictModel):
    question: str
    answer: str
    evidence: list[str]


class _Draft(NamedTuple):
    question: str
    answer: str
    quotes: list[tuple[str, Chunk]]
    """Evidence, verbatim from its chunk."""


class _Result(NamedTuple):
    """Outcome of a question, and why it is not kept."""

    outcome: QuestionOutcome
    reason: str = ""


@solver
def write_question(corpus: str, settings: str) -> Solver:
    """Write and test the question of a sample whose metadata are a slot.

    1. The model writes question, answer and evidence; each quotation must occur in a passage,
       ignoring white space, and the passage's own text is kept. A faulty reply is asked for once
       more.
    2. With the evidence alone the model must answer correctly; without any passage it must not.
    3. For an unanswerable question, the model must not find an answer in its passages and the five
       chunks of a hybrid search.

    Args:
        corpus: Path of the prepared corpus.
        settings: Settings stored with each candidate.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        opened = await Corpus.open_async(corpus)
        chunks = [opened.chunk(chunk_id) for chunk_id in state.metadata["chunk_ids"]]
        kind: QuestionType = state.metadata["question_type"]
        if kind == "comparison":
            chunks += await _counterpart(opened, chunks[0])
        new_candidate = partial(
            Candidate,
            id=str(state.sample_id),
            question_type=kind,
            chunk_ids=[chunk.chunk_id for chunk in chunks],
            model=str(get_model()),
            settings=settings,
        )
        draft = await _draft(get_model(), kind, chunks)
        if isinstance(draft, _Result):
            candidate = new_candidate(**draft._asdict())
        else:
            sources = [chunk for _, chunk in draft.quotes] or chunks
            try:
                result = await _test_draft(get_model(), kind, draft, opened, chunks)
            except ReplyParseError as error:
                result = _Result("unusable", str(error))
            candidate = new_candidate(
                **result._asdict(),
                question=draft.question,
                answer=draft.answer,
                evidence=[quote for quote, _ in draft.quotes],
                doc_ids=list(dict.fromkeys(chunk.doc_id for chunk in sources)),
            )
        state.store.set(CANDIDATE, candidate.model_dump())
        state.output.completion = candidate.question
        return state

    return solve


async def _counterpart(corpus: Corpus, chunk: Chunk) -> list[Chunk]:
    """Return the chunk of another document that is nearest in meaning."""
    others = [doc_id for doc_id in corpus.doc_ids if doc_id != chunk.doc_id]
    opening = " ".join(chunk.text.split()[:200])
    hits = await corpus.semantic_search(opening, 1, corpus.filter(doc_ids=others))
    return [corpus.chunk(hit.chunk_id) for hit in hits]


async def _draft(model: Model, kind: QuestionType, chunks: Sequence[Chunk]) -> _Draft | _Result:
    """Ask for a question; return its outcome if no reply is usable."""
    prompt = fill(
        load_prompt("questions/write"),
        question_type=kind,
        rules=load_prompt(f"questions/{kind}"),
        passages="\n\n".join(map(show_passage, chunks)),
    )
    form = json_form(_Reply, _EXAMPLE).then(lambda reply: _check_reply(reply, kind, chunks))
    judgement = await judge(model, prompt, form)
    if judgement.verdict is not None:
        return judgement.verdict
    reason = judgement.reason or "no reply"
    return _Result("not_verbatim" if reason.endswith(_NOT_VERBATIM) else "unusable", reason)


def _check_reply(reply: _Reply, kind: QuestionType, chunks: Sequence[Chunk]) -> _Draft:
    """Check a reply against the request.

    Raises:
        ReplyParseError: The reply has a fault, which the message states.
    """
    question = " ".join(reply.question.split())
    answer = reply.answer.strip()
    if not question or len(question) > _LONGEST:
        raise ReplyParseError(f"`question` must have 1 to {_LONGEST} characters")
    if kind == "unanswerable":
        return _Draft(question, NOT_SAID, [])
    if not answer or not reply.evidence:
        raise ReplyParseError("`answer` or `evidence` is empty")
    quotes = [_find_quotation(quote, chunks) for quote in dict.fromkeys(reply.evidence)]
    if kind in ("multi", "comparison") and len({chunk.chunk_id for _, chunk in quotes}) < 2:
        raise ReplyParseError("`evidence` must quote two passages")
    return _Draft(question, answer, quotes)


def _find_quotation(quote: str, chunks: Iterable[Chunk]) -> tuple[str, Chunk]:
    """Return the passage of a quotation in a chunk, ignoring white space."""
    words = quote.split()
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    if len(words) > 1:
        for chunk in chunks:
            match = pattern.search(chunk.text)
            if match:
                return match[0], chunk
    raise ReplyParseError(f"`evidence` {quote[:80]!r} {_NOT_VERBATIM}")


async def _test_draft(
    model: Model, kind: QuestionType, draft: _Draft, corpus: Corpus, chunks: Sequence[Chunk]
) -> _Result:
    """Answer a question with and without evidence, and judge the answers.

    Raises:
        ReplyParseError: An answer could not be asked for or judged.
    """
    if kind == "unanswerable":
        retrieval = Retrieval("hybrid")
        await retrieval.load(corpus)
        hits = await retrieval.search(corpus, draft.question, _SEARCHED)
        chunk_ids = dict.fromkeys(
            [chunk.chunk_id for chunk in chunks] + [hit.chunk_id for hit in hits]
        )
        passages = [show_passage(corpus.chunk(chunk_id)) for chunk_id in chunk_ids]
        verdict, answer = await _answer_and_judge(model, draft, passages)
        return _Result("kept") if verdict == "CORRECT" else _Result("answered", answer)
    evidence = [
        fence("passage", quote, chunk_id=chunk.chunk_id, source=chunk.prefix)
        for quote, chunk in draft.quotes
    ]
    verdict, answer = await _answer_and_judge(model, draft, evidence)
    if verdict != "CORRECT":
        return _Result("not_answered", f"{verdict}: {answer}")
    verdict, answer = await _answer_and_judge(model, draft, ())
    return _Result("known", answer) if verdict == "CORRECT" else _Result("kept")


async def _answer_and_judge(
    model: Model, draft: _Draft, passages: Sequence[str]
) -> tuple[str, str]:
    """Let the model answer from passages or from memory, and judge the answer.

    Raises:
        ReplyParseError: The passages are over the model's window, or the verdict is unreadable.
    """
    system = "systems/with_passages" if passages else "systems/closed_book"
    context: ContextSource = "retrieved" if passages else "none"
    request = "\n\n".join([*passages, f"Request: {draft.question}" if passages else draft.question])
    messages: list[ChatMessage] = [
        system_message(SampleMetadata(), system, context=context),
        ChatMessageUser(content=request),
    ]
    output = await call_model(model, messages, config=one_off_config(model))
    if output.stop_reason == "model_length":
        raise ReplyParseError("the passages are over the model's window")
    prompt = fill(
        load_prompt("judge/accuracy"),
        question=fence("question", draft.question),
        gold=fence("gold", draft.answer),
        answer=fence("answer", output.completion),
    )
    judgement = await judge(model, prompt, _VERDICT)
    if judgement.verdict is None:
        raise ReplyParseError(f"an answer could not be judged: {judgement.reason}")
    return judgement.verdict, output.completion
