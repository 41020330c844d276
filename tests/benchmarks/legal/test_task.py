"""End-to-end tests of court-opinion summaries, from the prepared corpus to the scores."""

import json
import re
from pathlib import Path
from shutil import copy

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.benchmarks.legal import legal_cases
from arag_inspect.benchmarks.legal.reader import DEMO
from arag_inspect.corpus import Corpus
from arag_inspect.judge.rubrics import load_rubric
from arag_inspect.run import api
from arag_inspect.systems.registry import SYSTEMS
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Reply, columns, scripted, speak


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    """One demo case, summarised from the full opinion and judged by two graders."""
    folder = tmp_path_factory.mktemp("legal")
    for path in DEMO.glob("6 *.txt"):
        copy(path, folder)
    prepared = prepare_dataset("legal", source=folder, options=Options(out=folder / "corpus"))
    [eval_log] = eval(
        legal_cases(corpus=str(prepared.folder), scorers="all"),
        model="offline/extractive",
        model_roles={"grader": [STEADY, STEADY]},
        display="none",
        log_dir=str(folder / "logs"),
    )
    return eval_log


def test_legal_cases_gives_every_expected_score(log: EvalLog) -> None:
    assert log.status == "success"
    assert (log.eval.metadata or {})["cluster_noun"] == "case"
    [sample] = samples_of(log)
    scores = scores_of(sample)
    assert set(scores) == {
        "geval_faithfulness", "geval_coverage", "error_taxonomy", "nli_contradiction",
        "severity_judge", "embedding_coverage", "composite_faithfulness", "section_coverage",
        "rouge",
        "bertscore", "efficiency",
    }  # fmt: skip
    assert {name: score.reason for name, score in scores.items() if score.reason} == {
        "error_taxonomy": "no_retrieval",  # of its code IR
        "nli_contradiction": "scoring_failed",
        "composite_faithfulness": "part_unscored",
    }
    assert "threshold:0.5;" in (scores["composite_faithfulness"].metadata or {})["signature"]
    assert isinstance(codes := scores["error_taxonomy"].value, dict)
    assert set(codes) == {"FC", "ID", "WH", "RO", "WV", "MO", "OH", "OC", "OD", "HE", "any"}
    assert "rubrics/legal.md:" in (scores["severity_judge"].metadata or {})["signature"]


def test_log_browser_has_column_for_each_legal_error_code(log: EvalLog) -> None:
    [sample] = samples_of(log)
    shown_keys = [key for scorer, key in columns(log) if scorer == "error_taxonomy"]
    assert shown_keys[0] == "any"
    assert sorted(shown_keys) == sorted(scores_of(sample)["error_taxonomy"].as_dict())


def test_legal_summary_prompt_and_chunks_cover_opinion_parts(log: EvalLog) -> None:
    [sample] = samples_of(log)
    assert sample.metadata["style"] == "legal"
    assert 150 <= len(sample.output.completion.split()) <= 350
    corpus = Corpus.open(sample.metadata["corpus"])
    prefixes = {chunk.prefix for chunk in corpus.document_chunks(sample.metadata["doc_ids"])}
    assert "[CASE: Marchetti v. Larkspur School District | SECTION: Concurrence]" in prefixes
    system = sample.messages[0].text
    assert "at most 290 words" in system and "each dissent by its author" in system


VERDICTS: dict[str, object] = {
    "the kinds of error, each with its code": ["RO"],
    "one property of a summary: **faithfulness**": {"statements": [], "score": 1},
    "one property of a summary: **coverage**": {"items": [], "score": 1},
    "": 1,
}
"""Replies by text of the prompt; the first match applies."""
MATERIAL = re.compile(
    r"<(passage|snippet|source|reference|summary|reasoning|record)\b.*?</\1>", re.DOTALL
)
FINANCE = re.compile(
    r"compan(y|ies)|periods?\b|revenue|guidance|earnings|financial|invest|analyst", re.IGNORECASE
)


