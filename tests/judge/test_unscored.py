"""The console says why a scorer gives no value."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from arag_inspect.judge import unscored
from arag_inspect.judge.unscored import UnscoredError, report_unscored
from arag_inspect.scorers import factual_consistency, rouge
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")


def test_each_reason_of_a_scorer_is_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    monkeypatch.setattr(unscored, "_reported", set())
    monkeypatch.setattr(unscored._log, "warning", lambda text, *own: printed.append(text % own))
    samples = [Sample(input="?", target=target) for target in ("", "Sales rose.", "")]
    run(
        Task(dataset=samples, scorer=[rouge(), factual_consistency(context="document")]),
        scripted(Script("Sales rose.")),
    )
    report_unscored("rouge", UnscoredError("too_long", "Too\nlong.").score(""))
    assert sorted(printed) == [
        "factual_consistency has no value for at least one sample: There is no text to check the answer against.",
        "rouge has no value for at least one sample: The sample has no reference to compare with.",
        "rouge has no value for at least one sample: Too long.",
    ]
