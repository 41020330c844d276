"""A table of the evidence by document, page and chunk."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ..analysis import analysis
from ..study import Study
from ..table import Cell, Share

_LEVELS = ("document", "page", "chunk")


def _recalls(study: Study, system: str) -> pd.DataFrame:
    """Return recall by level of the samples with gold pages, shape (samples, levels)."""
    scores = study.scores_of(study.key_of("recall"))
    scores = scores[scores["system"] == system]
    rows: list[dict[str, Any]] = []
    for sample_id, chunk, details in scores[["id", "value", "details"]].itertuples(index=False):
        pages = details.get("pages") if isinstance(details, Mapping) else None
        if not isinstance(pages, Mapping):
            continue
        read, missed = (len(pages.get(outcome) or ()) for outcome in ("read", "missed"))
        documents = pd.Series(details.get("chunks") or {}, dtype=float) > 0
        page = read / (read + missed) if read + missed else None
        rows.append({"id": sample_id, "document": documents.mean(), "page": page, "chunk": chunk})
    frame = pd.DataFrame(rows, columns=["id", *_LEVELS]).astype(dict.fromkeys(_LEVELS, float))
    return frame.groupby("id").mean()


@analysis(
    "retrieval",
    "Evidence by document, page and chunk",
    columns="system | samples with pages | documents | pages | chunks | page missed | chunk missed",
    after="retrieval",
    meanings={
        "samples with pages": "Samples whose gold pages are known",
        "documents": "Share of the documents of which a chunk was read",
        "pages": "Share of the gold pages of which a chunk was read",
        "chunks": "Share of the gold chunks that were read",
        "page missed": "Samples of which every document was read, but not every gold page",
        "chunk missed": "Samples of which every gold page was read, but not every gold chunk",
    },
)
def evidence_levels(study: Study) -> Iterator[Sequence[Cell]]:
    """Return recall by document, page and chunk side by side; None without gold pages.

    Recall on the samples whose gold pages are known: documents and gold pages of which a chunk was
    read, and gold chunks that were read. Page missed: every document was read, but not every gold
    page. Chunk missed: every gold page was read, but not every gold chunk. Pages stay the same
    when documents are cut into other chunks.
    """
    for system in study.systems:
        recalls = _recalls(study, system)
        if recalls.empty:
            continue
        aligned = recalls.reindex(list(study.sample_ids))
        document, page, chunk = (recalls[level] for level in _LEVELS)
        yield (
            system,
            len(recalls),
            *(study.mean(aligned[level].to_numpy(float), (0, 1)) for level in _LEVELS),
            Share(float(((document >= 1) & (page < 1)).mean())),
            Share(float(((page >= 1) & (chunk < 1)).mean())),
        )
