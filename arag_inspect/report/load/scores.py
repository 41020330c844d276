"""Read a log's scores as rows: values with a status, repeated measurements and judges' verdicts."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import nan
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog, EvalSample

from ..._util.bounds import SCORE_KEYS
from ...measure import MeasureFamily, MeasureKey, MeasureSpec, find_measure, scale_of
from ...text.replies import prose
from ...types.score_metadata import JudgeRecord, ScoreMetadata, read_metadata
from ..rows import AnswerKeys, ScoreRow, ScoreStatus, VerdictRow
from .header import key_of
from .measures import describe_measures, keys_in_metadata, numbered_scorers
from .values import figure, first_line, impossible, is_possible, number, or_nan, split_effort

OUT_OF_RANGE = "out_of_range"
"""Reason for a missing value that was left out because it is out of range."""

_REPEAT = re.compile(r"(?P<base>.+?)-?(?P<number>\d{1,9})")
_CHOICES = {
    **dict.fromkeys(("correct", "refused", "sufficient"), 1.0),
    **dict.fromkeys(("incorrect", "refusal", "answered", "partial", "insufficient"), 0.0),
}
"""Verdicts that are words, of `llm_accuracy`, `abstention` and `context_sufficiency`."""

_Names = dict[str | None, str]
"""Measures of a scorer by key; for a scorer with a single value, the key is None."""


class _ScoreResult(NamedTuple):
    """Columns of a score: its value, or why there is none."""

    value: float
    status: ScoreStatus
    reason: str | None = None


class _Value(NamedTuple):
    """A value as read from a log."""

    result: _ScoreResult
    impossible: tuple[str, ...] = ()
    """A description of the value that was left out because it is impossible."""


class SampleScores(NamedTuple):
    """The scores of a sample."""

    scores: Sequence[ScoreRow]
    verdicts: Sequence[VerdictRow]
    impossible: Sequence[str]
    """Descriptions of impossible values left out."""


class LogScores:
    """The scores of a log.

    A scorer named `NAME1` or `NAME-1` by `inspect score --action append` is a repetition of NAME
    if it has the same signature, and a separate measure otherwise.

    Args:
        log: The log.
        samples: Its samples that count.
        lower: Measures for which a lower value is better.
        higher: Measures for which a higher value is better.
    """

    def __init__(
        self,
        log: EvalLog,
        samples: Sequence[EvalSample],
        lower: Sequence[str],
        higher: Sequence[str],
    ) -> None:
        values = _declared_keys(log)
        excess_keys = _collect_values(values, samples)
        metadata_keys = keys_in_metadata(log)
        self._metadata = {key_of(sample): _read_metadata(sample) for sample in samples}
        self.repeats = _find_repeats(self._metadata.values())
        """Names of the repetitions of a scorer, in order."""

        repeated = set(chain.from_iterable(self.repeats.values()))
        names: dict[str, _Names] = {}
        by_measure: dict[str, list[Any]] = {}
        self._in_metadata: set[str] = set()
        for scorer, by_key in values.items():
            if scorer not in repeated:
                in_metadata: _Names = {
                    key: str(MeasureKey(scorer, key)) for key in metadata_keys.get(scorer, ())
                }
                names[scorer] = _names(scorer, by_key, by_measure) | in_metadata
                self._in_metadata.update(in_metadata.values())
                by_measure |= {name: by_key.get(key, []) for key, name in names[scorer].items()}
        self.described = describe_measures(log, by_measure, lower, higher)
        self.names: dict[str, _Names] = {}
        """Measures by scorer and key, in the order of the scorers, without texts."""

        texts = self.described.texts
        for scorer, measures in names.items():
            figures = {key: name for key, name in measures.items() if name not in texts}
            self.names[scorer] = figures

        excess_notes = [_note_on_excess(name, len(keys)) for name, keys in excess_keys.items()]
        self.notes = (*self.described.notes, *excess_notes)
        """Omitted and unknown values, for notices."""

        specs = self.described.specs
        self._spec = cache(
            lambda measure, scale: find_measure(measure, specs, (scale,) if scale else ())
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """Keys of the measures."""
        return tuple(chain.from_iterable(names.values() for names in self.names.values()))

    def scorers_of(self, family: MeasureFamily) -> tuple[str, ...]:
        """Return the scorers with a measure of a family."""
        scorers = []
        for scorer, names in self.names.items():
            if family in {self._spec(measure, None).family for measure in names.values()}:
                scorers.append(scorer)
        return tuple(scorers)

    def read(self, sample: EvalSample, keys: AnswerKeys, skipped: str | None) -> SampleScores:
        """Return the scores of a sample, with a row for every measure.

        Args:
            sample: One of the samples.
            keys: Columns that the rows share with that of the answer.
            skipped: Why the system skipped the sample, if it did.
        """
        scores = list(self._scores(sample, keys, skipped))
        verdicts = list(self._verdicts(sample, keys))
        return SampleScores(
            [row for row in scores if isinstance(row, ScoreRow)],
            [row for row in verdicts if isinstance(row, VerdictRow)],
            [text for text in (*scores, *verdicts) if isinstance(text, str)],
        )

    def _scores(
        self, sample: EvalSample, keys: AnswerKeys, skipped: str | None
    ) -> Iterator[ScoreRow | str]:
        """Yield the value of every measure for a sample, or why it is missing.

        Before a row without an impossible value, yield a description of that value.
        """
        for scorer, names in self.names.items():
            score = (sample.scores or {}).get(scorer)
            for key, measure in names.items():
                if score is None:
                    yield ScoreRow(*keys, measure, scorer, *_without_score(sample, skipped))
                    continue
                value = self._value(sample, scorer, key, measure)
                yield from value.impossible
                yield ScoreRow(
                    *keys,
                    measure,
                    scorer,
                    *value.result,
                    self._metadata[key_of(sample)][scorer].signature,
                    score.explanation,
                    score.metadata or {},
                    scale_of(score.metadata),
                )

    def _verdicts(self, sample: EvalSample, keys: AnswerKeys) -> Iterator[VerdictRow | str]:
        """Yield every repeated value and every judge's verdict, and impossible values as texts."""
        metadata = self._metadata[key_of(sample)]
        for scorer in self.names:
            signature = metadata[scorer].signature if scorer in metadata else None
            for repeat, name in enumerate((scorer, *self.repeats.get(scorer, ()))):
                if name not in metadata:
                    continue
                row = VerdictRow(*keys, scorer, scorer, "", repeat, nan, signature=signature)
                if repeat:
                    yield from self._repeated_values(sample, row, name)
                yield from self._judgements(sample, row, name)

    def _repeated_values(
        self, sample: EvalSample, row: VerdictRow, name: str
    ) -> Iterator[VerdictRow | str]:
        """Yield the values that a repetition of a scorer gave to a sample."""
        for key, measure in self.names[row.scorer].items():
            value = self._value(sample, name, key, measure)
            yield from value.impossible
            if value.result.status == "scored":
                yield row._replace(measure=measure, value=value.result.value)

    def _judgements(
        self, sample: EvalSample, row: VerdictRow, name: str
    ) -> Iterator[VerdictRow | str]:
        """Yield the verdict of every judge of a scorer, or of its repetition with another name."""
        spec = self._add_scale(row.scorer, (sample.scores or {})[name].metadata)
        metadata = self._metadata[key_of(sample)][name]
        for record in metadata.judges:
            judge = f"{name} of judge {record.grader}"
            verdict = record.verdict
            if isinstance(verdict, Mapping):  # lists of sentences, passages or facts
                verdict = metadata.verdicts.get(record.grader)
            if spec.graded and not is_possible(verdict, spec):
                yield impossible(sample.id, judge, verdict)
                verdict = None
            effort, wrong = split_effort(record.effort)
            for field, amount in wrong.items():
                yield impossible(sample.id, f"{judge}, {field}", amount)
            paid_usd = number(effort.get("cost_usd"))
            cached_usd = number(effort.get("cached_usd")) or 0.0
            yield row._replace(
                judge=record.grader,
                value=or_nan(_CHOICES.get(str(verdict).lower(), number(verdict))),
                said=_verdict_text(verdict, record),
                reason=record.reason,
                text=prose(record.raw[-1]) if record.raw else "",
                details=tuple(record.criteria),
                input_tokens=int(number(effort.get("input_tokens")) or 0),
                output_tokens=int(number(effort.get("output_tokens")) or 0),
                cost_usd=nan if paid_usd is None else paid_usd + cached_usd,
            )

    def _value(self, sample: EvalSample, name: str, key: str | None, measure: str) -> _Value:
        score = (sample.scores or {})[name]
        metadata = self._metadata[key_of(sample)][name]
        value: Any = score.value
        if measure in self._in_metadata:
            value = metadata.shares
        if key is not None:
            value = value.get(key) if isinstance(value, Mapping) else None
        parsed = figure(value)
        is_number = isinstance(value, int | float)
        spec = self._add_scale(measure, score.metadata)
        if not is_possible(value if is_number else parsed, spec):
            text = impossible(sample.id, str(MeasureKey(name, key or "")), value)
            return _Value(_ScoreResult(nan, "unscored", OUT_OF_RANGE), (text,))
        if parsed is not None and not (parsed == -1 and measure in self.described.unmeasured):
            return _Value(_ScoreResult(parsed, "scored"))
        status: ScoreStatus = "skipped" if score.reason == "skipped" else "unscored"
        reason = metadata.unscored.get(key or "")
        return _Value(_ScoreResult(nan, status, score.reason or str(reason or "no_value")))

    def _add_scale(self, measure: str, metadata: Mapping[str, Any] | None) -> MeasureSpec:
        return self._spec(measure, scale_of(metadata))


