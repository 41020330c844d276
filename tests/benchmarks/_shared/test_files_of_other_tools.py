"""Question sets, results and traces in the forms of other tools: read right, or refused in a line."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.benchmarks._shared.other_tools.columns import Use
from arag_inspect.benchmarks._shared.other_tools.records import Records, read_records

ASKED = ("What did Quarrix earn in 2025?", "Who audits Quarrix?", "What did Quarrix pay in 1951?")
GOLD = ("It earned €12.5 million.", "Marn & Toll.", "Not answerable from the provided documents.")
SAID = ("€12.5 million", 'It\'s "Marn" & Toll', "")
READ: tuple[list[str], ...] = (["Profit was €12.5 million,\nafter 'tax'.", 'The "auditor" is Marn & Toll.'], ["[Note 3] Fees of 2."], [])  # fmt: skip


def table(columns: Mapping[str, Sequence[Any]], sign: str = ",") -> str:
    """Return a CSV with lists as pandas writes them: as Python shows them."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sign)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def lines(items: Sequence[Any]) -> str:
    return "\n".join(json.dumps(item) for item in items)


RAGAS = {"user_input": ASKED, "retrieved_contexts": READ, "response": SAID, "reference": GOLD, "faithfulness": (1.0, 0.5, ""), "factual_correctness(mode=f1)": (0.4, 0.1, 0)}  # fmt: skip
OLD = {"": (0, 1, 2), "question": ASKED, "contexts": READ, "answer": SAID, "ground_truths": [[text] for text in GOLD], "answer_relevancy": (0.9, 0.8, 0.7)}  # fmt: skip
NUMPY = {**RAGAS, "retrieved_contexts": [f"[{' '.join(map(repr, texts))}]".replace("' '", "'\n '") for texts in READ]}  # fmt: skip
GOLDENS = {"input": ASKED, "expected_output": GOLD, "context": READ, "retrieval_context": (None,) * 3, "additional_metadata": [{"category": "fact", "hops": 2}] * 3}  # fmt: skip
TEST_RUN = {"testRunData": {"metricsScores": [{"metric": "X", "scores": [1]}], "testCases": [{"name": f"test_case_{n}", "input": asked, "actualOutput": said, "expectedOutput": gold, "retrievalContext": [json.dumps({"hits": [{"text": text} for text in read]})], "metricsData": [{"name": "Answer Relevancy", "score": 0.25, "success": False, "threshold": 0.5}], "tokenCost": 0.003, "completionTime": 2.5, "runDuration": 9.0} for n, (asked, said, gold, read) in enumerate(zip(ASKED, SAID, GOLD, READ, strict=True))]}}  # fmt: skip
PROMPTFOO = {"results": {"version": 3, "results": [{"id": f"r{n}{model}", "provider": {"id": f"openai:{model}", "label": ""}, "vars": {"query": asked, "expected_answer": gold, "context": read}, "response": {"output": said, "tokenUsage": {"prompt": 7, "completion": 3}}, "latencyMs": 15, "cost": 0.5, "score": 1, "namedScores": {"tone": 0.5, "tone_score": 0.5}, "testIdx": n} for model in ("big", "small") for n, (asked, gold, read, said) in enumerate(zip(ASKED, GOLD, READ, SAID, strict=True))]}}  # fmt: skip
DATASET = [{"id": f"d{n}", "status": "ACTIVE" if n else "ARCHIVED", "input": asked, "expectedOutput": {"output": gold}, "metadata": {"desk": "rates"}} for n, (asked, gold) in enumerate(zip(ASKED, GOLD, strict=True))]  # fmt: skip
PHOENIX_DATA = [{"example_id": f"e{n}", "input": {"question": asked}, "output": {"answer": gold}, "metadata": {}} for n, (asked, gold) in enumerate(zip(ASKED, GOLD, strict=True))]  # fmt: skip
PROJECT = [{"qid": f"p{n}", "question": asked, "gold_answer": gold, "system_answer": said, "generation_contexts": read, "grading": {"verdict": "PASS" if n else "fail", "why": "-"}, "split": "holdout" if n else "dev"} for n, (asked, gold, said, read) in enumerate(zip(ASKED, GOLD, SAID, READ, strict=True))]  # fmt: skip
SQUAD = {"data": [{"id": "s1", "question": ASKED[0], "answers": {"text": [GOLD[0], "12.5"], "answer_start": [1, 2]}, "is_impossible": False}, {"id": "s2", "question": ASKED[1], "answers": {"text": [], "answer_start": []}, "is_impossible": True}]}  # fmt: skip


