"""The models with which scorers measured."""

import re
from collections.abc import Iterator, Sequence

from ..analysis import analysis
from ..labels import listed
from ..study import Study
from ..table import Cell

_MODEL = re.compile(r"[|;]model:([^|;]+)")
"""A model in a signature, or in that of a part, as composites have it."""


@analysis(
    "method", "Models that measured", columns="scorer | model | systems", after="denominators"
)
def models(study: Study) -> Iterator[Sequence[Cell]]:
    """Return the models that scorers ran, with their systems; None if no signature names one.

    The model with which a scorer gave values, of composites that of each part; graders are
    in the table of runs.
    """
    has_value = study.scores["value"].notna() & study.scores["signature"].notna()
    signed = study.scores.loc[has_value, ["scorer", "system", "signature"]].drop_duplicates()
    systems: dict[tuple[str, str], dict[str, None]] = {}
    for scorer, system, signature in signed.itertuples(index=False):
        for model in _MODEL.findall(signature):
            systems.setdefault((scorer, model), {})[system] = None
    for (scorer, model), names in systems.items():
        yield scorer, model, listed(names)
