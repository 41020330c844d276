"""Effect of the order of facts on the verdicts of `fact_match`."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_args

import anyio
import numpy as np
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from .._util.errors import InputError
from ..judge._concurrency import collect_all
from ..judge.judge import ask_panel
from ..scorers._fact_match.matching import Lists, Pass, Side, match_facts, reshuffled
from ..scorers._fact_match.profiles import load_profile
from ..stats.estimates import Estimate, estimate
from .rejudge import Given, read_samples, score_again, scorer_options

_MATCHERS = ("fact_match", "fact_match_lenient")
_EFFECT = "order_effect"


class Reordered(NamedTuple):
    """A verdict on a fact, and its verdict with another order of the other list."""

    sample: str
    epoch: int
    scorer: str
    judge: str
    side: Side
    fact: str
    before: bool
    """Whether a matching fact of the other list was found."""

    after: bool


class OrderEffect(NamedTuple):
    """How often the verdicts of one judge change with the order."""

    scorer: str
    judge: str
    verdicts: tuple[Reordered, ...]

    @property
    def changed(self) -> tuple[Reordered, ...]:
        """Verdicts that changed."""
        return tuple(verdict for verdict in self.verdicts if verdict.before != verdict.after)

    @property
    def share(self) -> Estimate:
        """Share of changed verdicts, with Wilson's 95 % interval over samples."""
        names = [verdict.sample for verdict in self.verdicts]
        _, clusters = np.unique(names, return_inverse=True)
        changes = np.array([float(verdict.before != verdict.after) for verdict in self.verdicts])
        return estimate(changes, clusters, (0, 1))


def order_effect(
    location: str, *, graders: Sequence[str] = (), given: Given | None = None
) -> tuple[OrderEffect, ...]:
    """Ask the judges of a log's `fact_match` again, with the facts in another order.

    Each fact is compared with the same other list, shuffled by another seed; judges,
    profile, batch and seed of the call are those of the log. A verdict is the judge's
    own, before the two directions are resolved: whether it found a match. Lists of
    one fact have one order, so facts compared with them are omitted.

    Args:
        location: The log, local or any address that Inspect can read.
        graders: The judges, which are not taken from the log; needed unless `offline/extractive`
            judged.
        given: Options that name files, by scorer; the log's are not used.

    Returns:
        One for each scorer and judge.

    Raises:
        InputError: The log cannot be read, or has no verdict that an order could change.
    """
    log = read_samples(location)
    names = [entry.name for entry in log.eval.scorers or [] if entry.name in _MATCHERS]
    if not names:
        raise InputError(f"{location} has no scores of {' or '.join(_MATCHERS)}")
    options = _options(log, names, given or {})
    new_log = score_again(log, [_order_effect(options)], graders)
    groups: dict[tuple[str, str], list[Reordered]] = {}
    for sample in new_log.samples or []:
        effect = (sample.scores or {}).get(_EFFECT)
        metadata = (effect.metadata if effect else None) or {}
        for record in metadata.get(_EFFECT, []):
            verdict = Reordered(str(sample.id), sample.epoch, *record)
            groups.setdefault((verdict.scorer, verdict.judge), []).append(verdict)
    if not groups:
        raise InputError(f"{location} has no verdict that the order of the facts could change")
    return tuple(OrderEffect(*key, tuple(verdicts)) for key, verdicts in groups.items())


def _options(log: EvalLog, names: Sequence[str], given: Given) -> dict[str, dict[str, Any]]:
    """Return the options of each scorer in a log."""
    lenient = {_MATCHERS[1]: {"profile": "lenient"}}
    return {name: {**scorer_options(log, name, given), **lenient.get(name, {})} for name in names}


@scorer(metrics=[mean()], name=_EFFECT)
def _order_effect(options: dict[str, dict[str, Any]]) -> Scorer:
    """Ask again in another order; the value is the share of verdicts that change."""
    rules = {
        name: load_profile(arguments.get("profile", "strict"))
        for name, arguments in options.items()
    }

    async def ask(state: TaskState, name: str) -> list[tuple[Any, ...]]:
        scored = (state.scores or {}).get(name)
        judges = ((scored.metadata if scored else None) or {}).get("judges", [])
        records = {entry.get("grader"): entry for entry in judges if "gold" in entry}
        limiter = anyio.CapacityLimiter(options[name].get("concurrency", 4))
        batch = options[name].get("batch", 1)

        async def judge(grader: Any, judge_name: str) -> list[tuple[Any, ...]]:
            record = records.get(judge_name)
            if record is None:
                return []
            texts = {side: _texts(record, side) for side in get_args(Side)}
            lists = Lists(texts["gold"], texts["predicted"], rules[name].text, reshuffled)
            sides = [side for side in get_args(Side) if len(lists.other(side)) > 1 and texts[side]]
            passes = await collect_all(
                *(match_facts(grader, lists, side, limiter, batch) for side in sides)
            )
            return [
                (name, judge_name, side, *pair)
                for side, side_pass in zip(sides, passes, strict=True)
                for pair in _pairs(record[side], side_pass, list(texts[side]))
            ]

        return [verdict for verdicts in await ask_panel(judge) for verdict in verdicts]

    async def compare(state: TaskState, target: Target) -> Score:
        verdicts = [verdict for name in rules for verdict in await ask(state, name)]
        if not verdicts:
            return Score.unscored(reason="no_verdicts")
        changed = [before != after for *_, before, after in verdicts]
        return Score(value=sum(changed) / len(changed), metadata={_EFFECT: verdicts})

    return compare


def _texts(record: dict[str, Any], side: Side) -> dict[str, str]:
    """Return the facts of a side by the codes shown to the judge."""
    return {f"{side[0].upper()}{n}": fact["text"] for n, fact in enumerate(record[side], 1)}


def _pairs(
    facts: Sequence[dict[str, Any]], side_pass: Pass, codes: Sequence[str]
) -> Iterator[tuple[str, bool, bool]]:
    """Yield the id of each fact, and whether the judge found a match each time."""
    for fact, code in zip(facts, codes, strict=True):
        if fact["reasoning"] is not None and code in side_pass.found:  # it has both verdicts
            # a rule reversed the verdict
            before = (fact["verdict"] == "TP") != (fact["rule"] is not None)
            yield fact["id"], before, side_pass.found[code].match is not None
