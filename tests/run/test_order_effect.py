"""Tests of order effects in `fact_match`, with judges of known order dependence."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import match
from inspect_ai.solver import generate

from arag_inspect.report import frames
from arag_inspect.run.rejudge.rejudge import rejudge
from arag_inspect.scorers import fact_match
from tests.commands import call
from tests.scripted import scripted, speak

ASKED = re.compile(r"Take the facts (\w+) of `<(\w+)_facts>`")
LISTED = re.compile(r"^([GP]\d+): ", re.MULTILINE)


@modelapi(name="first_listed")
class FirstListed(ModelAPI):
    """Finds G1's counterpart P1, on some sides only if listed first; `nowhere` is unbiased."""

    async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
        prompt = input[0].text
        request = ASKED.search(prompt)
        assert request is not None
        code, side = request[1], request[2]
        counterpart = {"gold": "P", "predicted": "G"}[side] + code[1:]
        listed = [one for one in LISTED.findall(prompt) if one[0] == counterpart[0]]
        biased = self.model_name in ("both", side)
        found = counterpart == listed[0] if biased else counterpart in listed
        verdict = {"id": code, "reasoning": "r", "match": counterpart if found else None}
        return speak(json.dumps({"verdicts": [verdict]}), 1)


def _sample(name: str, gold: int, said: int) -> Sample:
    facts = [{"id": f"{name}#{n}", "text": f"item {n} was ${n}"} for n in range(1, gold + 1)]
    answer = json.dumps([f"item {n} was ${n}" for n in range(1, said + 1)])
    return Sample(id=name, input=answer, metadata={"facts": facts})


JUDGES = ("first_listed/both", "first_listed/gold", "first_listed/nowhere")

SAMPLES = [
    _sample("two", 2, 2),
    _sample("uneven", 2, 1),
    _sample("one", 1, 1),
    _sample("mute", 2, 0),
]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A log of lists of two facts, and of one list with a single order; three judges."""
    judges = [get_model(name) for name in JUDGES]
    run_log = eval(
        Task(dataset=SAMPLES, solver=generate(), scorer=fact_match()),
        model=scripted(lambda messages, *_: speak(messages[-1].text, 1)),
        model_roles={"grader": judges},
        display="none",
        log_dir=str(tmp_path_factory.mktemp("logs")),
    )[0]
    assert run_log.status == "success", run_log.error
    return run_log.location


def test_reversed_order_changes_only_order_dependent_verdicts(log: str, tmp_path: Path) -> None:
    """Reversing two facts puts the first last. Two verdicts per side of `two`, one of `uneven`."""
    before = Path(log.removeprefix("file://")).read_bytes()
    out = tmp_path / "reordered.eval"
    effects = rejudge(log, out, graders=JUDGES, reverse_order=True).order_effects
    found = {one.judge: one for one in effects}
    counts = {name: (len(one.changed), one.verdicts) for name, one in found.items()}
    assert counts == {
        "first_listed/both": (5, 5),
        "first_listed/gold": (2, 5),
        "first_listed/nowhere": (0, 5),
    }
    changed = found["first_listed/gold"].changed
    assert {(one.sample, one.side, one.fact) for one in changed} == {
        ("two", "gold", "two#1"),
        ("two", "gold", "two#2"),
    }
    assert sorted(one.before for one in changed) == [False, True]
    share = found["first_listed/gold"].share
    assert share.mean == 0.4 and share.low is not None and 0 < share.low < 0.4
    assert Path(log.removeprefix("file://")).read_bytes() == before


def test_rejudge_reverse_order_lists_changed_verdicts(log: str, tmp_path: Path) -> None:
    line = ["rejudge", log, "--reverse-order", "--grader", ",".join(JUDGES)]
    result = call(*line, "-o", str(tmp_path / "reordered.eval"))
    assert "fact_match, judged by first_listed/gold: 5 verdicts" in result.output
    assert "changed  2, share 0.400 [" in result.output
    assert "two (epoch 1), gold fact two#1: " in result.output


@pytest.mark.parametrize(("graders", "is_repetition"), [(JUDGES, True), (JUDGES[:1], False)])
def test_rejudge_with_other_judge_is_no_repetition(
    log: str, tmp_path: Path, graders: Sequence[str], is_repetition: bool
) -> None:
    line = ["rejudge", log, "--grader", ",".join(graders), "-o", str(tmp_path / "again.eval")]
    result = call(*line)
    assert (
        "fact_match: the judge, prompt or version has changed" in result.stderr
    ) is not is_repetition


def test_rejudge_prices_judges_that_have_no_known_price(log: str, tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    amounts = "{input: 1, output: 5, input_cache_write: 1, input_cache_read: 1}"
    prices.write_text(f"first_listed/priced: {amounts}")
    out = tmp_path / "again.eval"
    judging = f"rejudge {log} --grader first_listed/priced --model-cost-config"
    call(judging, str(prices), "-o", str(out))
    costs = frames(out).verdicts.groupby("judge")["cost_usd"].min()
    assert costs["first_listed/priced"] > 0 and not costs["first_listed/both"] > 0
    refused = call(judging, str(tmp_path / "none.yaml"), "-o", str(tmp_path / "no.eval"), code=1)
    assert "none.yaml cannot be read" in refused.output


def test_log_without_order_dependent_verdicts_is_reported_in_one_line(tmp_path: Path) -> None:
    def made(scorer: Any, *samples: Sample) -> str:
        result = eval(
            Task(dataset=samples, solver=generate(), scorer=scorer),
            model=scripted(lambda messages, *_: speak(messages[-1].text, 1)),
            model_roles={"grader": get_model("first_listed/both")},
            display="none",
            log_dir=str(tmp_path),
        )[0]
        return result.location

    for log, why in (
        (made(match(), SAMPLES[0]), "no scorer recorded a judge's verdict"),
        (made(fact_match(), SAMPLES[2]), "has no verdict that the order of the facts could change"),
        ("nowhere.eval", "nowhere.eval cannot be read as a log"),
    ):
        line = ["rejudge", log, "--reverse-order", "--grader", "first_listed/both"]
        refused = call(*line, code=1)
        assert why in refused.output
        assert refused.output.count("\n") == 1