def langfuse(asked: str, said: str, read: Sequence[str]) -> dict[str, Any]:
    steps = [
        {"id": "a", "type": "SPAN", "name": "vector search", "output": {"documents": [{"pageContent": text} for text in read]}},
        {"id": "b", "type": "GENERATION", "model": "m-1", "usage": {"input": 30, "output": 4}, "calculatedTotalCost": 0.25},
        {"id": "c", "type": "GENERATION", "model": "m-1", "usage": {"input": 10, "output": 1}, "calculatedTotalCost": 0.5},
    ]  # fmt: skip
    return {"id": f"t{len(asked)}", "sessionId": "s", "input": {"messages": [{"role": "user", "content": asked}]}, "output": {"answer": said}, "latency": 0.5, "totalCost": 0.75, "observations": steps, "scores": [{"name": "thumbs", "value": 1}]}  # fmt: skip


def otlp(number: int, asked: str, said: str, read: Sequence[str]) -> list[dict[str, Any]]:
    """Return three spans; the agent's repeats the tokens of its call."""

    def span(place: str, parent: str, **attributes: Any) -> dict[str, Any]:
        values = [
            {"key": key.replace("__", "."), "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in attributes.items()
        ]  # fmt: skip
        return {"traceId": f"{number:032x}", "spanId": place, "parentSpanId": parent, "name": place, "startTimeUnixNano": str(1_790_000_000_000_000_000 + number), "endTimeUnixNano": str(1_790_000_000_250_000_000 + number), "attributes": values}  # fmt: skip

    usage = {"gen_ai__usage__input_tokens": 40, "gen_ai__usage__output_tokens": 5}
    messages = [{"role": "system", "parts": [{"type": "text", "content": "Be brief."}]}, {"role": "user", "parts": [{"type": "text", "content": asked}]}]  # fmt: skip
    reply = [{"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": said}]}]  # fmt: skip
    documents = json.dumps([{"id": n, "content": text} for n, text in enumerate(read)])
    return [
        span("call", "agent", gen_ai__operation__name="chat", gen_ai__output__messages=json.dumps(reply), **usage),
        span("agent", "", gen_ai__operation__name="invoke_agent", gen_ai__input__messages=json.dumps(messages), gen_ai__conversation__id="c", **usage),
        span("find", "agent", gen_ai__retrieval__documents=documents),
    ]  # fmt: skip


SPANS = [span for n, (asked, said, read) in enumerate(zip(ASKED, SAID, READ, strict=True)) for span in otlp(n, asked, said, read)]  # fmt: skip
EXPORT = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": SPANS}]}]}
PHOENIX = [
    {"name": "retrieve", "context": {"trace_id": "t", "span_id": "2"}, "parent_id": "1", "span_kind": "RETRIEVER", "start_time": 1_790_000_000_100, "attributes": {f"retrieval.documents.{n}.document.content": text for n, text in enumerate(READ[0])}},
    {"name": "ask", "context": {"trace_id": "t", "span_id": "1"}, "parent_id": None, "span_kind": "CHAIN", "start_time": 1_790_000_000_000, "end_time": 1_790_000_000_250, "attributes": json.dumps({"input": {"value": json.dumps({"query": ASKED[0]})}, "output": {"value": SAID[0]}})},
    {"name": "llm", "context": {"trace_id": "t", "span_id": "3"}, "parent_id": "1", "span_kind": "LLM", "start_time": 1_790_000_000_200, "attributes": {"llm.token_count.prompt": 40, "llm.token_count.completion": 5}},
]  # fmt: skip

FULL = {"references": 3, "unanswerable": 1, "answers": 2, "passages": 3}
SET = {"references": 3, "unanswerable": 1, "answers": 0, "passages": 0}
TRACES = {"references": 0, "answers": 2, "passages": 3}

