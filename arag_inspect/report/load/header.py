"""Read the properties of a run from the header of its log."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice, pairwise
from math import nan
from typing import Any

from inspect_ai.log import EvalConfig, EvalLog, EvalSample, EvalSpec

from ..._util.names import short_name
from ...corpus.embedding.probes import name_arithmetic
from ...models.spending import LEDGER_TASK
from ...types.system import FILE_SOLVERS
from ..rows import RunRow
from .measures import MODEL_GRADED, headline_of
from .systems import TASK, models_by_role, pace_of, parameters_of, solver_of

EPOCHS = range(1, 1_000_000)
"""Range of valid epochs."""

_COPIED = ("eval_id", "task", "model", "created")
"""Fields that a run copies unchanged from Inspect's header."""

_NOT_IN_HEADER: dict[str, Any] = {
    "system": "",
    "variant": "",
    "named_model": "",
    "model_wrote": False,
    "part": "",
    "impossible": None,
    "measures": (),
    "declared": {},
    "paid_usd": nan,
    "paid_judges_usd": nan,
    "cluster": "",
}
"""Fields of a run that only its samples or the other runs tell."""

PROMPTS = "prompts of the package"
"""Name of the digest of the prompts in `made_with`."""

EMBEDDING = "embedding of the corpus"
"""Name in `made_with` of the corpus embedding."""

FILE = "file "
"""Prefix in `made_with` of the path of a prompt or rubric."""

CODE = "code of "
"""Prefix in `made_with` of the file or module of a user's function or program."""


def run_row(log: EvalLog, samples: Sequence[EvalSample], label: str | None) -> RunRow:
    """Return the row of a run, as far as the header of its log tells.

    Args:
        log: The log.
        samples: Its samples that count.
        label: Name that the user gave to its system.
    """
    spec = log.eval
    planned = set(islice(_planned_keys(spec), EPOCHS.stop))
    planned_ids = {sample_id for sample_id, _ in planned}
    if planned_ids.isdisjoint(str(sample.id) for sample in samples):
        planned = set()  # another program numbered the samples
    dataset = spec.dataset.name or ""
    version = str(spec.task_version)
    parameters = parameters_of(log)
    corpus = _mapping(spec.metadata, "corpus")
    digest = corpus.get("chunks_sha256")
    return RunRow(
        **{name: getattr(spec, name) for name in _COPIED},
        **_NOT_IN_HEADER,
        task_id=_task_id(spec),
        benchmark=benchmark_name(short_name(spec.task), version, dataset),
        version=version,
        dataset=dataset,
        solver=solver_of(log),
        replayed=solver_of(log) in FILE_SOLVERS,
        graders=_graders(spec),
        parameters=parameters,
        arguments=tuple(_argument_names(spec, parameters)),
        pace=pace_of(log),
        samples_at_once=_ran_at_once(samples),
        corpus=digest if isinstance(digest, str) else None,
        arithmetic=_arithmetic(_mapping(corpus, "embedding")),
        made_with=_made_with(log),
        location=log.location,
        logs=(log.location,),
        status=log.status,
        planned=max(len(planned), len(samples)),
        asked=frozenset(planned),
        answered=frozenset(map(key_of, samples)),
        started=log.stats.started_at,
        ended=log.stats.completed_at,
        slice=_describe_slice(spec.config),
        limited=spec.config.limit is not None or spec.config.sample_id is not None,
        invalidated=frozenset(map(key_of, log.samples or [])) - {*map(key_of, samples)},
        headline=headline_of(log),
        label=label,
    )


def _task_id(spec: EvalSpec) -> str:
    """Return the task id under which the answers were given; judging again assigns another."""
    ledger_task = (spec.metadata or {}).get(LEDGER_TASK)
    return ledger_task if isinstance(ledger_task, str) else spec.task_id


def _ran_at_once(samples: Sequence[EvalSample]) -> bool:
    """Return whether any sample began before another ended."""
    times = sorted(
        (datetime.fromisoformat(sample.started_at), datetime.fromisoformat(sample.completed_at))
        for sample in samples
        if sample.started_at and sample.completed_at
    )
    return any(start < end for (_, end), (start, _) in pairwise(times))


