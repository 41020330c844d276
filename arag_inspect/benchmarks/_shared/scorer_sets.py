"""The scorers of every task, and the columns of scores that the log viewer shows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Literal, NamedTuple

import click
from inspect_ai import Task
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info
from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesView,
    ViewerConfig,
)

from ... import scorers as measures
from ..._util.errors import InputError, check_choice
from ...judge.judge import graders
from ...measure import MeasureSpec, Scale, by_family, find_measure, measures_of
from ...measures._taxonomy import load_taxonomy
from ...measures.geval import scale_of_scorer

Makers = Mapping[str, Callable[..., Scorer]]
Sets = Mapping[str, Sequence[str]]

ARGUMENTS = ("scorer_args", "nli_model", "bertscore_model")
"""Parameters of every task that are handed to its scorers."""

_MODELS = {"nli_model": "nli_contradiction", "bertscore_model": "bertscore"}
_arguments: ContextVar[Mapping[str, Mapping[str, Any]]] = ContextVar("arag_inspect_scorers")
"""Parameters of each scorer of the task that is being made."""


def makers_of(names: str) -> Makers:
    """Return scorers of the package by name, in the order of the names, with spaces between."""
    return {name: getattr(measures, name) for name in names.split()}


_SUMMARY = makers_of(
    "geval_faithfulness geval_coverage error_taxonomy factual_consistency fact_match fact_coverage "
    "nli_contradiction embedding_coverage severity_judge llm_accuracy contain_match retrieval_pr "
    "section_retrieval section_coverage rouge bertscore "
    "context_recall context_sufficiency rubric context_relevance citation_accuracy efficiency"
)
"""Scorers of a summary; a scorer that reuses scores comes after those that it reuses."""

_WITHOUT_GOLD = ("context_relevance", "citation_accuracy")
"""Scorers for questions without gold."""

_NAMED = (*_WITHOUT_GOLD, "context_recall", "context_sufficiency", "rubric")
"""Judged scorers that belong to no set of summaries, and must be named."""

_JUDGED = frozenset(_NAMED).union(
    ("geval_faithfulness", "geval_coverage", "error_taxonomy", "fact_match", "severity_judge"),
    ("composite_faithfulness", "llm_accuracy", "abstention"),
)
"""Scorers that require a grader."""

_OF_SOME = ("section_retrieval",)
"""Scorers of some kinds of summaries."""

_NO_GRADER = (
    *("factual_consistency", "fact_coverage", "retrieval_pr", "section_coverage", "rouge"),
    "efficiency",
)
_SUMMARY_SETS: Sets = {
    "no_grader": _NO_GRADER,
    "default": ("geval_faithfulness", "geval_coverage", "error_taxonomy", *_NO_GRADER),
    "all": tuple(name for name in _SUMMARY if name not in (*_OF_SOME, *_NAMED)),
}

_ANSWER = makers_of(
    "numeric_match llm_accuracy geval_faithfulness contain_match abstention retrieval_pr rouge "
    "context_recall context_sufficiency rubric context_relevance citation_accuracy efficiency"
)
"""Scorers of an answer to a question."""


def summary_scorers(names: str | Sequence[str], *more: str) -> list[Scorer]:
    """Make the scorers of a summarisation task; see `named_scorers`.

    Factual consistency asks the grader only if another of them does.

    Args:
        names: Scorers and sets of scorers.
        more: Scorers of this kind of summary, which every set has.
    """
    sets = {name: (*members, *more) for name, members in _SUMMARY_SETS.items()}
    judged = not _JUDGED.isdisjoint(chosen_names(names, _SUMMARY, sets))
    consistency: Makers = {
        "factual_consistency": partial(measures.factual_consistency, judge=judged)
    }
    return named_scorers(names, {**_SUMMARY, **consistency}, sets)


def answer_scorers(
    names: str | Sequence[str], *, numeric: bool, faithful: bool, gold: bool
) -> list[Scorer]:
    """Make the scorers of a question-answering task; see `named_scorers`.

    Args:
        names: Scorers and sets of scorers.
        numeric: Whether answers are numbers, so that every set has `numeric_match`.
        faithful: Whether `default` also judges answers and passages without gold.
        gold: Whether any sample has a gold answer; without one no set compares with it.
    """
    first = ("numeric_match",) if numeric else ()
    compared = ("contain_match",) if gold else ()
    no_grader = (*first, *compared, "retrieval_pr", "efficiency")
    by_gold = ("llm_accuracy",) if gold else ()
    judged = (*by_gold, *(("geval_faithfulness", *_WITHOUT_GOLD) if faithful else ()))
    return named_scorers(names, _ANSWER, {"no_grader": no_grader, "default": (*judged, *no_grader)})


@contextmanager
def scorer_arguments(values: Mapping[str, Any]) -> Iterator[None]:
    """Hand parameters of a task to the scorers that are made within.

    Args:
        values: Those of `ARGUMENTS` that are given: `scorer_args` has the parameters by scorer,
            `nli_model` and `bertscore_model` are the `model` of one.

    Raises:
        InputError: `scorer_args` has another form.
    """
    arguments = values.get("scorer_args") or {}
    if not (
        isinstance(arguments, Mapping) and all(isinstance(v, Mapping) for v in arguments.values())
    ):
        raise InputError(
            f"scorer_args must be parameters by scorer, e.g. {{rouge: {{stemmer: false}}}}, got {arguments!r}"
        )
    models = {_MODELS[name]: {"model": values[name]} for name in _MODELS if values.get(name)}
    token = _arguments.set(
        {
            name: {**models.get(name, {}), **arguments.get(name, {})}
            for name in {**models, **arguments}
        }
    )
    try:
        yield
    finally:
        _arguments.reset(token)


def named_scorers(names: str | Sequence[str], makers: Makers, sets: Sets) -> list[Scorer]:
    """Make scorers by name, each once, in the order of the makers.

    Args:
        names: Scorers and sets of scorers, with commas.
        makers: Functions that make a scorer, by its name.
        sets: Scorers by the name of their set; `all` means every scorer unless it is a set here.

    Raises:
        InputError: A name is unknown or missing, or a command of Inspect asks for a scorer
            whose default grader lacks its key.
    """
    chosen = chosen_names(names, makers, sets)
    if not _JUDGED.isdisjoint(chosen) and _scored_by_inspect():
        graders()
    arguments = _arguments.get({})
    for name in arguments:
        check_choice("scorer of this run in scorer_args", name, sorted(chosen))
    return [make(**arguments.get(name, {})) for name, make in makers.items() if name in chosen]


def asks_grader(task: Task) -> bool:
    """Return whether a task has a scorer that cannot do without a grader."""
    return any(map(is_judged, task.scorer or []))


def is_judged(scorer: object) -> bool:
    """Return whether a scorer cannot do without a grader."""
    return registry_info(scorer).name.split("/")[-1] in _JUDGED


def _scored_by_inspect() -> bool:
    """Return whether an Inspect command makes the task and will score it."""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("no_score", True) is not True


def chosen_names(names: str | Sequence[str], makers: Makers, sets: Sets) -> set[str]:
    """Resolve names and sets to names of scorers; see `named_scorers`."""
    if not isinstance(names, str | list | tuple):
        raise InputError(f"scorers must be names, separated by commas, got {names!r}")
    parts = names.split(",") if isinstance(names, str) else [str(name) for name in names]
    chosen = [name.strip().removeprefix("arag_inspect/") for name in parts if name.strip()]
    sets = {**sets, "all": sets.get("all", tuple(makers))}
    if not chosen:
        raise InputError(f"no scorer is given; choose from {', '.join([*sets, *makers])}")
    for name in chosen:
        check_choice("scorer", name, [*sets, *makers])
    return {member for name in chosen for member in sets.get(name, (name,))}


class _Column(NamedTuple):
    scorer: str
    spec: MeasureSpec
    scale: Scale

    @property
    def key(self) -> str:
        return self.spec.value_key


def task_viewer(scorers: Sequence[Scorer], taxonomy: str = "financial") -> ViewerConfig:
    """Show the samples of a task with its scores as columns.

    The browser knows labels and colours by key alone, so scorers that share a key share them.
    Shares and grades are coloured on their whole range: a mediocre run does not look good because
    it holds the best values of its own log.

    Args:
        scorers: Scorers of the task; each measure that they declare has a column.
        taxonomy: Taxonomy of `error_taxonomy`; each of its codes has a column.
    """
    columns = _columns(scorers, taxonomy)
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Systems",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                *(TaskSamplesColumn.score(column.scorer, column.key) for column in columns),
                TaskSamplesColumn(id="duration"),
                TaskSamplesColumn(id="error"),
            ],
            multiline=False,
            compact_scores=False,
            score_labels={column.key: column.spec.short_label for column in columns},
            score_color_scales={column.key: _colors(column) for column in columns},
            color_scales_enabled=True,
        ),
        sample_score_view=SampleScoreView(default="grid"),
    )


def _columns(scorers: Sequence[Scorer], taxonomy: str) -> list[_Column]:
    """Return the columns by family of measures, in the order of the scorers."""
    columns = {
        spec: _Column(registry_info(scorer).name.split("/")[-1], spec, scale_of_scorer(scorer))
        for scorer in scorers
        for spec in _expanded(measures_of(scorer), taxonomy)
    }
    return [columns[spec] for spec in by_family(columns)]


def _expanded(declared: Sequence[MeasureSpec], taxonomy: str) -> list[MeasureSpec]:
    """Replace `error_taxonomy.*` by one measure per code of the taxonomy."""
    specs = {spec.key: spec for spec in declared}
    keys = [key for key in specs if "*" not in key]
    if "error_taxonomy.*" in specs:
        keys += [f"error_taxonomy.{code}" for code in load_taxonomy(taxonomy).codes]
    return [specs.get(key) or find_measure(key, specs) for key in keys]


def _colors(column: _Column) -> ScoreColorScale:
    spec = column.spec
    if spec.higher_is_better is None:
        return ScoreColorScale(palette="neutral")
    low, high = column.scale if spec.graded else (spec.low, spec.high)
    palette: Literal["good-high", "good-low"] = "good-high" if spec.higher_is_better else "good-low"
    if low is None or high is None:
        return ScoreColorScale(palette=palette)
    return ScoreColorScale(palette=palette, min=low, max=high)