TUPLES = list(zip(ASKED, GOLD, SAID, READ, strict=True))
LANGSMITH = {"id": ("r1", "r2", "r3"), "inputs": [json.dumps({"question": asked}) for asked in ASKED], "outputs": [json.dumps({"answer": said, "documents": [{"page_content": text, "metadata": {}} for text in read]}) for said, read in zip(SAID, READ, strict=True)], "reference_outputs": [json.dumps({"answer": gold}) for gold in GOLD], "status": ("success",) * 3, "correctness": (1, 0, "")}  # fmt: skip
MLFLOW = {"columns": ["inputs", "ground_truth", "outputs", "source_documents", "faithfulness/v1/score"], "data": [[*row, score] for row, score in zip(TUPLES, (5, 3, 1), strict=True)]}  # fmt: skip
MLFLOW_GENAI = [{"trace_id": f"tr{n}", "request": {"question": asked}, "response": {"response": said}, "expectations": {"expected_response": gold}, "correctness/value": "yes"} for n, (asked, gold, said, _) in enumerate(TUPLES)]  # fmt: skip
TRULENS = {"app_id": "aaa", "record_id": "xyz", "input": [json.dumps(asked) for asked in ASKED], "output": [json.dumps(said) for said in SAID], "Groundedness": (1.0, 0.5, 0.0), "total_cost": (0.5, 0.1, 0)}  # fmt: skip
CONVERSATIONS = [{"user_input": [{"content": asked, "type": "human"}, {"content": said, "type": "ai"}], "reference": gold} for asked, gold, said, _ in TUPLES]  # fmt: skip
OUTPUTS = "question,reference,[openai:gpt] Answer {{question}},Status,Score,[local] Answer {{question}},Status,Score\n" + "".join(f'{asked},{gold},"{said.replace(chr(34), chr(34) * 2)}",PASS,1.00,,FAIL,0.00\n' for asked, gold, said, _ in TUPLES)  # fmt: skip
OLD_OUTPUTS = {"question": ASKED, "expected_answer": GOLD, "[openai:gpt] {{question}}": [f"[PASS] {said}" for said in SAID]}  # fmt: skip
PHOENIX_CSV = {"context.trace_id": "ttt", "context.span_id": "abc", "parent_id": ("", "a", "a"), "span_kind": ("CHAIN", "RETRIEVER", "LLM"), "attributes.input.value": (ASKED[0], ASKED[0], ""), "attributes.output.value": (SAID[0], "", ""), "attributes.retrieval.documents": ("", [{"document.content": text, "document.score": 0.5} for text in READ[0]], ""), "attributes.llm.token_count.prompt": ("", "", 40.0)}  # fmt: skip
BRAINTRUST = {"input": ASKED, "expected": GOLD, "output": SAID, "scores.Factuality": (0.5, 1, 0), "metadata": [{"desk": "fx"}] * 3}  # fmt: skip


def langsmith_runs(number: int, asked: str, said: str, read: Sequence[str]) -> list[dict[str, Any]]:
    run = {"trace_id": f"r{number}", "start_time": "2025-10-01T00:00:00", "end_time": "2025-10-01T00:00:00.250"}  # fmt: skip
    return [
        {**run, "id": f"r{number}", "parent_run_id": None, "run_type": "chain", "inputs": {"question": asked}, "outputs": {"answer": said}},
        {**run, "id": f"s{number}", "parent_run_id": f"r{number}", "run_type": "retriever", "inputs": {"query": asked}, "outputs": {"documents": [{"page_content": text} for text in read]}},
        {**run, "id": f"t{number}", "parent_run_id": f"r{number}", "run_type": "llm", "inputs": {}, "outputs": {}, "prompt_tokens": 40, "completion_tokens": 5},
    ]  # fmt: skip


def mlflow_trace(number: int, asked: str, said: str, read: Sequence[str]) -> dict[str, Any]:
    texts = [({"question": asked}, said, "CHAIN"), ({"query": asked}, [{"page_content": text} for text in read], "RETRIEVER")]  # fmt: skip
    spans = [
        {"trace_id": f"t{number}", "span_id": f"{n}", "parent_span_id": "0" if n else None, "name": "step", "start_time_unix_nano": 1_790_000_000_000_000_000, "end_time_unix_nano": 1_790_000_000_250_000_000,
         "attributes": {"mlflow.spanType": kind, "mlflow.spanInputs": json.dumps(given), "mlflow.spanOutputs": json.dumps(made)}}
        for n, (given, made, kind) in enumerate(texts)
    ]  # fmt: skip
    return {"info": {"trace_id": f"t{number}"}, "data": {"spans": spans}}


TRACED = [(n, asked, said, read) for n, (asked, _, said, read) in enumerate(TUPLES)]


def call_spans(attributes: Callable[[str, str], dict[str, str]], events: Callable[[str, str], list[Any]] = lambda *_: []) -> str:  # fmt: skip
    """Return an OTLP export with a call of a model for each question."""

    def listed(values: Mapping[str, str]) -> list[dict[str, Any]]:
        return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]

    spans = [
        {"traceId": f"{n:032x}", "spanId": f"{n:016x}", "name": "chat", "startTimeUnixNano": "1790000000000000000", "endTimeUnixNano": "1790000000250000000", "attributes": listed(attributes(asked, said)),
         "events": [{"name": name, "attributes": listed(values)} for name, values in events(asked, said)]}
        for n, (asked, _, said, _) in enumerate(TUPLES, start=1)
    ]  # fmt: skip
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def numbered(questions: str, answers: str) -> str:
    return call_spans(
        lambda asked, said: {f"{questions}.0.ROLE": "system", f"{questions}.0.TEXT": "Be brief.", f"{questions}.1.ROLE": "user", f"{questions}.1.TEXT": asked, f"{answers}.0.ROLE": "assistant", f"{answers}.0.TEXT": said}
    )  # fmt: skip


