"""Names of this package's scorers in ragas, deepeval and TruLens."""

import re
from collections.abc import Mapping, Sequence

from .._util.files import packaged_yaml

COUNTERPARTS: Mapping[str, Sequence[str]] = packaged_yaml(__package__, "foreign_metrics.yaml")
"""Scorers that answer the same question as a metric of another tool, best first."""

_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SUFFIX = re.compile(r"_(?:metric|score|with_cot_reasons)$")


def counterparts(name: str, known: Sequence[str]) -> list[str]:
    """Return the scorers among `known` that correspond to a metric of another tool.

    Args:
        name: The metric as the tool writes it, such as `AnswerRelevancyMetric`, `Answer Relevancy`
            or `factual_correctness(mode=f1)`.
        known: Scorers that may be chosen.
    """
    words = _WORD_START.sub("_", name.partition("(")[0].strip())
    normalized_name = _SUFFIX.sub("", re.sub(r"[\s-]+", "_", words).lower())
    return [scorer for scorer in COUNTERPARTS.get(normalized_name, ()) if scorer in known]
