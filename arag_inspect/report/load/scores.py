"""Scores of a log as rows: values with a status, repetitions and verdicts of judges."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score, value_to_float

from ..._util.json_text import prose
from ...types.scale import scale_of
from ..frames import Row, Status

LARGEST = 1e15
"""Largest value of a measure, so that sums of squares are finite."""

OUT_OF_RANGE = "out_of_range"
"""Stands for a value that was left out, and says why it is missing."""

TAXONOMY = "error_taxonomy"
_ANY = "any"
_REPEAT = re.compile(r"(?P<base>.+?)-?(?P<number>\d{1,9})")
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?\s*")
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


def read_layout(log: EvalLog, without: Collection[str] = ()) -> Layout:
    """Find the scorers of a log and their keys.

    A scorer named `NAME1` or `NAME-1` by `inspect score --action append` is a repetition
    of NAME if it has the same signature, and a separate measure
    otherwise.

    Args:
        log: A log with its samples.
        without: Measures to leave out.
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
    kept = {
        name: tuple(key for key in own if f"{name}.{key}" not in without)
        for name, own in keys.items()
        if name not in repeated and name not in without
    }
    return Layout({name: own for name, own in kept.items() if own or not keys[name]}, repeats)


def score_rows(sample: EvalSample, layout: Layout, skipped: str | None) -> Iterator[Row]:
    """Yield the value of every measure for a sample, or why it is missing."""
    for scorer in layout.keys:
        score = (sample.scores or {}).get(scorer)
        shared: Row = {"scorer": scorer}
        if score is not None:
            metadata = score.metadata or {}
            shared |= {"signature": _signature(score), "text": score.explanation}
            shared |= {"details": metadata, "scale": scale_of(metadata)}
        for key, measure in layout.names(scorer).items():
            value = _without_score(sample, skipped) if score is None else _value(score, key)
            yield shared | {"measure": measure} | value


def verdict_rows(sample: EvalSample, layout: Layout) -> Iterator[Row]:
    """Yield every value that was taken again, and every judge's verdict on the answer."""
    scores = sample.scores or {}
    for scorer in layout.keys:
        signature = _signature(scores[scorer]) if scorer in scores else None
        for repeat, name in enumerate((scorer, *layout.repeats.get(scorer, ()))):
            if name not in scores:
                continue
            shared: Row = {"scorer": scorer, "signature": signature, "repeat": repeat}
            for key, measure in layout.names(scorer).items() if repeat else ():
                if (value := _value(scores[name], key)["value"]) is not None:
                    yield shared | {"measure": measure, "judge": "", "value": value}
            for entry in entries((scores[name].metadata or {}).get("judges")):
                yield shared | {"measure": scorer} | _verdict(entry)


def align_keys(runs: Sequence[tuple[Row, list[Row]]]) -> None:
    """Give a scorer without any value in a run the keys that it has in the others, in place.

    Args:
        runs: Row and scores of each run of a benchmark.
    """
    keyed: dict[str, dict[str, None]] = {}
    for run, _ in runs:
        for name in run["measures"]:
            if "." in name:
                keyed.setdefault(name.split(".")[0], {})[name] = None
    for run, scores in runs:
        scored = {score["measure"] for score in scores if score["value"] is not None}
        bare = [name for name in run["measures"] if name in keyed and name not in scored]
        names = {name: list(keyed[name]) if name in bare else [name] for name in run["measures"]}
        run["measures"] = tuple(new for own in names.values() for new in own)
        scores[:] = [
            score | {"measure": new} for score in scores for new in names[score["measure"]]
        ]


def error_codes(scores: Iterable[Row]) -> tuple[str, ...] | None:
    """Return a taxonomy's error codes; None if none was applied to the sample."""
    taxonomy = {
        score["measure"].removeprefix(f"{TAXONOMY}."): score["value"]
        for score in scores
        if score["measure"].startswith(f"{TAXONOMY}.") and score["value"] is not None
    }
    if not taxonomy:
        return None
    return tuple(code for code, value in taxonomy.items() if value > 0 and code != _ANY)


def number(value: object) -> float | None:
    """Return a number of usual size, or None."""
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def figure(value: object) -> float | None:
    """Return the figure that a value of a score is: a number, also written as text, or a word."""
    if is_word(value):
        return float(_to_float(str(value).strip()))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return number(float(value))
    return number(value)


def is_word(value: object) -> bool:
    """Return whether a value is one of Inspect's letters, or yes, no, true or false."""
    return isinstance(value, str) and value.strip() in _WORDS


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


def _value(score: Score, key: str | None) -> Row:
    value = score.value
    if key is not None:
        value = value.get(key) if isinstance(value, Mapping) else None  # type: ignore[assignment]
    if (parsed := figure(value)) is not None:
        return _of(parsed, "scored")
    if value == OUT_OF_RANGE:
        return _of(None, "unscored", OUT_OF_RANGE)
    status: Status = "skipped" if score.reason == "skipped" else "unscored"
    return _of(None, status, score.reason or "no_value")


def _without_score(sample: EvalSample, skipped: str | None) -> Row:
    if sample.error is not None:
        return _of(None, "errored", first_line(sample.error.message))
    return _of(None, "missing") if skipped is None else _of(None, "skipped", skipped)


def _of(value: float | None, status: Status, reason: str | None = None) -> Row:
    return {"value": value, "status": status, "reason": reason}


def entries(stored: object) -> list[dict[str, Any]]:
    """Return the mappings of a list; empty if the stored value is no list.

    Another package's scorer may store something else under the same key.
    """
    entries = stored if isinstance(stored, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def _signature(score: Score) -> str | None:
    signature = (score.metadata or {}).get("signature")
    return signature if isinstance(signature, str) else None


def _verdict(entry: Mapping[str, Any]) -> Row:
    raw = entry.get("raw")
    replies = [str(reply) for reply in raw] if isinstance(raw, list) else []
    reason, verdict = entry.get("reason"), entry.get("verdict")
    paid = number(entry.get("cost_usd"))
    return {
        "judge": str(entry.get("grader", "")) or "unknown",
        "value": _CHOICES.get(str(verdict).lower(), number(verdict)),
        "said": _in_words(verdict),
        "text": prose(replies[-1]) if replies else "",
        "reason": None if reason is None else str(reason),
        "details": tuple(entries(entry.get("criteria"))),
        "input_tokens": int(number(entry.get("input_tokens")) or 0),
        "output_tokens": int(number(entry.get("output_tokens")) or 0),
        "cost_usd": None if paid is None else paid + (number(entry.get("cached_usd")) or 0.0),
    }


def _in_words(verdict: object) -> str:
    """Return a verdict that is a word or a list of codes; empty for any other."""
    if isinstance(verdict, list):
        return ", ".join(map(str, verdict)) or "none"
    return verdict if isinstance(verdict, str) else ""


def first_line(text: str) -> str:
    """Return the first line with text, for a table."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