def _argument_names(spec: EvalSpec, parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that the task's arguments have among the parameters."""
    for name in spec.task_args:
        prefixed = f"{TASK}.{name}"
        if prefixed in parameters:
            yield prefixed
        elif name in parameters:
            yield name


def _planned_keys(spec: EvalSpec) -> Iterator[tuple[str, int]]:
    """Yield id and epoch of every answer that a run was to give."""
    epochs = range(1, (spec.config.epochs or 1) + 1)
    for sample_id in spec.dataset.sample_ids or []:
        for epoch in epochs:
            yield str(sample_id), epoch


def roles_of(spec: EvalSpec, model: str) -> list[str]:
    """Return the roles that are bound to a model."""
    return [role for role, models in models_by_role(spec).items() if model in models]


def _graders(spec: EvalSpec) -> tuple[str, ...]:
    """Return the models of role `grader`, or the models that Inspect's model-graded scorers use.

    Without the role or their own `model`, these use the model that answered.
    """
    bound = models_by_role(spec).get("grader")
    if bound:
        return bound
    graders: list[str] = []
    for scorer in spec.scorers or []:
        if MODEL_GRADED.match(scorer.name):
            models = (scorer.options or {}).get("model") or spec.model  # of a log: anything
            graders += map(str, models if isinstance(models, list) else [models])
    return tuple(dict.fromkeys(graders))


def _arithmetic(embedding: Mapping[str, Any]) -> str | None:
    """Return the arithmetic with which a corpus was embedded; None if the log lacks it."""
    dtype = embedding.get("dtype")
    device = _mapping(embedding, "machine").get("device", "cpu")
    return name_arithmetic(dtype, device) if isinstance(dtype, str) else None


def benchmark_name(task: str, version: str, dataset: str) -> str:
    """Return the name under which comparable runs are grouped."""
    origin = f" ({dataset})" if dataset else ""
    return f"{task}{origin}, task version {version}"


def _describe_slice(config: EvalConfig) -> str:
    """Describe the samples that a run was asked for; empty for all, or the first ones."""
    if config.sample_id is not None:
        return str(config.sample_id)
    is_range = isinstance(config.limit, tuple | list)
    return str(config.limit) if is_range or (config.limit and config.sample_shuffle) else ""


def _made_with(log: EvalLog) -> dict[str, str]:
    prompts = (log.eval.metadata or {}).get("prompts_sha256")
    revision = log.eval.revision
    versions = {f"version of {name}": version for name, version in log.eval.packages.items()}
    if isinstance(prompts, str):
        versions[PROMPTS] = prompts[:12]
    versions |= _embedding(_mapping(_mapping(log.eval.metadata, "corpus"), "embedding"))
    files = _mapping(log.eval.metadata, "files_sha256")
    versions |= {f"{FILE}{path}": str(digest)[:12] for path, digest in files.items()}
    versions |= code_versions(_mapping(log.eval.metadata, "code_sha256"))
    if revision is not None:
        versions["commit"] = revision.commit + (" with changes" if revision.dirty else "")
    return versions


def code_versions(digests: Mapping[str, Any]) -> dict[str, str]:
    """Return the versions of users' code, from its digests by file or module."""
    return {f"{CODE}{name}": str(digest)[:12] for name, digest in digests.items()}


def _mapping(values: Mapping[str, Any] | None, key: str) -> Mapping[str, Any]:
    """Return a mapping in a log's metadata; empty if it is missing or something else."""
    value = (values or {}).get(key)
    return value if isinstance(value, Mapping) else {}


def _embedding(settings: Mapping[str, Any]) -> dict[str, str]:
    """Describe how the corpus was embedded; empty if the log does not say."""
    if not settings:
        return {}
    names = ("model", "digest", "dtype", "prefix_embedded", "prompts")
    stated_settings = {name: str(settings[name]) for name in names if settings.get(name)}
    stated_settings["digest"] = stated_settings.get("digest", "")[:12]
    return {EMBEDDING: ", ".join(f"{name} {value}" for name, value in stated_settings.items())}


def key_of(sample: EvalSample) -> tuple[str, int]:
    """Return the key of a sample within a log: its id and epoch."""
    return str(sample.id), sample.epoch
