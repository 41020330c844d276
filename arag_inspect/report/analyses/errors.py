"""Tables of error codes."""

from collections.abc import Iterator, Sequence
from itertools import chain

from ..._util.wording import as_sentence
from ...stats.estimates import Estimate
from ..analysis import Words, analysis
from ..cells import Cell, Share
from ..comparison.error_codes import codes_by_rule
from ..comparison.means import means_by_system
from ..study import Study


def _by_rule(study: Study) -> Words:
    codes = codes_by_rule(study)
    return {"by_rule": f" {as_sentence(codes)}" if codes else ""}


@analysis(
    "Errors",
    columns="error | $systems",
    text="""
    Share of answers with each error and its 95 % interval, over the answers that have the
    grade the error depends on; a dash: not checked. For summaries with good grades (see
    `threshold`), the scorer does not look for most errors.{by_rule}
    """,
    words=_by_rule,
    section="errors",
    order=10,
)
def errors(study: Study) -> Sequence[Sequence[Cell]]:
    """Return the share of answers with each error; empty if no taxonomy was applied."""
    codes = [code for code in study.catalogue.specs if code.family == "errors"]
    rows = [(code.label, *means_by_system(study, code.key)) for code in codes]
    has_estimates = any(isinstance(cell, Estimate) for cell in chain.from_iterable(rows))
    return rows if has_estimates else []


@analysis(
    "All failures",
    columns="system | error | answers | share of all errors",
    text="""
    Answers with each error, counting every epoch, and each error's share of all errors found
    in the system's answers. An answer counts once for each of its errors.{by_rule}
    """,
    words=_by_rule,
    section="errors",
    order=20,
)
def failures(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the number of answers with each error, by system."""
    for system, answers in study.by_system(study.answers):
        counts = answers["codes"].explode().dropna().value_counts()
        for code, count in counts.items():
            yield system, study.catalogue.error_label(code), int(count), Share(count / counts.sum())