def as_events(asked: str, said: str) -> list[Any]:
    reply = json.dumps({"role": "assistant", "content": said})
    return [("gen_ai.system.message", {"content": "Be brief."}), ("gen_ai.user.message", {"content": asked}), ("gen_ai.choice", {"finish_reason": "stop", "message": reply})]  # fmt: skip


CASES: list[tuple[str, str, Use, str, dict[str, Any]]] = [
    ("ragas.csv", table(RAGAS), "results", "", {**FULL, "scores": {"ragas.faithfulness": 1.5, "ragas.factual_correctness(mode=f1)": 0.5}}),
    ("ragas-numpy.csv", table(NUMPY), "results", "", FULL),
    ("ragas.jsonl", lines(rows(RAGAS)), "results", "", FULL),
    ("ragas-old.csv", table(OLD), "results", "", {**FULL, "scores": {"ragas.answer_relevancy": 2.4}}),
    ("ragas-old-as-questions.csv", table(OLD), "questions", "", {**FULL, "notes": "not used: answer, contexts, answer_relevancy"}),
    ("records.json", json.dumps(rows(RAGAS), indent=2), "results", "", FULL),
    ("columns.json", json.dumps({name: dict(enumerate(values)) for name, values in RAGAS.items()}), "results", "", FULL),
    ("lists.json", json.dumps({name: list(values) for name, values in RAGAS.items()}), "results", "", FULL),
    ("split.json", json.dumps({"columns": list(RAGAS), "index": [0, 1, 2], "data": [list(row.values()) for row in rows(RAGAS)]}), "results", "", FULL),
    ("by-number.json", json.dumps(dict(enumerate(rows(RAGAS))), indent=1), "results", "", {**FULL, "made": 3}),
    ("by-name.json", json.dumps({f"n{n}": row for n, row in enumerate(rows(RAGAS))}, indent=1), "results", "", {**FULL, "made": 0}),
    ("summary.json", json.dumps({"summary": {"faithfulness": 1}, "runs": [{"x": 1}] * 9, "detail": {"rows": rows(RAGAS)}}, indent=1), "results", "", FULL),
    ("text-in-text.json", json.dumps({"version": 1, "payload": json.dumps({"rows": rows(RAGAS)})}), "results", "", FULL),
    ("goldens.json", json.dumps(rows(GOLDENS)), "questions", "", {**SET, "evidence": 3, "metadata": {"category", "hops"}}),
    ("goldens.csv", table({**GOLDENS, "additional_metadata": [json.dumps({"category": "fact", "hops": 2})] * 3}), "questions", "", {**SET, "evidence": 3, "metadata": {"category", "hops"}}),
    (".latest_test_run.json", json.dumps(TEST_RUN), "results", "", {**FULL, "scores": {"deepeval.Answer Relevancy": 0.75}, "effort": (None, None, 0.003, 2500.0)}),
    ("promptfoo.json", json.dumps(PROMPTFOO), "results", "", {"references": 6, "unanswerable": 2, "answers": 4, "passages": 6, "systems": ["openai:big", "openai:small"], "effort": (7, 3, 0.5, 15), "made": 6}),
    ("promptfoo.csv", table({"question": ASKED, "__expected": GOLD, "__metadata:desk": "abc"}), "questions", "", {"references": 0, "metadata": {"desk"}, "notes": "not used: __expected"}),
    ("langfuse.jsonl", lines(DATASET), "questions", "", {"references": 2, "unanswerable": 1, "metadata": {"desk", "status"}, "notes": "1 archived left out", "made": 0}),
    ("langfuse.csv", table({"id": ("a", "b", "c"), "input": [json.dumps({"question": text}) for text in ASKED], "expectedOutput": GOLD, "metadata": ['{"desk": "fx"}'] * 3}), "questions", "", {**SET, "metadata": {"desk"}, "made": 0}),
    ("langfuse-traces.json", json.dumps([langfuse(*items) for items in zip(ASKED, SAID, READ, strict=True)]), "results", "", {**TRACES, "scores": {"langfuse.thumbs": 3}, "effort": (40, 5, 0.75, 500)}),
    ("langfuse-one.json", json.dumps(langfuse(ASKED[0], SAID[0], READ[0])), "results", "", {"answers": 1, "passages": 2}),
    ("langfuse-session.json", json.dumps({"id": "s", "traces": [langfuse(*items) for items in zip(ASKED, SAID, READ, strict=True)]}), "results", "", TRACES),
    ("observations.jsonl", lines([{"trace_id": "t", "id": "1", "parent_observation_id": "", "type": "SPAN", "input": ASKED[0], "output": SAID[0]}, {"trace_id": "t", "id": "2", "parent_observation_id": "1", "type": "RETRIEVER", "output": READ[0]}]), "results", "", {"answers": 1, "passages": 2}),
    ("phoenix.json", json.dumps(PHOENIX), "results", "", {"answers": 1, "passages": 2, "effort": (40, 5, None, 250)}),
    ("phoenix-set.json", json.dumps(PHOENIX_DATA), "questions", "", {**SET, "made": 0}),
    ("otlp.json", json.dumps(EXPORT), "results", "", {**TRACES, "effort": (40, 5, None, 250), "made": 3}),
    ("otlp.jsonl", lines([EXPORT]), "results", "", TRACES),
    ("project.json", json.dumps(PROJECT, indent=1), "results", "", {**FULL, "scores": {"grading.verdict": 2}, "metadata": {"split", "grading.why"}, "made": 0}),
    ("squad.json", json.dumps(SQUAD), "questions", "", {"references": 1, "unanswerable": 1, "metadata": {"is_impossible", "answers.answer_start"}}),
    ("plain.tsv", table({"Question": ASKED, "Answer": GOLD, "Page": (4, 5, 6), "Company": "abc"}, "\t"), "questions", "", {**SET, "metadata": {"Page", "Company"}, "made": 3}),
    ("german.csv", table({"Frage": ASKED, "Soll": GOLD, "Art": "xyz"}, ";"), "questions", "question=frage, reference=Soll", {**SET, "metadata": {"Art"}}),
    ("nested.json", json.dumps({"v": 2, "cases": [{"ask": {"words": text}, "truth": [gold, "x"]} for text, gold in zip(ASKED, GOLD, strict=True)]}), "questions", "question=ask.words,reference=truth", {"references": 3}),
    ("langsmith.csv", table(LANGSMITH), "results", "", {**FULL, "scores": {"given.correctness": 1.0}, "made": 0}),
    ("mlflow-table.json", json.dumps(MLFLOW), "results", "", {**FULL, "scores": {"given.faithfulness/v1/score": 9.0}}),
    ("mlflow-genai.json", json.dumps(MLFLOW_GENAI), "results", "", {**FULL, "passages": 0, "scores": {"given.correctness/value": 3.0}}),
    ("trulens.csv", table(TRULENS), "results", "", {"answers": 2, "scores": {"given.Groundedness": 1.5}, "effort": (None, None, 0.5, None)}),
    ("conversations.json", json.dumps(CONVERSATIONS), "results", "", {**FULL, "passages": 0}),
    ("promptfoo-outputs.csv", OUTPUTS, "results", "", {"references": 6, "answers": 2, "systems": ["local", "openai:gpt"], "scores": {"given.Score": 3.0}}),
    ("promptfoo-older.csv", table(OLD_OUTPUTS), "results", "", {**FULL, "passages": 0, "systems": ["openai:gpt"]}),
    ("otlp-events.json", call_spans(lambda *_: {}, as_events), "results", "", {**TRACES, "passages": 0}),
    ("otlp-openinference.json", numbered("llm.input_messages", "llm.output_messages").replace("ROLE", "message.role").replace("TEXT", "message.content"), "results", "", {**TRACES, "passages": 0}),
    ("otlp-openllmetry.json", numbered("gen_ai.prompt", "gen_ai.completion").replace("ROLE", "role").replace("TEXT", "content"), "results", "", {**TRACES, "passages": 0}),
    ("phoenix.csv", table(PHOENIX_CSV), "results", "", {"answers": 1, "passages": 2, "effort": (40, None, None, None)}),
    ("langsmith-runs.jsonl", lines([run for trace in TRACED for run in langsmith_runs(*trace)]), "results", "", {**TRACES, "effort": (40, 5, None, 250)}),
    ("mlflow-traces.json", json.dumps([mlflow_trace(*trace) for trace in TRACED]), "results", "", {**TRACES, "effort": (None, None, None, 250)}),
    ("braintrust.csv", table(BRAINTRUST), "results", "", {**FULL, "passages": 0, "scores": {"given.Factuality": 1.5}, "metadata": {"desk"}}),
    ("one-run.json", json.dumps({"inputs": {"question": ASKED[0]}, "outputs": {"answer": SAID[0]}, "metadata": {"desk": "fx"}}), "results", "", {"answers": 1, "metadata": {"desk"}}),
    ("python-literals.csv", table({"question": ASKED, "answer": GOLD, "remark": [{"a": {1, 2}}, {"b": "c" * 2000}, "{'open"]}), "questions", "", {**SET, "metadata": {"remark"}, "notes": "not used: remark"}),
    ("long.csv", table({"question": ASKED, "answer": GOLD, "category": ["x" * 2001] * 3, "remark": ["y" * 2001] * 3}), "questions", "", {**SET, "metadata": set(), "notes": "not used: remark"}),
    ("ragas-array.csv", table({**RAGAS, "retrieved_contexts": [f"array({texts}, dtype=object)" for texts in READ]}), "results", "", FULL),
    ("ragas-numpy-2.csv", table({**RAGAS, "retrieved_contexts": [f"[{', '.join(f'np.str_({text!r})' for text in texts)}]" for texts in READ]}), "results", "", FULL),
    ("langchain.csv", table({**RAGAS, "retrieved_contexts": [f"[{', '.join(f'Document(metadata={{}}, page_content={text!r})' for text in texts)}]" for texts in READ]}), "results", "", FULL),
    ("ragas-failed.csv", table({**RAGAS, "faithfulness": ("0,5", "N/A", "1,0")}, ";"), "results", "", {**FULL, "scores": {"ragas.faithfulness": 1.5, "ragas.factual_correctness(mode=f1)": 0.5}}),
    ("ragas-evaluated.jsonl", lines([{"input": row, "scores": {"faithfulness": 1}} for row in rows(RAGAS)]), "results", "", FULL),
    ("conversations.csv", table({name: [row[name] for row in CONVERSATIONS] for name in ("user_input", "reference")}), "results", "", {**FULL, "passages": 0}),
    ("langfuse-ui.csv", table({"input": [json.dumps({"args": [asked], "kwargs": {}}) for asked in ASKED], "output": [json.dumps(said) for said in SAID]}), "results", "", {"answers": 2}),
    ("langfuse-keywords.jsonl", lines([{"input": {"args": [], "kwargs": {"question": asked}}, "output": {"answer": said, "context": read}} for asked, _, said, read in TUPLES]), "results", "", {"answers": 2, "passages": 3}),
    ("langsmith-export.csv", table({"inputs.question": ASKED, "outputs.output": SAID, "outputs.context": [json.dumps(texts) for texts in READ], "reference.answer": GOLD}), "results", "", {**FULL, "evidence": 0}),
    ("langsmith-messages.jsonl", lines([{"inputs": {"messages": [{"role": "user", "content": asked}]}, "outputs": {"messages": [{"role": "assistant", "content": gold}]}} for asked, gold, _, _ in TUPLES]), "questions", "", SET),
    ("promptfoo-output.jsonl", lines([{"vars": {"question": asked, "reference": gold}, "provider": {"id": "p"}, "response": {"output": {"answer": said, "context": read}}} for asked, gold, said, read in TUPLES]), "results", "", FULL),
    ("mlflow-genai.csv", table({"request": [json.dumps({"question": asked}) for asked in ASKED], "response": [json.dumps({"choices": [{"message": {"role": "assistant", "content": said}}]}) for said in SAID], "expected_response/value": GOLD, "execution_duration": (150, 1, 1)}), "results", "", {**FULL, "passages": 0, "effort": (None, None, None, 150)}),
    ("phoenix-experiment.json", json.dumps([{"input": {"question": asked}, "reference_output": {"answer": gold}, "output": said, "prompt_token_count": 5, "annotations": [{"name": "right", "score": 1}]} for asked, gold, said, _ in TUPLES]), "results", "", {**FULL, "passages": 0, "scores": {"phoenix.right": 3.0}, "effort": (5, None, None, None)}),
    ("brackets.csv", table({"question": ASKED, "answer": GOLD, "[note] of the desk": "abc"}), "questions", "", {**SET, "metadata": {"[note] of the desk"}}),
]  # fmt: skip


