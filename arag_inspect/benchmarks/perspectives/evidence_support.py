"""Does each perspective follow from the documents it cites?"""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, Literal, NamedTuple

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.judge import judge
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.model_graded import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.panel import ask_panel
from arag_inspect.judge.parsing import StrictModel, json_form
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.metrics import disagreement
from arag_inspect.measures.nli_contradiction import LEAST_PROBABILITY, NLI_MODEL, Inference
from arag_inspect.measures.scorer import scorer
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.text.matching import occurrences
from arag_inspect.text.replies import ReplyParseError
from arag_inspect.text.sentences import sentences

from .two_sided import DocId, Perspective, SourceDocument, read_answer


class CitedPerspective(NamedTuple):
    """A perspective to check."""

    text: str
    docs: dict[DocId, str]
    """Cited documents that exist."""


class SupportVerdict(NamedTuple):
    """Result for a perspective."""

    supported: bool
    quote: str = ""
    """Deciding quotation."""

    probability: float | None = None
    """Probability of entailment, if an NLI model gave it."""


class _SupportReply(StrictModel):
    perspective: int
    quote: str
    supported: bool


class _SupportReplies(StrictModel):
    verdicts: list[_SupportReply]


_EXAMPLE = '{"verdicts": [{"perspective": 1, "quote": "...", "supported": true}]}'


@scorer(
    MeasureSpec("evidence_support", "Support of perspectives", "Supported", role="primary"),
    family="judgement",
    signature=("method", "judge", "prompt", "model", "weights", "transformers"),
    more=[disagreement()],
    reads_marks=True,
)
def evidence_support(
    *,
    method: Literal["grader", "nli"] = "grader",
    model: str = NLI_MODEL,
) -> Scorer:
    """Share of a summary's perspectives that follow from the documents they cite.

    1. Each perspective is checked against its own documents only. A perspective that cites no
       existing document is not supported.
    2. `grader`: a judge sees every perspective with its documents, quotes the deciding sentence,
       and says whether the perspective is supported. If the quotation does not occur in these
       documents, the judge is asked once more, then has no verdict. Without any verdict the sample
       is unscored. With several graders the value is the mean of their shares.
    3. `nli`: a perspective (hypothesis) is supported when for one of its documents, or one sentence
       of them (premise), the probability of `entailment` is at least 0.5. The likeliest premise is
       the quotation.
    4. Unscored if the system gave up, if the answer is not a two-sided summary or has no
       perspective, and if the NLI model cannot be loaded: the explanation has the command that
       fetches it (`hf download MODEL`).

    Reads only the answer and `documents` in the sample's metadata. Metadata: `perspectives`, each
    with the verdict and the quotation of every judge.

    Model Roles:
        grader: The judge, with `method=grader`. Default claude-haiku-4-5.

    Args:
        method: `grader` or `nli`.
        model: NLI: local folder, or repository in the Hugging Face cache, one of whose labels is
            `entailment`.

    Raises:
        InputError: A parameter is out of range.
    """
    inference = Inference(model)

    async def score(state: TaskState, target: Target) -> Score:
        summary, documents = read_answer(state)
        perspectives = [_attach_documents(part, documents) for part in summary.perspectives]
        if not perspectives:
            raise UnscoredError("no_perspectives", "There is no perspective.")
        if method == "grader":
            return await _score_by_judges(perspectives)
        verdicts = await _check_by_nli(perspectives, inference)
        return Score(
            value=_share(verdicts),
            explanation=_explanation(perspectives, verdicts),
            metadata={
                "signature": {**inference.signature, "method": "nli"},
                "perspectives": _records(perspectives, {model: verdicts}),
            },
        )

    return score


async def _check_by_nli(
    perspectives: Sequence[CitedPerspective], inference: Inference
) -> list[SupportVerdict]:
    """Return whether a document, or a sentence of it, entails each perspective.

    Raises:
        UnscoredError: The model cannot be loaded, or has no such label.
    """
    pairs: list[tuple[int, str]] = []
    for number, perspective in enumerate(perspectives):
        for text in perspective.docs.values():
            premises = dict.fromkeys((text, *sentences(text)))
            pairs += [(number, premise) for premise in premises]
    probabilities = await inference.ask(
        "entailment", [(text, perspectives[n].text) for n, text in pairs]
    )
    best = [SupportVerdict(False, "", 0.0) for _ in perspectives]
    for (number, premise), probability in zip(pairs, probabilities, strict=True):
        support = SupportVerdict(probability >= LEAST_PROBABILITY, premise, probability)
        best[number] = max(best[number], support, key=lambda verdict: verdict.probability or 0.0)
    return best


