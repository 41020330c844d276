"""Systems that retrieved passages."""

from collections.abc import Sequence

import pandas as pd

from ...types.trace import Passage
from ..study import Study, cached_per_study


@cached_per_study
def systems_without_loops(study: Study) -> list[str]:
    """Return the systems with several loops that do not say in which they read each passage."""
    return [
        system
        for system, answers in retrieving_systems(study)
        if answers["loops"].max() > 1 and answers["passages"].map(_has_unknown_loop).any()
    ]


def _has_unknown_loop(passages: Sequence[Passage]) -> bool:
    return any(passage.loop < 1 for passage in passages)


@cached_per_study
def retrieving_systems(study: Study) -> list[tuple[str, pd.DataFrame]]:
    """Return the answers with a recall, by system; omit systems without any."""
    recall = study.scores_of(study.catalogue.key_of("recall")).set_index("answer")["value"]
    answers = study.answers.assign(recall=recall).dropna(subset=["recall"])
    return [(system, rows) for system, rows in study.by_system(answers) if len(rows)]
