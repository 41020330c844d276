"""Check perspectives against the documents they cite, by a judge or an NLI model."""

from collections.abc import Sequence
from typing import NamedTuple

from inspect_ai.model import Model

from arag_inspect._util.json_reply import ReplyParseError
from arag_inspect.judge.judge import Judgement, judge
from arag_inspect.judge.parsing import StrictModel, json_form
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.scorers._nli import Inference
from arag_inspect.text.quote_matching import occurrences
from arag_inspect.text.sentences import sentences

from .two_sided import DocId


class Case(NamedTuple):
    """A perspective to check."""

    text: str
    docs: dict[DocId, str]
    """Cited documents that exist."""


class Support(NamedTuple):
    """Result for a perspective."""

    supported: bool
    quote: str = ""
    """Quotation that decided."""

    probability: float | None = None
    """Probability of entailment, if a model inferred it."""


class _Verdict(StrictModel):
    perspective: int
    quote: str
    supported: bool


class _Verdicts(StrictModel):
    verdicts: list[_Verdict]


_EXAMPLE = '{"verdicts": [{"perspective": 1, "quote": "...", "supported": true}]}'


async def support_by_judge(
    grader: Model, name: str, cases: Sequence[Case]
) -> Judgement[list[Support]]:
    """Ask a judge about every perspective; a quotation must occur in its documents.

    A perspective without documents is not supported, and not asked about.
    """
    cases_by_number = {number: case for number, case in enumerate(cases, start=1) if case.docs}
    if not cases_by_number:
        return Judgement(name, verdict=[Support(False) for _ in cases])
    prompt = fill(
        load_prompt("judge/evidence_support"),
        material="\n\n".join(
            _fenced_case(number, case) for number, case in cases_by_number.items()
        ),
    )

    def check(reply: _Verdicts) -> list[Support]:
        by_number = _support_by_number(reply.verdicts, cases_by_number)
        return [by_number.get(number, Support(False)) for number in range(1, len(cases) + 1)]

    form = json_form(_Verdicts, _EXAMPLE, wrapped=False)
    return await judge(grader, prompt, form.then(check), name=name)


async def support_by_nli(
    cases: Sequence[Case], inference: Inference, threshold: float
) -> list[Support]:
    """Return whether one document, or one sentence of them, entails each perspective.

    Raises:
        UnscoredError: The model cannot be loaded, or has no such label.
    """
    pairs = [(number, premise) for number, case in enumerate(cases) for premise in _premises(case)]
    verdicts = await inference.ask(
        "entailment", [(premise, cases[number].text) for number, premise in pairs]
    )
    best = [Support(False, "", 0.0) for _ in cases]
    for (number, premise), verdict in zip(pairs, verdicts, strict=True):
        follows = verdict.likeliest and verdict.probability >= threshold
        support = Support(follows, premise, verdict.probability)
        best[number] = max(
            best[number], support, key=lambda result: (result.supported, result.probability)
        )
    return best


def _fenced_case(number: int, case: Case) -> str:
    documents = (fence("document", text, id=doc) for doc, text in case.docs.items())
    return "\n".join([fence("perspective", case.text, number=number), *documents])


def _support_by_number(verdicts: Sequence[_Verdict], cases: dict[int, Case]) -> dict[int, Support]:
    if sorted(verdict.perspective for verdict in verdicts) != sorted(cases):
        numbers = ", ".join(map(str, cases))
        raise ReplyParseError(f"there must be one verdict for each of the perspectives: {numbers}")
    for verdict in verdicts:
        texts = list(cases[verdict.perspective].docs.values())
        if verdict.supported and not (
            verdict.quote.strip() and all(occurrences([verdict.quote], texts))
        ):
            raise ReplyParseError(
                f"the quote for perspective {verdict.perspective} does not stand in its documents"
            )
    return {verdict.perspective: Support(verdict.supported, verdict.quote) for verdict in verdicts}


def _premises(case: Case) -> list[str]:
    """Return each document as a whole, and each of its sentences."""
    premises = []
    for text in case.docs.values():
        premises += [text, *sentences(text)]
    return list(dict.fromkeys(premises))
