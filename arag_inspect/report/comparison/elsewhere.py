"""List secondary measures on which a system is worse."""

from collections.abc import Collection, Iterator

import numpy as np

from ..labels import in_sentence
from ..study import Study
from ..table import show
from .comparability import pair_values
from .comparisons import MEASURED_DIFFERENTLY, OTHER_QUESTIONS, Comparison, all_comparisons
from .leads import largest_lead
from .pairs import fixed_baseline
from .retests import noise_floors

_LARGE = 0.5
"""Share of a scale from which a difference is reported whatever its interval."""


def worse_elsewhere(study: Study, stated: Collection[str], most: int | None = None) -> str:
    """Name measures, except those stated already, on which the winner or the newer run is worse.

    E.g. `figures supported -0.350 [-0.550, -0.150] (uncorrected intervals)`. It is worse if the
    interval excludes zero, or by half of the scale: of few samples that all got worse there is no
    interval. Without a winner or a baseline, the measures are those on which any system is worse
    than another. Systems are named unless they are those of the headline. Empty if nothing is
    worse.

    Args:
        study: Systems that are compared.
        stated: Measures to leave out.
        most: Maximum number of measures to name, differences of half the scale first; None for all.
    """
    worst: dict[str, Comparison] = {}
    for pair in sorted(_losses(study), key=lambda pair: (not _is_large(pair), pair.paired.p)):
        if pair.measure.key not in stated:
            worst.setdefault(pair.measure.key, pair)
    texts = [_describe(study, pair) for pair in worst.values()]
    more = len(texts) - (most or len(texts))
    if more > 0:
        texts[most:] = [f"and {more} more measure{'s' if more > 1 else ''}"]
    if any(pair.paired.low != pair.paired.high for pair in worst.values()):
        texts[-1] += " (uncorrected intervals)"
    return "; ".join(texts)


def _losses(study: Study) -> Iterator[Comparison]:
    """Yield the comparisons that the system of the headline, or else any system, loses."""
    lead = largest_lead(study)
    baseline = fixed_baseline(study)
    floors = noise_floors(study)
    for pair in all_comparisons(study):
        low, high = pair.paired.low or 0.0, pair.paired.high or 0.0
        is_beyond = abs(pair.paired.difference) > floors.get(pair.measure.key, 0)
        if not is_beyond or not (low * high > 0 or _is_large(pair)):
            continue
        if pair.doubt in (MEASURED_DIFFERENTLY, OTHER_QUESTIONS):
            continue
        is_winner = not baseline and (lead is None or pair.behind == lead.winner)
        if is_winner or (baseline and pair.behind != baseline):
            yield pair


def _is_large(pair: Comparison) -> bool:
    """Return whether a difference is at least half of the scale of its measure."""
    span = pair.measure.range_width
    return span is not None and abs(pair.paired.difference) >= _LARGE * span


def _describe(study: Study, pair: Comparison) -> str:
    """Return a measure and the difference of the worse system to the better one."""
    ahead = pair.other(pair.behind)
    difference = pair.seen_from(ahead)
    figures = show(difference)
    counts = _counts(study, pair)
    if counts:
        extent = difference.why or figures
        if difference.low is None:
            extent = "too few for an interval"
        figures = f"{counts} ({extent})"
    text = f"{in_sentence(pair.measure)} {figures}"
    is_obvious = study.choices.is_change or (len(study.systems) == 2 and largest_lead(study))
    return text if is_obvious else f"{text} ({pair.behind} than {ahead})"


def _counts(study: Study, pair: Comparison) -> str:
    """Return e.g. `4 of 4 → 0 of 4` for a change of a measure that is 0 or 1, else nothing."""
    ahead = pair.other(pair.behind)
    values = pair_values(study, ahead, pair.behind, pair.measure.key)
    both = np.array([values.a, values.b])
    both = both[:, ~np.isnan(both).any(axis=0)]
    if not np.isin(both, (0, 1)).all():
        return ""
    before, after = (f"{count:.0f} of {both.shape[1]:,}" for count in both.sum(axis=1))
    return f"{before} → {after}" if study.choices.is_change else f"{after} against {before}"
