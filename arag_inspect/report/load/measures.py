"""Measures of a log: declared by their scorers, or described from their values."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog

from ..._util.names import short_name
from ..._util.provided import DECLARED_MEASURES
from ..._util.wording import format_count, join_names
from ...measure import MeasureKey, MeasureSpec, declared_measure, read_measures
from ..frames import InferredMeasure
from .values import figure, is_letter, is_word

_NOT_MEASURED = -1.0

_LONGEST_ARGUMENT = 40
"""Maximum characters of an argument in a label."""

_PALETTES = {"good-high": True, "good-low": False}
"""Whether higher is better, by the palette of a colour scale."""

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
    """Omitted and unknown values, for notices."""


def read_declared(log: EvalLog) -> dict[str, MeasureSpec]:
    """Return measures by key: this package's, and others that the log declares.

    A log declares nothing about a measure that this package names, or that people scored. A pattern
    such as `geval_*` describes only measures that have no declaration by name.
    """
    package = _installed_package()
    declarations = dict(package)
    for _, specs in _specs_by_scorer(log):
        for spec in specs:
            is_human = declared_measure(spec.key, {}) is not None
            ours = package.get(spec.key)
            if ours is not None and spec.named_by:
                declarations[spec.key] = replace(ours, label=spec.label)
            elif not (is_human or ours):
                declarations[spec.key] = spec
    return declarations


def has_foreign_scorer(log: EvalLog) -> bool:
    """Return whether a log has a scorer of another package, whose judges its scores do not name."""
    package = _installed_package()
    scorers = {spec.scorer for spec in package.values()}
    names = {scorer.name for scorer in log.eval.scorers or []}
    return any(declared_measure(name, package) is None for name in names - scorers)


def keys_in_metadata(log: EvalLog) -> dict[str, list[str]]:
    """Return the keys of measures whose values are in score metadata, by scorer."""
    keys: dict[str, list[str]] = {}
    for name, specs in _specs_by_scorer(log):
        keys[name] = [spec.value_key for spec in specs if spec.in_metadata]
    return keys


def redeclared_measures(log: EvalLog) -> list[str]:
    """Return this package's measures whose direction or range a log declares differently.

    Those of a scorer that Inspect numbered are measures of their own.
    """
    names = {scorer.name for scorer in log.eval.scorers or []}
    redeclared = []
    for name, specs in _specs_by_scorer(log):
        for spec in specs if name in names else ():
            package = _installed_package()
            ours = package.get(spec.key) or declared_measure(spec.key, {})
            if ours and spec.definition != ours.definition:
                redeclared.append(spec.key)
    return redeclared


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
    logged_specs = read_declared(log)
    directions = {**dict.fromkeys(lower, False), **dict.fromkeys(higher, True)}
    inferred = _inferred_directions(log)
    specs: dict[str, MeasureSpec] = {}
    texts: set[str] = set()
    unmeasured: set[str] = set()
    notes: list[str] = []
    for name, recorded in values.items():
        spec = declared_measure(name, logged_specs)
        if spec is not None:
            if directions.get(name, spec.higher_is_better) != spec.higher_is_better:
                notes.append(f"has {name}, whose direction is declared; --lower cannot change it")
            continue
        parsed = [(value, figure(value)) for value in recorded]
        number_values = [value for value, number in parsed if number is not None]
        others = [v for v, number in parsed if number is None and isinstance(v, str | list)]
        are_texts = bool(others) and not _are_figures(number_values, others)
        if others:
            notes.append(_note_on_texts(name, others, are_texts=are_texts))
        if are_texts:
            texts.add(name)
            continue
        figures = {number for _, number in parsed if number is not None}
        if _has_unmeasured(figures):
            unmeasured.add(name)
            figures.remove(_NOT_MEASURED)
            notes.append(_note_on_unmeasured(name, parsed))
        elif _NOT_MEASURED in figures and figures <= {_NOT_MEASURED, 0.0, 1.0}:
            notes.append(f"{name} is -1 on some samples, read as a value like 0 and 1")
        if figures:
            are_marks = _are_marks(name, number_values, figures)
            spec = _spec(name, are_marks, {**inferred, **directions}.get(name))
            if are_marks and spec.higher_is_better is None:
                are_letters = all(is_letter(value) for value in number_values)
                spec = replace(_spec(name, are_marks, True), is_assumed=not are_letters)
            specs[name] = spec
    notes += _notes_on_directions(specs)
    return LogMeasures(
        {**specs, **logged_specs}, frozenset(texts), frozenset(unmeasured), (*notes,)
    )


def _inferred_directions(log: EvalLog) -> dict[str, bool]:
    """Return whether higher is better, as colour scales and Inspect's accuracy imply."""
    directions = dict.fromkeys(_accuracies(log), True)
    for name, palette in dict(_palettes(log)).items():
        if palette in _PALETTES:
            directions[name] = _PALETTES[palette]
    return directions


