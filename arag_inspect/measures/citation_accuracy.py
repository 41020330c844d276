"""Score whether each sentence of an answer follows from the passage that it cites."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Any, Literal, NamedTuple

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.figures.checks.support import nearest_sentences
from arag_inspect.judge import Context, json_form, model_graded
from arag_inspect.judge.context import metadata_key, texts_to_check
from arag_inspect.judge.model_graded import judged_signature
from arag_inspect.judge.parsing import numbers_reply
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.scorer import scorer
from arag_inspect.prompts import fence, load_prompt
from arag_inspect.text.citations import find_marks
from arag_inspect.text.refusals import declines
from arag_inspect.types.system import SYSTEMS
from arag_inspect.types.trace import TraceRecord, read_record

_Numbering = Mapping[int, Sequence[int]]
"""The positions of the passages that a cited number may mean."""


class _Statement(NamedTuple):
    """A sentence with the positions of its supporting passages."""

    text: str
    places: tuple[int, ...]
    """Empty if all cited passages were not read."""

    cited: bool


@scorer(
    MeasureSpec(
        "supported",
        "Sentences follow from their passage",
        "Supported",
        "Share of sentences that follow from the passage they cite (without one: the nearest).",
        role="secondary",
        noun="sentences that follow from their passage",
    ),
    MeasureSpec(
        "partial",
        "Sentences partly supported",
        "Partial",
        "Share of sentences that follow in part from their passage.",
        higher_is_better=None,
    ),
    MeasureSpec(
        "cited", "Sentences with a passage", "Cited", "Share of sentences citing a passage read."
    ),
    family="judgement",
    judged=True,
    must_detect=None,
    signature=("against", "judge", "prompt"),
    reads_marks=True,
    sets={"answer": "all"},
)
def citation_accuracy(*, context: Context = "auto") -> Scorer:
    """Share of sentences that follow from the passage they cite, without gold.

    1. A sentence cites passages by number in brackets (`[12]`, `[12, 15]`, `[chunk 12]`,
       `【12†source】`, `[cite: 12]`). The number is a chunk id, as our systems show it to the
       writer. If a live system gave its passages ids, it is such an id; otherwise `[1]` is the
       first passage that it returned. The other reading counts for an answer if it explains more
       of its numbers. A sentence that cites only passages not read is not supported.
    2. A sentence without a citation is checked against the passage with the sentence nearest to it,
       so that systems that do not cite also get a value. `cited` is the share of sentences that
       cite a passage that was read.
    3. The judge sees the sentences and their passages and grades each sentence: fully supported,
       partly, or not. `supported` and `partial` are the shares of the first two grades. An
       unreadable reply is retried once with the reason; without any verdict the sample is unscored.
       With several graders each value is the mean of theirs.
    4. Sentences that decline to answer ("The documents do not state the revenue.") do not count.
    5. Unscored if the system gave up, if nothing was read, if the answer has no other sentence
       with a content word, and if no number of a system that is not ours names a passage
       (`unknown_citations`).

    The passages must fit the judge's window together.

    Metadata: `statements`, each with the positions of its passages and the grade by each judge.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        context: Source of the passages read, see `judge.context`.

    Raises:
        InputError: The context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        origin, texts = await texts_to_check(state, context)
        record = read_record(state)
        statements = await anyio.to_thread.run_sync(
            _cited_statements, state.output.completion, texts, [*_numberings(record, origin, texts)]
        )
        if not statements:
            raise UnscoredError("no_sentences", "The answer has no sentence to check.")
        cites_known = any(statement.cited for statement in statements)
        cites_unknown = not all(statement.places for statement in statements)
        if cites_unknown and not cites_known and (record.returned or record.system not in SYSTEMS):
            reason = "The numbers that the answer cites are neither ids nor places of its passages."
            raise UnscoredError("unknown_citations", reason)
        if not any(statement.places for statement in statements):
            return _score_without_passages(statements, origin)
        result = await _build_judge(statements, texts, origin)(state, target)
        metadata = (result and result.metadata) or {}
        if result and isinstance(result.value, float) and "verdicts" in metadata:
            verdicts = [entry["verdict"] for entry in metadata["judges"] if entry["verdict"]]
            grades = [_grade_statements(statements, **verdict) for verdict in verdicts]
            sentence_share = 1 / len(statements)
            result.value = {
                "supported": result.value,
                "partial": fmean(
                    grades_of_judge.count("partial") * sentence_share for grades_of_judge in grades
                ),
                "cited": sum(statement.cited for statement in statements) * sentence_share,
            }
            graded_statements = zip(statements, zip(*grades, strict=True), strict=True)
            metadata["statements"] = [
                {**statement._asdict(), "grades": list(grades)}
                for statement, grades in graded_statements
            ]
        return result

    return score


