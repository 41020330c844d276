"""What retrieval is worth beside reading the whole document, by length of the documents."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...stats.estimates import Floats, Paired
from ...types.measures import MeasureSpec
from ..benchmark import Benchmark, once
from ..comparisons import Comparison, compared
from ..labels import counted, in_sentence
from ..primary import primary_measures
from ..table import Cell, Signed, mean_over, show, tabled

_CHARACTERS_A_TOKEN = 4
_TOO_LONG = re.compile(r"([\d,]{1,15}) tokens are over")
_FEWEST = 8
"""Fewest samples that are divided by length."""

_UNLIKE = 1.5
"""Ratio of the longest document to the shortest from which lengths differ."""


class Contest(NamedTuple):
    """A system that retrieves against one that reads the whole document."""

    retrieval: str
    whole: str
    measure: MeasureSpec
    lengths: Floats
    """Tokens of each sample's documents, shape (samples,); NaN if unknown."""

    skipped: NDArray[np.bool_]
    """Samples that were too long for the second and that the first answered, shape (samples,)."""

    comparison: Comparison | None
    """On the samples of both; None if there are none."""


@once
def contest(benchmark: Benchmark) -> Contest | None:
    """Return the best system that retrieves against the one that reads whole documents, if any.

    They are compared on the first primary measure of answers, coverage before others.
    """
    contexts = benchmark.answers.groupby("system")["context"].agg(lambda own: own.mode().iat[0])
    runs = benchmark.runs
    whole = [run.system for run in benchmark.rows if run.solver == "stuffing"]
    specs = [benchmark.spec(key) for key in primary_measures(benchmark)]
    specs = [spec for spec in specs if spec.family != "retrieval" and spec.higher_is_better]
    specs.sort(key=lambda spec: spec.key != "geval_coverage")
    for spec in specs if whole else ():
        rivals = {
            system: mean.mean
            for system in benchmark.systems
            if contexts.get(system) == "retrieved"
            and runs.at[system, "model"] == runs.at[whole[0], "model"]
            and (mean := benchmark.estimate(system, spec.key)) is not None
        }
        if rivals:
            best = max(rivals, key=lambda system: rivals[system])
            return _contest(benchmark, best, whole[0], spec)
    return None


def _contest(benchmark: Benchmark, retrieval: str, whole: str, spec: MeasureSpec) -> Contest:
    answers = benchmark.answers.drop_duplicates(["system", "id"]).set_index("id")
    own = answers[answers["system"] == whole].reindex(list(benchmark.sample_ids))
    lengths = [_tokens(row.passages, row.error) for row in own.itertuples()]
    answered = ~np.isnan(benchmark.of(retrieval, spec.key))
    pair = next(
        (
            contest
            for contest in compared(benchmark)
            if contest.measure.key == spec.key and {contest.a, contest.b} == {retrieval, whole}
        ),
        None,
    )
    skipped = (own["outcome"] == "skipped").to_numpy() & answered
    return Contest(retrieval, whole, spec, np.array(lengths, float), skipped, pair)


def _tokens(passages: object, error: object) -> float:
    """Return the tokens of a document that was read, or of one that was too long."""
    if isinstance(error, str) and (match := _TOO_LONG.search(error)):
        return float(match[1].replace(",", ""))
    read = passages if isinstance(passages, tuple) else ()
    return sum(len(passage.text) for passage in read) / _CHARACTERS_A_TOKEN or float("nan")


