"""Tests of live systems: Python functions and HTTP endpoints, working and faulty."""

import base64
import html
import json
import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from textwrap import dedent
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, read_eval_log

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import Corpus
from arag_inspect.corpus.embedding.models import EmbeddingModel, Vectors
from arag_inspect.report import frames, make_report
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.run.api import run_systems
from arag_inspect.solvers import external
from arag_inspect.systems.live import passages_in_corpus as passages
from arag_inspect.systems.live.endpoint import _retry_after
from arag_inspect.systems.live.json_paths import ResponseReader
from arag_inspect.systems.live.reply import read_reply
from arag_inspect.tasks import earnings_synthetic
from tests.commands import call
from tests.logs import samples_of, scores_of
from tests.scripted import STEADY, Script, run, scripted, trace_of
from tests.serving import Request, Response, serving
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("logs")

GOOD = """
def ask(question, metadata, corpus):
    (first, second, *_) = corpus.document_chunks(metadata["doc_ids"])
    assert not {"gold_chunk_ids", "evidence", "facts"} & set(metadata)
    text = first.text[len(first.text) // 2 :] + " " + second.text[: len(second.text) // 2]
    return {
        "text": f"{metadata['company']} reported results. {question[-60:]}",
        "passages": [
            {"text": text, "score": 0.5}, len(corpus) - 1,
            "This stands nowhere in any call at all.",
        ],
        "tokens": {"input": 70, "output": 7}, "cost": 0.002, "steps": 2,
    }

async def ask_later(question):
    return question[:40]
"""


@pytest.fixture
def target(tmp_path: Path) -> Callable[..., str]:
    def write(code: str, name: str = "ask") -> str:
        (tmp_path / "system.py").write_text(code, encoding="utf-8")
        return f"{tmp_path}/system.py:{name}"

    return write


def asked(folder: Path, limit: int = 1, scorers: str = "efficiency", **args: Any) -> EvalLog:
    task = earnings_synthetic(
        corpus=str(folder), system="external", system_args=args, scorers=scorers
    )
    return run(task, "offline/extractive", limit=limit, model_roles={"grader": STEADY})


def test_external_function_fills_trace(
    synthetic_folder: Path, corpus: Corpus, target: Callable[..., str]
) -> None:
    log = asked(synthetic_folder, target=target(GOOD))
    trace = trace_of(log)
    assert log.samples
    (first, second, *_) = corpus.document_chunks(log.samples[0].metadata["doc_ids"])
    ids = [passage.chunk_id for passage in trace.passages]
    assert ids[:2] == [first.chunk_id, second.chunk_id] and ids[-1] == -1
    assert len(corpus) - 1 in ids and trace.searches[0].chunk_ids == [i for i in ids if i >= 0]
    assert len(trace.passages[0].text) < len(first.text) * 0.7
    assert trace.passages[0].text.split(". ")[-1] in first.text
    assert (trace.system, trace.context, trace.loops) == ("external", "retrieved", 2)
    assert (trace.input_tokens, trace.output_tokens, trace.cost_usd) == (70, 7, 0.002)
    assert trace.stopped_by == "answer" and trace.latency_ms
    assert "75 words" not in str(log.samples[0].input)
    understood = log.samples[0].output.metadata or {}
    assert understood["passages"] == {"by_id": 1, "by_text": 1, "unmatched": 1}
    assert understood["sent"] == f"{log.samples[0].input}\n\nWrite at most 85 words."


@pytest.mark.parametrize(
    ("parameters", "loads"),
    [("question, corpus", True), ("question, **more", True), ("question", False)],
)
def test_corpus_is_loaded_before_timing_when_function_accepts_corpus(
    synthetic_folder: Path,
    target: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    parameters: str,
    loads: bool,
) -> None:
    async def load_slowly(self: Corpus) -> None:
        begun = time.perf_counter()
        await anyio.sleep(1)
        took_ms.append(1000 * (time.perf_counter() - begun))

    took_ms: list[float] = []
    monkeypatch.setattr(Corpus, "load", load_slowly)
    trace = trace_of(asked(synthetic_folder, target=target(f"def ask({parameters}): return 'Yes'")))
    assert bool(took_ms) == loads
    assert trace.latency_ms is not None and trace.wall_ms is not None
    assert all(max(trace.latency_ms, trace.wall_ms) < took for took in took_ms)


