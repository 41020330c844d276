"""Check by program whether a summary agrees with the text that was read."""

from collections.abc import Sequence
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.figures import numerical_precision, verify_claims
from arag_inspect.figures.checks.support import NearestSentence, read_support, support_value
from arag_inspect.judge.context import Context, source_to_check, texts_to_check
from arag_inspect.judge.model_graded import judged_signature
from arag_inspect.judge.panel import graders
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures._claims import VerifiedClaim, verify, verify_by_rule
from arag_inspect.measures.keyed_score import NoValue, keyed_score
from arag_inspect.measures.scorer import scorer
from arag_inspect.prompts import load_prompt
from arag_inspect.text.refusals import declines
from arag_inspect.text.sentences import sentences as split_into_sentences
from arag_inspect.types.trace import read_record

_RULES_VERSION = 31
"""Signed with every score: those of other rules are another measure."""

_WEIGHTS_VERSION = 7
"""Version of the weights of `support`."""

_JUDGED = ("supported", "contradicted")
"""Keys that depend on the judge."""


@scorer(
    MeasureSpec(
        "supported",
        "Figures supported",
        "Supported",
        noun="figures confirmed",
        verb="has more of its figures confirmed",
        role="secondary",
        aspect="figures",
    ),
    MeasureSpec("contradicted", "Figures contradicted", "Contradicted", higher_is_better=False),
    MeasureSpec("numerical_precision", "Num-Prec", "", "Share of distinct numbers that were read."),
    family="facts",
    signature=("context", "judge", "prompt", "rules"),
    sets={"summary": "default"},
)
def factual_consistency(*, judge: bool = True, context: Context = "auto") -> Scorer:
    """Check every figure of a summary against the text that was read.

    1. `supported`: claims that a passage supports / all claims. A claim is a figure with its
       attributes from its clause: metric, scale, unit (also physical units and what a rate is per),
       sign, direction, period, base of comparison, basis, and whether it is a result, an outlook,
       hypothetical or only authorized. In a sentence with several figures, each figure gets only
       the words about it. A claim is `unsettled` if (a) it names the subject of a neighbouring
       figure; (b) it fits two figures; (c) another sentence with a figure of that unit matches the
       claim's words better, by at least two; or (d) only one side says that the figure is adjusted,
       and the source has both kinds. A figure that the statement computes ("both segments
       together", "a net 15 stores") is supported if two figures of one sentence or row give it;
       otherwise it is `unsettled`, unless the source computes a different one.
    2. `contradicted`: claims that a passage contradicts in one of these / all claims. Other claims
       are uncertain (`unsettled`) or occur nowhere (`not_found`).
    3. Claims that the program leaves uncertain or does not find go to the judge, one at a time,
       with the passages that share most of their sentence's words. The judge's verdict counts only
       with a verbatim quotation from these passages. Without a quotation, without a grader, or if
       several judges disagree, the program's verdict counts. If a claim has no readable reply,
       `supported` and `contradicted` are unscored. `judge=false` asks no judge.
    4. `numerical_precision`: Num-Prec of ECTSum (Mukherjee et al., EMNLP 2022), the share of the
       summary's distinct numerical values that occur in the text that was read. Measured on the 242
       reference summaries of the val split with a value, against their calls, the mean is 0.881
       (with the authors' rules 0.868; the main difference is that 10.0 equals 10 here).
    5. A negated figure ("revenue was not $5 million") does not match a source that states it, and a
       figure with a negated verb ("did not reach the target of 5%") does not match a source that
       affirms the verb. A statement about a part ("of the 1,860 beds, 1,432 were occupied") is not
       a statement about the whole. If the summary says that a figure belongs to a segment, region
       or company (with or without a capital letter), it does not match a sentence about another
       one, provided that the text that was read has figures of both. A figure of a company does
       not match a sentence whose subject or owner is another company, unless that sentence or its
       document names the company, too. Changes from two different years are never the same.
    6. A row of a table whose columns are years has the unit of the table's head. A claim that
       mentions the row's label is compared with the year that it mentions (otherwise the newest
       one), and a change with the difference between two years. Doubled and halved are changes of
       100 and -50 %.
    7. Unscored if the summary has no figure, if there is no text to check against, and if this text
       contains more than 50,000 numbers (five annual reports).

    Metadata: `claims`, one entry per figure, with its verdict, the deciding sentence, and `by`,
    program or judge; `judges`, one entry per question.

    Model Roles:
        grader: Judges claims that the program leaves open, with `judge`. Default claude-haiku-4-5.

    Args:
        judge: Ask the grader about claims that the program leaves open.
        context: Texts to check against, see `judge.context`.

    Raises:
        InputError: The context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score:
        source = await source_to_check(state, context)
        passages = source.texts
        answer = state.output.completion
        documents = _documents(state, passages)
        claims = await anyio.to_thread.run_sync(
            verify_claims, answer, source.texts_below_table_heads, documents
        )
        precision = await anyio.to_thread.run_sync(numerical_precision, answer, passages)
        if not claims:
            raise UnscoredError("no_claims", "The answer states no figure that could be checked.")
        has_judge = judge and _has_grader()
        verified = await verify(claims, passages) if has_judge else verify_by_rule(claims)
        values: dict[str, float | NoValue] = dict.fromkeys(_JUDGED, NoValue("grader_failed"))
        if not any(claim.is_unanswered for claim in verified):
            outcomes = [claim.outcome for claim in verified]
            values = {outcome: outcomes.count(outcome) / len(outcomes) for outcome in _JUDGED}
        values["numerical_precision"] = NoValue("no_numbers") if precision is None else precision
        return keyed_score(
            values,
            explanation="\n".join(_format_claim(claim) for claim in verified),
            metadata={
                "signature": _signature(source.origin, has_judge),
                "claims": [claim.as_dict() for claim in verified],
                "judges": _judge_records(verified),
            },
        )

    return score


def _documents(state: TaskState, passages: Sequence[str]) -> Sequence[str]:
    """Return the id of the document of each passage with its headers; empty for other texts."""
    passages_read = read_record(state).passages
    headers: dict[str, dict[str, None]] = {}
    for passage in passages_read:
        headers.setdefault(passage.doc_id, {passage.doc_id: None})[passage.prefix] = None
    names = {
        passage.text: " ".join(headers[passage.doc_id])
        for passage in passages_read
        if passage.doc_id
    }
    return [names.get(text, "") for text in passages]


def _has_grader() -> bool:
    try:
        return bool(graders())
    except UnscoredError:
        return False


def _format_claim(verified: VerifiedClaim) -> str:
    claim = verified.claim
    properties: tuple[str, ...] = claim.differs if verified.by == "program" else ("by the judge",)
    if verified.judges and all(judgement.verdict is None for judgement in verified.judges):
        reasons = dict.fromkeys(judgement.reason for judgement in verified.judges)
        properties += (f"no judge gave a verdict: {'; '.join(filter(None, reasons))}",)
    remark = f" ({', '.join(properties)})" if properties else ""
    source = f"\n    read: {verified.source}" if verified.source else ""
    outcome = verified.outcome.replace("_", " ")
    return f"{outcome}{remark}: {claim.figure.text} in: {claim.sentence}{source}"


def _signature(read_from: str, judge: bool) -> str | dict[str, object]:
    parameters = {"context": read_from, "rules": _RULES_VERSION}
    if not judge:
        return {"judge": False, **parameters}
    return judged_signature("factual_consistency", load_prompt("judge/claim"), **parameters)


def _judge_records(verified: Sequence[VerifiedClaim]) -> list[dict[str, Any]]:
    """Return every question put to the judges, with the index of its claim."""
    judges = []
    for index, claim in enumerate(verified):
        for judgement in claim.judges:
            verdict = judgement.verdict
            outcome = {
                "claim": index,
                "verdict": verdict.outcome if verdict else None,
                "quote": verdict.quote if verdict else None,
            }
            judges.append({**judgement.as_dict(), **outcome})
    return judges


@scorer(
    MeasureSpec(
        "support",
        "Consistency by words and figures",
        "Support",
        description="Probability that people call it consistent, guessed by a program.",
        noun="consistency by words and figures",
        aspect="sentences",
    ),
    family="facts",
    signature=("context", "weights"),
)
def support(*, context: Context = "auto") -> Scorer:
    """Compare every sentence of the summary with the text read.

    1. The scorer counts figures that the text lacks or contradicts (as `factual_consistency` reads
       them), names that it lacks, negations of statements that it does not negate, and directions
       (rose, fell) for which it states only the opposite of the same subject.
    2. The nearest sentences share the most content words with the sentence, weighted by rarity.
    3. The value is a logistic function of the means of these counts, with weights fitted on 4,013
       summaries of SummEdits (Laban et al., EMNLP 2023). If one of its seven domains is left out at
       a time, balanced accuracy is 0.65. Exchanged nouns and swapped roles are not detected: use it
       as a fast measure in addition to a judge, not instead of one.
    4. Sentences that decline to answer ("The documents do not state the revenue.") claim nothing
       and are omitted. Unscored if nothing else is stated (`no_claims`), if the summary has no
       sentence with a content word, and if the text to check against is missing or contains more
       than 50,000 numbers.

    Metadata: `sentences`, each with its nearest sentence and its `features`, the counts.

    Args:
        context: Texts to check against, see `judge.context`.

    Raises:
        InputError: The context is unknown.
    """

    async def score(state: TaskState, target: Target) -> Score:
        read_from, passages = await texts_to_check(state, context)
        answer = state.output.completion
        sentences = await anyio.to_thread.run_sync(read_support, answer, passages)
        if not sentences and any(map(declines, split_into_sentences(answer))):
            raise UnscoredError("no_claims", "The answer declines.")
        if not sentences:
            raise UnscoredError("no_sentences", "The summary has no sentence to check.")
        return Score(
            value=support_value(sentences),
            explanation="\n".join(map(_format_sentence, sentences)),
            metadata={
                "signature": {"context": read_from, "weights": _WEIGHTS_VERSION},
                "sentences": [
                    {**sentence._asdict(), "features": sentence.features._asdict()}
                    for sentence in sentences
                ],
            },
        )

    return score


def _format_sentence(sentence: NearestSentence) -> str:
    counts = ", ".join(
        f"{name.replace('_', ' ')} {count:g}"
        for name, count in sentence.features._asdict().items()
        if count
    )
    return f"{counts or 'nothing against it'}: {sentence.sentence}"
