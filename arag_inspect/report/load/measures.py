"""Measures of a log, declared or not, and which of its values count as figures."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog
from inspect_ai.scorer import value_to_float

from ..._util.provided import provided
from ..._util.wording import counted, listed
from ...measure import MeasureSpec, declared_measure, read_measures

LARGEST = 1e15
"""Largest value of a measure, so that sums of squares are finite."""

_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?\s*")
_LETTERS = ("C", "I", "P", "N")
_WORDS = ("yes", "no", "true", "false")
_ROUNDING = 1e-5
"""Tolerance beyond the end of a range, for single-precision arithmetic."""

_MOST_LOOPS = 10_000
"""Maximum plausible loops for one answer; the report has a row for each loop."""

_UNKNOWN_EFFORT = {
    **dict.fromkeys(("loops", "input_tokens", "output_tokens", "cached_calls", "cached_usd"), 0),
    **dict.fromkeys(("cost_usd", "latency_ms", "wall_ms", "skipped_tokens")),
}
"""Replacement for an impossible value of an effort field, by field."""

_to_float = value_to_float()


def number(value: object) -> float | None:
    """Return a value if it is a number of plausible size, else None."""
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def figure(value: object) -> float | None:
    """Convert a score value to a figure: a number, possibly written as text, or a known word."""
    if is_word(value):
        return float(_to_float(str(value).strip()))
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return number(float(value))
    return number(value)


def is_word(value: object) -> bool:
    """Return whether a value is one of Inspect's letters, or yes, no, true or false in any case."""
    if not isinstance(value, str):
        return False
    return value.strip() in _LETTERS or value.strip().lower() in _WORDS


def is_possible(value: object, spec: MeasureSpec) -> bool:
    """Return whether a value is possible for a measure; values that are not numbers always are.

    NaN is how Inspect marks a missing value.
    """
    if not isinstance(value, int | float) or value != value:
        return True
    low = -LARGEST if spec.low is None else spec.low - _ROUNDING
    high = LARGEST if spec.high is None else spec.high + _ROUNDING
    return low <= value <= high


