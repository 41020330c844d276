"""Notices of answers that no difference counts, because another system declined the question."""

from collections.abc import Iterator

from ..._util.wording import format_count
from ...judge.unscored import NOTHING_STATED
from ..cells import show_score
from ..frames import Notice
from ..labels import MOST_NAMED
from ..study import Study


def declined_notices(study: Study) -> Iterator[Notice]:
    """Yield which answers to unanswerable questions drop out of differences, by system.

    An answer that declines states nothing that measures of statements could score.
    """
    dropped = _samples_declined_by_some(study)
    for system in study.systems:
        means: list[str] = []
        answered: set[str] = set()
        for measure, samples in dropped.items():
            values = study.known_values(system, measure)
            values = values[values.index.isin(samples)]
            if len(values):
                label = study.catalogue.spec(measure).label
                means.append(f"{label} {show_score(values.mean())}")
                answered |= set(values.index)
        if answered:
            questions = format_count(len(answered), "unanswerable question")
            yield Notice(
                "note",
                f"{system} answered {questions} that another system declined ({_name(answered)}); "
                f"differences leave these answers out (their mean: {', '.join(means)})",
            )


def _samples_declined_by_some(study: Study) -> dict[str, set[str]]:
    """Return the unanswerable questions on which a system states nothing to score, by measure."""
    declining = study.catalogue.keys_of("right refusal")
    scores = study.scores[study.scores["measure"].isin(declining)]
    unanswerable = set(scores.loc[scores["value"].notna(), "id"])
    states_nothing = study.scores["reason"].isin(NOTHING_STATED)
    is_dropped = states_nothing & study.scores["id"].isin(unanswerable)
    dropped = study.scores[is_dropped]
    return {
        spec.key: set(dropped.loc[dropped["measure"] == spec.key, "id"])
        for spec in study.catalogue.specs
        if spec.is_quality and spec.role != "diagnostic" and spec.key not in declining
    }


def _name(samples: set[str]) -> str:
    names = sorted(samples)
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"
