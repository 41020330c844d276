"""A process of its own for `determinism`: runs a system, and writes its scores as JSON."""

import json
import os
import random
import sys
from pathlib import Path

from inspect_ai import eval

from arag_inspect.tasks import earnings_synthetic


def main(corpus: str, out: str, most: str) -> None:
    """Score so many samples, in an order that the environment names."""
    task = earnings_synthetic(
        system="naive_rag",
        corpus=corpus,
        scorers="rouge,retrieval_pr,geval_coverage,geval_faithfulness,error_taxonomy,factual_consistency",
    )
    samples = list(task.dataset)[: int(most)]
    if os.environ.get("ORDER") == "shuffled":
        random.Random(8).shuffle(samples)
    task.dataset = type(task.dataset)(samples)  # type: ignore[call-arg]
    [log] = eval(task, model="offline/extractive", display="none", log_dir=f"{out}.logs")
    if log.status != "success":
        raise SystemExit(log.status)
    scores = {
        str(sample.id): {name: score.value for name, score in sorted((sample.scores or {}).items())}
        for sample in log.samples or []
    }
    Path(out).write_text(json.dumps(scores, sort_keys=True), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
