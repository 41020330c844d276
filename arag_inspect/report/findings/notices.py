"""Warnings about a study's comparisons, and which measure decides them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import pandas as pd

from ..._util.wording import format_count, join_names, join_or_count
from ...judge.signature import Signature
from ...models.families import model_family
from ...models.recorded import is_recorded
from ...models.recorded.provider import CHANGED, MISSING
from ...types.system import EXTERNAL
from ..cells import show
from ..comparison.comparability import (
    all_signatures,
    distinct_parts,
    measured_alike,
    signatures_by_scorer,
)
from ..comparison.contestants import contestants
from ..comparison.primary import primary_measures
from ..comparison.retests import primary_retests
from ..frames import NO_MODEL, Notice
from ..labels import MOST_NAMED, in_sentence
from ..rows import RunRow
from ..study import Study
from .declined_notices import declined_notices
from .provenance import by_rule, recordings_of

_MOST_CHOICES = 8
"""Maximum number of measures that a note offers for `--primary`."""


def study_notices(studies: Sequence[Study]) -> tuple[Notice, ...]:
    """Return everything that puts a comparison in doubt."""
    notices = [*_version_notices(studies)]
    for study in studies:
        for notices_of in _NOTICES:
            notices += notices_of(study)
    return tuple(notices)


def deciding_note(study: Study) -> str:
    """Return which measure decides alone, and which others could; empty if several decide."""
    primary = primary_measures(study)
    with_values = {*study.scores.loc[study.scores["value"].notna(), "measure"]} - {*primary}
    others = [spec for spec in study.catalogue.main if spec.key in with_values]
    others = others or [spec for spec in study.catalogue.specs if spec.key in with_values]
    if len(primary) != 1 or not others:
        return ""
    choices = [
        f"{spec.key} ({in_sentence(spec)})" if spec.named_by else spec.key
        for spec in others[:_MOST_CHOICES]
    ]
    names = ", ".join(choices) + (", ..." if others[_MOST_CHOICES:] else "")
    label = study.catalogue.spec(primary[0]).label
    name = f"{label} ({primary[0]})" if label != primary[0] else label
    return f"{name} decides; --primary NAME chooses others: {names}"


def _version_notices(studies: Iterable[Study]) -> Iterator[Notice]:
    """Yield tasks that were run in several versions."""
    versions: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for study in studies:
        versions[study.task, study.dataset][study.version] = None
    for (task, dataset), names in versions.items():
        if len(names) > 1:
            text = f"{task}{dataset and f' on {dataset}'} was run in versions {join_names(names)}"
            yield Notice("warning", f"{text}; they are reported separately and not compared")


def _run_notices(study: Study) -> Iterator[Notice]:
    """Yield cached replies, failures, empty answers and missing samples of each run."""
    answers_by_system = dict(study.by_system(study.answers))
    for run in study.rows:
        answers = answers_by_system[run.system]
        yield from _cache_notices(run, answers)
        yield from _failure_notices(run, answers)
        yield from _progress_notices(run, answers)


def _comparison_notices(study: Study) -> Iterator[Notice]:
    """Yield whether there is a single system, or several models."""
    if len(study.rows) == 1:
        text = f"{study.name} has only one system, {study.systems[0]}"
        yield Notice("note", f"{text}, so nothing is compared")
    models = list(dict.fromkeys(run.model for run in study.rows if run.model != NO_MODEL))
    if len(models) > 1:
        text = f"{study.name} was run with {join_names(models)}"
        yield Notice("note", f"{text}; every system is named with its model")


class _UnknownCost(NamedTuple):
    """A model whose cost is unknown, in its role."""

    role: str
    """`the judge NAME`; empty for the model that writes."""

    model: str
    extent: str
    advice: str


def _price_notices(study: Study) -> Iterator[Notice]:
    """Yield the writers and judges whose cost is unknown, with the systems of each."""
    runs_by_cost: dict[_UnknownCost, list[RunRow]] = defaultdict(list)
    answers_by_system = dict(study.by_system(study.answers))
    for run in study.rows:
        for cost in _unknown_costs(study, run, answers_by_system[run.system]):
            runs_by_cost[cost].append(run)
    for cost, runs in runs_by_cost.items():
        systems = join_or_count([run.system for run in runs], "system")
        writer = systems if all(run.replayed for run in runs) else f"{systems} ({cost.model})"
        who = f"{cost.role} of {systems}" if cost.role else writer
        text = f"the cost of {who} is unknown{cost.extent} and not counted"
        yield Notice("warning", f"{text}; {cost.advice}", runs[0].location)


def _unknown_costs(study: Study, run: RunRow, answers: pd.DataFrame) -> Iterator[_UnknownCost]:
    """Yield the writer and the judges of a run whose cost is unknown."""
    paid = {("", run.model): answers.loc[answers["input_tokens"] > 0, "cost_usd"]}
    verdicts = study.verdicts[study.verdicts["system"] == run.system]
    for judge, costs in verdicts.groupby("judge", sort=False)["cost_usd"]:
        paid[f"the judge {judge}", judge] = costs
    for (role, model), costs in paid.items():
        if costs.isna().any() and not is_recorded(model):
            extent = "" if costs.isna().all() else " for some calls"
            advice = "give its price in the next run (see Prices in docs/costs.md)"
            if not role and run.replayed:
                advice = "a column cost_usd in the file can give it in dollars"
            elif not role and run.parameters.get("bridge") is False:  # `external`
                advice = "the system can return it as cost_usd with each answer"
            yield _UnknownCost(role, model, extent, advice)


def _cache_notices(run: RunRow, answers: pd.DataFrame) -> Iterator[Notice]:
    cached = int((answers["cached_calls"] > 0).sum())
    if cached:
        extent = f"{cached} of {format_count(len(answers), 'answer')} of {run.system}"
        text = f"{extent} used cached replies; they keep their price, but have no latency"
        yield Notice("note", text, run.location)


def _failure_notices(run: RunRow, answers: pd.DataFrame) -> Iterator[Notice]:
    ended = answers.loc[answers["outcome"].isin(("errored", "truncated")), "error"].dropna()
    if len(ended):
        extent = f"{len(ended)} of {format_count(len(answers), 'sample')} of {run.system}"
        text = f"{extent} failed or were stopped by a limit"
        reason = ended.value_counts().index[0]
        yield Notice("warning", f"{text}; most often: {reason}", run.location)
    empty_count = int((answers["outcome"] == "empty").sum())
    if empty_count:
        count = format_count(empty_count, "empty answer")
        text = f"{run.system} gave {count} in {format_count(len(answers), 'sample')}"
        text += "; measures of right answers count such answers as wrong"
        yield Notice("warning", text, run.location)


def _progress_notices(run: RunRow, answers: pd.DataFrame) -> Iterator[Notice]:
    if run.status != "success" or len(answers) < run.planned:
        state = {"started": "is still running", "success": "is not complete"}
        text = state.get(run.status, f"ended with status {run.status}")
        done = f"{len(answers)} of {run.planned} samples are reported"
        yield Notice("warning", f"{run.system} {text}: {done}", run.location)


def _oracle_notices(study: Study) -> Iterator[Notice]:
    """Yield systems whose gold evidence did not always fit the model's window."""
    answers = study.finished[study.finished["context"] == "gold"]
    for system, rows in study.by_system(answers):
        oracle_rows = rows[rows["passages"].map(bool).astype(bool)]
        sizes = [
            len(row.gold.chunk_ids or row.evidence) for row in oracle_rows.itertuples(index=False)
        ]
        counts = oracle_rows["passages"].map(len)
        left_out = [max(0, size - count) for size, count in zip(sizes, counts, strict=True)]
        partial = sum(map(bool, left_out))
        if partial:
            text = f"{sum(left_out)} of {sum(sizes)} pieces of gold evidence did not fit into the"
            answers_read = format_count(len(oracle_rows), "answer")
            text += f" model's window in {partial} of {answers_read} of {system}"
            yield Notice("warning", f"{text}; these scores are too low for a ceiling")


