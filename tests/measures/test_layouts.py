"""Tests that line endings and whitespace do not change scores."""

import json
import math
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect import scorers
from arag_inspect.corpus import Corpus
from arag_inspect.types.trace import Passage, RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.measures.cases import Case, Ran, run_cases
from tests.scripted import STEADY, run
from tests.text.test_layout import indented, justified

SOURCE = [
    "Net sales rose 7.5% to $4.2 billion in fiscal 2022, while the gross profit margin declined to "
    "31.4%.",
    "Interest expense rose by $1.1 million owing to long-term borrowings under the revolving "
    "credit agreement with Wells Fargo.",
    "Operating income fell from $80.2 million to $75.1 million, since freight costs and wages rose "
    "at the plants in Ohio and Texas.",
    "We bought Acme Inc. for approximately $12 million on Nov. 3, 2022.",
    "For fiscal 2023 we expect net sales of $4.3 billion to $4.5 billion and capital expenditures "
    "of about $150 million.",
]
ANSWER = [
    "Net sales were $4.2 billion in fiscal 2022, an increase of 7.5% over the year before, and the "
    "margin fell to 31.4%.",
    "Interest expense rose by $1.1 million because of borrowings under the credit agreement.",
    "Operating income rose to $75.1 million, although freight costs and wages were higher than in "
    "the previous year.",
    "The company bought Acme Inc. for $14 million, and does not expect net sales of more than "
    "$4.5 billion in fiscal 2023.",
]
TARGET = [
    "Net sales rose 7.5% to $4.2 billion.",
    "Interest expense rose by $1.1 million, and the company expects net sales of $4.3 billion to "
    "$4.5 billion in fiscal 2023.",
]
LAYOUTS: dict[str, Callable[[str], str]] = {
    "long": lambda text: text,
    "wrapped": lambda text: textwrap.fill(text, 72),
    "indented": lambda text: indented(text, 66),
    "justified": lambda text: justified(text, 60),
    "returns": lambda text: textwrap.fill(text, 64).replace("\n", "\r\n"),
}


def case(lay: Callable[[str], str], between: str = " ") -> Case:
    facts = [{"id": str(number), "text": lay(text)} for number, text in enumerate(TARGET)]
    source, answer, target = (lay(between.join(text)) for text in (SOURCE, ANSWER, TARGET))
    metadata = {"source": source, "facts": facts}
    return Case(answer=answer, target=target, metadata=metadata)


@pytest.fixture(scope="module")
def ran() -> Ran:
    cases = {name: case(lay) for name, lay in LAYOUTS.items()}
    return run_cases(
        {**cases, "lines": case(str, "\n")},
        [
            scorers.contain_match(),
            scorers.fact_coverage(),
            scorers.factual_consistency(judge=False, context="metadata:source"),
            scorers.numeric_match(),
            scorers.rouge(),
            scorers.support(context="metadata:source"),
        ],
    )


def test_scores_do_not_depend_on_text_layout(ran: Ran) -> None:
    assert ran.log.samples and len(ran.log.samples) == 6
    values = {
        str(sample.id): {name: score.value for name, score in scores_of(sample).items()}
        for sample in ran.log.samples
    }
    for value in values.values():
        assert value == values["long"]
    claims = (ran.score("long", "factual_consistency").metadata or {})["claims"]
    verdicts = [claim["verdict"] for claim in claims]
    assert {"supported", "contradicted"} <= set(verdicts) and len(verdicts) > 5
    for name in values:
        other = (ran.score(name, "factual_consistency").metadata or {})["claims"]
        assert [claim["verdict"] for claim in other] == verdicts


@solver
def _read_and_answer(folder: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        lay = LAYOUTS[str(state.sample_id)]
        chunks = Corpus.open(folder).document_chunks([state.metadata["doc_ids"][0]])[:2]
        first = [chunk.text[start:end] for chunk in chunks for start, end in chunk.sentences[:5]]
        state.output = ModelOutput.from_content("mockllm/model", lay(" ".join(first)))
        trace = state.store_as(RetrievalTrace)
        trace.system, trace.context, trace.loops = "arag", "retrieved", 1
        fields = ("chunk_id", "doc_id", "prefix")
        trace.passages = [
            Passage(**{f: getattr(chunk, f) for f in fields}, text=lay(chunk.text), loop=1)
            for chunk in chunks
        ]
        return state

    return solve


def _figures(score: Score) -> Any:
    values = score.value if isinstance(score.value, dict) else {"": score.value}
    return {
        key: "none" if isinstance(value, float) and math.isnan(value) else value
        for key, value in values.items()
        if not key.endswith("_ms")
    }


def test_every_scorer_ignores_text_layout(synthetic_folder: Path) -> None:
    row = json.loads((synthetic_folder / "samples.jsonl").read_text().splitlines()[0])
    criteria = [{"criterion": "Names revenue", "points": 1}]
    metadata = {**row["metadata"], "corpus": str(synthetic_folder), "rubric": criteria}
    names = [name for name in scorers.__all__ if name != "geval"]
    layouts = ("long", "justified", "returns")
    task = Task(
        dataset=[
            Sample(
                id=name,
                input=row["input"],
                target=LAYOUTS[name](row["target"]),
                metadata=metadata,
            )
            for name in layouts
        ],
        solver=_read_and_answer(str(synthetic_folder)),
        scorer=[getattr(scorers, name)() for name in names],
    )
    roles: Any = {"grader": STEADY}
    log = run(task, "offline/extractive", model_roles=roles, max_samples=1)
    assert log.status == "success", log.error
    values = {
        sample.id: {key: _figures(score) for key, score in scores_of(sample).items()}
        for sample in samples_of(log)
    }
    assert set(values) == {*layouts} and set(values["long"]) == {*names}
    for own_values in values.values():
        assert own_values == values["long"]
