"""Test of the example that sends scores of replayed traces to a collector of OpenTelemetry."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arag_inspect.cli.main import main
from tests.serving import Request, Response, serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "send_scores.py"
TRACE = "5b8efff798038103d269b633813fc60c"


def write_spans(path: Path, trace_id: str) -> None:
    """Write a trace with one span, whose answer has three words and whose request 40 tokens."""
    texts = {"input.value": "Who audits Acme?", "output.value": "Marn and Toll."}
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in texts.items()]
    attributes.append({"key": "llm.token_count.prompt", "value": {"intValue": "40"}})
    span = {
        "traceId": trace_id,
        "spanId": "eee19b7ec3c1b174",
        "name": "ask",
        "attributes": attributes,
    }
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    path.write_text(json.dumps(spans), encoding="utf-8")


@pytest.mark.usefixtures("logs")
def test_scores_of_a_trace_reach_the_collector_under_its_id(tmp_path: Path) -> None:
    service = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    for name, trace_id in (("traced", TRACE), ("named", "monday")):
        write_spans(tmp_path / f"{name}.json", trace_id)
        replayed = CliRunner().invoke(main, ["replay", str(tmp_path / f"{name}.json")])
        assert replayed.exit_code == 0, replayed.output
    requests: list[Request] = []

    def collect(request: Request) -> Response:
        requests.append(request)
        return Response(headers={"Content-Type": "application/x-protobuf"})

    with serving(collect) as url:
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), "logs/replay"],
            env={**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": url},
            capture_output=True,
            text=True,
            check=True,
        )
    (request,) = requests
    assert request.path == "/v1/logs"
    is_compressed = request.headers.get("content-encoding") == "gzip"
    body = gzip.decompress(request.body) if is_compressed else request.body
    (resource,) = service.ExportLogsServiceRequest.FromString(body).resource_logs
    events = resource.scope_logs[0].log_records
    assert {event.event_name for event in events} == {"gen_ai.evaluation.result"}
    assert {event.trace_id.hex() for event in events} == {TRACE}
    scores = {}
    for event in events:
        attributes = {pair.key: pair.value for pair in event.attributes}
        name = attributes["gen_ai.evaluation.name"].string_value
        scores[name] = attributes["gen_ai.evaluation.score.value"].double_value
    assert scores["efficiency.word_count"] == 3
    assert scores["efficiency.input_tokens"] == 40
    assert done.stdout == f"scores sent: {len(events)}; answers without a trace id: 1\n"
