"""Check whether a judge distinguishes good texts from bad ones on a task."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.dataset import Sample
from inspect_ai.scorer import Scorer

from .._util.errors import InputError, resume_error
from .._util.names import short_name
from ..benchmark.scorers import is_judged
from ..measure import measures_of
from ..models.call_monitor import track_spending
from ..models.spending import LEDGER, Spending
from ..report import Frames, Study, frames, studies
from ..report.cells import Signed, show
from ..report.comparison.comparability import compare_pair
from ..report.comparison.primary import primary_measures
from ..validity.cases import Case, Summaries, read_cases
from ..validity.judge_bounds import MeasureCheck
from ..validity.judge_check import Probe, check_judge, probe_of, probe_texts
from ..validity.judge_verdict import CheckedPart, verdict_of
from ..validity.score_variants import replay, replay_task, replay_texts
from ..validity.scorer_names import logged_name
from ..validity.validation import Validation
from .experiment import Experiment, check_has_systems
from .planning.cost_estimate import (
    CostLine,
    estimate_experiment,
    estimate_judging,
    max_call_costs,
    total,
)
from .run_experiment import run_experiment

_FLOOR = "closed_book"
_MIDDLE = "naive_rag"
_CEILING = "oracle"
SYSTEMS = (_FLOOR, _MIDDLE, _CEILING)
"""Systems in ascending order of their expected scores."""


class ValidationInputs(NamedTuple):
    """Systems, texts and scorers with which a judge is checked."""

    experiment: Experiment
    """Runs whose scores the judge should rank in the order of `SYSTEMS`."""

    scorers: tuple[Scorer, ...]
    unchecked: tuple[str, ...]
    """Names of other scorers that ask the judge."""

    corpus: str
    cases: Mapping[Summaries, Sequence[Case]]
    """Cases by the kind of texts that count as good."""

    def samples(self, scorer: Scorer) -> list[Sample]:
        """Return the texts that a scorer is checked on."""
        probe = _probe(scorer)
        samples: list[Sample] = []
        for case in self.cases[probe.summaries]:
            samples += replay_texts(
                case, probe_texts(case, probe.errors, self.experiment.sample_seed)
            )
        return samples

    def cases_of(self, scorer: Scorer) -> Sequence[Case]:
        """Return the cases of these texts."""
        return self.cases[_probe(scorer).summaries]


def _probe(scorer: Scorer) -> Probe:
    return probe_of(measures_of(scorer)[0])


def gather_inputs(
    task: str,
    model: str,
    graders: Sequence[str],
    *,
    limit: int,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    prices: str | None = None,
) -> ValidationInputs:
    """Read the inputs for checking a judge: good texts of the corpus, and judged scorers.

    Args:
        task: Name of a task of this package, with its data prepared.
        model: Model that answers.
        graders: Models that judge.
        limit: Good texts, and samples of each system.
        seed: Seed of the samples and the errors.
        parameters: More parameters of the task.
        prices: Value of Inspect's `--model-cost-config`, which overrides the package's prices.

    Raises:
        InputError: The task is unknown, or has no judged scorer or no good texts.
    """
    check_has_systems(task)
    experiment = Experiment(
        task,
        SYSTEMS,
        [model],
        graders=graders,
        limit=limit,
        sample_seed=seed,
        parameters=parameters or {},
        eval_options={"model_cost_config": prices},
    )
    probe_task = replace(experiment, systems=[_FLOOR]).system_tasks()[0].task
    task_scorers = (
        probe_task.scorer if isinstance(probe_task.scorer, Sequence) else [probe_task.scorer]
    )
    judged = [scorer for scorer in task_scorers if isinstance(scorer, Scorer) and is_judged(scorer)]
    scorers = tuple(filter(_can_be_checked, judged))
    unchecked = tuple(logged_name(scorer) for scorer in judged if scorer not in scorers)
    corpora = (str((sample.metadata or {}).get("corpus") or "") for sample in probe_task.dataset)
    corpus = next(corpora, "")
    if not (scorers and corpus):
        missing_part = "judged scorer that assesses content" if corpus else "corpus"
        raise InputError(f"task {task} has no {missing_part}, so it cannot validate a judge")
    kinds = {_probe(scorer).summaries for scorer in scorers}
    cases = {kind: read_cases(corpus, kind, limit, seed) for kind in kinds}
    return ValidationInputs(experiment, scorers, unchecked, corpus, cases)


def _can_be_checked(scorer: Scorer) -> bool:
    """Return whether `validate` applies to all measures of a scorer."""
    return all(spec.must_detect is not None for spec in measures_of(scorer))


def estimate(inputs: ValidationInputs) -> list[CostLine]:
    """Estimate the cost of a validation, from dry runs over its own texts."""
    lines = estimate_experiment(inputs.experiment)
    for scorer in inputs.scorers:
        name = logged_name(scorer)
        cases = inputs.cases_of(scorer)
        judging = replay_task(name, inputs.samples(scorer), [scorer], cases)
        lines += estimate_judging(name, judging, inputs.experiment.graders)
    return lines


def validate(
    inputs: ValidationInputs,
    *,
    log_dir: str,
    lines: Sequence[CostLine] = (),
    max_dollars: float | None = None,
) -> Validation:
    """Run all parts of a validation; the same call resumes an interrupted one.

    Args:
        inputs: Systems, texts and scorers of the check.
        log_dir: Folder of logs.
        lines: Estimated cost.
        max_dollars: Stop before the cost exceeds this.

    Raises:
        InputError: A run failed, or `max_dollars` stopped it.
    """
    expected = max_call_costs(lines)
    Path(log_dir).mkdir(parents=True, exist_ok=True)
    experiment = inputs.experiment
    run_result = run_experiment(
        experiment, f"{log_dir}/order", max_dollars=max_dollars, expected=expected
    )
    run_cost = run_result.spending.paid
    if not run_result.complete:
        if run_result.spending.stopped:
            raise _budget_error(run_cost)
        raise resume_error(run_result.stopped or "the runs are not complete")
    remaining_budget = None if max_dollars is None else max_dollars - run_cost
    # no reply is reused: a text that is judged twice must be sent twice
    spending = Spending(remaining_budget, expected, Path(log_dir) / LEDGER, reuse=False)
    with _limit_payment(spending, run_cost):
        checks = _check_texts(inputs, log_dir)
    order = _order(frames([log.location for log in run_result.logs]), inputs.scorers)
    summed = total(lines) if lines else None
    return Validation(
        judge=",".join(experiment.graders),
        task=short_name(experiment.task),
        corpus=Path(inputs.corpus).name,
        model=experiment.models[0],
        verdict=verdict_of(checks, order),
        unchecked=inputs.unchecked,
        estimated_usd=summed.mean if summed is not None else None,
        paid_usd=run_cost + spending.paid,
    )


def _check_texts(inputs: ValidationInputs, log_dir: str) -> list[MeasureCheck]:
    """Judge texts with known errors by each scorer; return the check of each of its measures."""
    checks: list[MeasureCheck] = []
    for scorer in inputs.scorers:
        cases = inputs.cases_of(scorer)
        answer_frames = replay(
            f"validate_{logged_name(scorer)}",
            inputs.samples(scorer),
            [scorer],
            log_dir=log_dir,
            cases=cases,
            grader=",".join(inputs.experiment.graders),
        )
        checks += check_judge(answer_frames, cases)
    return checks


def _budget_error(paid: float) -> InputError:
    return resume_error(f"stopped at ${paid:,.2f} of --max-dollars", with_more=True)


@contextmanager
def _limit_payment(spending: Spending, earlier_dollars: float) -> Iterator[None]:
    """Track spending within the block, and report a limit that stopped it."""
    try:
        with track_spending(spending):
            yield
    except (KeyboardInterrupt, InputError):
        if not spending.stopped:
            raise
        raise _budget_error(earlier_dollars + spending.paid) from None


def _order(answer_frames: Frames, scorers: Sequence[Scorer]) -> CheckedPart:
    """Check that closed book scores lower than retrieval, which scores lower than the evidence."""
    (study,) = studies(answer_frames)
    names = {logged_name(scorer) for scorer in scorers}
    steps: list[_Step] = []
    for measure in primary_measures(study):
        if study.catalogue.spec(measure).scorer in names:
            steps += _steps(study, measure)
    text = "; ".join(step.text for step in steps)
    return CheckedPart(
        "order", _all_rise(steps), text or "no judged primary measure has values of two systems"
    )


class _Step(NamedTuple):
    """The difference between two systems, the first of which should score better."""

    rises: bool | None
    """None if the interval between the lowest and highest system contains 0."""

    text: str


def _all_rise(steps: Sequence[_Step]) -> bool | None:
    """Return whether every step rises; None if undecided or without steps."""
    if any(step.rises is False for step in steps):
        return False
    if any(step.rises is None for step in steps):
        return None
    return True if steps else None


def _steps(study: Study, measure: str) -> Iterator[_Step]:
    system = {run.solver: run.system for run in study.rows}
    sign = study.catalogue.spec(measure).sign
    for upper, lower in ((_MIDDLE, _FLOOR), (_CEILING, _MIDDLE), (_CEILING, _FLOOR)):
        paired = compare_pair(study, system[upper], system[lower], measure)
        if paired is None or paired.low is None or paired.high is None:
            continue
        low, high = sorted(round(sign * end, 3) for end in (paired.low, paired.high))  # as shown
        is_whole_range = (upper, lower) == (_CEILING, _FLOOR)
        rises: bool | None = high >= 0
        fault = "" if rises else " (falls)"
        if is_whole_range and low <= 0 <= high:
            rises = None
            fault = " (interval includes 0)"
        figure = show(Signed.of(paired))
        yield _Step(rises, f"{measure}, {upper} minus {lower}: {figure}, n {paired.n}{fault}")
