"""Read a log's scores as rows: values with a status, repeated measurements and judges' verdicts."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from inspect_ai.log import EvalLog, EvalSample

from ..._util.bounds import SCORE_KEYS
from ...measure import MeasureFamily, MeasureKey, MeasureSpec, find_measure, scale_of
from ...text.replies import prose
from ...types.sample import QUESTION, known_styles
from ...types.score_metadata import JudgeRecord, ScoreMetadata, read_metadata
from ..frames import Row
from ..rows import ScoreStatus
from .header import key_of
from .measures import describe_measures, keys_in_metadata, numbered_scorers
from .values import clean_effort, figure, first_line, impossible, is_possible, number

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
        """What is left out or unknown, for notices."""

        self.impossible: list[str] = []
        """Descriptions of impossible values left out; filled as rows are made."""

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

    def rows(self, sample: EvalSample, skipped: str | None) -> Iterator[Row]:
        """Yield the value of every measure for a sample, or why it is missing."""
        for scorer, names in self.names.items():
            score = (sample.scores or {}).get(scorer)
            shared: Row = {"scorer": scorer}
            if score is not None:
                signature = self._metadata[key_of(sample)][scorer].signature
                shared |= {"signature": signature, "text": score.explanation}
                shared |= {"details": score.metadata or {}, "scale": scale_of(score.metadata)}
            for key, measure in names.items():
                missing_row = _without_score(sample, skipped)
                value = missing_row if score is None else self._value(sample, scorer, key, measure)
                yield shared | {"measure": measure} | value

    def verdicts(self, sample: EvalSample) -> Iterator[Row]:
        """Yield every repeated value, and every judge's verdict on the answer."""
        metadata = self._metadata[key_of(sample)]
        for scorer in self.names:
            signature = metadata[scorer].signature if scorer in metadata else None
            for repeat, name in enumerate((scorer, *self.repeats.get(scorer, ()))):
                if name not in metadata:
                    continue
                shared: Row = {"scorer": scorer, "signature": signature, "repeat": repeat}
                if repeat:
                    for row in self._repeated_values(sample, scorer, name):
                        yield shared | row
                for row in self._judgements(sample, scorer, name):
                    yield shared | row

    def _repeated_values(self, sample: EvalSample, scorer: str, name: str) -> Iterator[Row]:
        """Yield the values that a repetition of a scorer gave to a sample."""
        for key, measure in self.names[scorer].items():
            value = self._value(sample, name, key, measure)["value"]
            if value is not None:
                yield {"measure": measure, "judge": "", "value": value}

    def _judgements(self, sample: EvalSample, scorer: str, name: str) -> Iterator[Row]:
        """Yield the verdict of every judge of a scorer, or of its repetition with another name."""
        spec = self._add_scale(scorer, (sample.scores or {})[name].metadata)
        metadata = self._metadata[key_of(sample)][name]
        for record in metadata.judges:
            if isinstance(record.verdict, Mapping):  # lists of sentences, passages or facts
                share = metadata.verdicts.get(record.grader)
                record = record.model_copy(update={"verdict": share})
            yield {"measure": scorer} | self._verdict(sample, name, record, spec)

    def _value(self, sample: EvalSample, name: str, key: str | None, measure: str) -> Row:
        score = (sample.scores or {})[name]
        metadata = self._metadata[key_of(sample)][name]
        value: Any = score.value
        if measure in self._in_metadata:
            value = metadata.shares
        if key is not None:
            value = value.get(key) if isinstance(value, Mapping) else None
        parsed = figure(value)
        is_number = isinstance(value, int | float)
        if not is_possible(
            value if is_number else parsed, self._add_scale(measure, score.metadata)
        ):
            value_name = str(MeasureKey(name, key or ""))
            self.impossible.append(impossible(sample.id, value_name, value))
            return _result(None, "unscored", OUT_OF_RANGE)
        if parsed is not None and not (parsed == -1 and measure in self.described.unmeasured):
            return _result(parsed, "scored")
        status: ScoreStatus = "skipped" if score.reason == "skipped" else "unscored"
        reason = metadata.unscored.get(key or "")
        return _result(None, status, score.reason or str(reason or "no_value"))

    def _verdict(
        self, sample: EvalSample, name: str, record: JudgeRecord, spec: MeasureSpec
    ) -> Row:
        judge = f"{name} of judge {record.grader}"
        if spec.graded and not is_possible(record.verdict, spec):
            self.impossible.append(impossible(sample.id, judge, record.verdict))
            record = record.model_copy(update={"verdict": None})
        effort = dict(record.effort)
        for field, value in clean_effort(effort):
            self.impossible.append(impossible(sample.id, f"{judge}, {field}", value))
        return _verdict(record, effort)

    def _add_scale(self, measure: str, metadata: Mapping[str, Any] | None) -> MeasureSpec:
        return self._spec(measure, scale_of(metadata))