def _signature_notices(study: Study) -> Iterator[Notice]:
    """Yield scorers that measured systems in different ways.

    What bounds lack, such as the passages of a closed book, does not concern the other systems.
    """
    for scorer, by_system in signatures_by_scorer(study).items():
        systems = tuple(system for system in contestants(study) if system in by_system)
        ways = {system: all_signatures(study, scorer, system) for system in systems}
        distinct = frozenset[str]().union(*ways.values())
        signed = set[str]().union(*(by_system[system] for system in systems))
        alike = dict(zip(study.sample_ids, measured_alike(study, scorer, systems), strict=True))
        unlike = [sample for sample, same in alike.items() if not same and sample in signed]
        has_two_methods = len({Signature.parse(text).method for text in distinct}) > 1
        is_unlike_everywhere = bool(unlike) and len(unlike) == len(signed)
        if is_unlike_everywhere or (has_two_methods and len(ways) == 1):
            text = f"{scorer} was computed in different ways, so its values are not comparable"
            yield Notice("warning", f"{text} ({_in_words(ways, distinct)})")
        elif unlike:
            measuring = [system for system in systems if unlike[0] in by_system[system]]
            of_first = {system: by_system[system][unlike[0]] for system in measuring}
            more = f" and {len(unlike) - MOST_NAMED} more" if len(unlike) > MOST_NAMED else ""
            extent = f"{len(unlike)} of {format_count(len(alike), 'sample')}"
            text = f"{scorer} was computed differently on {extent}; comparisons leave these out: "
            text += f"{', '.join(unlike[:MOST_NAMED])}{more}"
            yield Notice("warning", f"{text} ({unlike[0]}: {_in_words(of_first, distinct)})")


