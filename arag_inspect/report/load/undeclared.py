"""Measures of other packages' scorers: which values are figures, and which direction is better."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from ...types.measures import MeasureSpec, declared_measure
from ..labels import listed
from .scores import OUT_OF_RANGE, figure, is_word

_NOT_MEASURED = -1.0
_PALETTES = {"good-high": True, "good-low": False}


class _Cell(NamedTuple):
    """A value in a score."""

    score: Score
    key: str | None

    @property
    def value(self) -> Any:
        value: Any = self.score.value
        return value if self.key is None else value[self.key]

    def leave_out(self) -> None:
        """Put NaN there, Inspect's sign for no value."""
        if self.key is None:
            self.score.value = float("nan")
        else:
            self.score.value[self.key] = float("nan")  # type: ignore[index]


class Undeclared(NamedTuple):
    """The measures of a log that neither it nor this package declares."""

    specs: Mapping[str, MeasureSpec]
    texts: Collection[str]
    """Measures whose values are texts and no figures."""

    notes: tuple[str, ...]
    """What is left out or unknown, for notices."""


def find_undeclared(
    log: EvalLog,
    declared: Mapping[str, MeasureSpec],
    lower: Collection[str] = (),
    higher: Collection[str] = (),
) -> Undeclared:
    """Describe every undeclared measure of a log, and leave out in place what is not measured.

    The direction is the one that the user names, that of the colour scale in the log's viewer
    configuration, or higher for letters, booleans, Inspect's accuracy and a scorer whose only
    value is 0 or 1; otherwise it is unknown.

    Args:
        log: A log with its samples.
        declared: Measures by key, as declared.
        lower: Measures of which a lower value is better.
        higher: Measures of which a higher value is better.
    """
    specs: dict[str, MeasureSpec] = {}
    texts, notes = [], []
    accuracies, palettes = set(_accuracies(log)), dict(_palettes(log))
    for name, cells in _cells(log).items():
        if declared_measure(name, declared) is not None:
            continue
        values = [cell.value for cell in cells if cell.value not in (None, OUT_OF_RANGE)]
        words = [value for value in values if isinstance(value, str) and figure(value) is None]
        if words:
            some = any(isinstance(value, int | float) for value in values)
            where = f"on {len(words)} samples, left out there" if some else "and is left out"
            notes.append(f"{name} holds texts (e.g. {words[0][:40]!r}) {where}")
            if not some:
                texts.append(name)
                continue
        if count := _leave_out_unmeasured(cells):
            notes.append(f"{name} is -1 on {count} samples, left out as not measured")
        figures = _figures(cells)
        if not figures:
            continue
        if _NOT_MEASURED in figures and figures <= {_NOT_MEASURED, 0.0, 1.0}:
            notes.append(f"{name} is -1 on some samples, taken as a value beside 0 and 1")
        marks = all(isinstance(value, bool) or is_word(value) for value in values)
        marks = marks or (cells[0].key is None and figures <= {0.0, 1.0})
        better = _PALETTES.get(palettes.get(name, ""))
        if marks or name in accuracies:
            better = better is not False
        if name in (*lower, *higher):
            better = name in higher
        specs[name] = MeasureSpec(
            name,
            name,
            low=0.0 if marks else None,
            high=1.0 if marks else None,
            higher_is_better=better,
            role="diagnostic" if better is None else "secondary",
        )
    if unknown := [name for name, spec in specs.items() if spec.higher_is_better is None]:
        notes.append(
            f"does not say whether high or low values of {listed(unknown)} are better, so no "
            "system wins on it; --lower NAME or --higher NAME says so"
        )
    return Undeclared(specs, tuple(texts), tuple(notes))


def _figures(cells: Iterable[_Cell]) -> set[float]:
    """Return the distinct figures of a measure."""
    numbers = (figure(cell.value) for cell in cells)
    return {number for number in numbers if number is not None and number == number}


def _leave_out_unmeasured(cells: Sequence[_Cell]) -> int:
    """Leave out, in place, values of -1 beside values that are never negative.

    A scale of -1, 0 and 1 is kept.

    Returns:
        How many were left out.
    """
    others = _figures(cells) - {_NOT_MEASURED}
    if others <= {0.0, 1.0} or min(others) < 0:
        return 0
    unmeasured = [cell for cell in cells if figure(cell.value) == _NOT_MEASURED]
    for cell in unmeasured:
        cell.leave_out()
    return len(unmeasured)


def headline_of(log: EvalLog) -> str | None:
    """Return the measure that the task names as its headline, if it names one."""
    headline = log.eval.headline_metric
    if headline is None or not headline.scorer:
        return None
    whole = headline.score in (None, headline.scorer)
    return headline.scorer if whole else f"{headline.scorer}.{headline.score}"


def _cells(log: EvalLog) -> dict[str, list[_Cell]]:
    """Return the values of every measure."""
    cells: dict[str, list[_Cell]] = defaultdict(list)
    for sample in log.samples or []:
        for scorer, score in (sample.scores or {}).items():
            keys = list(score.value) if isinstance(score.value, dict) else [None]
            for key in keys:
                name = scorer if key is None else f"{scorer}.{key}"
                cells[name].append(_Cell(score, key))
    return cells


def _accuracies(log: EvalLog) -> Iterator[str]:
    """Yield the measures of which Inspect reports the accuracy."""
    for score in log.results.scores if log.results else []:
        if any(name.split("/")[-1] == "accuracy" for name in score.metrics):
            yield score.scorer if score.name == score.scorer else f"{score.scorer}.{score.name}"


def _palettes(log: EvalLog) -> Iterator[tuple[str, str]]:
    """Yield the colour palette of every score of which the log's viewer configuration has one."""
    views = log.eval.viewer.task_samples_view if log.eval.viewer else None
    for view in views if isinstance(views, list) else filter(None, [views]):
        for name, scale in (view.score_color_scales or {}).items():
            palette = getattr(scale, "palette", scale)
            if isinstance(palette, str):
                yield name, palette
