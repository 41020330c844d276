"""How many of the facts that a summary is held to it tells, by program."""

from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.signature import signature
from arag_inspect.judge.unscored import unscored_if_skipped
from arag_inspect.quantities import Told, read_statement, told
from arag_inspect.scorers._fact_match.listing import NamedFact, numbered, sentence_facts
from arag_inspect.scorers._fact_match.sources import check_gold, stored_facts
from arag_inspect.scorers._shared.border import scorer
from arag_inspect.scorers._shared.metrics import estimates
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = ("facts", "quantities")

MEASURES = measures(
    MeasureSpec(
        "fact_coverage.facts",
        "Facts told",
        "Facts",
        "Share of the gold facts that the answer states.",
        role="secondary",
    ),
    MeasureSpec(
        "fact_coverage.quantities",
        "Figures told",
        "Told",
        "Share of the figures of the gold facts that the answer states.",
    ),
    family="facts",
    signature=("gold",),
)


@scorer(metrics={key: estimates() for key in KEYS}, measures=MEASURES)
def fact_coverage(*, gold: str = "auto") -> Scorer:
    """Share of the facts of the fact bank that the summary states, by program and without a grader.

    1. `facts`: facts stated / facts. A fact with figures is stated when one of them at least stands in the summary in the same matter: rounded as the summary writes it, with nothing said against it (sign, direction, period, basis, result or outlook). A fact without figures is stated when one sentence of the summary has half of its content words; what is told in other words is missed.
    2. `quantities`: share of figures stated, averaged over the facts that have any; NaN where none has.
    3. An empty summary scores 0. Without facts the sample is unscored.

    It is no judgement of meaning: of ECTSum's human references it finds 84 % of the key sentences with figures told, 18 % of those without.

    Metadata: `facts`, each with its verdict (`stated`, `contradicted`, `missing`), the share of its figures that is told, and the sentence that decided.

    Args:
        gold: `bank`, `reference` (its sentences), `metadata:KEY`, or `auto`: the bank where the sample has one, else the reference.

    Raises:
        InputError: `gold` is none of these.
    """
    check_gold(gold)

    async def score(state: TaskState, target: Target) -> Score:
        if (unscored := unscored_if_skipped(state)) is not None:
            return unscored
        facts, origin = stored_facts(state, gold)
        if origin == "reference":
            facts = numbered(sentence_facts("\n".join(target)), "gold")
        if not facts:
            return Score.unscored(
                reason="no_facts", explanation="There are no facts to look for in the summary."
            )
        answer = state.output.completion
        found = await anyio.to_thread.run_sync(_look_for, facts, answer)
        shares = [one["share"] for one in found if one["figures"]]
        stated = sum(one["verdict"] == "stated" for one in found)
        return Score(
            value={
                "facts": stated / len(found),
                "quantities": sum(shares) / len(shares) if shares else float("nan"),
            },
            answer=answer,
            explanation="\n".join(f"{one['verdict']}: {one['text']}" for one in found),
            metadata={"signature": signature("fact_coverage", gold=origin), "facts": found},
        )

    return score


def _look_for(facts: list[NamedFact], summary: str) -> list[dict[str, Any]]:
    said = [read_statement(sentence) for sentence in sentence_facts(summary)]
    found = []
    for fact in facts:
        statement = read_statement(fact.text)
        place: Told = told(statement, said)
        found.append(
            {
                **fact._asdict(),
                "verdict": place.verdict,
                "figures": len(statement.figures),
                "share": place.share,
                "said": None if place.place is None else said[place.place].text,
            }
        )
    return found
