"""Name the systems whose error codes came from rules, not from a judge."""

from ..._util.wording import format_count
from ..study import Study, cached_per_study


@cached_per_study
def codes_by_rule(study: Study) -> str:
    """Name the systems whose codes came from rules, not from a judge; empty if there are none."""
    counts = []
    taxonomy = study.scores[study.scores["scorer"] == study.catalogue.taxonomy]
    for system, scored in study.by_system(taxonomy.drop_duplicates("answer")):
        coded = int(scored["details"].map(_has_codes).sum())
        ruled = int(scored["answer"].isin(coded_by_rules(study)).sum())
        if ruled:
            counts.append(f"{system} {ruled} of {format_count(coded, 'answer')}")
    return f"codes by rule, as no judge gave one: {', '.join(counts)}" if counts else ""


@cached_per_study
def coded_by_rules(study: Study) -> frozenset[int]:
    """Return the answers whose codes came from rules."""
    taxonomy = study.scores[study.scores["scorer"] == study.catalogue.taxonomy]
    pairs = zip(taxonomy["answer"], taxonomy["details"], strict=True)
    return frozenset(
        answer
        for answer, details in pairs
        if _has_codes(details) and details.get("coded_by") == "rules"
    )


def _has_codes(details: object) -> bool:
    return isinstance(details, dict) and bool(details.get("codes"))
