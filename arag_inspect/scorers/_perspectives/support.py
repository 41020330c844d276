"""Whether perspectives follow from the documents they cite, by a judge or an NLI model."""

from collections.abc import Sequence
from typing import NamedTuple

from inspect_ai.model import Model

from ..._util.json_reply import ReplyParseError
from ...judge.judge import Judgement, judge
from ...judge.parsing import StrictModel, json_form
from ...prompts import fence, fill, load_prompt
from ...text.quote_matching import occurrences
from ...text.sentences import sentences
from ...types.two_sided import DocId
from .._shared.nli import Inference


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
    asked = {number: case for number, case in enumerate(cases, start=1) if case.docs}
    if not asked:
        return Judgement(name, verdict=[Support(False) for _ in cases])
    prompt = fill(
        load_prompt("judge/evidence_support"),
        material="\n\n".join(_shown(number, case) for number, case in asked.items()),
    )

    def check(reply: _Verdicts) -> list[Support]:
        by_number = _checked(reply.verdicts, asked)
        return [by_number.get(number, Support(False)) for number in range(1, len(cases) + 1)]

    form = json_form(_Verdicts, _EXAMPLE, wrapped=False)
    return await judge(grader, prompt, form.then(check), name=name)


async def support_by_nli(
    cases: Sequence[Case], inference: Inference, threshold: float
) -> list[Support]:
    """Return whether one document, or one sentence of them, entails each perspective.

    Raises:
        InputError: The model cannot be loaded, or has no such label.
    """
    pairs = [(number, premise) for number, case in enumerate(cases) for premise in _premises(case)]
    verdicts = await inference.ask(
        "entailment", [(premise, cases[number].text) for number, premise in pairs]
    )
    best = [Support(False, "", 0.0) for _ in cases]
    for (number, premise), verdict in zip(pairs, verdicts, strict=True):
        follows = verdict.likeliest and verdict.probability >= threshold
        found = Support(follows, premise, verdict.probability)
        best[number] = max(best[number], found, key=lambda one: (one.supported, one.probability))
    return best


def _shown(number: int, case: Case) -> str:
    documents = (fence("document", text, id=doc) for doc, text in case.docs.items())
    return "\n".join([fence("perspective", case.text, number=number), *documents])


def _checked(verdicts: Sequence[_Verdict], asked: dict[int, Case]) -> dict[int, Support]:
    if sorted(one.perspective for one in verdicts) != sorted(asked):
        numbers = ", ".join(map(str, asked))
        raise ReplyParseError(f"there must be one verdict for each of the perspectives: {numbers}")
    for one in verdicts:
        texts = list(asked[one.perspective].docs.values())
        if one.supported and not (one.quote.strip() and all(occurrences([one.quote], texts))):
            raise ReplyParseError(
                f"the quote for perspective {one.perspective} does not stand in its documents"
            )
    return {one.perspective: Support(one.supported, one.quote) for one in verdicts}


def _premises(case: Case) -> list[str]:
    """Return each document as a whole, and each of its sentences."""
    found = []
    for text in case.docs.values():
        found += [text, *sentences(text)]
    return list(dict.fromkeys(found))
