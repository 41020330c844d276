"""Scores of a log as numbers with a status, separating repetitions from measures."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score, value_to_float

from ..._util.json_reply import prose
from ..frames import Status
from .records import Judgement, MeasureValue, Run, Scoring

LARGEST = 1e15
"""Largest value of a measure, so that sums of squares are finite."""

OUT_OF_RANGE = "out_of_range"
"""Stands for a value that was left out, and says why it is missing."""

TAXONOMY = "error_taxonomy"
_ANY = "any"
_REPEAT = re.compile(r"(?P<base>.+?)-?(?P<number>\d{1,9})")
_WORDS = ("C", "I", "P", "N", "yes", "no", "true", "false")
_CHOICES = {"correct": 1.0, "incorrect": 0.0, "refusal": 0.0}
"""Verdicts that are words, of `llm_accuracy`."""

_to_float = value_to_float()


@dataclass(frozen=True)
class Layout:
    """The scorers of a log and their measures."""

    keys: Mapping[str, tuple[str, ...]]
    """Keys by scorer; empty for a scorer of one value. Repetitions are not included."""

    repeats: Mapping[str, tuple[str, ...]]
    """Names of the repetitions of a scorer, in order."""

    @property
    def measures(self) -> tuple[str, ...]:
        """`scorer`, or `scorer.key` for each key."""
        return tuple(name for scorer in self.keys for name in self.names(scorer).values())

    def names(self, scorer: str) -> dict[str | None, str]:
        """Measures of a scorer, by key."""
        keys = self.keys[scorer]
        return {key: f"{scorer}.{key}" for key in keys} if keys else {None: scorer}


def read_layout(log: EvalLog) -> Layout:
    """Find the scorers of a log and their keys.

    A scorer named `NAME1` or `NAME-1` by `inspect score --action append` is a repetition
    of NAME if it has the same signature, and a separate measure
    otherwise.
    """
    keys: dict[str, dict[str, None]] = {}
    signatures: dict[str, set[str]] = {}
    for scorer in log.eval.scorers or []:
        metrics = scorer.metrics if isinstance(scorer.metrics, dict) else {}
        keys[scorer.name] = dict.fromkeys(key for key in metrics if key != "*")
    for sample in log.samples or []:
        for name, score in (sample.scores or {}).items():
            scorer_keys = keys.setdefault(name, {})
            if isinstance(score.value, Mapping):
                scorer_keys.update(dict.fromkeys(score.value))
            if signature := _signature(score):
                signatures.setdefault(name, set()).add(signature)
    repeats = _find_repeats(list(keys), signatures)
    repeated = {name for names in repeats.values() for name in names}
    return Layout(
        {name: tuple(scorer_keys) for name, scorer_keys in keys.items() if name not in repeated},
        repeats,
    )


def read_marks(sample: EvalSample, layout: Layout, skipped: str | None) -> dict[str, MeasureValue]:
    """Return the value of every measure for a sample, or why it is missing."""
    marks: dict[str, MeasureValue] = {}
    for scorer in layout.keys:
        score = (sample.scores or {}).get(scorer)
        for key, measure in layout.names(scorer).items():
            marks[measure] = _without_score(sample, skipped) if score is None else _mark(score, key)
    return marks


def aligned(runs: Sequence[Run]) -> list[Run]:
    """Give a scorer without any value in a run the keys that it has in the others."""
    keyed: dict[str, dict[str, None]] = {}
    for run in runs:
        for name in run.measures:
            if "." in name:
                keyed.setdefault(name.split(".")[0], {})[name] = None
    return [_with_keys(run, keyed) for run in runs]


def _with_keys(run: Run, keyed: Mapping[str, Mapping[str, None]]) -> Run:
    bare = [name for name in run.measures if name in keyed]
    if not bare or any(sample.value(name) is not None for sample in run.samples for name in bare):
        return run
    names = {name: list(keyed[name]) if name in bare else [name] for name in run.measures}
    samples = [
        replace(
            sample,
            marks={
                new: mark for name, mark in sample.marks.items() for new in names.get(name, [name])
            },
        )
        for sample in run.samples
    ]
    measures = tuple(new for name in run.measures for new in names[name])
    return replace(run, samples=tuple(samples), measures=measures)


def read_scorings(sample: EvalSample, layout: Layout) -> dict[str, Scoring]:
    """Return each scorer's further output for a sample."""
    scores = sample.scores or {}
    return {
        scorer: Scoring(
            explanation=scores[scorer].explanation,
            signature=_signature(scores[scorer]),
            metadata=scores[scorer].metadata or {},
            repeats=tuple(
                {
                    measure: mark.value
                    for key, measure in layout.names(scorer).items()
                    if (mark := _mark(scores[name], key)).value is not None
                }
                for name in layout.repeats.get(scorer, ())
                if name in scores
            ),
        )
        for scorer in layout.keys
        if scorer in scores
    }