def _declared_keys(log: EvalLog) -> dict[str, dict[str | None, list[Any]]]:
    """Return an empty list of values for each key of a scorer that its metrics declare."""
    values: dict[str, dict[str | None, list[Any]]] = {}
    for name, scorer in numbered_scorers(log):
        groups = scorer.metrics if isinstance(scorer.metrics, list) else [scorer.metrics]
        keys = chain.from_iterable(group for group in groups if isinstance(group, dict))
        names = [key for key in keys if key != "*"]
        values[name] = {key: [] for key in names[: SCORE_KEYS.maximum]}
    return values


def _collect_values(
    values: dict[str, dict[str | None, list[Any]]], samples: Iterable[EvalSample]
) -> dict[str, set[str | None]]:
    """Add the values of samples by scorer and key, and return the keys beyond the maximum."""
    excess_keys: dict[str, set[str | None]] = {}
    for sample in samples:
        for name, score in (sample.scores or {}).items():
            by_key = values.setdefault(name, {})
            parts: Any = score.value if isinstance(score.value, dict) else {None: score.value}
            for key, value in parts.items():
                if key in by_key or len(by_key) < SCORE_KEYS.maximum:
                    by_key.setdefault(key, []).append(value)
                else:
                    excess_keys.setdefault(name, set()).add(key)
    return excess_keys