def read(path: Path, text: str, use: Use, columns: str = "", **more: Any) -> Records:
    path.write_text(text, encoding="utf-8")
    return read_records(path, use=use, columns=columns, **more)


def summary_of(records: Records) -> dict[str, Any]:
    items, first = records.items, records.items[0]
    sums: dict[str, float] = {}
    for item in items:
        for origin, scores in item.scores.items():
            for name, value in scores.items():
                key = f"{origin}.{name}"
                sums[key] = round(sums.get(key, 0) + (value or 0), 9)
    return {
        "references": sum(bool(item.references) for item in items),
        "unanswerable": sum(item.is_unanswerable for item in items),
        "answers": sum(bool(item.answer) for item in items),
        "passages": sum(len(item.passages) for item in items),
        "evidence": sum(len(item.evidence) for item in items),
        "systems": sorted({item.system for item in items}),
        "made": sum(item.record_id.startswith("q-") for item in items),
        "effort": (first.input_tokens, first.output_tokens, first.cost_usd, first.latency_ms),
        "metadata": set().union(*(item.metadata for item in items)),
        "scores": sums,
        "notes": "; ".join(records.notes),
    }


@pytest.mark.parametrize(("name", "text", "use", "columns", "expected"), CASES, ids=[case[0] for case in CASES])  # fmt: skip
def test_file_of_another_tool_is_read(
    tmp_path: Path, name: str, text: str, use: Use, columns: str, expected: dict[str, Any]
) -> None:
    records = read(tmp_path / name, text, use, columns)
    actual = summary_of(records)
    assert {key: actual[key] for key in expected} == expected
    assert {item.question for item in records.items} <= {*ASKED}
    answers = {item.answer for item in records.items if item.answer}
    assert answers <= {*SAID, *GOLD}
    passages = {text for item in records.items for text in item.passages}
    assert passages <= {text for texts in READ for text in texts}


