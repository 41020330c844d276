"""Send scores of replayed traces to a collector as `gen_ai.evaluation.result` events.

pip install opentelemetry-exporter-otlp-proto-http
arag-inspect replay spans.json --grader anthropic/claude-haiku-4-5
OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 python examples/send_scores.py logs/replay
"""

import sys
from collections.abc import Iterator

from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log_samples
from opentelemetry import trace
from opentelemetry._logs import LogRecord
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

EVENT = "gen_ai.evaluation.result"


def main(log_dir: str) -> None:
    """Send one event for each value of each score of each sample that was a trace."""
    provider = LoggerProvider()
    provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    logger = provider.get_logger("arag_inspect")
    sent, without_trace = 0, 0
    for log in list_eval_logs(log_dir):
        for sample in read_eval_log_samples(log, all_samples_required=False):
            traced = trace_of(sample)
            if traced is None:
                without_trace += 1
                continue
            for attributes in read_scores(sample):
                logger.emit(LogRecord(context=traced, event_name=EVENT, attributes=attributes))
                sent += 1
    provider.shutdown()
    print(f"scores sent: {sent}; answers without a trace id: {without_trace}")


def trace_of(sample: EvalSample) -> Context | None:
    """Return the context of a sample's trace, None without a hexadecimal id."""
    try:
        trace_id = int(str(sample.metadata.get("trace_id")).replace("-", ""), 16)
    except ValueError:
        return None
    span = trace.NonRecordingSpan(trace.SpanContext(trace_id, span_id=0, is_remote=True))
    return trace.set_span_in_context(span)


def read_scores(sample: EvalSample) -> Iterator[dict[str, str | float]]:
    """Yield the attributes of an event for each number that the scorers gave."""
    for name, score in (sample.scores or {}).items():
        values = score.value if isinstance(score.value, dict) else {"": score.value}
        for key, value in values.items():
            if isinstance(value, int | float) and value == value:  # an unscored one is NaN
                attributes: dict[str, str | float] = {
                    "gen_ai.evaluation.name": f"{name}.{key}".rstrip("."),
                    "gen_ai.evaluation.score.value": float(value),
                }
                if score.explanation:
                    attributes["gen_ai.evaluation.explanation"] = score.explanation
                yield attributes


if __name__ == "__main__":
    main(sys.argv[1])