def _numberings(record: TraceRecord, origin: str, texts: Sequence[str]) -> Iterator[_Numbering]:
    """Yield the ways in which an answer may number its passages, the likeliest first."""
    by_place = {number: [number - 1] for number in range(1, len(texts) + 1)}
    if origin == "function" or metadata_key(origin):
        yield by_place
    if origin != "passages":
        return
    passages = [passage for passage in record.passages if passage.text.strip()]
    by_id = {passage.chunk_id: [position] for position, passage in enumerate(passages)}
    if not record.returned:
        yield by_id
        if not record.system:
            yield by_place
        return
    by_given_id: dict[int, list[int]] = {}
    by_place = {}
    for number, passage in enumerate(record.returned, start=1):
        positions = [by_id.get(chunk_id, []) for chunk_id in passage.chunk_ids]
        by_place[number] = [*chain.from_iterable(positions)]
        if passage.given_id is not None:
            by_given_id[passage.given_id] = by_place[number]
    if by_given_id:
        yield by_given_id
    yield by_place
    yield by_id


def _score_without_passages(statements: Sequence[_Statement], origin: str) -> Score:
    """Return 0, without a judge, for an answer that cites only passages that were not read."""
    return Score(
        value=dict.fromkeys(("supported", "partial", "cited"), 0.0),
        explanation="The answer cites only passages that were not read.",
        metadata={
            "signature": judged_signature(
                "citation_accuracy", load_prompt("judge/citation_accuracy"), against=origin
            ),
            "judges": [],
            "statements": [statement._asdict() for statement in statements],
        },
    )


def _grade_statements(
    statements: Sequence[_Statement], supported: Sequence[int], partial: Sequence[int]
) -> list[Literal["full", "partial", "none"]]:
    """Return a judge's grade of each statement; statements without passages are unsupported."""
    grades: list[Literal["full", "partial", "none"]] = []
    for number, statement in enumerate(statements, 1):
        if statement.places and number in supported:
            grades.append("full")
        elif statement.places and number in partial:
            grades.append("partial")
        else:
            grades.append("none")
    return grades


def _build_judge(statements: Sequence[_Statement], texts: Sequence[str], origin: str) -> Scorer:
    resting = {
        number: statement for number, statement in enumerate(statements, 1) if statement.places
    }
    positions = sorted({*chain.from_iterable(statement.places for statement in resting.values())})
    blocks = [fence("passage", texts[position], number=str(position + 1)) for position in positions]
    for number, statement in resting.items():
        passages = " ".join(str(position + 1) for position in statement.places)
        blocks.append(fence("statement", statement.text, number=str(number), passages=passages))

    def share_supported(verdict: Any) -> float:
        return len(resting.keys() & {*verdict.supported}) / len(statements)

    return model_graded(
        name="citation_accuracy",
        prompt="judge/citation_accuracy",
        form=json_form(
            numbers_reply("supported", "partial"), '{"supported": [1, 3], "partial": [2]}'
        ),
        value=share_supported,
        settings={"material": "\n\n".join(blocks)},
        signed={"against": origin},
    )


def _cited_statements(
    answer: str, texts: Sequence[str], numberings: Sequence[_Numbering]
) -> list[_Statement]:
    """Return the sentences of an answer, except refusals.

    Args:
        answer: The answer.
        texts: The passages.
        numberings: Ways to number them; the first that fits most of the answer's numbers counts.
    """
    sentences = [
        sentence for sentence in nearest_sentences(answer, texts) if not declines(sentence.sentence)
    ]
    cited_numbers = [
        [*chain.from_iterable(mark.ids for mark in find_marks(sentence.sentence))]
        for sentence in sentences
    ]
    distinct_numbers = {*chain.from_iterable(cited_numbers)}

    def count_explained(numbering: _Numbering) -> int:
        return len(distinct_numbers & numbering.keys())

    numbering = max(numberings, key=count_explained, default={})
    statements = []
    for sentence, numbers in zip(sentences, cited_numbers, strict=True):
        positions = chain.from_iterable(numbering.get(number, ()) for number in numbers)
        cited = tuple(dict.fromkeys(positions))
        rests_on = cited if numbers else (sentence.passage,)
        statements.append(_Statement(sentence.sentence, rests_on, bool(cited)))
    return statements
