"""Judge the claims that the program leaves open, against the nearest passages."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import anyio.to_thread

from arag_inspect._util.files import digest
from arag_inspect.figures import CheckedClaim
from arag_inspect.judge.concurrency import collect_all
from arag_inspect.judge.judge import judge_by_all
from arag_inspect.judge.judgement import Judgement
from arag_inspect.judge.parsing import StrictModel, json_form
from arag_inspect.measures._excerpts import ExcerptRanker
from arag_inspect.models.request_key import asking
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.text.matching import SHORTEST, count_words, occurrences
from arag_inspect.text.replies import ReplyParseError

_EXAMPLE = '{"outcome": "supported", "quote": "the sentence of the source"}'
_MAX_EXCERPTS = 4
"""Maximum excerpts shown to a judge per claim."""

_NOT_QUOTED = "quote not found verbatim in the source"


class ClaimVerdict(StrictModel):
    """A judge's verdict on a claim."""

    outcome: Literal["supported", "contradicted", "not_found"]
    quote: str


class VerifiedClaim(NamedTuple):
    """A claim with its final verdict."""

    claim: CheckedClaim
    outcome: str
    source: str | None
    by: Literal["program", "judge"] = "program"
    judges: Sequence[Judgement[ClaimVerdict]] = ()

    @property
    def is_unanswered(self) -> bool:
        """Whether judges were asked and no reply could be read."""
        is_readable = [
            judgement.verdict is not None or judgement.reason == _NOT_QUOTED
            for judgement in self.judges
        ]
        return bool(self.judges) and not any(is_readable)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            **self.claim.as_dict(),
            "verdict": self.outcome,
            "source": self.source,
            "by": self.by,
            "program": self.claim.verdict,
        }


def verify_by_rule(claims: Sequence[CheckedClaim]) -> list[VerifiedClaim]:
    """Return claims with the program's verdict."""
    return [VerifiedClaim(claim, claim.verdict, claim.source) for claim in claims]


async def verify(claims: Sequence[CheckedClaim], passages: Sequence[str]) -> list[VerifiedClaim]:
    """Ask the judges about claims that the program left open, one at a time.

    Args:
        claims: Claims with the program's verdicts.
        passages: Texts to check against.

    Returns:
        One entry per claim: the judges' verdict if a majority agrees, else the program's.
    """
    results_by_claim = verify_by_rule(claims)
    undecided_indices = [
        index for index, claim in enumerate(claims) if claim.verdict in ("unsettled", "not_found")
    ]
    if not undecided_indices:
        return results_by_claim
    ranker = await anyio.to_thread.run_sync(ExcerptRanker, passages)
    questions = [_verify_one(claims[index], ranker) for index in undecided_indices]
    results = await collect_all(*questions)
    for index, verified in zip(undecided_indices, results, strict=True):
        results_by_claim[index] = verified
    return results_by_claim


async def _verify_one(claim: CheckedClaim, ranker: ExcerptRanker) -> VerifiedClaim:
    excerpts = ranker.nearest(claim.sentence, _MAX_EXCERPTS)
    if claim.source and not any(claim.source in text for text in excerpts):
        excerpts.append(claim.source)
    prompt = fill(
        load_prompt("judge/claim"),
        material="\n\n".join(fence("source", text) for text in excerpts),
        claim=fence("claim", claim.sentence, figure=claim.figure.text),
    )
    form = json_form(ClaimVerdict, _EXAMPLE)
    checked_form = form.then(lambda verdict: check_quote(verdict, excerpts))
    figure_in_sentence = f"{claim.figure.text} in {digest(claim.sentence)}"
    with asking(purpose="figures", part=figure_in_sentence, place=""):
        judges = await judge_by_all(prompt, checked_form)
    verdicts = [judgement.verdict for judgement in judges if judgement.verdict is not None]
    for outcome, count in Counter(verdict.outcome for verdict in verdicts).most_common(1):
        if count > len(verdicts) / 2:
            quote = next(verdict.quote for verdict in verdicts if verdict.outcome == outcome)
            return VerifiedClaim(claim, outcome, quote or claim.source, "judge", judges)
    return VerifiedClaim(claim, claim.verdict, claim.source, "program", judges)


def check_quote(verdict: ClaimVerdict, shown: Sequence[str]) -> ClaimVerdict:
    """Return a verdict if its quotation occurs in the text; `not_found` needs none.

    Raises:
        ReplyParseError: The quotation is too short or does not occur.
    """
    if verdict.outcome == "not_found":
        return ClaimVerdict(outcome="not_found", quote="")
    quote = verdict.quote.strip()
    if count_words(quote) < SHORTEST or not occurrences([quote], shown)[0]:
        raise ReplyParseError(_NOT_QUOTED)
    return verdict
