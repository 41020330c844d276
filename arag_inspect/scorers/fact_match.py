"""Match the facts of reference and answer, judged in both directions."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import anyio
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import check_choice, check_positive
from arag_inspect.judge._concurrency import collect_all
from arag_inspect.judge.judge import ask_panel, combined, graders, no_verdict
from arag_inspect.judge.scorer import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.prompts import load_prompt
from arag_inspect.scorers._fact_match import Lists, Pass, load_profile, match_facts
from arag_inspect.scorers._fact_resolution import Resolution, Side, resolve
from arag_inspect.scorers._facts import NamedFact, Predicted, Sides, check_gold, find_sides
from arag_inspect.scorers._metrics import disagreement, estimates
from arag_inspect.scorers._scorer import scorer
from arag_inspect.types.measures import MeasureSpec, measures

KEYS = ("precision", "recall", "f1", "f1_low", "f1_high")

_METRICS = {key: [*estimates(), *([disagreement()] if key == "f1" else [])] for key in KEYS}


MEASURES = measures(
    MeasureSpec(
        "fact_match.precision",
        "Fact precision",
        "Precision",
        "Share of the answer's facts that a gold fact supports.",
    ),
    MeasureSpec(
        "fact_match.recall",
        "Fact recall",
        "Recall",
        "Share of the gold facts that the answer states.",
    ),
    MeasureSpec(
        "fact_match.f1",
        "Fact F1",
        "F1",
        "Harmonic mean of fact precision and recall.",
        role="primary",
    ),
    MeasureSpec(
        "fact_match.f1_low",
        "Fact F1, at worst",
        "F1 low",
        "Fact F1 if all missing verdicts were against the answer.",
    ),
    MeasureSpec(
        "fact_match.f1_high",
        "Fact F1, at best",
        "F1 high",
        "Fact F1 if all missing verdicts were for the answer.",
    ),
    family="facts",
    signature=("profile", "batch", "gold", "predicted", "judge", "prompt"),
)
LENIENT = tuple(
    replace(
        spec,
        key=spec.key.replace("fact_match", "fact_match_lenient"),
        label=f"{spec.label}, lenient",
        role="diagnostic",
    )
    for spec in MEASURES
)


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
       first is TP and the rest FP. See `_fact_resolution.resolve`.
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
    check_choice("predicted", predicted, get_args(Predicted))
    rules = load_profile(profile)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        sides = await find_sides(state, target, gold, predicted, graders()[0])
        if failed := [listing for listing in sides.listings if listing.verdict is None]:
            return no_verdict(failed[:1], answer)
        if not sides.gold:
            raise UnscoredError("no_facts", "There are no gold facts to compare the answer with.")
        metadata = {
            "predicted_origin": sides.predicted_origin,
            "gold_facts": len(sides.gold),
            "predicted_facts": len(sides.predicted),
            "listing": [listing.as_dict() for listing in sides.listings],
        }
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
            return Score(
                value=dict.fromkeys(KEYS, 0.0),
                explanation=_why_empty(sides, answer),
                metadata={"signature": signed, **metadata},
            )
        limiter = anyio.CapacityLimiter(concurrency)
        lists = Lists(_texts(sides.gold), _texts(sides.predicted), rules.text, reverse_order)
        ask = partial(_judge, sides=sides, lists=lists, limiter=limiter, batch=batch)
        return panel_score(await ask_panel(ask), answer, signed=signed, headline="f1", **metadata)

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


async def _judge(
    grader: Model,
    name: str,
    *,
    sides: Sides,
    lists: Lists,
    limiter: anyio.CapacityLimiter,
    batch: int,
) -> JudgeOpinion:
    """Let one grader match the facts of both sides."""
    by_gold, by_predicted = await collect_all(
        match_facts(grader, lists, "gold", limiter, batch),
        match_facts(grader, lists, "predicted", limiter, batch),
    )
    resolution = resolve(
        tuple(sides.gold), tuple(sides.predicted), by_gold.matches, by_predicted.matches
    )
    judgement = combined(name, [*by_gold.judgements, *by_predicted.judgements])
    values: dict[str, float] = {}
    if all(
        any(r.verdict for r in side.values()) for side in (resolution.gold, resolution.predicted)
    ):
        figures = (resolution.precision, resolution.recall, resolution.f1, *resolution.bounds)
        values = dict(zip(KEYS, figures, strict=True))
    else:
        judgement.reason = judgement.reason or "it gave no verdict on any fact of one side"
    passes: dict[Side, Pass] = {"gold": by_gold, "predicted": by_predicted}
    facts = _fact_records(sides, resolution, passes)
    ids = {code: fact.id for code, fact in (sides.gold | sides.predicted).items()}
    record = {
        **judgement.as_dict(),
        **values,
        "missing": [ids[code] for code in resolution.missing],
        "invented": by_gold.invented + by_predicted.invented,
        "asked_again": by_gold.asked_again + by_predicted.asked_again,
        **facts,
    }
    lines = (
        f"{fact['verdict'] or 'no verdict'}{(fact['rule'] and ' (' + fact['rule'] + ')') or ''} "
        f"{fact['id']}: {fact['text']}"
        for facts_of_side in facts.values()
        for fact in facts_of_side
    )
    return JudgeOpinion(judgement, values or None, "\n".join(lines), record)


def _texts(facts: Mapping[str, NamedFact]) -> dict[str, str]:
    return {code: fact.text for code, fact in facts.items()}


def _fact_records(
    sides: Sides, resolution: Resolution, passes: Mapping[Side, Pass]
) -> dict[str, list[dict[str, Any]]]:
    """Return every fact of both sides with its verdict, by the ids of the facts."""
    facts_by_code = sides.gold | sides.predicted
    records: dict[str, list[dict[str, Any]]] = {}
    for side, judged in passes.items():
        records[side] = [
            {
                "id": facts_by_code[code].id,
                "text": facts_by_code[code].text,
                "verdict": verdict.verdict,
                "match": facts_by_code[verdict.match].id if verdict.match else None,
                "reasoning": judged.found[code].reasoning if code in judged.found else None,
                "rule": verdict.rule,
            }
            for code, verdict in resolution.side(side).items()
        ]
    return records


def _why_empty(sides: Sides, answer: str) -> str:
    why = "The answer states no fact" if answer.strip() else "The answer is empty"
    if sides.predicted_origin == "no_json":
        why = "The answer is not JSON"
    return f"{why}: none of {len(sides.gold)} gold facts is stated."