@pytest.mark.parametrize("system", ["naive_rag", "arag"])
def test_latency_of_first_sample_excludes_slow_first_pass_of_embedding_model(
    synthetic_folder: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    encode = EmbeddingModel.encode_queries
    passes: list[int] = []

    def encode_slowly_at_first(self: EmbeddingModel, texts: Sequence[str]) -> Vectors:
        passes.append(len(texts))
        time.sleep(3 if len(passes) == 1 else 0)
        return encode(self, texts)

    monkeypatch.setattr(EmbeddingModel, "encode_queries", encode_slowly_at_first)
    monkeypatch.setattr("arag_inspect.corpus.corpus._OPENED", {})
    task = earnings_synthetic(corpus=str(synthetic_folder), system=system, scorers="efficiency")
    trace = trace_of(run(task, "offline/extractive", limit=1))
    assert len(passes) > 1 and trace.latency_ms is not None and trace.latency_ms < 3000


def test_all_systems_are_loaded_before_any_is_timed(
    synthetic_folder: Path, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[datetime] = []

    async def load_slowly(self: Corpus) -> None:
        await anyio.sleep(0.5)
        loaded.append(datetime.now(UTC))

    monkeypatch.setattr(Corpus, "load", load_slowly)
    parameters = {"corpus": str(synthetic_folder), "scorers": "efficiency"}
    systems = ["stuffing", "naive_rag"]
    model = "offline/extractive"
    ran = run_systems(
        "earnings_synthetic", systems, [model], log_dir=str(logs), limit=1, parameters=parameters
    )
    starts = []
    for log in ran.logs:
        for sample in samples_of(read_eval_log(log.location)):
            starts.append(datetime.fromisoformat(str(sample.started_at)))
    assert len(starts) == 2 and min(starts) > loaded[0]


def test_connection_wait_counts_as_wall_time_not_latency(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    code = "import time\ndef ask(question):\n    time.sleep(0.3)\n    return 'Sales rose.'\n"
    log = asked(synthetic_folder, limit=3, target=target(code), max_connections=1)
    assert log.status == "success" and log.samples, log.error
    waits, worked = [], []
    for sample in log.samples:
        effort = scores_of(sample)["efficiency"].value
        assert isinstance(effort, dict)
        working, wall = (float(str(effort[key])) for key in ("latency_ms", "wall_ms"))
        assert 300 <= working <= wall
        worked.append(working)
        waits.append(wall - working)
    assert max(waits) > 100  # 600, minus the offset between sample starts
    assert sum(worked) <= _milliseconds(log.samples)


def _milliseconds(samples: list[EvalSample]) -> float:
    """Return the time from the start of the first sample to the end of the last."""
    starts = [datetime.fromisoformat(str(sample.started_at)) for sample in samples]
    ends = [datetime.fromisoformat(str(sample.completed_at)) for sample in samples]
    return (max(ends) - min(starts)).total_seconds() * 1000


def test_report_includes_external_system(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    log = asked(synthetic_folder, limit=2, scorers="default", target=target(GOOD), name="My RAG")
    assert log.status == "success" and log.samples
    for sample in log.samples:
        scores = scores_of(sample)
        recall = scores["retrieval_pr"].value
        assert isinstance(recall, dict) and float(str(recall["recall"])) >= 0
        assert scores["geval_faithfulness"].as_float() >= 1
    results = make_report(frames(log.location))
    assert results.studies[0].study.systems == ("My RAG",)
    assert "My RAG" in to_markdown(results)


@pytest.mark.parametrize(
    ("sources", "warnings"),
    [
        (("['p. 2']", "['p. 2']"), 1),
        (("['p. 2', 'Orders fell again.']", "['p. 2', 'p. 3', 'Orders fell again.']"), 1),
        (("['p. 2']", "['p. 2', 'Orders fell again.']"), 2),
    ],
)
def test_external_warns_once_of_each_kind_of_unread_part(
    synthetic_folder: Path,
    target: Callable[..., str],
    caplog: pytest.LogCaptureFixture,
    sources: tuple[str, str],
    warnings: int,
) -> None:
    answers = ", ".join(f"{{'text': 'Orders fell.', 'sources': {value}}}" for value in sources)
    code = f"answers = iter([{answers}])\ndef ask(question):\n    return next(answers)\n"
    asked(synthetic_folder, limit=2, target=target(code))
    messages = [record.message for record in caplog.records if "--system" in record.message]
    assert len(messages) == warnings


def test_external_system_without_passages_is_judged_against_document(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    log = asked(synthetic_folder, scorers="default", target=target(GOOD, "ask_later"))
    trace = trace_of(log)
    assert (trace.context, trace.loops, trace.cost_usd) == ("none", 0, None)
    assert log.samples and log.samples[0].scores
    scores = log.samples[0].scores
    assert scores["retrieval_pr"].reason == "no_retrieval"
    assert "context:document" in str(scores["geval_faithfulness"].metadata)


BAD_FUNCTIONS = TABLES["bad functions"]


def failed(folder: Path, samples: int, **args: Any) -> list[str]:
    """Return the errors of samples whose questions are their numbers."""
    metadata = {"corpus": str(folder), "style": "qa"}
    dataset = [Sample(id=number, input=str(number), metadata=metadata) for number in range(samples)]
    log = run(Task(dataset=dataset, solver=external(**args)), "none", fail_on_error=False)
    return [sample.error.message for sample in samples_of(log) if sample.error]


def test_bad_function_is_reported_with_reason(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    bodies = "".join(f"    if question == '{i}': {body}\n" for i, body in enumerate(BAD_FUNCTIONS))
    code = f"def ask(question):\n{bodies}"
    errors = failed(synthetic_folder, len(BAD_FUNCTIONS), target=target(code))
    for error, message in zip(errors, BAD_FUNCTIONS.values(), strict=True):
        assert re.search(message, error), error


def test_hanging_function_times_out(
    synthetic_folder: Path, target: Callable[..., str], tmp_path: Path
) -> None:
    ended = tmp_path / "ended"
    code = f"""
    import pathlib, time
    def ask(question):
        time.sleep(60)
        pathlib.Path({str(ended)!r}).touch()
    """
    (error,) = failed(synthetic_folder, 1, target=target(dedent(code)), timeout=0.5)
    assert "gave no answer within 0.5 s" in error and not ended.exists()


def service(corpus: Corpus) -> Callable[[Request], Response]:
    """A typical RAG service with its own field names and its own text chunks."""

    def answer(request: Request) -> Response:
        query = json.loads(request.body)["query"]
        chunk = next(c for i in range(len(corpus)) if (c := corpus.chunk(i)).company in query)
        hits = [{"body": chunk.text, "rank": 1}]
        reply = {"result": {"summary": f"{chunk.company} did well."}, "hits": hits}
        return Response(200, json.dumps(reply).encode(), {"Content-Type": "application/json"})

    return answer


def test_http_service_with_custom_field_names_is_read(
    synthetic_folder: Path, corpus: Corpus
) -> None:
    with serving(service(corpus)) as url:
        log = asked(
            synthetic_folder,
            limit=3,
            scorers="no_grader",
            target=f"{url}/search",
            body={"query": "{{company}}: {{question}}", "k": 3},
            paths={"text": "$.result.summary", "passages": "$.hits[*]", "passage_text": "$.body"},
        )
    assert trace_of(log).passages[0].chunk_id >= 0
    assert log.samples and {s.output.completion[-9:] for s in log.samples} == {"did well."}
    assert any(s.scores["retrieval_pr"].value["recall"] > 0 for s in log.samples)  # type: ignore


def test_paths_within_passages_name_text_chunk_and_document() -> None:
    paths = {
        "text": "$.a",
        "passages": "$.hits[*]",
        "passage_text": "$.body",
        "passage_id": "$.n",
        "passage_doc_id": "$.file",
    }
    response = {"a": "Sales rose.", "hits": [{"body": "Sales rose.", "n": 3, "file": "a.txt"}]}
    reply = read_reply(ResponseReader(paths, {}, str).read(json.dumps(response)))
    assert reply.passages is not None
    (passage,) = reply.passages
    assert (passage.text, passage.chunk_id, passage.doc_id) == ("Sales rose.", 3, "a.txt")


def test_openai_compatible_endpoint_is_supported_by_preset(synthetic_folder: Path) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Response:
        requests.append(request)
        choice = {"message": {"content": "Revenue rose"}, "finish_reason": "length"}
        usage = {"prompt_tokens": 50, "completion_tokens": 5}
        return Response(200, json.dumps({"choices": [choice], "usage": usage}).encode())

    with serving(answer) as url:
        log = asked(
            synthetic_folder, target=f"{url}/v1", api="openai-compatible", body={"model": "rag-1"}
        )
    trace = trace_of(log)
    sent = json.loads(requests[0].body)
    assert requests[0].path == "/v1/chat/completions" and sent["model"] == "rag-1"
    assert "85 words" in sent["messages"][0]["content"]
    assert (trace.input_tokens, trace.output_tokens) == (50, 5)
    assert log.samples and log.samples[0].output.stop_reason == "max_tokens"


BAD_RESPONSES = [
    *(
        (Response(status, body.encode(), headers), message)
        for status, body, headers, message in TABLES["bad responses"]
    ),
    (Response(200, b'{"text": "' + b"x" * 100, break_after=40), "peer closed connection"),
    (Response(200, '{"text": "caf\xe9"}'.encode("latin-1")), "not text in UTF-8: .*0xe9"),
    *(
        (
            Response(200, b'{"text": "a", "%s": %s}' % (name, b"9" * 400)),
            f"{name.decode()}.* of the",
        )
        for name in (b"input_tokens", b"steps")
    ),
    (
        Response(200, b'{"text": "a", "passages": ["' + b"x" * 10_000_000 + b'"]}'),
        "have 10,000,001 characters; the limit is",
    ),
    (Response(200, b'{"text": "' + b"x" * 33_000_000 + b'"}'), "larger than 32,000,000 bytes"),
]


def test_bad_response_is_reported_with_reason(synthetic_folder: Path) -> None:
    def answer(request: Request) -> Response:
        return BAD_RESPONSES[int(json.loads(request.body)["question"])][0]

    with serving(answer) as url:
        errors = failed(synthetic_folder, len(BAD_RESPONSES), target=url, retries=0, timeout=30)
    for error, (_, message) in zip(errors, BAD_RESPONSES, strict=True):
        assert re.search(message, error), error


def test_busy_server_is_retried_after_requested_delay(synthetic_folder: Path) -> None:
    times: list[float] = []

    def answer(request: Request) -> Response:
        times.append(time.perf_counter())
        busy = len(times) < 3
        return Response(429, b"", {"Retry-After": "0.2"}) if busy else Response(200, b'"Fine."')

    with serving(answer) as url:
        log = asked(synthetic_folder, target=url)
    assert trace_of(log).stopped_by == "answer" and len(times) == 3
    assert times[2] - times[0] >= 0.4


@pytest.mark.parametrize(
    ("value", "seconds"),
    [*TABLES["retry after"], ("9" * 5000, math.inf)],
)
def test_retry_after_accepts_seconds_or_date(value: str, seconds: float | None) -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1000), usegmt=True)
    waited = _retry_after(value.format(soon=soon))
    assert waited == (None if seconds is None else pytest.approx(seconds, abs=120))


def test_hanging_server_times_out(synthetic_folder: Path) -> None:
    def answer(request: Request) -> Response:
        time.sleep(3)
        return Response(200, b'"late"')

    with serving(answer) as url:
        log = asked(synthetic_folder, target=url, timeout=0.3, retries=0)
    assert log.error and "gave no answer within 0.3 s" in log.error.message


LEAKY = """
import os

def ask(question):
    said = f"You sent {os.environ['RAG_TOKEN'].CASE()}; that is false."
    if FAILS:
        raise ValueError(said)
    return {"text": said, "passages": [said], "steps": [{"query": said}]}
"""


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("case", ["lower", "upper", "title"])
def test_function_credentials_are_redacted_from_log(
    synthetic_folder: Path,
    target: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    fails: bool,
    case: str,
) -> None:
    secret = "sk-very-s3cret-value"
    monkeypatch.setenv("RAG_TOKEN", secret)
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    task = earnings_synthetic(
        corpus=str(synthetic_folder),
        system="external",
        system_args={"target": target(LEAKY.replace("FAILS", str(fails)).replace("CASE", case))},
        scorers="efficiency",
    )
    log = run(task, "offline/extractive", limit=1, log_format="json")
    assert log.status == ("error" if fails else "success")
    content = Path(log.location).read_text(encoding="utf-8")
    assert secret not in content.lower() and "You sent ${RAG_TOKEN}; that is false." in content


PLACES: list[dict[str, Any]] = [
    {"headers": {"X-PAT": "${PLAIN}"}},
    {"headers": {"Authorization": "Bearer ${PLAIN}"}},
    {"query": "?k=3&sas=${PLAIN}"},
    {"userinfo": "me:${PLAIN}@"},
    {"body": {"q": "{{question}}", "pass": "${PLAIN}"}},
]


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_credentials_in_any_request_part_are_redacted_from_log(
    monkeypatch: pytest.MonkeyPatch, place: dict[str, Any]
) -> None:
    secret = "Zq7-w0rth/hiding+1"
    monkeypatch.setenv("PLAIN", secret)
    monkeypatch.setenv("TENANT", "revenue")
    monkeypatch.setenv("REGION", "quarterly")
    sent: list[str] = []

    def answer(request: Request) -> Response:
        sent.append(f"{request.path} {request.headers} {request.body.decode()}")
        coded = base64.b64encode(f"Bearer {secret}".encode()).decode()
        capitals = f"{secret.upper()} {quote(secret.upper(), safe='')} {secret.swapcase()}"
        echo = f"{secret} {quote(secret, safe='')} {html.escape(secret)} {coded} {capitals}"
        text = f"Total revenue was $4.2 billion in a quarterly report. {'.' * 200} {echo}"
        status = 403 if "refuse" in sent[-1] else 200
        return Response(status, json.dumps({"text": text, "passages": [text]}).encode())

    with serving(answer) as url:
        args = {name: value for name, value in place.items() if name in ("headers", "body")}
        labels = {"X-Tenant": "${TENANT}", "X-Region": "${REGION}"}
        args["headers"] = {**labels, **args.get("headers", {})}
        target = url.replace("://", f"://{place.get('userinfo', '')}") + place.get("query", "")
        dataset = [Sample(id=text, input=text) for text in ("answer", "refuse")]
        task = Task(dataset=dataset, solver=external(target=target, **args))
        log = run(task, "none", fail_on_error=False)
    assert [bool(sample.error) for sample in samples_of(log)] == [False, True]
    encoded = (quote(secret, safe=""), base64.b64encode(f"me:{secret}".encode()).decode())
    assert any(form in sent[0] for form in (secret, *encoded))
    for sample in samples_of(log):
        text = sample.model_dump_json()
        assert not any(form.lower() in text.lower() for form in (secret, *encoded, "hiding+1"))
        assert "Total revenue was $4.2 billion in a quarterly report" in text and "${PLAIN}" in text
    assert secret not in log.model_dump_json()


ODD = {
    "no JSON path": (b"application/json", {"nope": ["@"]}, {"text": "$.text"}),
    "no text": (b"application/json", {"nope": ["@"]}, {}),
    "a page": (b"text/html", "<html>@", {}),
    "refused": (b"refused", "@", {}),
}


@pytest.mark.parametrize("kind", ODD)
def test_excerpts_in_errors_never_contain_partial_credentials(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    secret = "Zq7-w0rth-hiding-1"
    monkeypatch.setenv("PLAIN", secret)
    form, document, paths = ODD[kind]

    def answer(request: Request) -> Response:
        fill = "." * int(json.loads(request.body)["question"]) + secret
        body = json.dumps(document).replace("@", fill).encode()
        return Response(403 if form == b"refused" else 200, body, {"Content-Type": form.decode()})

    lengths = range(170, 300, 12)  # less than the remainder after the searched part
    with serving(answer) as url:
        solver = external(target=url, headers={"X-PAT": "${PLAIN}"}, paths=paths)
        samples = [Sample(id=n, input=str(n)) for n in lengths]
        log = run(Task(dataset=samples, solver=solver), "none", fail_on_error=False)
    errors = [sample.error.message for sample in samples_of(log) if sample.error]
    assert len(errors) == len(lengths)
    assert not [error for error in errors if secret[:4] in error]


@pytest.mark.parametrize(("args", "message"), TABLES["bad parameters"])
def test_external_rejects_bad_parameters_at_construction(
    args: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        external(**args)


AGENT = """
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

async def ask(question, corpus):
    model = OpenAIChatModel("inspect", provider=OpenAIProvider(api_key="none"))
    agent, read = Agent(model), []

    @agent.tool_plain
    async def find(word: str) -> str:
        hits = await corpus.keyword_search([word], 2)
        read.extend(hit.chunk_id for hit in hits)
        return " ".join(corpus.chunk(hit.chunk_id).text for hit in hits)

    result = await agent.run(question)
    return {"text": result.output, "passages": read, "steps": 2}
"""


def test_agent_of_other_framework_uses_model_of_run(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    pytest.importorskip("pydantic_ai")
    script = Script(("find", {"word": "revenue"}), "Revenue rose.")
    task = earnings_synthetic(
        corpus=str(synthetic_folder),
        system="external",
        system_args={"target": target(AGENT), "bridge": True},
        scorers="efficiency",
    )
    log = run(task, scripted(script), limit=1)
    trace = trace_of(log)
    assert len(script.asked) == 2 and len(trace.passages) == 2
    assert (trace.input_tokens, trace.output_tokens) == (200, 20)
    assert log.samples and log.samples[0].output.completion == "Revenue rose."


def test_doctor_reports_missing_and_bad_output_of_system(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    line = ["doctor", "--system", target(GOOD), "--corpus", str(synthetic_folder)]
    invocation = call(*line)
    assert "passages: 1 by chunk id, 1 found in the corpus by their text" in invocation.stdout
    assert "citations: [1] in an answer is the first passage" in invocation.stdout
    assert (
        'Missing:    1 of 3 passages does not occur in the corpus ("This stands nowhere in any '
        'call at all."): it counts as read, but not as gold\n' in invocation.stdout
    )
    plain = call("doctor --system", target("def ask(q): return 'Yes'"), code=None)
    assert "Missing:    passages: retrieval has no scores" in plain.stdout
    assert "Missing:    cost_usd" in plain.stdout
    needs = call("doctor --system", target("def ask(q, corpus): return q"), code=1)
    assert "doctor needs --corpus NAME" in needs.stderr
    call("doctor --system", target("def ask(q, corpus=None): return 'Yes'"))
    renamed = call("doctor --system", target(GOOD, "answer"), code=1)
    functions = "system.py has no function 'answer'; its functions: ask, ask_later\n"
    assert renamed.stderr.endswith(functions)
    bad = call("doctor --system", target("def ask(q): return 1"), code=1)
    assert "returned a value of type int" in bad.stderr
    assert len(bad.stderr.splitlines()) == 1 and "TargetError" not in bad.stderr


def test_doctor_quotes_passages_outside_corpus(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    words = "number stands in no call, however long one looks for it in all of them"
    code = f"def ask(q): return {{'text': 'Yes', 'passages': [f'{{n}} {words}' for n in range(4)]}}"
    line = ["doctor", "--system", target(code)]
    with_corpus = call(*line, "--corpus", synthetic_folder, code=None).stdout
    quoted = ", ".join(f'"{f"{n} {words}"[:60]}" ...' for n in range(3))
    assert f"4 of 4 passages do not occur in the corpus ({quoted}, ...): they" in with_corpus
    without_corpus = call(*line, code=None).stdout
    assert "4 of 4 passages do not occur in the corpus (name it with --corpus)" in without_corpus


NAMED = """
def ask(question, metadata, corpus):
    first, *_ = corpus.document_chunks(metadata["doc_ids"])
    outside = "A line of the summary that this system made of the call beforehand."
    return {"text": "Yes.", "passages": [first.text, {"text": outside, FIELD}]}
"""


@pytest.mark.parametrize(
    ("field", "documents"),
    [
        ('"doc_id": metadata["doc_ids"][0]', 1),
        ('"document": metadata["doc_ids"][0].upper()', 1),
        ('"metadata": {"source": "data/" + metadata["doc_ids"][0]}', 1),
        ('"doc_id": corpus.doc_ids[-1]', 1),
        ('"doc_id": "a file of another system"', None),
        ('"score": 0.5', None),
    ],
)
def test_document_that_system_names_counts_where_its_passage_is_in_no_chunk(
    synthetic_folder: Path, target: Callable[..., str], field: str, documents: int | None
) -> None:
    log = asked(
        synthetic_folder, scorers="retrieval_pr", target=target(NAMED.replace("FIELD", field))
    )
    (sample,) = samples_of(log)
    score = scores_of(sample)["retrieval_pr"]
    value = score.as_dict()["documents"]
    reasons = (score.metadata or {}).get("unscored", {})
    assert trace_of(log).passages[-1].chunk_id == -1
    if documents is None:
        assert math.isnan(float(str(value))) and reasons["documents"] == "unknown_document"
    else:
        assert value == documents and "documents" not in reasons


STYLES = {"qa": 0, "client_file": 0, "earnings_call": 1, "query_focused": 1, "comparison": 1}


def test_length_instruction_is_added_to_summary_requests_only(
    target: Callable[..., str],
) -> None:
    def sent(**args: Any) -> dict[str, str]:
        samples = [
            Sample("What was it?", id=style, metadata={"style": style, "target_length": 90})
            for style in STYLES
        ]
        solver = external(target=target("def ask(question): return question"), **args)
        log = run(Task(dataset=samples, solver=solver), "none")
        return {str(sample.id): sample.output.completion for sample in samples_of(log)}

    length = "\n\nWrite at most 105 words."
    bare = {style: f"What was it?{length * asked}" for style, asked in STYLES.items()}
    assert sent() == sent(instructions=False) == bare
    for text in sent(instructions=True).values():
        assert len(text) > 200 and "State only what the passages" in text


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_doctor_prints_request_as_sent(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Response:
        requests.append(request)
        return Response(200, b"Yes")

    monkeypatch.setenv("RAG_TOKEN", "T0ken-of-mine")
    with serving(answer) as url:
        line = ["doctor", "--system", f"{url}/ask", "--question", "Größe, “why”?\nAnd when?"]
        for setting in (
            f"method={method}",
            'headers={Authorization: "Bearer ${RAG_TOKEN}"}',
            'body={q: "{{question}}", k: 3}',
        ):
            line += ["-S", setting]
        invocation = call("", *line)
    (request,) = requests
    assert "T0ken-of-mine" not in invocation.output
    lines = [f"{method} {url}/ask", "Authorization: Bearer ${RAG_TOKEN}"]
    content = request.body.decode() if method != "GET" else request.path.removeprefix("/ask")
    sent = f"\n{' ' * 12}".join([*lines, content])
    assert f"Sent:       {sent}\nAnswer:" in invocation.output


def test_doctor_prints_message_of_http_error_to_its_end() -> None:
    detail = " ".join(f"field {number} is missing;" for number in range(40)) + " that is all"
    with serving(lambda _: Response(422, detail.encode())) as url:
        invocation = call("doctor --system", f"{url}/ask", code=None)
    assert f"HTTP 422 Unprocessable Entity: {detail}" in " ".join(invocation.output.split())
    with serving(lambda _: Response(422, b"no " * 5_000)) as url:
        invocation = call("doctor --system", f"{url}/ask", code=None)
    assert "no no …" in invocation.output and len(invocation.output) < 3_000


def test_documented_service_example_answers(
    synthetic_folder: Path, target: Callable[..., str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "your-own-system.md").read_text(encoding="utf-8")
    code, *_ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(code.splitlines()) < 15
    log = asked(synthetic_folder, target=target(code, "ask"), scorers="no_grader")
    assert trace_of(log).passages


PROGRAM = """
import json, pathlib, sys

question = sys.stdin.read()
if "sleep" in question:
    import time; time.sleep(30)
for path in sorted(pathlib.Path().glob("*.txt"))[1:3]:
    print("read", path.name, file=sys.stderr)
text = pathlib.Path("000001.txt").read_text().splitlines()[0]
print("Working on it ...")
print(json.dumps({"result": f"{text} {question[:9]}", "total_cost_usd": 0.5}))
"""


def test_external_program_answers_and_reports_passages(
    synthetic_folder: Path, corpus: Corpus, tmp_path: Path
) -> None:
    (tmp_path / "agent.py").write_text(PROGRAM)
    target = f"$ {sys.executable} {tmp_path}/agent.py"
    log = asked(synthetic_folder, target=target, scorers="retrieval_pr")
    trace = trace_of(log)
    assert [passage.chunk_id for passage in trace.passages] == [1, 2] and trace.cost_usd == 0.5
    assert trace.passages[0].text == corpus.chunk(1).text
    assert log.samples and log.samples[0].output.completion == f"{corpus.chunk(1).prefix} Summarize"
    metadata = {"corpus": str(synthetic_folder), "style": "qa"}
    task = Task([Sample("sleep", metadata=metadata)], solver=external(target=target, timeout=1))
    (late,) = samples_of(run(task, "none", fail_on_error=False))
    assert late.error and "gave no answer within 1 s" in late.error.message


PROGRAMS = {
    "print('Revenue rose.')": "Revenue rose.",
    "import sys; sys.exit('no quota')": "ended with status 1: no quota",
    "print('1' * 5000 + '.txt')": "1" * 5000 + ".txt",
    "import os, stat; print(stat.filemode(os.stat('.').st_mode), "
    "stat.filemode(os.stat('000000.txt').st_mode))": "dr-xr-xr-x -r--r--r--",
    "while True: print('y' * 1_000_000)": "wrote more than 32,000,000 bytes",
    "import os, sys; sys.exit(os.environ['RAG_TOKEN'] + '.' * 292)": "ended with status 1: ",
    "print(*(f'{n:06}.txt' for n in range(1000)))": "passages with .*; the limit is 9,000",
}


def test_external_program_output_and_access_are_limited(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TOKEN", "Zq7-w0rth-hiding-1")
    monkeypatch.setattr(passages, "_MOST_RECORDED", 9_000)
    (tmp_path / "agent.py").write_text("import sys\nexec(sys.stdin.read())\n")
    metadata = {"corpus": str(synthetic_folder), "style": "qa"}
    target = f"$ {sys.executable} {tmp_path}/agent.py"
    samples = [Sample(code, id=place, metadata=metadata) for place, code in enumerate(PROGRAMS)]
    log = run(Task(dataset=samples, solver=external(target=target)), "none", fail_on_error=False)
    answered = {str(one.input): one for one in samples_of(log)}
    assert answered.keys() == PROGRAMS.keys()
    for code, sample in answered.items():
        message = sample.error.message if sample.error else sample.output.completion
        assert re.search(PROGRAMS[code], message) and "hiding" not in message, code


def test_child_processes_are_ended_at_timeout(tmp_path: Path) -> None:
    beat = tmp_path / "beat"
    loop = f"while true; do date >> {beat}; sleep 0.1; done"
    solver = external(target=f"$ sh -c '({loop}) & wait'", timeout=1)
    (sample,) = samples_of(
        run(Task(dataset=[Sample("?")], solver=solver), "none", fail_on_error=False)
    )
    assert sample.error and "gave no answer within 1 s" in sample.error.message
    size = beat.stat().st_size
    time.sleep(0.3)
    assert beat.stat().st_size == size > 0
