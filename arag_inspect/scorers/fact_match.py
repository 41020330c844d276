"""Match the facts of reference and answer, judged in both directions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import anyio
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import InputError, check_positive
from arag_inspect.judge._concurrency import collect_all
from arag_inspect.judge.judge import Judgement, ask_panel, graders, no_verdict
from arag_inspect.judge.scorer import Opinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.prompts import load_prompt
from arag_inspect.scorers._fact_match.listing import NamedFact
from arag_inspect.scorers._fact_match.matching import Lists, Pass, Side, match_facts
from arag_inspect.scorers._fact_match.profiles import load_profile
from arag_inspect.scorers._fact_match.resolution import Resolution, resolve
from arag_inspect.scorers._fact_match.sources import Predicted, Sides, check_gold, find_sides
from arag_inspect.scorers._metrics import disagreement, estimates
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = ("precision", "recall", "f1", "f1_low", "f1_high")


_METRICS = {key: [*estimates(), *([disagreement()] if key == "f1" else [])] for key in KEYS}


def _declare(scorer: str, variant: str = "") -> tuple[MeasureSpec, ...]:
    return measures(
        MeasureSpec(
            f"{scorer}.precision",
            f"Fact precision{variant}",
            "Precision",
            "Share of the answer's facts that a gold fact supports.",
        ),
        MeasureSpec(
            f"{scorer}.recall",
            f"Fact recall{variant}",
            "Recall",
            "Share of the gold facts that the answer states.",
        ),
        MeasureSpec(
            f"{scorer}.f1",
            f"Fact F1{variant}",
            "F1",
            "Harmonic mean of fact precision and recall.",
            role="diagnostic" if variant else "primary",
        ),
        MeasureSpec(
            f"{scorer}.f1_low",
            f"Fact F1{variant}, at worst",
            "F1 low",
            "Fact F1 if all missing verdicts were against the answer.",
        ),
        MeasureSpec(
            f"{scorer}.f1_high",
            f"Fact F1{variant}, at best",
            "F1 high",
            "Fact F1 if all missing verdicts were for the answer.",
        ),
        family="facts",
        signature=("profile", "batch", "gold", "predicted", "judge", "prompt"),
    )


MEASURES = _declare("fact_match")
LENIENT = _declare("fact_match_lenient", ", lenient")


@scorer(MEASURES, metrics=_METRICS)
def fact_match(
    *,
    profile: str = "strict",
    gold: str = "auto",
    predicted: Predicted = "auto",
    batch: int = 1,
    concurrency: int = 4,
    reverse_order: bool = False,
) -> Scorer:
    """Match the facts of reference and answer in both directions, by a model.

    1. Gold facts come from the fact bank (`facts` in the sample's metadata), from `metadata:KEY`,
       or from the reference; those of the answer, and of a reference, are the leaves of a JSON
       text, or else listed by a grader.
    2. The judge takes each gold fact and says which predicted fact states it (TP) or that none does
       (FN), and takes each predicted fact and says which gold fact supports it (TP) or that none
       does (FP). It is asked about one fact per call (`batch`), against all of the other list in an
       order shuffled by a fixed seed; missing verdicts are asked for once more.
    3. If the two disagree, rules decide: a gold fact that a prediction claims is TP; a gold fact
       matched only with an FP prediction is FN; of several predictions that claim one gold fact the
       first is TP and the rest FP. See `resolution.resolve`.
    4. Precision, recall and F1 are counted by program over the facts that have a verdict. `f1_low`
       and `f1_high` are what F1 would be at worst and at best if the missing verdicts came in; both
       are F1 when none is missing.
    5. An answer without facts has precision, recall and F1 0. Without gold facts the sample is
       unscored.
    6. With several graders the values are means; each one's verdicts are kept. The first of them
       lists the facts, so that all judge the same ones. A grader without any verdict on one side is
       ignored.

    Metadata: for each judge, every fact of both sides with verdict, match, reasoning and the rule
    that changed it; ids without a verdict; the number of invented ids.

    Model Roles:
        grader: Lists and judges facts. Default claude-haiku-4-5.

    Args:
        profile: Rules for when two facts match: `strict`, `lenient`, or the path of a JSON or YAML
            file, or of a Markdown file with them as front matter.
        gold: `bank`, `reference`, `metadata:KEY`, or `auto`: the bank if the sample has one, else
            the reference.
        predicted: `json` (any other answer has no facts), `sentences`, `grader`, or `auto`: JSON if
            the answer is only JSON, else the grader.
        batch: Facts per call. A larger batch costs less, but each verdict then depends on its
            neighbours.
        concurrency: Concurrent judge calls per sample.
        reverse_order: Show the other list in the opposite order, as `rejudge --reverse-order` does.

    Raises:
        InputError: A parameter is unknown, or the profile cannot be read.
    """
    check_gold(gold)
    check_positive(batch=batch, concurrency=concurrency)
    if predicted not in get_args(Predicted):
        choices = ", ".join(get_args(Predicted))
        raise InputError(f"predicted {predicted!r} is unknown; choose from {choices}")
    rules = load_profile(profile)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        limiter = anyio.CapacityLimiter(concurrency)
        sides = await find_sides(state, target, gold, predicted, graders()[0])
        if sides.failed is not None:
            return no_verdict([sides.failed], answer)
        if not sides.gold:
            raise UnscoredError("no_facts", "There are no gold facts to compare the answer with.")
        metadata = _metadata(sides)
        signed = judged_signature(
            "fact_match",
            load_prompt("judge/match_facts"),
            load_prompt("judge/list_facts"),
            profile=rules.digest,
            batch=batch,
            gold=sides.gold_origin,
            predicted=predicted,
            **({"reverse_order": True} if reverse_order else {}),
        )
        if not sides.predicted:
            return _empty(sides, {"signature": signed, **metadata}, answer)
        lists = Lists(sides.gold_texts, sides.predicted_texts, rules.text, reverse_order)
        judged = await ask_panel(lambda grader, name: _judge(grader, name, lists, limiter, batch))
        opinions = [_opinion(result, sides) for result in judged]
        return panel_score(opinions, answer, signed=signed, headline="f1", **metadata)

    return score


@scorer(LENIENT, metrics=_METRICS)
def fact_match_lenient(
    *,
    gold: str = "auto",
    predicted: Predicted = "auto",
    batch: int = 1,
    concurrency: int = 4,
    reverse_order: bool = False,
) -> Scorer:
    """`fact_match` with the lenient profile, so that one run can have both.

    Model Roles:
        grader: Lists and judges facts. Default claude-haiku-4-5.

    Args:
        gold: See `fact_match`.
        predicted: See `fact_match`.
        batch: See `fact_match`.
        concurrency: Concurrent judge calls per sample.
        reverse_order: See `fact_match`.
    """
    return fact_match(
        profile="lenient",
        gold=gold,
        predicted=predicted,
        batch=batch,
        concurrency=concurrency,
        reverse_order=reverse_order,
    )


class _Judged(NamedTuple):
    """One grader's results for a sample."""

    grader: str
    passes: Mapping[str, Pass]
    resolution: Resolution

    @property
    def usable(self) -> bool:
        """Whether both sides have any verdict."""
        sides = (self.resolution.gold, self.resolution.predicted)
        return all(any(resolved.verdict for resolved in side.values()) for side in sides)

    @property
    def values(self) -> dict[str, float]:
        resolution = self.resolution
        figures = (resolution.precision, resolution.recall, resolution.f1, *resolution.bounds)
        return dict(zip(KEYS, figures, strict=True))

    @property
    def judgement(self) -> Judgement[Any]:
        """All calls combined: tokens, cost and replies."""
        judgements = [judgement for side in self.passes.values() for judgement in side.judgements]
        return _combined(self.grader, judgements)

    @property
    def failure(self) -> Judgement[Any]:
        """The same, with the reason for the missing verdict."""
        judgement = self.judgement
        judgement.reason = judgement.reason or "it gave no verdict on any fact of one side"
        return judgement


async def _judge(
    grader: Model,
    name: str,
    lists: Lists,
    limiter: anyio.CapacityLimiter,
    batch: int,
) -> _Judged:
    by_gold, by_predicted = await collect_all(
        match_facts(grader, lists, "gold", limiter, batch),
        match_facts(grader, lists, "predicted", limiter, batch),
    )
    resolution = resolve(
        tuple(lists.gold), tuple(lists.predicted), by_gold.matches, by_predicted.matches
    )
    return _Judged(name, {"gold": by_gold, "predicted": by_predicted}, resolution)


def _opinion(judged: _Judged, sides: Sides) -> Opinion:
    record = _record(judged, sides)
    if not judged.usable:
        return Opinion(judged.failure, None, "", record)
    return Opinion(judged.judgement, judged.values, _explanation(judged, sides), record)


def _empty(sides: Sides, metadata: dict[str, Any], answer: str) -> Score:
    why = "The answer is not JSON" if sides.predicted_origin == "no_json" else "The answer is empty"
    if answer.strip() and sides.predicted_origin != "no_json":
        why = "The answer states no fact"
    return Score(
        value=dict.fromkeys(KEYS, 0.0),
        answer=answer,
        explanation=f"{why}: none of {len(sides.gold)} gold facts is stated.",
        metadata=metadata,
    )


def _metadata(sides: Sides) -> dict[str, Any]:
    return {
        "predicted_origin": sides.predicted_origin,
        "gold_facts": len(sides.gold),
        "predicted_facts": len(sides.predicted),
        "listing": [listing.as_dict() for listing in sides.listings],
    }


def _record(judged: _Judged, sides: Sides) -> dict[str, Any]:
    """Return all verdicts of one grader, by the ids of the facts."""
    ids = sides.ids
    return {
        **judged.judgement.as_dict(),
        **(judged.values if judged.usable else {}),
        "missing": [ids[code] for code in judged.resolution.missing],
        "invented": sum(result.invented for result in judged.passes.values()),
        "asked_again": sum(result.asked_again for result in judged.passes.values()),
        "gold": _facts_record(judged, "gold", sides.gold, ids),
        "predicted": _facts_record(judged, "predicted", sides.predicted, ids),
    }


def _facts_record(
    judged: _Judged, side: Side, facts: Sequence[NamedFact], ids: dict[str, str]
) -> list[dict[str, Any]]:
    results = judged.passes[side].found
    return [
        {
            "id": fact.id,
            "text": fact.text,
            "verdict": verdict.verdict,
            "match": ids[verdict.match] if verdict.match else None,
            "reasoning": results[code].reasoning if code in results else None,
            "rule": verdict.rule,
        }
        for fact, (code, verdict) in zip(facts, judged.resolution.side(side).items(), strict=True)
    ]


def _explanation(judged: _Judged, sides: Sides) -> str:
    lines = []
    facts_by_side: tuple[tuple[Side, list[NamedFact]], ...] = (
        ("gold", sides.gold),
        ("predicted", sides.predicted),
    )
    for side, facts in facts_by_side:
        for fact, verdict in zip(facts, judged.resolution.side(side).values(), strict=True):
            rule = f" ({verdict.rule})" if verdict.rule else ""
            lines.append(f"{verdict.verdict or 'no verdict'}{rule} {fact.id}: {fact.text}")
    return "\n".join(lines)


def _combined(grader: str, judgements: Sequence[Judgement[Any]]) -> Judgement[Any]:
    total: Judgement[Any] = Judgement(grader)
    for judgement in judgements:
        total.add_cost(judgement)
        total.replies += judgement.replies
    reasons = dict.fromkeys(judgement.reason for judgement in judgements if judgement.reason)
    total.reason = "; ".join(reasons) or None
    return total