def _are_figures(number_values: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether a measure counts as figures: it has numbers, or more figures than texts."""
    has_numbers = any(isinstance(value, int | float) for value in number_values)
    return has_numbers or len(number_values) > len(others)


def _note_on_texts(name: str, texts: Sequence[Any], *, are_texts: bool) -> str:
    samples = format_count(len(texts), "sample")
    consequence = "and is left out" if are_texts else f"on {samples}, left out there"
    kind = "lists" if isinstance(texts[0], list) else "texts"
    return f"{name} holds {kind} (e.g. {repr(texts[0])[:42]}) {consequence}"


def _has_unmeasured(figures: Set[float]) -> bool:
    """Return whether -1 means that a sample was not measured."""
    others = figures - {_NOT_MEASURED}
    return _NOT_MEASURED in figures and not others <= {0.0, 1.0} and min(others) >= 0


def _note_on_unmeasured(name: str, parsed: Sequence[tuple[Any, float | None]]) -> str:
    count = sum(number == _NOT_MEASURED for _, number in parsed)
    return f"{name} is -1 on {format_count(count, 'sample')}: left out as not measured"


def _are_marks(name: str, values: Iterable[object], figures: Set[float]) -> bool:
    """Return whether values are words, booleans, or a scorer's only 0 and 1."""
    are_words = all(isinstance(value, bool) or is_word(value) for value in values)
    return are_words or ("." not in name and figures <= {0.0, 1.0})


def _spec(name: str, marks: bool, better: bool | None) -> InferredMeasure:
    return InferredMeasure(
        name,
        name,
        low=0.0 if marks else None,
        high=1.0 if marks else None,
        higher_is_better=better,
        role="diagnostic" if better is None else "secondary",
        family="judgement" if MODEL_GRADED.match(name) else "other",
    )


def _notes_on_directions(specs: Mapping[str, MeasureSpec]) -> Iterator[str]:
    """Yield a note on the measures whose direction is unknown, if there are any."""
    unknown = [name for name, spec in specs.items() if spec.higher_is_better is None]
    if unknown:
        yield (
            f"does not say whether higher or lower {join_names(unknown)} is better, so no system "
            "wins on it; use --lower NAME or --higher NAME"
        )


def headline_of(log: EvalLog) -> str | None:
    """Return the measure that the task declares as its headline, if any."""
    headline = log.eval.headline_metric
    if headline is None or not headline.scorer:
        return None
    return _join_key(headline.scorer, headline.score or headline.scorer)


def _join_key(scorer: str, key: str) -> str:
    return scorer if key == scorer else str(MeasureKey(scorer, key))


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
    labels: set[str] = set()
    for name, scorer in numbered_scorers(log):
        of_log = read_measures((scorer.metadata or {}).get("measures"))
        specs = [_name_by_argument(spec, scorer.options or {}) for spec in of_log]
        if name != scorer.name:
            of_scorer = [spec for spec in specs if spec.scorer == scorer.name]
            specs = [_of_repeated_scorer(spec, name, labels) for spec in of_scorer]
        labels.update(spec.label for spec in specs)
        yield name, tuple(specs)


def _name_by_argument(spec: MeasureSpec, arguments: Mapping[str, Any]) -> MeasureSpec:
    """Return a measure with the argument that names it after its label, if there is one."""
    parameter = _installed_package().get(spec.key, spec).named_by
    argument = arguments.get(parameter) if parameter else None
    if not argument:
        return spec
    name = " ".join(str(argument).replace("_", " ").split())[:_LONGEST_ARGUMENT]
    return replace(spec, label=f"{spec.label} {name}", named_by=parameter)


def _of_repeated_scorer(spec: MeasureSpec, name: str, labels: Set[str]) -> MeasureSpec:
    """Return a measure of a scorer that Inspect numbered; the first one decides, not this one.

    Args:
        spec: Measure that the scorer declares.
        name: Name of the scorer in the samples.
        labels: Labels of the scorers before it.
    """
    return replace(
        spec,
        key=name + spec.key.removeprefix(spec.scorer),
        label=f"{spec.label} ({name})" if spec.label in labels else spec.label,
        role="secondary" if spec.role == "primary" else spec.role,
        decides=(),
        stands_in_for=(),
        aspect="",
        exported="",
    )


def _installed_package() -> Mapping[str, MeasureSpec]:
    """Return the measures of this package, for logs older than declared measures."""
    return DECLARED_MEASURES.value


def _accuracies(log: EvalLog) -> Iterator[str]:
    """Yield the measures for which Inspect reports the accuracy."""
    if not log.results:
        return
    for score in log.results.scores:
        if any(short_name(name) == "accuracy" for name in score.metrics):
            yield _join_key(score.scorer, score.name)


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