def _corpus_notices(study: Study) -> Iterator[Notice]:
    """Yield whether the systems searched different corpora."""
    corpora = {run.system: run.corpus for run in study.rows if run.corpus}
    if len(set(corpora.values())) > 1:
        digests = "; ".join(f"{system}: {digest[:12]}" for system, digest in corpora.items())
        text = "the systems searched different corpora, so chunks are not comparable"
        yield Notice("warning", f"{text} ({digests})")


def _independence_notices(study: Study) -> Iterator[Notice]:
    """Yield whether replayed samples count as independent only because no group is known."""
    samples = study.samples
    is_grouped = bool(samples["company"].astype(bool).any() or samples["doc_ids"].map(len).any())
    if len(samples) > 1 and all(run.replayed for run in study.rows) and not is_grouped:
        text = f"the {len(samples):,} samples of {study.name} count as independent, because no"
        text += " document or group of them is known; intervals are too narrow if several are about"
        text += " one document (replay --corpus NAME or --columns group=COLUMN states it)"
        yield Notice("note", text)


def _arithmetic_notices(study: Study) -> Iterator[Notice]:
    """Yield systems whose vector search used arithmetic other than float32 on CPUs."""
    names = {run.system: run.arithmetic for run in study.rows if run.arithmetic}
    in_words = "; ".join(f"{system}: {name}" for system, name in names.items())
    if len(set(names.values())) > 1:
        text = "the systems searched vectors computed in different arithmetic"
        yield Notice("warning", f"{text}, so they are not comparable ({in_words})")
    elif set(names.values()) - {"float32"}:
        text = "searches are not comparable with those of a corpus embedded in float32 on a CPU"
        yield Notice("note", f"{text} ({in_words})")


