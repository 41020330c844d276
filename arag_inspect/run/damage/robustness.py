"""Run systems on a corpus and on a damaged copy of it, and compare the results."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from inspect_ai.util import DisplayType

from ..._util.errors import InputError
from ..._util.wording import join_names
from ...report import Frames, Table, frames, studies
from ...report.cells import Cell, P, Signed
from ...report.comparison.before_after import pair_runs
from ...report.comparison.comparability import compare_pair, without_empty_interval
from ...report.comparison.means import mean_of_measure
from ...report.comparison.primary import primary_measures
from ...report.study import Study
from ...types.damage import DamageSettings
from ...types.system import EXTERNAL
from ..experiment import Experiment, as_patterns
from ..run_experiment import QUIET, RunResult, run_experiment
from .damage import SCORERS, damage_corpus

INTACT = "intact"
"""Folder of the run on the corpus."""

DAMAGED = "damaged"
"""Folder of the run on its damaged copy."""


_EXPLANATION = (
    "The same questions on the corpus and on its damaged copy; change is damaged - intact, on "
    "the n questions with both values."
)


def run_damaged(
    experiment: Experiment,
    damaging: DamageSettings,
    log_dir: str,
    *,
    display: DisplayType | None = QUIET,
    max_dollars: float | None = None,
    expected: Mapping[str, float] | None = None,
) -> list[RunResult]:
    """Run every system with every model on a corpus and on a damaged copy of it.

    Both runs have the questions that the damage touches, in the folders `intact` and `damaged`.

    Args:
        experiment: Experiment to run, with a task on a prepared corpus.
        damaging: Damage to apply.
        log_dir: Folder used only by these runs.
        display: See `run_experiment`.
        max_dollars: Stop before both runs together exceed this cost.
        expected: Estimated maximum cost of a call in dollars, by model.

    Returns:
        The run on the corpus, then that on its copy, unless the first is incomplete.

    Raises:
        InputError: The task has no prepared corpus, or see `damage_corpus` and `run_experiment`.
    """
    values = dict(experiment.parameters)
    if damaging.kind in SCORERS:
        values["scorers"] = f"{values.get('scorers', 'default')},{SCORERS[damaging.kind]}"
    intact = replace(experiment, parameters=values)
    corpus = _corpus_of(intact)
    copy = damage_corpus(corpus, damaging.kind, seed=damaging.seed, share=damaging.share).place
    damaged = replace(experiment, parameters={**values, "corpus": copy})
    drawn_ids = experiment.draw(damaged.system_tasks()[0].task)
    selected = {"sample_id": as_patterns(drawn_ids), **experiment.eval_options}
    runs: list[RunResult] = []
    for name, version in ((INTACT, intact), (DAMAGED, damaged)):
        paid = sum(run.spending.paid for run in runs)
        run = run_experiment(
            replace(version, limit=None, eval_options=selected),
            f"{log_dir.rstrip('/')}/{name}",
            display=display,
            max_dollars=None if max_dollars is None else max_dollars - paid,
            expected=expected,
        )
        runs.append(run)
        if not run.complete:
            break
    return runs


def robustness_table(log_dir: str) -> Table:
    """Return the measures of each system on the corpus and on its damaged copy.

    Args:
        log_dir: Log folder passed to `run_damaged`.
    """
    intact, damaged = (frames(f"{log_dir.rstrip('/')}/{name}") for name in (INTACT, DAMAGED))
    pairs = studies(pair_runs(intact, damaged))
    rows = chain.from_iterable(map(_measure_rows, pairs))
    return Table(
        "robustness",
        "Robustness",
        " ".join((_EXPLANATION, *_unreached_systems(intact, damaged))),
        ("system", "measure", "n", "intact", "damaged", "change", "p"),
        tuple(rows),
    )


def _unreached_systems(intact: Frames, damaged: Frames) -> Iterator[str]:
    """Yield a warning if the documents are damaged, and systems may search other documents."""
    if set(intact.runs["corpus"]) == set(damaged.runs["corpus"]):
        return
    is_external = damaged.runs["solver"] == EXTERNAL.name
    names = list(damaged.runs["system"][is_external])
    if names:
        yield (
            f"{join_names(names)}: these rows show no damage unless the service searches the "
            "damaged copy."
        )


def _corpus_of(experiment: Experiment) -> str:
    dataset = experiment.system_tasks()[0].task.dataset
    corpora = {(sample.metadata or {}).get("corpus") for sample in dataset}
    if len(corpora) != 1 or not all(corpora):
        raise InputError(f"task {experiment.task} has no prepared corpus to damage")
    return str(corpora.pop())


def _measure_rows(pair: Study) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each primary measure, and for each measure specific to the damage."""
    new, old = pair.systems
    spec = pair.catalogue.spec
    called_for = [key for key in pair.catalogue.keys if spec(key).scorer in SCORERS.values()]
    for key in dict.fromkeys((*primary_measures(pair), *called_for)):
        before = mean_of_measure(pair, old, key)
        after = mean_of_measure(pair, new, key)
        name = spec(key).label
        samples = max((estimate.n for estimate in (before, after) if estimate), default=0)
        paired = compare_pair(pair, new, old, key)
        if paired is not None:
            samples = paired.n
            paired = without_empty_interval(paired, paired.clusters)
        change = None if paired is None else Signed.of(paired)
        p = None if paired is None else P(paired.p)
        yield new, name, samples, before, after, change, p
