"""Tables of error codes."""

from collections.abc import Iterator

from ..._util.wording import as_sentence
from ..analysis import RowCells, Words, analysis
from ..cells import Share
from ..comparison.error_codes import codes_by_rule
from ..comparison.means import means_by_system
from ..study import Study


def _by_rule(study: Study) -> Words:
    codes = codes_by_rule(study)
    return {"by_rule": as_sentence(codes) if codes else ""}


@analysis(
    "Errors",
    text="""
    Share of answers with each error and its 95 % interval, over the answers that have the
    grade the error depends on; a dash: not checked. For summaries with good grades (see
    `threshold`), the scorer does not look for most errors. {by_rule}
    """,
    words=_by_rule,
    section="errors",
    order=10,
)
def errors(study: Study) -> Iterator[RowCells]:
    """Yield the share of answers with each error, if a taxonomy was applied."""
    codes = [code for code in study.catalogue.specs if code.family == "errors"]
    shares_by_code = {code.key: means_by_system(study, code.key) for code in codes}
    if any(any(shares.values()) for shares in shares_by_code.values()):
        for code in codes:
            yield {"error": code.label, "shares": shares_by_code[code.key]}


@analysis(
    "All failures",
    text="""
    Answers with each error, counting every epoch, and each error's share of all errors found
    in the system's answers. An answer counts once for each of its errors. {by_rule}
    """,
    words=_by_rule,
    section="errors",
    order=20,
)
def failures(study: Study) -> Iterator[RowCells]:
    """Yield the number of answers with each error, by system."""
    for system, answers in study.by_system(study.answers):
        counts = answers["codes"].explode().dropna().value_counts()
        for code, count in counts.items():
            yield {
                "system": system,
                "error": study.catalogue.error_label(code),
                "answers": int(count),
                "share of all errors": Share(count / counts.sum()),
            }
