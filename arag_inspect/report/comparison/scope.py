"""Systems that were given the documents of a question, beside systems that had to find them."""

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import pandas as pd

from ...types.sample import QUESTION
from ..rows import RunRow
from ..study import Study, cached_per_study
from .contestants import contestants


class UnequalScope(NamedTuple):
    """Contestants that could read other documents, on questions about some of a corpus."""

    given: tuple[str, ...]
    """Systems that were given the documents of each question."""

    searching: tuple[str, ...]
    """Systems that searched others, too."""


@cached_per_study
def unequal_scope(study: Study) -> UnequalScope | None:
    """Return which systems were given the documents of a question, and which searched for them.

    None if all were treated alike as far as known. A live system is known to search only by what it
    read.
    """
    documents_by_part = _documents_by_part(study)
    finished = study.finished
    has_others = [
        row.style == QUESTION
        and bool(row.doc_ids)
        and bool(documents_by_part[row.part] - {*row.doc_ids})
        for row in finished.itertuples(index=False)
    ]
    answers = dict(study.by_system(finished[has_others]))
    runs = [run for run in study.rows if run.system in contestants(study)]
    with_documents = tuple(run.system for run in runs if _is_given(run, answers[run.system]))
    searching = tuple(run.system for run in runs if _searches(run, answers[run.system]))
    return UnequalScope(with_documents, searching) if with_documents and searching else None


def _documents_by_part(study: Study) -> Mapping[str, set[str]]:
    """Return the documents that samples name or systems read, by part of the task."""
    documents: dict[str, set[str]] = {}
    for row in study.finished.itertuples(index=False):
        documents_read = (passage.doc_id for passage in row.passages if passage.doc_id)
        documents.setdefault(row.part, set()).update(chain(row.doc_ids, documents_read))
    return documents


def _is_given(run: RunRow, answers: pd.DataFrame) -> bool:
    """Return whether a system reads or searches only the documents of a question."""
    is_restricted = run.parameters.get("scope") == "sample_documents"
    return len(answers) > 0 and (is_restricted or (answers["context"] == "document").all())


def _searches(run: RunRow, answers: pd.DataFrame) -> bool:
    """Return whether a system searches the whole corpus, by its parameters or what it read."""
    if run.parameters.get("scope") == "corpus":
        return len(answers) > 0
    for row in answers.itertuples(index=False):
        if {passage.doc_id for passage in row.passages} - {"", *row.doc_ids}:
            return True
    return False
