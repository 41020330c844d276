"""A table of the evidence by document, page and chunk."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from ..analysis import analysis
from ..study import Study
from ..table import Cell, Share

_LEVELS = ("document", "page", "chunk")


def _recalls(study: Study) -> pd.DataFrame:
    """Return recall by level of the answers to samples with gold pages: system, id, and levels."""
    rows: list[dict[str, Any]] = []
    for score in study.scores_of(study.key_of("recall")).itertuples(index=False):
        pages = score.details.get("pages") if isinstance(score.details, Mapping) else None
        if not isinstance(pages, Mapping):
            continue
        read, missed = (len(pages.get(outcome) or ()) for outcome in ("read", "missed"))
        documents = pd.Series(score.details.get("chunks") or {}, dtype=float) > 0
        page = read / (read + missed) if read + missed else None
        levels = {"document": documents.mean(), "page": page, "chunk": score.value}
        rows.append({"system": score.system, "id": score.id, **levels})
    frame = pd.DataFrame(rows, columns=["system", "id", *_LEVELS])
    return frame.astype(dict.fromkeys(_LEVELS, float))


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
    for system, of_system in study.by_system(_recalls(study)):
        if of_system.empty:
            continue
        recalls = of_system.groupby("id")[list(_LEVELS)].mean()
        aligned = recalls.reindex(list(study.sample_ids))
        document, page, chunk = (recalls[level] for level in _LEVELS)
        yield (
            system,
            len(recalls),
            *(study.mean(aligned[level].to_numpy(float), (0, 1)) for level in _LEVELS),
            Share(float(((document >= 1) & (page < 1)).mean())),
            Share(float(((page >= 1) & (chunk < 1)).mean())),
        )
