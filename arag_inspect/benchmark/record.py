"""The declaration of a benchmark, and the task made from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Dataset as Samples
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from .._util.errors import InputError, check_parameters
from ..measure import Output
from ..measures import shared_scorers
from ..systems.registry import SYSTEMS, system_parameters, system_solver
from ..types.additions import Additions
from ..types.sample import CLUSTER_NOUN, QUESTION
from .build import build_task, file_digests, title_of
from .dataset import Dataset
from .samples import prepared_samples
from .scorers import BoundScorer, Factory, Sets, Values, bind, make_scorers, scorer_sets

SystemArgs = dict[str, Any] | None
"""Type of the task parameter `system_args`: parameters of the system under test, by name."""

ScorerNames = str | Sequence[str]
"""Type of the task parameter `scorers`: names of scorers and sets."""

ScorerArgs = dict[str, Any] | None
"""Type of the task parameter `scorer_args`: parameters by scorer."""


@dataclass(frozen=True, slots=True)
class TaskArgs:
    """Parameters that every task has, and parameters of the system if it answers the samples."""

    scorers: ScorerNames
    scorer_args: ScorerArgs
    unknown: Mapping[str, Any]
    """The user's parameters that the task does not have."""

    system: str = ""
    """Empty if the benchmark defines its own solver."""

    system_args: SystemArgs = None


@dataclass(frozen=True, kw_only=True)
class Benchmark(Additions):
    """The questions about a data set, and the scoring of answers.

    A task is a short function that passes its parameters to `task`:

        @task
        def press(*, system: str = "arag", ..., **unknown: Any) -> Task:
            \"\"\"Summaries of press releases.\"\"\"
            args = TaskArgs(scorers, scorer_args, unknown, system, system_args)
            return PRESS.task(args, corpus=corpus)

    Its parameters `split`, `corpus` and `target_length` choose the samples. The functions and
    `Parameter`s of this record may use others.
    """

    name: str
    """Name of the task."""

    dataset: Dataset
    summary: str
    """One line: the description of the task in a log, and the first line of its docstring."""

    scorers: Sequence[BoundScorer | Factory]
    """Scorers, either plain or as `using(scorer, parameter=value)`.

    A scorer that reuses scores comes after their scorers.
    """

    output: Output | None = None
    """Kind of output that its samples request. Scorers declare the sets of each kind of output that
    include them; if None, each scorer is in every set.
    """

    default_scorers: Sequence[Factory] = ()
    """Scorers that run by default, in addition to scorers that declare it."""

    summary_scorers: Sequence[Factory] = ()
    """Scorers that run by default if some samples, but not all, ask for a summary."""

    sets: Sets = field(default_factory=dict)
    """Sets of scorer names that replace the sets that the scorers declare."""

    samples: Callable[..., Samples] | None = None
    """Makes the samples from the task's own parameters. Default: samples of the prepared corpus."""

    solver: Callable[..., Solver] | None = None
    """Makes the solver from the task's own parameters. Default: the system under test."""

    system: str = "arag"
    """System that answers by default, as in the signature of the task."""

    system_defaults: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of system parameters, for systems that have them, overriding the systems' own."""

    config: GenerateConfig = field(default_factory=lambda: GenerateConfig(temperature=0))
    """How the model under test generates."""

    def task(self, args: TaskArgs, **parameters: Any) -> Task:
        """Make the task.

        Args:
            args: Parameters that tasks share.
            **parameters: The task's own parameters.

        Raises:
            InputError: A parameter is unknown or invalid, or the corpus is not prepared.
        """
        values = dict(parameters)
        if self.solver is None:
            values |= {"system": args.system, "system_args": args.system_args}
        values |= {"scorers": args.scorers, "scorer_args": args.scorer_args}
        self._check_unknown(args.unknown, values)
        samples = (self.samples or self._read_prepared)(**parameters)
        built_task = build_task(
            samples,
            self._solver(args, parameters),
            self._scorers(args, parameters, samples),
            config=self.config,
            metadata={CLUSTER_NOUN: self.group, **file_digests(values)},
            has_corpus=self.dataset.read is not None,
            display_name=self._title(args),
        )
        built_task.description = self.summary
        built_task.tags = [name for name in (self._named_system(args), samples.name) if name]
        return built_task

    def _check_unknown(self, unknown: Values, known: Values) -> None:
        """Raise on parameters that the task does not have.

        Raises:
            InputError: There is such a parameter; the message explains where it belongs.
        """
        _refuse_parameters_of_scorers(self.name, self.scorers, unknown)
        if self.solver is None:
            _refuse_parameters_of_systems(self.name, unknown)
        check_parameters(f"task {self.name}", tuple(known), unknown)

    def _read_prepared(
        self,
        *,
        corpus: str | None,
        split: str | None = None,
        target_length: int | None = None,
        **_: Any,
    ) -> Samples:
        """Read the samples of a prepared corpus; see `prepared_samples`."""
        style = self.style or None
        return prepared_samples(
            self.dataset, corpus, split=split, target_length=target_length, style=style
        )

    def _named_system(self, args: TaskArgs) -> str | None:
        """Return the requested system; None for the default, which `--solver` replaces."""
        return args.system if args.system not in ("", self.system) else None

    def _title(self, args: TaskArgs) -> str | None:
        """Return the task's name with its system, which distinguishes runs; None by default."""
        if self._named_system(args) is None and not args.system_args:
            return None
        return title_of(self.name, args.system, args.system_args)

    def _solver(self, args: TaskArgs, parameters: Values) -> Solver:
        if self.solver is not None:
            return self.solver(**parameters)
        return system_solver(args.system, args.system_args, **self.system_defaults)

    def _scorers(self, args: TaskArgs, parameters: Values, samples: Samples) -> list[Scorer]:
        has_gold = any("".join(sample.target).strip() for sample in samples)
        defaults = [*self.default_scorers]
        styles = {(sample.metadata or {}).get("style") or QUESTION for sample in samples}
        if len(styles) > 1:
            defaults += self.summary_scorers
        sets = scorer_sets(self.scorers, self.output, *defaults, has_gold=has_gold)
        return make_scorers(
            args.scorers,
            self.scorers,
            {**sets, **self.sets},
            parameters,
            scorer_args=args.scorer_args,
        )


def _refuse_parameters_of_scorers(
    task: str, scorers: Sequence[BoundScorer | Factory], unknown: Values
) -> None:
    """Raise if an unknown parameter of a task is a parameter of a scorer, with its name in front.

    Raises:
        InputError: It is; the message explains how to pass it.
    """
    available_scorers = [bind(scorer) for scorer in (*scorers, *shared_scorers().values())]
    for (name, value), scorer in product(unknown.items(), available_scorers):
        parameter = scorer.find_parameter(name)
        if parameter:
            raise InputError(
                f"task {task} has no parameter {name!r}; "
                f"give -T 'scorer_args={{{scorer.name}: {{{parameter}: {value}}}}}'"
            )


def _refuse_parameters_of_systems(task: str, unknown: Values) -> None:
    """Raise if an unknown parameter of a task is a parameter of a system.

    Raises:
        InputError: It is; the message explains how to pass it.
    """
    names_of_systems = set(chain.from_iterable(map(system_parameters, SYSTEMS)))
    for name, value in unknown.items():
        if name in names_of_systems:
            raise InputError(
                f"task {task} has no parameter {name!r}, but systems have; "
                f"give -T 'system_args={{{name}: {value}}}'"
            )