def clean_effort(fields: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Remove negative or too large effort values in place, and yield their names and values."""
    for name, unknown in _UNKNOWN_EFFORT.items():
        value = fields.get(name)
        most = _MOST_LOOPS if name == "loops" else LARGEST
        if isinstance(value, int | float) and not 0 <= value <= most:
            fields[name] = unknown
            yield name, value


def impossible(sample: object, what: str, value: object) -> str:
    """Describe an impossible value that is left out, with its sample."""
    text = f"{value:g}" if isinstance(value, float) else repr(value)[:40]
    if isinstance(value, int):
        text = "of too many digits" if abs(value) > LARGEST else str(value)
    return f"sample {str(sample)[:60]}, {what} {text}"


def first_line(text: str) -> str:
    """Return the first non-blank line, for a table."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


_NOT_MEASURED = -1.0
_PALETTES = {"good-high": True, "good-low": False}


MODEL_GRADED = re.compile(r"(inspect_ai/)?model_graded_(qa|fact)\b")
"""Inspect's scorers that call a judge."""


class LogMeasures(NamedTuple):
    """Description of the measures of a log."""

    specs: Mapping[str, MeasureSpec]
    """Specs by key; measures about which nothing is known are missing."""

    texts: frozenset[str]
    """Measures whose values are texts, not figures."""

    unmeasured: frozenset[str]
    """Measures for which -1 means that a sample was not measured."""

    notes: tuple[str, ...]
    """What is left out or unknown, for notices."""


def read_declared(log: EvalLog) -> dict[str, MeasureSpec]:
    """Return measures by key: this package's, and others that the log declares.

    A log declares nothing about a measure that this package knows.
    """
    package = _installed_package()
    foreign_specs = {
        spec.key: spec for spec in _own_specs(log) if declared_measure(spec.key, package) is None
    }
    return {**package, **foreign_specs}


def keys_in_metadata(log: EvalLog) -> dict[str, list[str]]:
    """Return the keys of measures whose values are in score metadata, by scorer."""
    keys: dict[str, list[str]] = {}
    for name, specs in _specs_by_scorer(log):
        keys[name] = [spec.value_key for spec in specs if spec.in_metadata]
    return keys


def redeclared(log: EvalLog) -> list[str]:
    """Return this package's measures whose direction or range a log declares differently."""
    pairs = [(spec, declared_measure(spec.key, _installed_package())) for spec in _own_specs(log)]
    return [spec.key for spec, ours in pairs if ours and spec.rules != ours.rules]


def describe_measures(
    log: EvalLog, values: Mapping[str, Sequence[Any]], lower: Sequence[str], higher: Sequence[str]
) -> LogMeasures:
    """Describe the measures of a log, declared or not.

    The direction of an undeclared measure is the one that the user names, that of the colour scale
    in the log's viewer configuration, or higher for letters, booleans, Inspect's accuracy and a
    scorer whose only value is 0 or 1; otherwise it is unknown. If other values are neither negative
    nor all 0 or 1, -1 means that the sample was not measured.

    Args:
        log: The log.
        values: Values of each measure, as they are in the log.
        lower: Measures for which a lower value is better.
        higher: Measures for which a higher value is better.
    """
    declared = read_declared(log)
    directions = {**dict.fromkeys(lower, False), **dict.fromkeys(higher, True)}
    accuracies = set(_accuracies(log))
    palettes = dict(_palettes(log))
    specs: dict[str, MeasureSpec] = {}
    texts: set[str] = set()
    unmeasured: set[str] = set()
    notes: list[str] = []
    for name, recorded in values.items():
        declaring = declared_measure(name, declared)
        if declaring is not None:
            if directions.get(name, declaring.higher_is_better) != declaring.higher_is_better:
                notes.append(f"has {name}, whose direction is declared; --lower cannot change it")
            continue
        parsed = [(value, figure(value)) for value in recorded]
        number_values = [value for value, number in parsed if number is not None]
        others = [v for v, number in parsed if number is None and isinstance(v, str | list)]
        is_figure = not others or _are_figures(number_values, others)
        if others:
            notes.append(_note_on_texts(name, others, is_figure=is_figure))
        if not is_figure:
            texts.add(name)
            continue
        numbers = [number for _, number in parsed if number is not None]
        figures = {*numbers}
        if _NOT_MEASURED in figures:
            if _marks_unmeasured(figures):
                unmeasured.add(name)
                figures.remove(_NOT_MEASURED)
                count = numbers.count(_NOT_MEASURED)
                notes.append(
                    f"{name} is -1 on {counted(count, 'sample')}: left out as not measured"
                )
            elif figures <= {_NOT_MEASURED, 0.0, 1.0}:
                notes.append(f"{name} is -1 on some samples, read as a value like 0 and 1")
        if figures:
            marks = _are_marks(name, number_values, figures)
            better = _PALETTES.get(palettes.get(name, ""))
            if marks or name in accuracies:
                better = better is not False
            specs[name] = _spec(name, marks, directions.get(name, better))
    notes += _notes_on_directions(specs)
    return LogMeasures({**specs, **declared}, frozenset(texts), frozenset(unmeasured), (*notes,))


def _are_marks(name: str, values: Iterable[object], figures: Set[float]) -> bool:
    """Return whether the values of a measure are words, booleans, or a scorer's only 0 and 1."""
    are_words = all(isinstance(value, bool) or is_word(value) for value in values)
    return are_words or ("." not in name and figures <= {0.0, 1.0})


def _notes_on_directions(specs: Mapping[str, MeasureSpec]) -> Iterator[str]:
    """Yield a note on the measures whose direction is unknown, if there are any."""
    unknown = [name for name, spec in specs.items() if spec.higher_is_better is None]
    if unknown:
        yield (
            f"does not say whether higher or lower {listed(unknown)} is better, so no system wins "
            "on it; use --lower NAME or --higher NAME"
        )


def _are_figures(number_values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether a measure counts as figures: it has numbers, or more figures than texts."""
    has_numbers = any(isinstance(value, int | float) for value in number_values)
    return has_numbers or len(number_values) > len(others)


def _note_on_texts(name: str, texts: Sequence[Any], *, is_figure: bool) -> str:
    location_note = (
        f"on {counted(len(texts), 'sample')}, left out there" if is_figure else "and is left out"
    )
    kind = "lists" if isinstance(texts[0], list) else "texts"
    return f"{name} holds {kind} (e.g. {repr(texts[0])[:42]}) {location_note}"


def _marks_unmeasured(figures: Set[float]) -> bool:
    """Return whether a measure's figures show that -1 means not measured."""
    others = figures - {_NOT_MEASURED}
    return not others <= {0.0, 1.0} and min(others) >= 0


def headline_of(log: EvalLog) -> str | None:
    """Return the measure that the task declares as its headline, if any."""
    headline = log.eval.headline_metric
    if headline is None or not headline.scorer:
        return None
    return _joined(headline.scorer, headline.score or headline.scorer)


def _spec(name: str, marks: bool, better: bool | None) -> MeasureSpec:
    return MeasureSpec(
        name,
        name,
        low=0.0 if marks else None,
        high=1.0 if marks else None,
        higher_is_better=better,
        role="diagnostic" if better is None else "secondary",
        family="judgement" if MODEL_GRADED.match(name) else "other",
    )


def _joined(scorer: str, key: str) -> str:
    return scorer if key == scorer else f"{scorer}.{key}"


def _own_specs(log: EvalLog) -> Iterable[MeasureSpec]:
    for _, specs in _specs_by_scorer(log):
        yield from specs


def numbered_scorers(log: EvalLog) -> Iterator[tuple[str, Any]]:
    """Yield each scorer with its name in the samples.

    Inspect numbers a scorer that the log already has: the second `rouge` is `rouge1`.
    """
    repeats: Counter[str] = Counter()
    for scorer in log.eval.scorers or []:
        number = repeats[scorer.name]
        repeats[scorer.name] += 1
        yield f"{scorer.name}{number or ''}", scorer


def _specs_by_scorer(log: EvalLog) -> Iterator[tuple[str, tuple[MeasureSpec, ...]]]:
    """Yield each scorer's name in the samples, and the measures that it declares."""
    for name, scorer in numbered_scorers(log):
        specs = read_measures((scorer.metadata or {}).get("measures"))
        if name != scorer.name:
            specs = tuple(_of_repeated_scorer(spec, name) for spec in specs)
        yield name, specs


def _of_repeated_scorer(spec: MeasureSpec, name: str) -> MeasureSpec:
    """Return a measure of a scorer that Inspect numbered; the first one decides, not this one."""
    return replace(
        spec,
        key=name + spec.key.removeprefix(spec.scorer),
        label=f"{spec.label} ({name})",
        role="secondary" if spec.role == "primary" else spec.role,
        decides=(),
        stands_in_for=(),
        aspect="",
        exported="",
    )


def _installed_package() -> Mapping[str, MeasureSpec]:
    """Return the measures of this package, for logs older than declared measures."""
    measures: Mapping[str, MeasureSpec] = provided("declared measures")
    return measures


def _accuracies(log: EvalLog) -> Iterator[str]:
    """Yield the measures for which Inspect reports the accuracy."""
    if not log.results:
        return
    for score in log.results.scores:
        if any(name.split("/")[-1] == "accuracy" for name in score.metrics):
            yield _joined(score.scorer, score.name)


def _palettes(log: EvalLog) -> Iterator[tuple[str, str]]:
    """Yield each score with a colour palette in the log's viewer configuration, and the palette."""
    views = log.eval.viewer.task_samples_view if log.eval.viewer else None
    if not isinstance(views, list):
        views = [views] if views else []
    for view in views:
        for name, scale in (view.score_color_scales or {}).items():
            palette = getattr(scale, "palette", scale)
            if isinstance(palette, str):
                yield name, palette
