"""Tests of an agent's search results: matched keywords, their places and chunk counts."""

import re
from typing import Any

import anyio
import pytest
from inspect_ai.tool import ToolInfo

from arag_inspect.corpus import Corpus
from arag_inspect.systems.tools.results import snippets_of
from arag_inspect.systems.tools.strict import strict_tool
from arag_inspect.tools import (
    chunk_read,
    chunk_summarize,
    grep,
    keyword_search,
    read,
    semantic_search,
)
from tests.scripted import Script, scripted, summarized, trace_of

SNIPPET = re.compile(r"<snippet ([^>]*?)(/?)>(?:\n(.*?)\n</snippet>)?", re.DOTALL)


def results_of(corpus: Corpus, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """Return the results of an agent's calls in turn."""
    script = Script(*calls, "Done.")
    log = summarized(corpus.path, scripted(script))
    assert log.status == "success", log.error
    return [message.text for message in script.asked[-1] if message.role == "tool"]


def snippet_attributes(result: str) -> list[dict[str, str]]:
    """Return the attributes of the snippets in a result."""
    return [dict(re.findall(r'(\w+)="([^"]*)"', match[1])) for match in SNIPPET.finditer(result)]


@pytest.mark.usefixtures("logs")
def test_keyword_search_reports_matches_and_total(corpus: Corpus) -> None:
    chunks = [corpus.chunk(number) for number in range(len(corpus))]
    keywords = [chunks[0].company, chunks[0].period]
    held = [[word in f"{c.prefix} {c.text}" for word in keywords] for c in chunks]
    hold_any, hold_all = sum(map(any, held)), sum(map(all, held))
    assert hold_any > hold_all > 3
    (first, second, beyond) = results_of(
        corpus,
        ("keyword_search", {"keywords": keywords, "top_k": 2}),
        ("keyword_search", {"keywords": keywords, "top_k": 20, "offset": "2"}),
        ("keyword_search", {"keywords": keywords, "offset": 9_999}),
    )
    counts = f"Chunks that hold a keyword: {hold_any}, all keywords: {hold_all}. "
    assert first.endswith(f"{counts}Shown: 1 to 2; for the next, set offset to 2.")
    assert counts in second and counts[:-1] in beyond and "None is left" in beyond
    ids = [int(hit["chunk_id"]) for hit in snippet_attributes(first) + snippet_attributes(second)]
    assert len(ids) == len(set(ids)) == min(22, hold_any)
    assert {hit["holds"] for hit in snippet_attributes(first)} == {", ".join(keywords)}
    assert sorted(ids[:hold_all]) == [i for i, words in enumerate(held) if all(words)][: len(ids)]


def test_snippets_are_sentences_with_keyword(corpus: Corpus) -> None:
    hit = anyio.run(corpus.keyword_search, ["Revenue"], 1)[0]
    snippets = snippets_of(hit, corpus.chunk(hit.chunk_id), ["revenue"])
    assert 1 <= len(snippets) <= 5 and all("revenue" in text.lower() for text in snippets)


@pytest.mark.usefixtures("logs")
def test_snippet_shows_most_figures_when_only_header_matches(corpus: Corpus) -> None:
    (result,) = results_of(
        corpus, ("keyword_search", {"keywords": [corpus.chunk(0).prefix], "top_k": 20})
    )
    snippets = snippet_attributes(result)
    assert {hit["match"] for hit in snippets} == {"only in the header"}
    texts = [match[3] for match in SNIPPET.finditer(result)]
    for snippet, text in zip(snippets, texts, strict=True):
        chunk = corpus.chunk(int(snippet["chunk_id"]))
        figures = [
            sum(any(sign.isdigit() for sign in word) for word in chunk.text[a:b].split())
            for a, b in chunk.sentences
        ]
        assert sum(any(s.isdigit() for s in word) for word in text.split()) == max(figures)


@pytest.mark.usefixtures("logs")
def test_snippet_is_shortened_when_chunk_was_read(corpus: Corpus) -> None:
    search = ("keyword_search", {"keywords": ["revenue"], "top_k": 2})
    before, _, after = results_of(corpus, search, ("chunk_read", {"chunk_ids": [0]}), search)
    first, second = (snippet_attributes(result) for result in (before, after))
    assert [hit["chunk_id"] for hit in first] == [hit["chunk_id"] for hit in second]
    for attributes, (_, closing, text) in zip(second, SNIPPET.findall(after), strict=True):
        is_read = attributes["chunk_id"] == "0"
        assert bool(closing) == is_read == ("already_read" in attributes) == (not text)


@pytest.mark.usefixtures("logs")
def test_searches_are_limited_to_company_and_period(corpus: Corpus) -> None:
    last = corpus.chunk(len(corpus) - 1)
    about = {"company": last.company, "period": last.period}
    by_word, by_meaning, nowhere, not_found = results_of(
        corpus,
        ("keyword_search", {"keywords": ["revenue"], "top_k": 20, **about}),
        ("semantic_search", {"query": "outlook", "top_k": 20, **about}),
        ("keyword_search", {"keywords": ["revenue"], "period": "Q9_1999"}),
        ("semantic_search", {"query": "outlook", "company": "NOBODY"}),
    )
    for result in (by_word, by_meaning):
        assert {hit["source"] for hit in snippet_attributes(result)} == {last.prefix}
    assert nowhere == (
        "No chunk of period 'Q9_1999' contains any of ['revenue']. "
        "Leave out company and period, or semantic_search."
    )
    assert not_found == "No chunk of company 'NOBODY' was found."


@pytest.mark.usefixtures("logs")
def test_part_attribute_gives_position_within_document(corpus: Corpus) -> None:
    doc_id = corpus.chunk(0).doc_id
    count = len(corpus.document_chunks([doc_id]))
    numbers = list(range(count))
    searched, passages = results_of(
        corpus,
        ("semantic_search", {"query": "revenue", "company": corpus.chunk(0).company, "top_k": 20}),
        ("chunk_read", {"chunk_ids": numbers}),
    )
    parts = re.findall(r'<passage chunk_id="(\d+)"[^>]* part="([^"]*)"', passages)
    assert parts == [(str(number), f"{number + 1}/{count}") for number in numbers]
    for hit in snippet_attributes(searched):
        if int(hit["chunk_id"]) < count:
            assert hit["part"] == f"{int(hit['chunk_id']) + 1}/{count}"


def test_trace_passages_record_position_within_document(synthetic_folder: Any, logs: Any) -> None:
    trace = trace_of(summarized(synthetic_folder, scripted(Script("A.")), "stuffing"))
    count = len(trace.passages)
    assert [p.part for p in trace.passages] == [f"{n}/{count}" for n in range(1, count + 1)]


ALL = (keyword_search, semantic_search, chunk_read, chunk_summarize, grep, read)


@pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool.__name__)
def test_tool_schema_is_valid_for_strict_function_calling(tool: Any) -> None:
    definition = strict_tool(tool(corpus="none"))
    schema = definition.parameters.model_dump(exclude_none=True)
    assert schema["required"] == list(schema["properties"]) and not schema["additionalProperties"]
    for parameter in schema["properties"].values():
        assert parameter["description"] and "Null for ." not in parameter["description"]
        choices = [parameter, *parameter.get("anyOf", ())]
        assert set().union(*choices) <= {"type", "description", "anyOf", "items", "enum"}
    assert ToolInfo(
        name=definition.name, description=definition.description, parameters=definition.parameters
    )


@pytest.mark.usefixtures("logs")
def test_tool_calls_may_omit_optional_parameters(corpus: Corpus) -> None:
    search_arguments = {"keywords": ["revenue"], "offset": None}
    results = results_of(
        corpus, ("keyword_search", {"keywords": "revenue"}), ("keyword_search", search_arguments)
    )
    assert results[0] == results[1] and len(snippet_attributes(results[0])) == 5
