"""Everything that Inspect finds by name (entry point `inspect_ai`)."""
# ruff: noqa: F401

from ._util.encodable import write_anything
from .models.offline.extractive import offline
from .models.pricing import register_prices
from .models.smollm2 import local
from .scorers import (
    bertscore,
    citation_check,
    citation_recall,
    composite_faithfulness,
    contain_match,
    document_recall,
    efficiency,
    embedding_coverage,
    error_taxonomy,
    estimate_flags,
    evidence_support,
    fact_coverage,
    fact_match,
    fact_match_lenient,
    factual_consistency,
    geval,
    geval_coverage,
    geval_faithfulness,
    llm_accuracy,
    nli_contradiction,
    numeric_match,
    perspective_validity,
    retrieval_pr,
    rouge,
    schema_validity,
    severity_judge,
    trend_consistency,
)
from .solvers import (
    arag,
    closed_book,
    extract_facts,
    multi_perspective,
    naive_rag,
    reference,
    replay,
    stuffing,
)
from .tasks import (
    advisor_facts,
    custom,
    docfinqa,
    earnings_synthetic,
    ectsum,
    financebench,
    financebench_qfs,
    financebench_references,
    finder,
    finqa,
    judge_agreement,
    legal_cases,
    perspectives,
    section_summary,
    yoy_change,
)
from .tools import chunk_read, chunk_summarize, keyword_search, semantic_search

register_prices()
write_anything()  # a locale without UTF-8 would end a run in Inspect's last table
