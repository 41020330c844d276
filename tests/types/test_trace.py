"""Tests that reading a trace has no side effects."""

from dataclasses import fields

from inspect_ai.model import ModelName
from inspect_ai.solver import TaskState

from arag_inspect.types.trace import Passage, RetrievalTrace, TraceRecord, read_record, recording


def state() -> TaskState:
    return TaskState(model=ModelName("m/m"), sample_id=1, epoch=1, input="", messages=[])


def test_recorded_trace_is_read_without_changing_store() -> None:
    sample = state()
    with recording(sample) as trace:
        trace.system, trace.loops = "arag", 3
        trace.passages.append(Passage(chunk_id=4, doc_id="d", prefix="p", text="t", loop=1))
    items = dict(sample.store.items())
    record = read_record(sample)
    assert (record.system, record.loops) == ("arag", 3)
    assert record.passages == sample.store_as(RetrievalTrace).passages
    assert dict(sample.store.items()) == items


def test_foreign_sample_has_empty_record_and_unchanged_store() -> None:
    sample = state()
    sample.store.set("mine", 1)
    assert read_record(sample) == TraceRecord()
    assert dict(sample.store.items()) == {"mine": 1}


def test_help_explains_fields_of_passage_and_trace() -> None:
    for record, names in ((Passage, fields(Passage)), (RetrievalTrace, ("passages", "searches"))):
        text = str(record.__doc__)
        documented = [getattr(field, "name", field) for field in names]
        assert all(f"        {name}: " in text for name in documented)


def test_passage_needs_only_number_of_chunk() -> None:
    passage = Passage(chunk_id=4)
    assert (passage.doc_id, passage.prefix, passage.text, passage.loop) == ("", "", "", 0)