def read_judgements(sample: EvalSample, layout: Layout) -> tuple[Judgement, ...]:
    """Return each judge's verdict on the answer, including repetitions."""
    scores = sample.scores or {}
    return tuple(
        _judgement(scorer, repeat, entry)
        for scorer in layout.keys
        for repeat, name in enumerate((scorer, *layout.repeats.get(scorer, ())))
        if name in scores
        for entry in entries((scores[name].metadata or {}).get("judges"))
    )


def read_codes(marks: Mapping[str, MeasureValue]) -> tuple[str, ...] | None:
    """Return a taxonomy's error codes; None if none was applied to the sample."""
    taxonomy = {
        measure.removeprefix(f"{TAXONOMY}."): mark.value
        for measure, mark in marks.items()
        if measure.startswith(f"{TAXONOMY}.") and mark.value is not None
    }
    if not taxonomy:
        return None
    return tuple(code for code, value in taxonomy.items() if value > 0 and code != _ANY)


def number(value: object) -> float | None:
    """Return a number of usual size, or None."""
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def base_of(name: str, names: Collection[str]) -> str:
    """Return the scorer that a score repeats by its name, or the name."""
    match = _REPEAT.fullmatch(name)
    return match["base"] if match and match["base"] in names else name


def _find_repeats(
    names: Sequence[str], signatures: Mapping[str, set[str]]
) -> dict[str, tuple[str, ...]]:
    repeats: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        match = _REPEAT.fullmatch(name)
        if match is None or match["base"] not in names:
            continue
        own = signatures.get(name)
        if own and own <= signatures.get(match["base"], set()):
            repeats.setdefault(match["base"], []).append((int(match["number"]), name))
    return {base: tuple(name for _, name in sorted(numbered)) for base, numbered in repeats.items()}


def _mark(score: Score, key: str | None) -> MeasureValue:
    value = score.value
    if key is not None:
        value = value.get(key) if isinstance(value, Mapping) else None  # type: ignore[assignment]
    figure = number(value)
    if figure is None and isinstance(value, str) and value.strip() in _WORDS:
        figure = float(_to_float(value.strip()))
    if figure is not None:
        return MeasureValue(figure, "scored")
    if value == OUT_OF_RANGE:
        return MeasureValue(None, "unscored", OUT_OF_RANGE)
    status: Status = "skipped" if score.reason == "skipped" else "unscored"
    return MeasureValue(None, status, score.reason or "no_value")


def _without_score(sample: EvalSample, skipped: str | None) -> MeasureValue:
    if sample.error is not None:
        return MeasureValue(None, "errored", first_line(sample.error.message))
    if skipped is not None:
        return MeasureValue(None, "skipped", skipped)
    return MeasureValue(None, "missing")


def entries(stored: object) -> list[dict[str, Any]]:
    """Return the mappings of a list; empty if the stored value is no list.

    Another package's scorer may store something else under the same key.
    """
    entries = stored if isinstance(stored, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def _signature(score: Score) -> str | None:
    signature = (score.metadata or {}).get("signature")
    return signature if isinstance(signature, str) else None


def _judgement(scorer: str, repeat: int, entry: Mapping[str, Any]) -> Judgement:
    raw = entry.get("raw")
    replies = [str(reply) for reply in raw] if isinstance(raw, list) else []
    reason, verdict = entry.get("reason"), entry.get("verdict")
    paid = number(entry.get("cost_usd"))
    return Judgement(
        scorer=scorer,
        grader=str(entry.get("grader", "")),
        verdict=_CHOICES.get(str(verdict).lower(), number(verdict)),
        said=_in_words(verdict),
        reasoning=prose(replies[-1]) if replies else "",
        reason=None if reason is None else str(reason),
        criteria=tuple(entries(entry.get("criteria"))),
        repeat=repeat,
        input_tokens=int(number(entry.get("input_tokens")) or 0),
        output_tokens=int(number(entry.get("output_tokens")) or 0),
        cost_usd=None if paid is None else paid + (number(entry.get("cached_usd")) or 0.0),
    )


def _in_words(verdict: object) -> str:
    """Return a verdict that is a word or a list of codes; empty for any other."""
    if isinstance(verdict, list):
        return ", ".join(map(str, verdict)) or "none"
    return verdict if isinstance(verdict, str) else ""


def first_line(text: str) -> str:
    """Return the first line with text, for a table."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