def _read_metadata(sample: EvalSample) -> dict[str, ScoreMetadata]:
    """Return the metadata of each score of a sample."""
    scores = (sample.scores or {}).items()
    return {name: read_metadata(score.metadata) for name, score in scores}


def _find_repeats(samples: Iterable[Mapping[str, ScoreMetadata]]) -> dict[str, list[str]]:
    """Return the scorers that repeat another: numbered, without a signature."""
    signatures: dict[str, set[str]] = defaultdict(set)
    for sample in samples:
        for name, metadata in sample.items():
            signatures[name].update(filter(None, [metadata.signature]))
    repeats: dict[str, list[str]] = defaultdict(list)
    numbered = filter(None, map(_REPEAT.fullmatch, signatures))
    for match in sorted(numbered, key=lambda match: int(match["number"])):
        name, base = match[0], match["base"]
        if signatures[name] and signatures[name] <= signatures.get(base, set()):
            repeats[base].append(name)
    return repeats


def _names(scorer: str, values: Iterable[str | None], taken_names: Collection[str]) -> _Names:
    """Name the measures of a scorer; a name that is taken gets the scorer's name appended."""
    keys = [key for key in values if key is not None]
    names: _Names = {key: str(MeasureKey(scorer, key)) for key in keys}
    names = names or {None: scorer}
    return {
        key: f"{name} ({scorer})" if name in taken_names else name for key, name in names.items()
    }


def _note_on_excess(scorer: str, excess: int) -> str:
    limit = f"{SCORE_KEYS.maximum:,} {SCORE_KEYS.noun}"
    return f"{scorer} has more than {limit}; {excess:,} are left out"


def _without_score(sample: EvalSample, skipped: str | None) -> _ScoreResult:
    if sample.error is not None:
        return _ScoreResult(nan, "errored", first_line(sample.error.message))
    return _ScoreResult(nan, "missing" if skipped is None else "skipped", skipped)


def _verdict_text(verdict: object, record: JudgeRecord) -> str:
    """Return a judge's verdict in words; empty if it is a number."""
    if isinstance(verdict, list):
        return ", ".join(map(str, verdict)) or "none"
    if record.f1 is not None:
        return f"F1 {record.f1:.2f}"
    return verdict if isinstance(verdict, str) else record.part or ""