def leave_out_summaries(
    answers: Iterable[Row], scores: Iterable[Row], specs: Mapping[str, MeasureSpec]
) -> None:
    """Leave scorers that decide only questions unscored on summaries, in place.

    That is, if some samples are questions and others have a known style of summaries.

    Args:
        answers: Answers of a benchmark.
        scores: Scores of a run.
        specs: Its declared measures.
    """
    styles = {answer["style"] for answer in answers}
    summaries = styles.intersection(known_styles()) - {QUESTION}
    if not summaries or QUESTION not in styles:
        return
    scorers = {spec.scorer for spec in specs.values() if spec.decides == ("answer",)}
    for score in scores:
        is_scored = score["status"] == "scored" and score["scorer"] in scorers
        if is_scored and score["of"]["style"] in summaries:
            score.update(_result(None, "unscored", "not_a_question"))


def align_keys(runs: Sequence[tuple[Row, list[Row]]]) -> None:
    """Give a scorer without values in one run its keys from the other runs, in place."""
    keyed: dict[str, dict[str, None]] = {}
    for run, scores in runs:
        for score in scores:
            is_keyed = score["measure"].startswith(f"{score['scorer']}.")
            if is_keyed and score["scorer"] not in run["measures"]:
                keyed.setdefault(score["scorer"], {})[score["measure"]] = None
    for run, scores in runs:
        scored = {score["measure"] for score in scores if score["value"] is not None}
        bare = [name for name in run["measures"] if name in keyed and name not in scored]
        if not bare:
            continue
        names = {name: [name] for name in run["measures"]}
        for name in bare:
            names[name] = list(keyed[name])
        run["measures"] = tuple(chain.from_iterable(names.values()))
        aligned = []
        for score in scores:
            aligned += [score | {"measure": measure} for measure in names[score["measure"]]]
        scores[:] = aligned


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
    """Return the scorers that repeat another one: numbered, with no signature of their own."""
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


def _without_score(sample: EvalSample, skipped: str | None) -> Row:
    if sample.error is not None:
        return _result(None, "errored", first_line(sample.error.message))
    return _result(None, "missing") if skipped is None else _result(None, "skipped", skipped)


def _result(value: float | None, status: ScoreStatus, reason: str | None = None) -> Row:
    return {"value": value, "status": status, "reason": reason}


def _verdict(record: JudgeRecord, effort: Mapping[str, Any]) -> Row:
    paid_usd = number(effort.get("cost_usd"))
    cached_usd = number(effort.get("cached_usd")) or 0.0
    return {
        "judge": record.grader,
        "value": _CHOICES.get(str(record.verdict).lower(), number(record.verdict)),
        "said": _verdict_text(record),
        "text": prose(record.raw[-1]) if record.raw else "",
        "reason": record.reason,
        "details": tuple(record.criteria),
        "input_tokens": int(number(effort.get("input_tokens")) or 0),
        "output_tokens": int(number(effort.get("output_tokens")) or 0),
        "cost_usd": None if paid_usd is None else paid_usd + cached_usd,
    }


def _verdict_text(record: JudgeRecord) -> str:
    """Return a judge's verdict in words; empty if it is a number."""
    if isinstance(record.verdict, list):
        return ", ".join(map(str, record.verdict)) or "none"
    if record.f1 is not None:
        return f"F1 {record.f1:.2f}"
    return record.verdict if isinstance(record.verdict, str) else record.part or ""
