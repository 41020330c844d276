"""Does each perspective follow from the documents it cites?"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal, NamedTuple

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.json_text import ReplyParseError
from arag_inspect.judge.judge import Judgement, ask_panel, judge
from arag_inspect.judge.parsing import StrictModel, json_form
from arag_inspect.judge.scorer import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.scorers._local_model import Chosen, choose_model
from arag_inspect.scorers._metrics import disagreement
from arag_inspect.scorers._nli import PUBLISHED, RULES, Inference
from arag_inspect.scorers._scorer import Positive, Share, scorer
from arag_inspect.text.quote_matching import occurrences
from arag_inspect.text.sentences import sentences
from arag_inspect.types.measures import MeasureSpec, measures

from .two_sided import Answered, DocId, answered


class CitedPerspective(NamedTuple):
    """A perspective to check."""

    text: str
    docs: dict[DocId, str]
    """Cited documents that exist."""


class SupportVerdict(NamedTuple):
    """Result for a perspective."""

    supported: bool
    quote: str = ""
    """Quotation that decided."""

    probability: float | None = None
    """Probability of entailment, if a model inferred it."""


class _SupportReply(StrictModel):
    perspective: int
    quote: str
    supported: bool


class _SupportReplies(StrictModel):
    verdicts: list[_SupportReply]


_EXAMPLE = '{"verdicts": [{"perspective": 1, "quote": "...", "supported": true}]}'


async def support_by_judge(
    grader: Model, name: str, cases: Sequence[CitedPerspective]
) -> Judgement[list[SupportVerdict]]:
    """Ask a judge about every perspective; a quotation must occur in its documents.

    A perspective without documents is not supported, and not asked about.
    """
    cases_by_number = {number: case for number, case in enumerate(cases, start=1) if case.docs}
    if not cases_by_number:
        return Judgement(name, verdict=[SupportVerdict(False) for _ in cases])
    prompt = fill(
        load_prompt("judge/evidence_support"),
        material="\n\n".join(
            _fenced_case(number, case) for number, case in cases_by_number.items()
        ),
    )

    def check(reply: _SupportReplies) -> list[SupportVerdict]:
        by_number = _support_by_number(reply.verdicts, cases_by_number)
        return [by_number.get(number, SupportVerdict(False)) for number in range(1, len(cases) + 1)]

    form = json_form(_SupportReplies, _EXAMPLE, wrapped=False)
    return await judge(grader, prompt, form.then(check), name=name)


async def support_by_nli(
    cases: Sequence[CitedPerspective], inference: Inference, threshold: float
) -> list[SupportVerdict]:
    """Return whether one document, or one sentence of them, entails each perspective.

    Raises:
        UnscoredError: The model cannot be loaded, or has no such label.
    """
    pairs = [(number, premise) for number, case in enumerate(cases) for premise in _premises(case)]
    verdicts = await inference.ask(
        "entailment", [(premise, cases[number].text) for number, premise in pairs]
    )
    best = [SupportVerdict(False, "", 0.0) for _ in cases]
    for (number, premise), verdict in zip(pairs, verdicts, strict=True):
        follows = verdict.likeliest and verdict.probability >= threshold
        support = SupportVerdict(follows, premise, verdict.probability)
        best[number] = max(
            best[number], support, key=lambda result: (result.supported, result.probability)
        )
    return best


def _fenced_case(number: int, case: CitedPerspective) -> str:
    documents = (fence("document", text, id=doc) for doc, text in case.docs.items())
    return "\n".join([fence("perspective", case.text, number=number), *documents])


def _support_by_number(
    verdicts: Sequence[_SupportReply], cases: dict[int, CitedPerspective]
) -> dict[int, SupportVerdict]:
    if sorted(verdict.perspective for verdict in verdicts) != sorted(cases):
        numbers = ", ".join(map(str, cases))
        raise ReplyParseError(f"there must be one verdict for each of the perspectives: {numbers}")
    for verdict in verdicts:
        texts = list(cases[verdict.perspective].docs.values())
        if verdict.supported and not (
            verdict.quote.strip() and all(occurrences([verdict.quote], texts))
        ):
            raise ReplyParseError(
                f"the quote for perspective {verdict.perspective} is not in its documents"
            )
    return {
        verdict.perspective: SupportVerdict(verdict.supported, verdict.quote)
        for verdict in verdicts
    }


def _premises(case: CitedPerspective) -> list[str]:
    """Return each document as a whole, and each of its sentences."""
    premises = []
    for text in case.docs.values():
        premises += [text, *sentences(text)]
    return list(dict.fromkeys(premises))


MEASURES = measures(
    MeasureSpec(
        "evidence_support",
        "Perspectives supported",
        "Supported",
        "Share of perspectives that follow from the documents they cite.",
        role="primary",
        noun="support of perspectives",
    ),
    family="judgement",
    signature=("method", "judge", "prompt", "model", "threshold", "transformers"),
)


@scorer(MEASURES, more=[disagreement()], reads_marks=True)
def evidence_support(
    *,
    method: Literal["grader", "nli"] = "grader",
    model: str | None = None,
    batch_size: Positive = 32,
    threshold: Share = 0.5,
) -> Scorer:
    """Share of a summary's perspectives that follow from the documents they cite.

    1. Each perspective is checked against its own documents only. One that cites no existing
       document is not supported.
    2. `grader`: a judge sees every perspective with its documents, quotes the deciding sentence,
       and says whether it is supported. A quotation that does not occur in those documents is asked
       for once more; then the judge has no verdict, and without any verdict the sample is unscored.
       With several graders the value is the mean of their shares.
    3. `nli`: a perspective (hypothesis) is supported when for one of its documents, or one sentence
       of them (premise), `entailment` is the likeliest label and its probability reaches the
       threshold. The likeliest premise is the quotation.
    4. The NLI model is MoritzLaurer/DeBERTa-v3-base-mnli-fever-anli unless you name another.
       `offline/rules` is **a rule, not an inference model**: a sentence entails a text if it has
       nearly all of its words and all of its quantities. It is used if none is named and the grader
       is `offline/extractive`; the signature says so.
    5. Unscored if the system gave up, if the answer is not a two-sided summary or has no
       perspective, and if the NLI model cannot be loaded.

    Reads the answer and `documents` of the sample's metadata alone. Metadata:
    `perspectives`, each with the verdict and the quotation of every judge.

    Model Roles:
        grader: The judge, with `method=grader`. Default claude-haiku-4-5.

    Args:
        method: `grader` or `nli`.
        model: NLI: local folder or repository on the Hugging Face hub, one of whose labels is
            `entailment`; or `offline/rules`.
        batch_size: NLI: pairs per batch.
        threshold: NLI: lowest probability of an entailment.

    Raises:
        InputError: A parameter is out of range.
    """
    inference = cache(partial(Inference, batch_size=batch_size))

    async def score(state: TaskState, target: Target) -> Score:
        cases = _cases(answered(state))
        if not cases:
            raise UnscoredError("no_perspectives", "There is no perspective.")
        if method == "grader":
            return await _by_graders(cases, state.output.completion)
        chosen = choose_model(model, PUBLISHED, RULES)
        return await _by_nli(cases, inference(chosen.name), chosen, threshold)

    return score


async def _by_graders(cases: Sequence[CitedPerspective], answer: str) -> Score:
    judgements = await ask_panel(lambda grader, name: support_by_judge(grader, name, cases))
    verdicts = {
        judgement.grader: judgement.verdict
        for judgement in judgements
        if judgement.verdict is not None
    }
    opinions = [
        JudgeOpinion(
            judgement,
            _share(judgement.verdict) if judgement.verdict else None,
            _explanation(cases, judgement.verdict or ()),
            judgement.as_dict(),
        )
        for judgement in judgements
    ]
    signed = judged_signature(
        "evidence_support", load_prompt("judge/evidence_support"), method="grader"
    )
    perspectives = _perspectives(cases, verdicts)
    return panel_score(opinions, answer, signed=signed, perspectives=perspectives)


async def _by_nli(
    cases: Sequence[CitedPerspective], inference: Inference, chosen: Chosen, threshold: float
) -> Score:
    verdicts = await support_by_nli(cases, inference, threshold)
    return Score(
        value=_share(verdicts),
        explanation=f"{_explanation(cases, verdicts)}\n\n{chosen.note}".strip(),
        metadata={
            "signature": {
                "libraries": () if chosen.name == RULES else ("transformers",),
                "method": "nli",
                "model": chosen.name,
                "threshold": threshold,
            },
            "perspectives": _perspectives(cases, {chosen.name: verdicts}),
        },
    )


def _cases(answer: Answered) -> list[CitedPerspective]:
    texts = {doc: document.content for doc, document in answer.documents.items()}
    return [
        CitedPerspective(
            perspective.text, {doc: texts[doc] for doc in perspective.evidence_docs if doc in texts}
        )
        for perspective in answer.summary.perspectives
    ]


def _perspectives(
    cases: Sequence[CitedPerspective], verdicts_by_grader: Mapping[str, Sequence[SupportVerdict]]
) -> list[dict[str, Any]]:
    """Return each perspective with every judge's verdict, for the metadata."""
    return [
        {
            "text": case.text,
            "documents": list(case.docs),
            "judged": {
                name: verdicts[index]._asdict() for name, verdicts in verdicts_by_grader.items()
            },
        }
        for index, case in enumerate(cases)
    ]


def _share(verdicts: Sequence[SupportVerdict]) -> float:
    return sum(judgement.supported for judgement in verdicts) / len(verdicts)


def _explanation(cases: Sequence[CitedPerspective], verdicts: Sequence[SupportVerdict]) -> str:
    lines = []
    for case, verdict in zip(cases, verdicts, strict=False):
        lines.append(f"{'supported' if verdict.supported else 'not supported'}: {case.text}")
        lines += [f"    read: {verdict.quote}"] if verdict.quote else []
    return "\n".join(lines)
