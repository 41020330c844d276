"""A table of the evidence by document, page, chunk and text."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from ..analysis import RowCells, analysis
from ..cells import Over, Share, mean_over
from ..comparison.means import mean_of_values
from ..study import Study

_LEVELS = ("document", "page", "chunk", "text")


def _recalls(study: Study) -> pd.DataFrame:
    """Return a row per answer with a level other than chunks: system, id, and recall by level."""
    rows: list[dict[str, Any]] = []
    text_read = study.catalogue.key_of("evidence read")
    for score in study.scores_of(study.catalogue.key_of("recall")).itertuples(index=False):
        details = score.details if isinstance(score.details, Mapping) else {}
        page = _page_recall(details)
        text = study.value(score.answer, text_read)
        if page is None and text is None:
            continue
        documents = pd.Series(details.get("chunks") or {}, dtype=float) > 0
        levels = {"document": documents.mean(), "page": page, "chunk": score.value, "text": text}
        rows.append({"system": score.system, "id": score.id, **levels})
    frame = pd.DataFrame(rows, columns=["system", "id", *_LEVELS])
    return frame.astype(dict.fromkeys(_LEVELS, float))


def _page_recall(details: Mapping[str, Any]) -> float | None:
    """Return the share of gold pages with a chunk that was read; None without gold pages."""
    pages = details.get("pages")
    if not isinstance(pages, Mapping):
        return None
    pages_read, pages_missed = (len(pages.get(outcome) or ()) for outcome in ("read", "missed"))
    return pages_read / (pages_read + pages_missed) if pages_read + pages_missed else None


@analysis(
    "Evidence by document, page, chunk and text",
    text="""
    Recall on the samples with known gold pages or evidence texts, at four levels: documents and
    gold pages with at least one chunk read, gold chunks read, and evidence texts found in the
    passages read. Each level covers the samples for which it is known. Page, chunk or text missed:
    samples complete at the level before, but not at this one; for a chunk whose page is unknown,
    the level before is the document. A text can be missed although its chunk counts as read, if a
    passage begins in the chunk and ends before the evidence. Pages and texts stay the same when
    documents are chunked differently.
    """,
    meanings={
        "samples": "Samples with known gold pages or evidence texts",
        "documents": "Share of the documents with at least one chunk read",
        "pages": "Share of the gold pages with at least one chunk read",
        "chunks": "Share of the gold chunks that were read",
        "texts": "Share of the evidence texts found in the passages read",
        "page missed": "Samples with every document read, but not every gold page",
        "chunk missed": (
            "Samples with every gold page (without known pages: every document) read, but not "
            "every gold chunk"
        ),
        "text missed": "Samples with every gold chunk read, but not every evidence text",
    },
    section="retrieval",
    order=150,
)
def evidence_levels(study: Study) -> Iterator[RowCells]:
    """Yield the recall of each system by document, page, chunk and text."""
    for system, of_system in study.by_system(_recalls(study)):
        if of_system.empty:
            continue
        recalls = of_system.groupby("id")[list(_LEVELS)].mean()
        aligned = recalls.reindex(list(study.sample_ids))
        known_recalls = recalls.ffill(axis=1)
        yield {
            "system": system,
            "samples": len(recalls),
            "recalls": {
                f"{level}s": mean_of_values(study, aligned[level].to_numpy(float), (0, 1))
                for level in _LEVELS
            },
            "shares missed": {
                f"{narrower} missed": _share_missed(known_recalls[wider], recalls[narrower])
                for wider, narrower in pairwise(_LEVELS)
            },
        }


def _share_missed(wider: "pd.Series[float]", narrower: "pd.Series[float]") -> Over | None:
    """Return the share of samples with both levels in which only the wider level is complete."""
    is_known = wider.notna() & narrower.notna()
    is_missed = (wider >= 1) & (narrower < 1)
    return mean_over(list(is_missed[is_known]), Share)