def _contested_notices(study: Study) -> Iterator[Notice]:
    """Yield measures that logs declare in different ways."""
    if study.catalogue.contested:
        contested = join_names(study.catalogue.contested)
        text = (
            f"the logs of {study.name} declare {contested} differently (direction, range or role)"
        )
        text += ", so no winner is named on it"
        yield Notice("warning", text)


def _range_notices(study: Study) -> Iterator[Notice]:
    """Yield measures without declared scale whose values are within 0 to 1 only in some runs."""
    unscaled = [
        spec.key
        for spec in study.catalogue.specs
        if spec.low is spec.high is None and (spec.label == spec.key or spec.family == "human")
    ]  # a measure that no scorer declares has its key as label
    values = study.scores[study.scores["measure"].isin(unscaled)]
    for measure, of_measure in values.groupby("measure", sort=False):
        ranges = of_measure.groupby("system", sort=False)["value"].agg(["min", "max"]).dropna()
        is_unit = (ranges["min"] >= 0) & (ranges["max"] <= 1)
        if is_unit.any() and not is_unit.all() and not _are_counts(of_measure, ranges):
            range_texts = [
                f"{low:g} to {high:g} in {name}" for name, low, high in ranges.itertuples()
            ]
            text = f"values of {measure} have different ranges: {join_names(range_texts)}"
            yield Notice("warning", f"{text}; on different scales they are not comparable")


def _are_counts(of_measure: pd.DataFrame, ranges: pd.DataFrame) -> bool:
    """Return whether the values of a measure are counts, of which a run may have few.

    Counts are whole, begin at 0 in every run, and include 1 where they exceed it: a run of 0 to 2
    and a run of 0 alone count alike, but a run of 0 and 100 has another scale than one of 0 and 1.
    """
    are_whole = bool((of_measure["value"].dropna() % 1 == 0).all())
    exceeding = ranges.index[ranges["max"] > 1]
    has_one = (of_measure["value"] == 1).groupby(of_measure["system"]).any()
    return are_whole and bool((ranges["min"] == 0).all()) and bool(has_one[exceeding].all())


def _judge_notices(study: Study) -> Iterator[Notice]:
    """Yield judges whose verdicts could not be read when rejudging."""
    again = study.verdicts[study.verdicts["repeat"] > 0]
    if again.empty:
        return
    unread = again["reason"].notna() & again["value"].isna()
    keys = [again[name] for name in ("scorer", "system", "judge", "answer", "repeat")]
    by_reply = unread.groupby(keys, sort=False).all()
    counts = by_reply.groupby(level=[0, 1, 2], sort=False).agg(["sum", "size"])
    for (scorer, system, judge), lost, of in counts[counts["sum"] > 0].itertuples():
        text = f"{judge} gave no readable verdict on {lost} of {of} answers of {system}"
        yield Notice("warning", f"{text} that were judged again ({scorer})")


def _retest_notices(study: Study) -> Iterator[Notice]:
    """Yield primary measures that changed significantly when the answers were judged again."""
    changes = [
        f"{retest.measure.label} of {retest.system} changes by {show(retest.change)}"
        for retest in primary_retests(study)
        if (retest.mean.low or 0) * (retest.mean.high or 0) > 0
    ]
    if changes:
        text = f"judged again, {join_names(changes)}"
        yield Notice("warning", f"{text}: the judge's verdicts are not stable")


def _in_words(ways: dict[str, frozenset[str]], distinct: frozenset[str]) -> str:
    texts = [f"{name}: {distinct_parts(signatures, distinct)}" for name, signatures in ways.items()]
    if any(":tools" in text for text in texts):
        texts.append("tools: no passage was read, so results of tools were the source")
    return "; ".join(texts)