def _attach_documents(
    perspective: Perspective, documents: Mapping[DocId, SourceDocument]
) -> CitedPerspective:
    """Return a perspective with the text of the existing documents that it cites."""
    ids = [doc for doc in perspective.evidence_docs if doc in documents]
    return CitedPerspective(perspective.text, {doc: documents[doc].content for doc in ids})


async def _score_by_judges(perspectives: Sequence[CitedPerspective]) -> Score:
    judgements = await ask_panel(partial(_check_by_judge, perspectives))
    verdicts = {part.grader: part.verdict for part in judgements if part.verdict is not None}
    opinions = []
    for judgement in judgements:
        share = _share(judgement.verdict) if judgement.verdict else None
        explanation = _explanation(perspectives, judgement.verdict or ())
        opinions.append(JudgeOpinion(judgement, share, explanation, judgement.as_dict()))
    prompt = load_prompt("judge/evidence_support")
    signed = judged_signature("evidence_support", prompt, method="grader")
    return panel_score(opinions, signed=signed, perspectives=_records(perspectives, verdicts))


async def _check_by_judge(
    perspectives: Sequence[CitedPerspective], grader: Model, name: str
) -> Judgement[list[SupportVerdict]]:
    """Ask a judge about every perspective with documents; a quotation must occur in them."""
    numbered = {
        number: perspective
        for number, perspective in enumerate(perspectives, start=1)
        if perspective.docs
    }
    if not numbered:
        return Judgement(name, verdict=[SupportVerdict(False) for _ in perspectives])
    blocks = []
    for number, perspective in numbered.items():
        blocks.append(fence("perspective", perspective.text, number=number))
        blocks += [fence("document", text, id=doc) for doc, text in perspective.docs.items()]

    def check(reply: _SupportReplies) -> list[SupportVerdict]:
        verdicts_by_number = {part.perspective: part for part in reply.verdicts}
        if sorted(part.perspective for part in reply.verdicts) != sorted(numbered):
            raise ReplyParseError(
                "there must be one verdict for each of the perspectives: "
                + ", ".join(map(str, numbered))
            )
        for number, perspective in numbered.items():
            quote = verdicts_by_number[number].quote
            is_found = all(occurrences([quote], list(perspective.docs.values())))
            if verdicts_by_number[number].supported and not (quote.strip() and is_found):
                raise ReplyParseError(f"the quote for perspective {number} is not in its documents")
        verdicts = [SupportVerdict(False) for _ in perspectives]
        for number, part in verdicts_by_number.items():
            verdicts[number - 1] = SupportVerdict(part.supported, part.quote)
        return verdicts

    prompt = fill(load_prompt("judge/evidence_support"), material="\n".join(blocks))
    form = json_form(_SupportReplies, _EXAMPLE, wrapped=False)
    return await judge(grader, prompt, form.then(check), name=name)


def _records(
    perspectives: Sequence[CitedPerspective],
    verdicts_by_grader: Mapping[str, Sequence[SupportVerdict]],
) -> list[dict[str, Any]]:
    """Return each perspective with every judge's verdict, for the metadata."""
    records = []
    for n, perspective in enumerate(perspectives):
        records_by_grader = {
            name: verdicts[n]._asdict() for name, verdicts in verdicts_by_grader.items()
        }
        documents = list(perspective.docs)
        records.append(
            {"text": perspective.text, "documents": documents, "judged": records_by_grader}
        )
    return records


def _share(verdicts: Sequence[SupportVerdict]) -> float:
    return fmean(verdict.supported for verdict in verdicts)


def _explanation(
    perspectives: Sequence[CitedPerspective], verdicts: Sequence[SupportVerdict]
) -> str:
    lines = []
    for perspective, verdict in zip(perspectives, verdicts, strict=False):
        lines.append(f"{'supported' if verdict.supported else 'not supported'}: {perspective.text}")
        if verdict.quote:
            lines.append(f"    read: {verdict.quote}")
    return "\n".join(lines)
