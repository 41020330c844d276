"""The console says how many samples have no value, and why."""

import pytest
from inspect_ai import Task, score
from inspect_ai.dataset import Sample

from arag_inspect.judge.unscored import _report
from arag_inspect.scorers import factual_consistency, rouge
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")


def test_a_reason_is_printed_once_with_its_count(caplog: pytest.LogCaptureFixture) -> None:
    _report()
    caplog.clear()
    samples = [Sample(input="?", target=target) for target in ("", "Sales rose.", "")]
    log = run(
        Task(dataset=samples, scorer=[rouge(), factual_consistency(context="document")]),
        scripted(Script("Sales rose.")),
    )
    assert [message for message in caplog.messages if "no value" in message] == [
        "rouge has no value for 2 samples: The sample has no reference to compare with.",
        "factual_consistency has no value for 3 samples: There is no text to check the answer against.",
    ]
    caplog.clear()
    score(log, rouge(), display="none")
    assert "no value" not in caplog.text  # it is no run; the end of the process says it
    _report()
    assert caplog.text.count("rouge has no value for 2 samples: ") == 1
