"""What caching of prompts costs and saves: `python -m benchmarks.caching` prints the table of docs/costs.md.

The package runs against a Messages API on the loopback address that accounts
for its cache as Anthropic does (`tests/caching.py`), once as Inspect would
have it (every prompt is written to the cache) and once as the package has it.
What asks twice is compared with no cache at all.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelUsage, compute_model_cost, get_model

from arag_inspect.datasets import Options, prepare_dataset
from arag_inspect.models.pricing import known_price
from arag_inspect.scorers import geval_coverage, geval_faithfulness, severity_judge
from arag_inspect.sisters.advisor import extract_facts
from arag_inspect.tasks import earnings_synthetic
from tests.caching import CachingAPI, JudgePrompt, agent_or_judge
from tests.serving import serving

MODEL, JUDGE = "claude-sonnet-4-6", "claude-haiku-4-5-20251001"
LOOPS = 9


class Case(NamedTuple):
    """What is measured."""

    name: str
    task: Task
    loops: int = LOOPS
    before: Any = "auto"
    """What it is compared with: `auto` writes every prompt to the cache, False none."""


def main() -> None:
    """Measure, and print the table."""
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["INSPECT_LOG_DIR"] = str(Path(folder) / "logs")
        corpus = Path(folder) / "corpus"
        prepare_dataset("synthetic", documents=10, options=Options(out=corpus))
        print("| | calls | plain | written | read | USD | calls | plain | written | read | USD |")
        print("|---|" + "---|" * 10)
        for case in cases(str(corpus)):
            before, after = measure(case, case.before), measure(case, None)
            for model, who in ((MODEL, case.name), (JUDGE, f"{case.name}: judges")):
                shown = [cell for asked in (before, after) for cell in cells(asked, model)]
                if shown[0] != "0":
                    print(f"| {who} | {' | '.join(shown)} |")


def cases(corpus: str) -> Iterable[Case]:
    """A judged sample of each system, and what asks more than once."""

    def judged(system: Any, **options: Any) -> Task:
        task = earnings_synthetic(system=system, corpus=corpus, scorers="efficiency", **options)
        task.scorer = [
            geval_faithfulness(criteria="pinned"),
            geval_coverage(criteria="pinned"),
            severity_judge(),
        ]
        return task

    yield Case("closed_book", judged("closed_book"))
    yield Case("naive_rag", judged("naive_rag"))
    yield Case("stuffing", judged("stuffing"))
    yield Case("arag, 10 calls", judged("arag"))
    yield Case(
        "arag, at its limit of 9 loops", judged("arag", system_args={"max_loops": LOOPS}), 99
    )
    weighted = judged("naive_rag")
    weighted.scorer = [geval_faithfulness(criteria="pinned", weighted=True, samples=10)]
    yield Case("naive_rag, G-Eval by 10 samples", weighted)
    talk = "\n".join(f"[00:{n:02}] Client: I put {n} hundred pounds away." for n in range(600))
    review = Task(dataset=[Sample(talk)], solver=extract_facts(review=True))
    yield Case("extract_facts with review", review, before=False)


def measure(case: Case, caching: Any) -> list[JudgePrompt]:
    """Run one sample; `caching` is what the user says of it."""
    api = CachingAPI(agent_or_judge(case.loops))
    config = GenerateConfig(cache_prompt=caching)
    with serving(api) as url:
        model, grader = (
            get_model(
                f"anthropic/{name}", base_url=url, api_key="none", config=config, memoize=False
            )
            for name in (MODEL, JUDGE)
        )
        [log] = eval(
            case.task, model=model, model_roles={"grader": grader}, limit=1, display="none"
        )
    if log.status != "success":
        raise SystemExit(f"{case.name}: {log.error.traceback if log.error else log.status}")
    return api.asked


def cells(asked: Iterable[JudgePrompt], model: str) -> list[str]:
    """Calls, tokens of input by price, and dollars, output included."""
    own = [one for one in asked if one.model == model]
    usage = ModelUsage(
        input_tokens=sum(one.input_tokens for one in own),
        input_tokens_cache_write=sum(one.written for one in own),
        input_tokens_cache_read=sum(one.read for one in own),
        output_tokens=sum(one.output_tokens for one in own),
    )
    price = known_price(f"anthropic/{model}")
    assert price
    tokens = (usage.input_tokens, usage.input_tokens_cache_write, usage.input_tokens_cache_read)
    dollars = compute_model_cost(price, usage)
    return [str(len(own)), *(f"{count or 0:,}" for count in tokens), f"{dollars:.4f}"]


if __name__ == "__main__":
    main()
