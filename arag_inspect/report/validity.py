"""Warnings about the validity of comparisons."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas as pd

from .benchmark import Benchmark
from .frames import Notice
from .labels import listed

_FAMILIES = {
    **{
        name: name
        for name in [
            "claude",
            "llama",
            "mistral",
            "qwen",
            "deepseek",
            "grok",
            "command",
            "nova",
            "phi",
        ]
    },
    **dict.fromkeys(("gpt", "chatgpt", "o1", "o3", "o4"), "gpt"),
    **dict.fromkeys(("gemini", "gemma"), "gemini"),
    **dict.fromkeys(("mixtral", "ministral"), "mistral"),
    "qwq": "qwen",
}
"""Family of a model by the words of its name."""


def cautions(benchmarks: Sequence[Benchmark]) -> tuple[Notice, ...]:
    """Return everything that puts a comparison in doubt."""
    notices = list(_versions(benchmarks))
    for benchmark in benchmarks:
        notices += [
            *_prices(benchmark),
            *_cached(benchmark),
            *_runs(benchmark),
            *_signatures(benchmark),
            *_corpora(benchmark),
            *_contested(benchmark),
        ]
        notices += [*_samples(benchmark), *_rules(benchmark), *_families(benchmark)]
    return tuple(notices)


def model_family(model: str) -> str:
    """Return the family of a model by its name.

    E.g. `claude` for `openrouter/anthropic/claude-sonnet-4-6`.

    The name up to its first digit if the family is unknown.
    """
    name = model.split("/")[-1].lower()
    words = re.findall(r"[a-z]+\d?(?=[\W_]|$)|[a-z]+", name)
    family = next((_FAMILIES[word] for word in words if word in _FAMILIES), None)
    family = family or next((_FAMILIES[key] for key in _FAMILIES if name.startswith(key)), None)
    return family or re.split(r"[-_:.\d]", name)[0] or name


def _versions(benchmarks: Sequence[Benchmark]) -> Iterator[Notice]:
    versions: dict[tuple[str, str], dict[str, None]] = {}
    for benchmark in benchmarks:
        versions.setdefault((benchmark.task, benchmark.dataset), {})[benchmark.version] = None
    for (task, dataset), names in versions.items():
        if len(names) > 1:
            yield Notice(
                "warning",
                f"{task} on {dataset} was run in versions {listed(names)}; they are kept apart and "
                "not compared",
            )


def _prices(benchmark: Benchmark) -> Iterator[Notice]:
    """Yield models without known prices."""
    answers, verdicts = benchmark.answers, benchmark.verdicts
    for run in benchmark.rows:
        used = answers[(answers["system"] == run.system) & (answers["input_tokens"] > 0)]
        if used["cost_usd"].isna().any():
            yield _unpriced(f"{run.system} ({run.model})", used["cost_usd"], run.location)
        own = verdicts[verdicts["system"] == run.system]
        for judge, costs in own.groupby("judge", sort=False)["cost_usd"]:
            if costs.isna().any():
                yield _unpriced(f"the judge {judge} of {run.system}", costs, run.location)


def _cached(benchmark: Benchmark) -> Iterator[Notice]:
    """Yield answers whose replies came out of a cache, and so have no latency."""
    for system, answers in benchmark.by_system(benchmark.answers):
        if cached := int((answers["cached_calls"] > 0).sum()):
            yield Notice(
                "note",
                f"{cached} of {len(answers)} answers of {system} have replies out of a cache; they "
                "count with their price and without a latency",
                benchmark.runs.at[system, "location"],
            )


def _unpriced(who: str, costs: "pd.Series[float]", location: str) -> Notice:
    some = "" if costs.isna().all() else " for a part of the calls"
    return Notice(
        "warning",
        f"the dollars of {who} are not known{some}, and its cost is without them; before the next "
        "run, give the price with --model-cost-config",
        location,
    )


def _runs(benchmark: Benchmark) -> Iterator[Notice]:
    counts = benchmark.answers["system"].value_counts()
    for run in benchmark.rows:
        done = int(counts.get(run.system, 0))
        if run.status != "success" or done < run.planned:
            state = {"started": "is still running", "success": "is not complete"}
            yield Notice(
                "warning",
                f"{run.system} {state.get(run.status, f'ended with status {run.status}')}: "
                f"{done} of {run.planned} samples are reported",
                run.location,
            )
    if len(benchmark.rows) == 1:
        yield Notice(
            "note",
            f"{benchmark.name} has one system only, {benchmark.systems[0]}, and compares it with "
            "none",
        )
    models = list(dict.fromkeys(run.model for run in benchmark.rows))
    if len(models) > 1:
        yield Notice(
            "note",
            f"{benchmark.name} was run with {listed(models)}; every system is named with its model",
        )


def _signatures(benchmark: Benchmark) -> Iterator[Notice]:
    """Yield measures that were taken in different ways, on all samples or on some."""
    for scorer in dict.fromkeys(benchmark.ways.index.get_level_values("scorer")):
        ways = {
            system: own
            for system in benchmark.systems
            if (own := benchmark.signatures(scorer, system))
        }
        distinct = frozenset().union(*ways.values())
        if len(distinct) < 2:
            continue
        own_ways = benchmark.ways[scorer]
        signed = set(own_ways.index.get_level_values("id"))
        alike = benchmark.alike(scorer, list(ways))
        unlike = [
            sample
            for sample, same in zip(benchmark.sample_ids, alike, strict=True)
            if not same and sample in signed
        ]
        if len(unlike) == len(signed) or len(ways) == 1:
            listed_ways = "; ".join(_way(system, own, distinct) for system, own in ways.items())
            yield Notice(
                "warning",
                f"{scorer} was measured in different ways, so its values are not comparable "
                f"({listed_ways})",
            )
        elif unlike:
            first = [(system, own_ways.get((system, unlike[0]))) for system in ways]
            listed_ways = "; ".join(_way(system, own, distinct) for system, own in first if own)
            more = f" and {len(unlike) - 3} more" if len(unlike) > 3 else ""
            yield Notice(
                "warning",
                f"{scorer} of {len(unlike)} of {len(benchmark.sample_ids)} samples was measured in "
                "different ways, and they are left out where the systems are compared: "
                f"{', '.join(unlike[:3])}{more} ({unlike[0]}: {listed_ways})",
            )


def _way(system: str, own: Iterable[str], distinct: frozenset[str]) -> str:
    return f"{system}: {' and '.join(sorted(distinct_parts(way, distinct) for way in own))}"


def distinct_parts(signature: str, signatures: Iterable[str]) -> str:
    """Return the parts of a signature that some others lack."""
    common = set.intersection(*(set(other.split("|")) for other in signatures))
    return "|".join(part for part in signature.split("|") if part not in common) or "no difference"


def _corpora(benchmark: Benchmark) -> Iterator[Notice]:
    corpora = {run.system: run.corpus for run in benchmark.rows if run.corpus}
    if len(set(corpora.values())) > 1:
        digests = "; ".join(f"{system}: {digest[:12]}" for system, digest in corpora.items())
        yield Notice(
            "warning",
            f"the systems searched different corpora, so chunks are not comparable ({digests})",
        )


def _contested(benchmark: Benchmark) -> Iterator[Notice]:
    """Yield measures of other packages that the logs declare differently."""
    if benchmark.contested:
        yield Notice(
            "warning",
            f"the logs of {benchmark.name} declare {listed(benchmark.contested)} differently "
            "(direction, range or role), so no system is better or worse by it",
        )


def _samples(benchmark: Benchmark) -> Iterator[Notice]:
    scores = benchmark.scores
    for run in benchmark.rows:
        own = scores[scores["system"] == run.system]
        if own.empty:
            yield Notice("warning", f"{run.system} has no scores", run.location)
        elif missing := own.loc[own["status"] == "missing", "answer"].nunique():
            yield Notice(
                "warning",
                f"{run.system} has {missing} of {own['answer'].nunique()} samples without one of "
                "its scores",
                run.location,
            )
    answered = [frozenset(own["id"]) for _, own in benchmark.by_system(benchmark.answers)]
    if len(set(answered)) > 1:
        both = len(frozenset.intersection(*answered))
        yield Notice(
            "note",
            f"the systems did not run on the same samples of {benchmark.name}; {both} are common, "
            "and differences are taken on those that both sides of a pair have",
        )


def _rules(benchmark: Benchmark) -> Iterator[Notice]:
    """Yield answers and verdicts not produced by a language model."""
    systems = [run.system for run in benchmark.rows if _by_rule(run.model) and _wrote(run)]
    if systems:
        yield Notice(
            "warning",
            f"{listed(systems)} of {benchmark.name} wrote by rule (offline/extractive), and no "
            "language model: the figures show that everything works, and what retrieval is worth "
            "to one and the same writer; samples that run at once share the processor, and their "
            "latency is mostly waiting for it",
        )
    judges = {judge for run in benchmark.rows for judge in run.graders if _by_rule(judge)}
    if judges:
        yield Notice(
            "warning",
            f"{listed(sorted(judges))} judged {benchmark.name} by rule, which is no substitute for a "
            "language model: its faithfulness is no better than chance (ROC-AUC 0.49 on SummEdits)",
        )


def _by_rule(model: str) -> bool:
    return model.startswith("offline/")


def _wrote(run: Any) -> bool:
    """Return whether the model of a run wrote its answers, and not a system outside."""
    return run.solver not in ("external", "replay") or bool(run.parameters.get("bridge"))


def _families(benchmark: Benchmark) -> Iterator[Notice]:
    """Yield judges of the same model family as the judged system."""
    related: dict[tuple[str, str], list[str]] = {}
    for run in benchmark.rows:
        for judge in run.graders:
            same = _wrote(run) and model_family(judge) == model_family(run.model)
            if same and not _by_rule(judge):
                related.setdefault((judge, run.model), []).append(run.system)
    for (judge, model), systems in related.items():
        yield Notice(
            "warning",
            f"{judge} judged {listed(systems)}, written by {model} of the same family; judges are "
            "known to favour their own",
        )