def test_parquet_of_ragas_is_read(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({**RAGAS, "faithfulness": (1.0, None, 0.5)}).to_parquet(tmp_path / "r.parquet")
    records = read_records(tmp_path / "r.parquet", use="results")
    actual = summary_of(records)
    assert {key: actual[key] for key in FULL} == FULL
    assert records.items[1].scores["ragas"]["faithfulness"] is None


DEEP = '{"rows": ' + "[" * 500 + "]" * 500 + "}"


@pytest.mark.parametrize(
    ("name", "text", "use", "columns", "message"),
    [
        ("a.csv", "Frage;Soll\nWarum?;Darum\n", "questions", "", "a.csv has no column that is known to hold the question; name it, e.g. --columns question=COLUMN,reference=COLUMN; it has Frage, Soll"),
        ("b.csv", "Frage;Soll\nWarum?;Darum\n", "questions", "question=Fragen", "b.csv has no column 'Fragen'; it has Frage, Soll"),
        ("c.csv", "question\nWhy?\n", "questions", "query=question", "role in --columns 'query' is unknown; choose from question, reference"),
        ("d.csv", "question\nWhy?\n", "questions", "question", "--columns 'question' is not ROLE=COLUMN, e.g. question=Frage"),
        ("e.json", '{"metrics": {"faithfulness": 0.5}}', "questions", "", "e.json has no column that is known to hold the question"),
        ("f.json", DEEP, "questions", "", "f.json is damaged after row 0 (lists and objects are nested more than 100 deep)"),
        ("g.json", '{"rows": []}', "questions", "", "g.json has no column that is known to hold the question"),
        ("h.json", '{"question": "half', "questions", "", "h.json is damaged after row 0"),
        ("i.csv", "id,question\na,Why?\na,Who?\n", "questions", "", "i.csv, row 2: id 'a' occurs twice, first in i.csv, row 1"),
        ("j.jsonl", lines([{"question": "q", "contexts": ["x"] * 1001}]), "results", "", "j.jsonl, row 1: passages: has more than 1,000 passages"),
        ("k.jsonl", lines([{"traceId": "t", "spanId": "1", "name": "ping"}]), "results", "", "k.jsonl has no column that is known to hold the question"),
    ],
)  # fmt: skip
def test_file_that_is_not_understood_is_refused_in_one_line(
    tmp_path: Path, name: str, text: str, use: Use, columns: str, message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path / name, text, use, columns)
    assert raised.value.message.startswith(message) and "\n" not in raised.value.message


def test_split_selects_and_an_unknown_one_is_answered_with_those_there(tmp_path: Path) -> None:
    text = json.dumps(PROJECT)
    records = read(tmp_path / "p.json", text, "results", split="holdout")
    assert [item.record_id for item in records.items] == ["p1", "p2"]
    assert records.notes == ("1 of another split than holdout left out",)
    with pytest.raises(InputError, match="p.json has no split 'test'; it has dev, holdout"):
        read(tmp_path / "p.json", text, "results", split="test")


def test_made_ids_stay_when_rows_are_added_and_repetitions_are_counted(tmp_path: Path) -> None:
    before = read(tmp_path / "a.csv", table({"question": ASKED, "answer": GOLD}), "questions")
    more = [*ASKED, ASKED[0], f" {ASKED[1]} ", "New?"]
    gold = [*GOLD, "It lost money.", GOLD[1], "Yes."]
    after = read(tmp_path / "b.csv", table({"question": more, "answer": gold}), "questions")
    assert [item.record_id for item in after.items[:3]] == [item.record_id for item in before.items]
    assert [item.references[0] for item in after.items] == [*GOLD, "It lost money.", "Yes."]
    assert len({item.record_id for item in after.items}) == 5
    assert after.notes == ("1 repetitions of a question left out",)


def _results(tmp_path: Path, more: Mapping[str, Sequence[Any]], columns: str = "") -> Records:
    path = tmp_path / "results.csv"
    path.write_text(table({"question": ASKED, "answer": SAID, **more}), encoding="utf-8")
    return read_records(path, use="results", columns=columns)


@pytest.mark.parametrize("name", ["latency", "Duration", "responseTime"])
def test_latency_without_a_unit_is_named_and_takes_the_one_that_the_user_gives(
    tmp_path: Path, name: str
) -> None:
    records = _results(tmp_path, {name: (1.5, 2, 3)})
    assert records.items[0].latency_ms is None
    assert records.notes == (
        f"{name} has no unit and is metadata; "
        f"name it: --columns latency_s={name} or latency_ms={name}",
    )
    mapped = _results(tmp_path, {name: (1.5, 2, 3)}, f"latency_s={name}")
    assert [record.latency_ms for record in mapped.items] == [1500, 2000, 3000]
    assert (mapped.notes, mapped.items[0].metadata) == ((), {})


@pytest.mark.parametrize(
    ("written", "score"), [("80%", 0.8), ("12.5 %", 0.125), ("99,5%", 0.995), ("0,75", 0.75)]
)
def test_score_in_percent_is_a_share(tmp_path: Path, written: str, score: float) -> None:
    records = _results(tmp_path, {"faithfulness": (written, "", "100%")})
    scores = [record.scores["ragas"]["faithfulness"] for record in records.items]
    assert scores == [pytest.approx(score), None, 1.0]


def test_evidence_of_a_question_without_an_answer_is_no_gold(tmp_path: Path) -> None:
    cells = {"question": ASKED, "answer": GOLD, "evidence_text": ("A", "B", "C")}
    records = read(tmp_path / "q.csv", table(cells), "questions")
    assert [item.evidence for item in records.items] == [("A",), ("B",), ()]
    assert records.items[2].metadata == {"evidence_text": ["C"]}


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("NOT IN DOCUMENTS", True), ("not_answerable", True), ("N/A", True), ("No answer.", True),
        ("The filing does not disclose this.", True), ("Information not available", True),
        ("I don't know", True), ("Unanswerable", True), ("[NOT FOUND]", True),
        ("No.", False), ("Not in 2024", False), ("No information was lost in the breach.", False),
        ("None of the debt", False), ("0", False), ("It does not report segments.", False),
    ],
)  # fmt: skip
def test_reference_says_that_there_is_no_answer(
    tmp_path: Path, reference: str, expected: bool
) -> None:
    text = json.dumps([{"question": "q", "reference": reference}])
    (item,) = read(tmp_path / "q.json", text, "questions").items
    assert item.is_unanswerable is expected and item.references == (reference,)


@pytest.mark.parametrize(
    ("column", "value", "pages", "note"),
    [
        ("page", 12, (12,), ""),
        ("Page Number", 12.0, (12,), ""),
        ("page_num", "p. 12, 14–16", (12, 14, 15, 16), ""),
        ("page", "12.0", (12,), ""),
        ("page", "9" * 300, (), "1 pages without a number left out"),
        ("page", [3, "7"], (3, 7), ""),
        ("page", "1-900", tuple(range(1, 51)), ""),
        ("evidence_page_num", 11, (12,), ""),
        ("page", None, (), ""),
        ("page", "cover", (), "1 pages without a number left out"),
    ],
)
def test_pages_of_the_evidence_are_read(
    tmp_path: Path, column: str, value: object, pages: tuple[int, ...], note: str
) -> None:
    rows = [{"question": "Why?", column: value}, {"question": "Who?", column: None}]
    records = read(tmp_path / "q.json", json.dumps(rows), "questions")
    assert records.items[0].pages == pages and records.items[1].pages == ()
    assert "; ".join(records.notes) == note
