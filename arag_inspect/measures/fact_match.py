"""Match the facts of reference and answer, judged in both directions."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any

import anyio
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.judgement import combine, no_verdict
from arag_inspect.judge.model_graded import JudgeOpinion, judged_signature, panel_score
from arag_inspect.judge.panel import ask_panel, graders
from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.measure import FALSE_STATEMENTS, MeasureSpec
from arag_inspect.measures._fact_pairing import Lists, Resolved, load_profile, rates, resolve
from arag_inspect.measures.fact_lists import GoldSource, Predicted, Sides, find_sides
from arag_inspect.measures.metrics import disagreement
from arag_inspect.measures.scorer import Positive, scorer
from arag_inspect.prompts import load_prompt

_SPECS = (
    MeasureSpec(
        "precision", "Fact precision", "Precision", "Share of the answer's facts that are gold."
    ),
    MeasureSpec("recall", "Fact recall", "Recall", "Share of the gold facts that it states."),
    MeasureSpec(
        "f1",
        "Fact F1",
        "F1",
        "Harmonic mean of precision and recall.",
        role="primary",
        decides=(),
        aspect="facts matched",
    ),
    MeasureSpec("f1_low", "Fact F1, at worst", "F1 low", "F1 if missing verdicts were against it."),
    MeasureSpec("f1_high", "Fact F1, at best", "F1 high", "F1 if missing verdicts were for it."),
    MeasureSpec("vital", "Vital facts stated", "Vital", "Share of the vital gold facts stated."),
)
_SHARED: dict[str, Any] = {
    "family": "facts",
    "judged": True,
    "must_detect": (*FALSE_STATEMENTS, "sentence_dropped"),
    "compared_with": "reference",
    "signature": ("profile", "batch", "gold", "predicted", "judge", "prompt"),
    "more": [disagreement()],
}

_CALLS = 4
"""Maximum concurrent judge calls per sample."""


@scorer(*_SPECS, **_SHARED, sets={"summary": "all"})
def fact_match(
    *,
    profile: str = "strict",
    gold: GoldSource = "auto",
    predicted: Predicted = "auto",
    batch: Positive = 1,
    reverse_order: bool = False,
) -> Scorer:
    """Match the facts of reference and answer in both directions, by a model.

    1. Gold facts come from the fact bank (`facts` in the sample's metadata), from `metadata:KEY`,
       or from the reference. The facts of an answer or a reference are the leaves of a JSON text;
       for other texts, a grader lists them.
    2. The judge takes each gold fact and says which predicted fact states it (TP) or that none does
       (FN), and takes each predicted fact and says which gold fact supports it (TP) or that none
       does (FP). It is asked about one fact per call (`batch`), against all of the other list in an
       order shuffled by a fixed seed; missing verdicts are requested once more.
    3. If the two directions disagree, rules decide: a gold fact that a prediction claims is TP; a
       gold fact matched only with an FP prediction is FN; if several predictions claim one gold
       fact, the first is TP and the others are FP. See `_fact_pairing.resolve`.
    4. Precision, recall and F1 are counted by program over the facts that have a verdict. `f1_low`
       and `f1_high` are what F1 would be at worst and at best if the missing verdicts were known;
       both equal F1 if none is missing.
    5. `vital` is the recall of the gold facts that the bank marks `vital`; NaN without such facts,
       or without verdicts on them.
    6. An answer without facts has precision, recall and F1 0. Without gold facts the sample is
       unscored; so is an unanswerable question whose reference says so.
    7. With several graders the values are means, and the verdicts of each are kept. The first
       grader lists the facts, so that all judge the same ones. A grader without any verdict on one
       side is ignored.

    Metadata: for each judge, every fact of both sides with verdict, match, reasoning and the rule
    that changed it, and the ids without a verdict.

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
        reverse_order: Show the other list in the opposite order, as `rejudge --reverse-order` does.

    Raises:
        InputError: A parameter is unknown, or the profile is unreadable.
    """
    rules = load_profile(profile)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        sides = await find_sides(state, target, gold, predicted, graders()[0])
        failed = [listing for listing in sides.listings if listing.verdict is None]
        if failed:
            return no_verdict(failed[:1])
        if not sides.gold:
            raise UnscoredError("no_facts", "The sample has no gold facts to compare with.")
        listings = [{**listing.as_dict(), "part": "listing"} for listing in sides.listings]
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
                value={spec.key: 0.0 for spec in _SPECS} | {"vital": _vital_recall(sides, {})},
                explanation=_explain_empty(sides, answer),
                metadata={"signature": signed, "judges": listings},
            )
        lists = Lists(sides.gold, sides.predicted, rules.text, batch, reverse_order)
        limiter = anyio.CapacityLimiter(_CALLS)
        ask = partial(_judge, sides=sides, lists=lists, limiter=limiter)
        result = panel_score(await ask_panel(ask), signed=signed, headline="f1")
        (result.metadata or {})["judges"] += listings
        return result

    return score


async def _judge(
    grader: Model, name: str, *, sides: Sides, lists: Lists, limiter: anyio.CapacityLimiter
) -> JudgeOpinion:
    """Let one grader match the facts of both sides."""
    matches = await lists.match(grader, limiter)
    verdicts = matches.by_code
    resolved_by_code = resolve(
        sides.gold, sides.predicted, {code: matched.match for code, matched in verdicts.items()}
    )
    judgement = combine(name, matches.judgements)
    values = None
    if all(_has_verdict(side, resolved_by_code) for side in (sides.gold, sides.predicted)):
        values = rates(sides.gold, sides.predicted, resolved_by_code) | {
            "vital": _vital_recall(sides, resolved_by_code)
        }
    else:
        reason = judgement.reason or "it gave no verdict on any fact of one side"
        judgement = replace(judgement, reason=reason)
    facts = sides.gold | sides.predicted
    records = {}
    for code, verdict in resolved_by_code.items():
        fact = facts[code]
        records[code] = {
            "id": fact.id,
            "text": fact.text,
            "importance": fact.importance,
            "verdict": verdict.verdict,
            "match": facts[verdict.match].id if verdict.match else None,
            "reasoning": verdicts[code].reasoning if code in verdicts else None,
            "rule": verdict.rule,
        }
    record = {
        **judgement.as_dict(),
        **(values or {}),
        "missing": [facts[code].id for code in facts if resolved_by_code[code].verdict is None],
        "gold": [records[code] for code in sides.gold],
        "predicted": [records[code] for code in sides.predicted],
    }
    lines = [_describe(records[code]) for code in facts]
    return JudgeOpinion(judgement, values, "\n".join(lines), record)


def _has_verdict(codes: Iterable[str], resolved: Mapping[str, Resolved]) -> bool:
    """Return whether any fact of a side has a verdict."""
    return any(resolved[code].verdict for code in codes)


def _describe(record: Mapping[str, Any]) -> str:
    rule = f" ({record['rule']})" if record["rule"] else ""
    return f"{record['verdict'] or 'no verdict'}{rule} {record['id']}: {record['text']}"


def _vital_recall(sides: Sides, resolved_by_code: Mapping[str, Resolved]) -> float:
    """Return the share of the vital gold facts that are stated; 0 if there are no verdicts."""
    vital = [code for code, fact in sides.gold.items() if fact.importance == "vital"]
    verdicts = (
        [resolved_by_code[code].verdict for code in vital]
        if resolved_by_code
        else ["FN" for _ in vital]
    )
    known_verdicts = [verdict for verdict in verdicts if verdict]
    return known_verdicts.count("TP") / len(known_verdicts) if known_verdicts else nan


def _explain_empty(sides: Sides, answer: str) -> str:
    reason = "The answer states no fact" if answer.strip() else "The answer is empty"
    if sides.predicted_origin == "no_json":
        reason = "The answer is not JSON"
    return f"{reason}: none of {len(sides.gold)} gold facts is stated."
