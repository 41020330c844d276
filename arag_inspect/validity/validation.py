"""The result of a validation: tables, and an Inspect log with one sample per part."""

from dataclasses import asdict, dataclass
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from .._util.extras import extra
from .._util.log_files import PURPOSE, VALIDATION
from ..stats.ranking import Rate
from .judge_bounds import BOUNDS, ERRORS, MeasureCheck
from .judge_verdict import JudgeVerdict

with extra("report"):
    from ..report.cells import Cell, Share
    from ..report.table import Table

_SHARES = {
    "all_marked": "errors marked: all",
    "untouched": "untouched, marked down",
    "low": "untouched in the worse half",
    "retest": "same when judged again",
    "readable": "verdicts read",
}
"""Label of each share of a measure."""

_NETS = {
    "length": "net rise when doubled",
    "instruction": "net rise when asking for a 5",
}
"""Label of each net share of a measure."""

_LIMITS = {
    _SHARES["all_marked"]: f"from {BOUNDS.marked:.0%}",
    _SHARES["untouched"]: f"to {BOUNDS.untouched:.0%}",
    _SHARES["low"]: f"to {BOUNDS.untouched:.0%}",
    _SHARES["retest"]: f"from {BOUNDS.retest:.0%}",
    _SHARES["readable"]: f"from {BOUNDS.readable:.0%}",
    _NETS["length"]: f"within {BOUNDS.swayed:.0%}",
    _NETS["instruction"]: f"to {BOUNDS.swayed:.0%}",
}
"""Where a share passes, by its label."""

_RESULTS = {True: "pass", False: "fail", None: "undecided"}
_TITLES = {True: "passes", False: "fails", None: "is undecided"}


@dataclass(frozen=True, slots=True)
class Validation:
    """Results of validating a judge on one task."""

    judge: str
    """Models that judge."""

    task: str
    corpus: str
    model: str
    """Model that answered."""

    verdict: JudgeVerdict
    unchecked: tuple[str, ...]
    """Scorers that ask the judge, but have no texts to check it on."""

    estimated_usd: float | None
    paid_usd: float

    @property
    def summary(self) -> str:
        """The verdict with its reasons."""
        verdict = f"The judge {self.judge} on {self.task} {_TITLES[self.verdict.passed]}"
        return f"{verdict}: {self.verdict.summary}"


def validation_tables(validation: Validation) -> list[Table]:
    """Return the parts of a validation, and the figures of each measure."""
    parts = tuple(
        (part.name, _RESULTS[part.passed], part.text or "-") for part in validation.verdict.parts
    )
    figures: list[tuple[Cell, ...]] = []
    for check in validation.verdict.measures:
        figures += _figures(check)
    columns = ("measure", "figure", "share", "95 %", "texts", "passes")
    return [
        Table("parts", "Parts", "", ("part", "", "what was found"), parts),
        Table("figures", "Figures", "", columns, tuple(figures)),
    ]


def write_validation(validation: Validation, log_dir: str) -> str:
    """Write a validation as an Inspect log, which `inspect view` shows.

    Each part is a sample. It scores 1 if the judge passes and 0 if it fails, and is unscored if it
    is undecided. The log's metadata has all figures, bounds and costs.

    Args:
        validation: The result.
        log_dir: Folder of the log.

    Returns:
        The log's file.
    """
    samples = []
    for part in validation.verdict.parts:
        metadata = {"passed": part.passed, "found": part.text or "-"}
        sample = Sample(id=part.name, input=part.name, target=_RESULTS[True], metadata=metadata)
        samples.append(sample)
    task = Task(
        name=f"validate_{validation.task}",
        dataset=MemoryDataset(samples, name=validation.corpus),
        solver=_say_result(),
        scorer=judge_check(),
        metadata=_details(validation),
    )
    (log,) = eval(task, model="none", log_dir=log_dir, display="none")
    return log.location


@scorer(metrics=[mean()])
def judge_check() -> Scorer:
    """Score whether a judge keeps the bounds of a part of its validation."""

    async def score(state: TaskState, target: Target) -> Score:
        explanation = state.metadata["found"]
        answer = state.output.completion
        if state.metadata["passed"] is None:
            return Score.unscored(reason="not_measured", answer=answer, explanation=explanation)
        return Score(value=float(state.metadata["passed"]), answer=answer, explanation=explanation)

    return score


def _figures(check: MeasureCheck) -> list[tuple[Cell, ...]]:
    """Return the rows of a measure in the table of figures."""
    rows: list[tuple[Cell, ...]] = []
    for label, share in _shares(check).items():
        interval = f"{share.low:.0%} to {share.high:.0%}"
        limit = _LIMITS.get(label, "")
        rows.append((check.measure, label, Share(share.value), interval, share.n, limit))
    for label, net in _nets(check).items():
        rows.append((check.measure, label, Share(net), "", "", _LIMITS[label]))
    return rows


def _shares(check: MeasureCheck) -> dict[str, Rate]:
    """Return the shares of texts that were measured, by label."""
    shares = {
        f"{'marked for' if kind == ERRORS['instruction'] else 'errors marked'}: {kind}": share
        for kind, share in check.marked.items()
    }
    for name, label in _SHARES.items():
        share = getattr(check, name)
        if share is not None:
            shares[label] = share
    return shares


def _nets(check: MeasureCheck) -> dict[str, float]:
    """Return the shares of texts whose scores rise minus the shares that fall, by label."""
    nets = {label: getattr(check, name) for name, label in _NETS.items()}
    return {label: net for label, net in nets.items() if net is not None}


@solver
def _say_result() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        result = _RESULTS[state.metadata["passed"]]
        state.output = ModelOutput.from_content(model="none", content=result)
        return state

    return solve


def _details(validation: Validation) -> dict[str, Any]:
    """Return the metadata of a validation's log."""
    return {
        PURPOSE: VALIDATION,
        "judge": validation.judge,
        "answered_by": validation.model,
        "passed": validation.verdict.passed,
        "summary": validation.summary,
        "unchecked": list(validation.unchecked),
        "figures": {check.measure: _all_figures(check) for check in validation.verdict.measures},
        "bounds": asdict(BOUNDS),
        "estimated_usd": validation.estimated_usd,
        "paid_usd": validation.paid_usd,
    }


def _all_figures(check: MeasureCheck) -> dict[str, Any]:
    """Return the shares of a measure with their intervals, and the net shares, by label."""
    figures: dict[str, Any] = {}
    for label, share in _shares(check).items():
        figures[label] = share._asdict()
    return figures | _nets(check)
