"""Helpers that compare `arag-inspect run --estimate` with what a run spends.

Three systems and two judges run against a local Messages API that accounts for tokens and
its cache as Anthropic does (`tests/caching.py`).
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from inspect_ai.log import list_eval_logs, read_eval_log

from arag_inspect.models.pricing import dollars
from arag_inspect.run.api import estimate_cost, run_systems
from arag_inspect.run.planning.extrapolation import Amount
from tests.caching import CachingAPI, agent_or_judge, text
from tests.logs import samples_of
from tests.serving import serving

SYSTEMS = ("arag", "naive_rag", "stuffing")
MODEL = "anthropic/claude-sonnet-4-6"
GRADERS = ("anthropic/claude-haiku-4-5-20251001", "anthropic/claude-sonnet-4-6")
TOPICS = ("revenue growth", "guidance and outlook", "earnings per share", "margins", "cash flow")
REASONING = "The summary names revenue and the outlook, as the transcript does, with its figures. "
CRITERIA = [
    {"name": f"Criterion {n}"}
    | {
        part: (
            f"{count} of the figures that matter to an investor is there, with its unit "
            "and period. "
        )
        * 2
        for part, count in (
            ("checks", "Each"),
            ("low", "None"),
            ("middle", "Half"),
            ("high", "All"),
        )
    }
    for n in range(1, 6)
]
"""About as long as a language model's criteria."""


class Estimated(NamedTuple):
    """One row of an estimate, with the actual spending."""

    who: str
    model: str
    estimate: Amount
    spent: float


class Replies:
    """An agent with a set number of turns per sample that reads what it finds; judges that reason
    in 15 to 135 words.
    """

    turns: Sequence[int] = (5, 6, 7, 8, 9)
    chunks: int = 1
    """Number of chunks that the agent reads per call."""

    def __call__(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Reply to a request."""
        asked = str(body["messages"][0]["content"])
        number = int(hashlib.sha256(re.sub("[0-9a-f]{6}:", "", asked).encode()).hexdigest(), 16)
        (block,) = agent_or_judge(self.turns[number % len(self.turns)])(body)
        if block["type"] == "tool_use":
            return [{**block, "input": _arguments(block["name"], body, self.chunks)}]
        message = str(block.get("text", ""))
        if '"criteria": [' in asked and "VERDICT" not in asked:
            return text(json.dumps({"criteria": CRITERIA}))
        if message.startswith('{"reasoning"'):
            return text(
                json.dumps({**json.loads(message), "reasoning": REASONING * (1 + number % 9)})
            )
        if not message.startswith("VERDICT"):
            return [block]
        if "no usable criteria" in asked or '"criteria"' in asked:
            message = f"{message.split(':')[0]}: {json.dumps({'criteria': CRITERIA})}"
        return text(f"{REASONING * (1 + number % 9)}\n{message}")


def _arguments(tool: str, body: dict[str, Any], chunks: int) -> dict[str, Any]:
    """Search for the call in question, topic by topic; read the best chunks found that are still
    unread.
    """
    asked = json.dumps(body["messages"])
    if tool == "chunk_read":
        found, ids_read = (
            [int(one) for one in re.findall(rf'<{kind} chunk_id=\\\\?"(\d+)', asked)]
            for kind in ("snippet", "passage")
        )
        return {"chunk_ids": [one for one in found if one not in ids_read][:chunks] or found[:1]}
    subject = re.search(r"[A-Z]+'s Q\d \d{4}", asked)
    topic = TOPICS[asked.count('"tool_use"') % len(TOPICS)]
    return {"query": f"{subject[0] if subject else ''} {topic}"}


@contextmanager
def messages_api(replies: Replies) -> Iterator[None]:
    """Serve the API and use it for the provider `anthropic/`."""
    before = dict(os.environ)
    with serving(CachingAPI(replies)) as url:
        os.environ |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def spend(
    corpus: str, log_dir: str, limit: int, systems: Sequence[str] = SYSTEMS
) -> dict[tuple[str, str, bool], float]:
    """Run for real; return dollars by system, model and whether it judged."""
    run_systems(
        "earnings_synthetic",
        systems,
        [MODEL],
        log_dir=log_dir,
        graders=GRADERS,
        limit=limit,
        parameters={"corpus": corpus},
        display="none",
    )
    found: dict[tuple[str, str, bool], float] = {}
    for info in list_eval_logs(log_dir):
        log = read_eval_log(info.name)
        for sample in samples_of(log):
            for event in sample.events:
                if event.event == "model" and event.output.usage:
                    key = (log.eval.task_args["system"], event.model, event.role == "grader")
                    cost = dollars(event.model, event.output.usage, batch=False)
                    found[key] = found.get(key, 0.0) + (cost or 0.0)
    return found


def estimate_runs(
    corpus: str, log_dir: str, limit: int, earlier: Sequence[str] = ()
) -> list[Estimated]:
    """Estimate the runs, then run them."""
    lines = estimate_cost(
        "earnings_synthetic",
        SYSTEMS,
        [MODEL],
        GRADERS,
        limit=limit,
        parameters={"corpus": corpus},
        earlier=earlier,
    )
    spent = spend(corpus, log_dir, limit)
    estimates = []
    for line in lines:
        if line.dollars is None:
            raise SystemExit(f"{line.model} has no price")
        who = f"judge of {line.system}" if line.judge else line.system
        estimates.append(
            Estimated(who, line.model, line.dollars, spent[line.system, line.model, line.judge])
        )
    return estimates
