"""Texts of a megabyte, and the processor time that scorers take for them."""

import time
from pathlib import Path
from resource import RLIMIT_AS, RLIMIT_CPU, setrlimit

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Scorer

from arag_inspect import scorers

from .replies import answering
from .row import Row, forked, status

_LENGTH = 1_000_000
_MOST = 2.0
"""Seconds of processor time that a scorer may take."""

_PATTERNS = (
    *("$1 ", "5 % ", "1-2-3-", "((1))", "2020-01-02 ", "1,000,", "a", "A. ", "- ", "\n"),
    *('"', "Inc. ", "up 5% ", "Revenue rose to $5 million. ", "[1] ", "{", "|1|", "<a ", "é", "1."),
)


_ANSWER = "Revenue rose by 5 % to $5 million on 2020-01-02. Acme Inc. expects no more."


def megabytes(row: Row, quick: bool, folder: Path, material: Path) -> None:
    """Score long texts by each scorer that asks no model; only its own time counts.

    Once everything is long, once the document and the facts are and the answer is not.
    """
    slow: dict[str, int] = {}
    try:
        for pattern in _PATTERNS:
            text = (pattern * (_LENGTH // len(pattern) + 1))[:_LENGTH]
            for answer in (text, _ANSWER):
                bare = _spent(text, answer, [], folder)
                for name, scorer in _by_program().items():

                    def work(
                        scorer: Scorer = scorer,
                        text: str = text,
                        answer: str = answer,
                        bare: float = bare,
                    ) -> None:
                        limits = (RLIMIT_AS, 6 << 30), (RLIMIT_CPU, int(bare + 4 * _MOST) + 1)
                        for kind, most in limits:
                            setrlimit(kind, (most, most))
                        raise SystemExit(_spent(text, answer, [scorer], folder) - bare > _MOST)

                    failed = status(forked(work)) != 0
                    slow[name] = slow.get(name, 0) + failed
                    where = "everywhere" if answer is text else "but for the answer"
                    row.count(wrong=failed, what=f"{name} on {pattern!r} {where}")
    finally:
        named = ", ".join(f"{name} ({count})" for name, count in slow.items() if count)
        row.note = f"over {_MOST:g} s or 6 GB: {named}" if named else ""


def _by_program() -> dict[str, Scorer]:
    return {
        "rouge": scorers.rouge(),
        "factual_consistency": scorers.factual_consistency(judge=False, context="input"),
        "support": scorers.support(context="input"),
        "numeric_match": scorers.numeric_match(),
        "contain_match": scorers.contain_match(),
        "fact_coverage": scorers.fact_coverage(),
    }


def _spent(text: str, answer: str, chosen: list[Scorer], folder: Path) -> float:
    """Processor time of an evaluation of one sample, in seconds."""
    facts = [{"id": "f", "text": text}]
    sample = Sample(input=text, target=answer, metadata={"facts": facts})
    task = Task(dataset=[sample], solver=answering(answer), scorer=chosen or None)
    started = time.process_time()
    [log] = eval(task, model="none", display="none", log_dir=str(folder / "logs"))
    spent = time.process_time() - started
    if log.status != "success":
        raise SystemExit(f"{log.error and log.error.message}")
    return spent