def own_text(text: str) -> str:
    """Return the package's own text in a prompt, without documents and answers."""
    return MATERIAL.sub("", text)


@pytest.mark.parametrize(
    "system", sorted({*SYSTEMS} - {"external", "oracle", "naive_rag_bm25", "naive_rag_hybrid"})
)
def test_every_system_prompt_is_about_court_opinions_not_finance(
    log: EvalLog, system: str, tmp_path: Path
) -> None:
    sent_prompts: list[str] = []

    def record(messages: list[ChatMessage], tools: list[ToolInfo]) -> None:
        sent_prompts.extend(message.text for message in messages if message.role != "tool")
        sent_prompts.extend(tool.model_dump_json() for tool in tools)

    def answer(messages: list[ChatMessage], tools: list[ToolInfo], *_: object) -> ModelOutput:
        record(messages, tools)
        chunks = ("chunk_read", {"chunk_ids": [0, 1]})
        shorter = ("chunk_summarize", {"chunk_ids": [2]})
        turn = len([message for message in messages if message.role == "assistant"])
        turns: list[Reply] = [("semantic_search", {"query": "holding"}), chunks, shorter]
        return speak(turns[turn], turn) if tools and turn < 3 else speak("Reversed.", 1)

    def grade(messages: list[ChatMessage], tools: list[ToolInfo], *_: object) -> ModelOutput:
        record(messages, tools)
        fitting = (VERDICTS[part] for part in VERDICTS if part in messages[0].text)
        return speak(json.dumps({"reasoning": "It is reversed.", "verdict": next(fitting)}), 1)

    [sample] = samples_of(log)
    tool_names = ["keyword_search", "semantic_search", "chunk_read", "chunk_summarize"]
    task = legal_cases(
        corpus=sample.metadata["corpus"],
        system=system,
        system_args={"tools": tool_names, "max_loops": 4} if system == "arag" else None,
        scorers="all",
    )
    [judged_log] = eval(
        task,
        model=scripted(answer),
        model_roles={"grader": scripted(grade), "summarizer": scripted(answer)},
        display="none",
        log_dir=str(tmp_path),
    )
    assert judged_log.status == "success"
    [answered] = samples_of(judged_log)
    assert scores_of(answered)["error_taxonomy"].as_dict()["RO"] == 1
    prompts = "\n".join(dict.fromkeys(map(own_text, sent_prompts)))
    for part in ("court opinion", "pedantic legal scholar", "Separate opinions", "hedging"):
        assert part in prompts
    assert {match.group() for match in FINANCE.finditer(prompts)} == set()


@pytest.mark.parametrize("rubric", ["legal", "legal_partner"])
def test_rubric_ranks_missed_concurrence_minor_and_reversed_outcome_critical(rubric: str) -> None:
    buckets = {line[4]: line for line in load_rubric(rubric).buckets.splitlines()}
    assert "concurrence is missed" in buckets["4"] and "outcome is reversed" in buckets["2"]
    assert "concurrence" not in buckets["3"] and "outcome" not in buckets["1"]


def test_plan_counts_cases_not_companies(log: EvalLog) -> None:
    [sample] = samples_of(log)
    plan = api.plan(
        "legal_cases", ["stuffing"], 0.5, parameters={"corpus": sample.metadata["corpus"]}
    )
    assert plan.cluster == "case"


def test_legal_cases_rejects_bad_arguments(log: EvalLog, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not prepared.*run: arag-inspect prepare legal"):
        legal_cases(corpus=str(tmp_path / "none"))
    [sample] = samples_of(log)
    with pytest.raises(InputError, match="scorer 'fact_mtach' is unknown; choose from"):
        legal_cases(corpus=sample.metadata["corpus"], scorers="fact_mtach")
    with pytest.raises(InputError, match="threshold: Input should be less than or equal to 1"):
        legal_cases(corpus=sample.metadata["corpus"], coverage_threshold=66)
