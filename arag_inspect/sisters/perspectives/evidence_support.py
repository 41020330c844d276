"""Does each perspective follow from the documents it cites?"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError, check_choice, check_positive
from arag_inspect.judge.judge import ask_panel
from arag_inspect.judge.scorer import Opinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.prompts import load_prompt
from arag_inspect.scorers._local_model import Chosen, choose_model
from arag_inspect.scorers._metrics import disagreement, estimates
from arag_inspect.scorers._nli import PUBLISHED, RULES, Inference
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

from .answer import Answered, answered
from .support import (
    Case,
    Support,
    support_by_judge,
    support_by_nli,
)

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


@scorer(MEASURES, metrics=[*estimates(), disagreement()], reads_marks=True)
def evidence_support(
    *,
    method: Literal["grader", "nli"] = "grader",
    model: str | None = None,
    batch_size: int = 32,
    threshold: float = 0.5,
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
    check_choice("method", method, ("grader", "nli"))
    check_positive(batch_size=batch_size)
    if not 0 <= threshold <= 1:
        raise InputError(f"threshold of evidence_support is {threshold}; give one from 0 to 1")
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


async def _by_graders(cases: Sequence[Case], answer: str) -> Score:
    judgements = await ask_panel(lambda grader, name: support_by_judge(grader, name, cases))
    verdicts_by_grader = {
        judgement.grader: judgement.verdict
        for judgement in judgements
        if judgement.verdict is not None
    }
    opinions = [
        Opinion(
            judgement,
            None if judgement.verdict is None else _share(judgement.verdict),
            "" if judgement.verdict is None else _explanation(cases, judgement.verdict),
            judgement.as_dict(),
        )
        for judgement in judgements
    ]
    signed = judged_signature(
        "evidence_support", load_prompt("judge/evidence_support"), method="grader"
    )
    return panel_score(
        opinions, answer, signed=signed, perspectives=_perspectives(cases, verdicts_by_grader)
    )


async def _by_nli(
    cases: Sequence[Case], inference: Inference, chosen: Chosen, threshold: float
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


def _cases(answer: Answered) -> list[Case]:
    texts = {doc: document.content for doc, document in answer.documents.items()}
    return [
        Case(
            perspective.text, {doc: texts[doc] for doc in perspective.evidence_docs if doc in texts}
        )
        for perspective in answer.summary.perspectives
    ]


def _perspectives(
    cases: Sequence[Case], verdicts_by_grader: Mapping[str, Sequence[Support]]
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


def _share(verdicts: Sequence[Support]) -> float:
    return sum(verdict.supported for verdict in verdicts) / len(verdicts)


def _explanation(cases: Sequence[Case], verdicts: Sequence[Support]) -> str:
    lines = []
    for case, verdict in zip(cases, verdicts, strict=True):
        lines.append(f"{'supported' if verdict.supported else 'not supported'}: {case.text}")
        lines += [f"    read: {verdict.quote}"] if verdict.quote else []
    return "\n".join(lines)