def _sample_notices(study: Study) -> Iterator[Notice]:
    """Yield systems with missing scores or different samples."""
    costs = [spec.key for spec in study.catalogue.specs if spec.family == "cost"]
    scores_by_system = dict(study.by_system(study.scores))
    for run in study.rows:
        system = run.system
        scores = scores_by_system[system]
        missing = scores.loc[scores["status"] == "missing", "answer"].nunique()
        if scores.empty and not study.scores.empty:  # else that is why nothing is compared
            yield Notice("warning", f"{system} has no scores", run.location)
        elif missing:
            text = f"{system} has missing scores on {missing} of {scores['answer'].nunique()}"
            yield Notice("warning", f"{text} samples", run.location)
        is_lost = (scores["reason"] == "no_value") & ~scores["measure"].isin(costs)
        lost = Counter(scores.loc[is_lost, "measure"]).most_common()
        if lost:
            counts = [f"{name} on {format_count(n, 'sample')}" for name, n in lost]
            if len(counts) > MOST_NAMED + 1:
                more = format_count(len(counts) - MOST_NAMED, "more measure")
                counts[MOST_NAMED:] = [more]
            yield Notice("warning", f"{system} has no value for {join_names(counts)}", run.location)
    answered = [frozenset(answers["id"]) for _, answers in study.by_system(study.answers)]
    if len(set(answered)) > 1:
        both = len(frozenset.intersection(*answered))
        text = f"the systems did not run on the same samples of {study.name}; they share {both}"
        yield Notice("note", f"{text}, and each difference uses the samples of both its systems")


def _model_notices(study: Study) -> Iterator[Notice]:
    """Yield differing judges, and judges of the same family as the model judged."""
    writers = [run for run in study.rows if _wrote(run)]
    judges = sorted(set(chain.from_iterable(run.graders for run in study.rows)))
    foreign = bool(study.scores["signature"].isna().all())
    if foreign and len({writer.graders for writer in writers if writer.graders}) > 1:
        text = f"the systems of {study.name} were judged by different models ({join_names(judges)})"
        yield Notice("warning", f"{text}: differences may come from the judges")
    related: dict[tuple[str, str], list[str]] = defaultdict(list)
    for run in writers:
        for judge in run.graders:
            is_known = not (by_rule(judge) or is_recorded(judge))
            if is_known and model_family(judge) == model_family(run.model):
                related[judge, run.model].append(run.system)
    for (judge, model), systems in related.items():
        text = f"{judge} judged {join_names(systems)}, written by {model} of the same family"
        tokens = study.answers.loc[study.answers["system"].isin(systems), "tokens"]
        is_included = judge == model and foreign and tokens.notna().any()
        paid = "; tokens and cost include its judging" if is_included else ""
        yield Notice("warning", f"{text}; judges tend to favour their own family{paid}")


def _recording_notices(study: Study) -> Iterator[Notice]:
    """Yield the recordings replayed, and how many requests have changed since."""
    answers = study.answers
    for recording in recordings_of(study):
        yield Notice("warning", f"{study.name} replays {recording}")
    replayed = answers[answers["recordings"].map(bool)]
    if replayed["cost_usd"].isna().any():
        yield Notice("note", "recorded replies without a price leave the cost unknown")
    changed = int(answers["changed_prompts"].sum())
    if changed:
        yield Notice("note", f"{CHANGED} ({changed:,})")
    missing = int(answers["unrecorded_verdicts"].sum())
    if missing:
        yield Notice("warning", f"{MISSING} ({missing:,})")


def _wrote(run: RunRow) -> bool:
    """Return whether a run's model, rather than an external system, wrote its answers."""
    is_external = run.solver == EXTERNAL.name and not run.parameters.get("bridge")
    return run.model_wrote and not (is_external or run.replayed)


_NOTICES = (
    _price_notices,
    _run_notices,
    _comparison_notices,
    _oracle_notices,
    _signature_notices,
    _corpus_notices,
    _independence_notices,
    _arithmetic_notices,
    _contested_notices,
    _range_notices,
    _judge_notices,
    _retest_notices,
    _sample_notices,
    declined_notices,
    _model_notices,
    _recording_notices,
)
"""Functions that yield what puts the comparisons of a study in doubt, in the order of notices."""