def _groups(own: Contest) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the samples by length, in words: all that fit, or their halves, and the rest."""
    measured = ~np.isnan(own.lengths)
    fitting = measured & ~own.skipped
    lengths = own.lengths[fitting]
    if lengths.size >= _FEWEST and lengths.max() >= _UNLIKE * lengths.min():
        middle = float(np.median(lengths))
        yield "shorter half", fitting & (own.lengths <= middle)
        yield "longer half", fitting & (own.lengths > middle)
    elif lengths.size:
        yield "all that fit", fitting
    if own.skipped.any():
        yield f"too long for {own.whole}", own.skipped


def _range(lengths: Floats) -> str:
    measured = lengths[~np.isnan(lengths)]
    if not measured.size:
        return "of unknown length"
    low, high = (f"{round(end, -1):,.0f}" for end in (measured.min(), measured.max()))
    return f"{low} tokens" if low == high else f"{low} to {high} tokens"


def _paired(benchmark: Benchmark, own: Contest, among: NDArray[np.bool_] | None) -> Paired | None:
    return benchmark.compare(own.retrieval, own.whole, own.measure.key, among=among)


def _names(benchmark: Benchmark) -> list[str]:
    own = contest(benchmark)
    return [own.retrieval, own.whole] if own else []


@tabled("by_length", lambda benchmark: {"pair": _names(benchmark)})
def by_length(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the two systems by length of the documents; None without both kinds of system."""
    own = contest(benchmark)
    for name, among in _groups(own) if own else ():
        assert own is not None
        paired = _paired(benchmark, own, among)
        yield (
            *(name, _range(own.lengths[among]), own.measure.label),
            *(
                mean_over(benchmark.of(system, own.measure.key)[among])
                for system in (own.retrieval, own.whole)
            ),
            Signed(paired.difference, paired.low, paired.high) if paired else None,
        )


def key_finding(benchmark: Benchmark) -> str | None:
    """Say whether retrieval adds value for documents of this length, and why, in a sentence or two.

    None unless one system retrieves, one reads the whole document, and both answered or skipped.
    """
    own = contest(benchmark)
    replies = benchmark.answers[benchmark.answers["outcome"].isin(["answered", "skipped"])]
    if own is None or not {own.retrieval, own.whole} <= set(replies["system"]):
        return None
    name, pair = in_sentence(own.measure), own.comparison
    fitting = own.lengths[~own.skipped]
    if pair is None:
        return f"{_over(benchmark, own)}." if own.skipped.any() else None
    adds, unclear = "is not shown to add", "the difference may be chance: "
    if pair.winner:
        adds, unclear = "adds" if pair.winner == own.retrieval else "does not add", ""
    elif not (pair.paired.wins or pair.paired.losses):
        adds, unclear = "does not add", ""
    _, gap = pair.seen_from(own.whole)
    difference = f"{name} {show(gap)} against {own.whole}"
    if not (pair.paired.wins or pair.paired.losses):
        difference = f"the same {name} on every sample as {own.whole}"
    text = (
        f"Retrieval {adds} value for documents of this length ({_range(fitting)}), because "
        f"{unclear}{own.retrieval}, {_found(benchmark, own)}, has {difference}, which reads the "
        f"whole document{_spent(benchmark, own)}."
    )
    by_half = list(_by_half(benchmark, own))
    text += f" By length: {'; '.join(by_half)}." if len(by_half) > 1 else ""
    return text + (f" {_over(benchmark, own)}." if own.skipped.any() else "")


def _found(benchmark: Benchmark, own: Contest) -> str:
    recall = benchmark.estimate(own.retrieval, "retrieval_pr.recall")
    if recall is None:
        return "whose recall is unknown"
    return f"which finds {recall.mean:.0%} of the evidence".replace("%", " %")


def _spent(benchmark: Benchmark, own: Contest) -> str:
    """Return the tokens that the two take, on the samples that the second answered."""
    finished = benchmark.finished
    fitting = finished[finished["id"].isin(np.array(benchmark.sample_ids)[~own.skipped])]
    means: pd.Series[float] = fitting.groupby("system")["tokens"].mean()
    first, second = means.get(own.retrieval), means.get(own.whole)
    if first is None or second is None or first != first or second != second:
        return ""
    return (
        f", and takes {first:,.0f} tokens per question of these documents instead of {second:,.0f}"
    )


def _by_half(benchmark: Benchmark, own: Contest) -> Iterator[str]:
    for _, among in _groups(own):
        if (paired := _paired(benchmark, own, among)) is not None:
            gap = show(Signed(paired.difference, paired.low, paired.high))
            yield f"{_range(own.lengths[among])} {gap} (n {paired.n})"


def _over(benchmark: Benchmark, own: Contest) -> str:
    """Say what retrieval gives where the whole document does not fit."""
    mean = mean_over(benchmark.of(own.retrieval, own.measure.key)[own.skipped])
    documents = counted(int(own.skipped.sum()), "document")
    return (
        f"Retrieval adds value where a document is too long: {own.whole} skipped {documents} "
        f"({_range(own.lengths[own.skipped])}), and {own.retrieval} answered with "
        f"{in_sentence(own.measure)} {show(mean)}"
    )
