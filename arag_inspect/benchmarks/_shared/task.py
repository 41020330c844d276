"""How every task is built: from a prepared data set, with a system and scorers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import wraps
from importlib.metadata import version
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeVar, cast

from inspect_ai import Task
from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info

from ..._util.errors import InputError, check_choice, check_parameters, check_positive
from ..._util.files import file_digest
from ...corpus import FACTS, Corpus, Manifest, read_manifest
from ...corpus.address import is_service
from ...measure import by_role, measures_of
from ...models.pricing import price_run, warn_of_unknown
from ...prompts import prompts_digest
from .. import dataset_names, get_dataset
from .prepared_files import read_samples
from .scorer_sets import ARGUMENTS, scorer_arguments, task_viewer

SAMPLES = "samples.jsonl"

_OPTIONS = {"custom": " --documents DIR --questions FILE --name NAME"}
"""Required options of `prepare`, by data set."""


def prepared_dataset(
    dataset: str,
    corpus: str | None,
    *,
    split: str | None = None,
    target_length: int | None = None,
    style: str | None = None,
    samples: str = SAMPLES,
    if_empty: str | None = None,
) -> Dataset:
    """Read the samples of a prepared corpus.

    Args:
        dataset: Data set that the corpus must be of.
        corpus: Name or path of the corpus. Default: the data set's name, with the split if any.
        split: Split that the corpus must be of; None takes any.
        target_length: Approximate words of each answer; None leaves it to the data set.
        style: Kind of answer, instead of the data set's own.
        samples: File of the corpus that holds the samples.
        if_empty: Error message if that file holds no samples.

    Raises:
        InputError: The split is unknown, or the corpus is not prepared, is of another data set,
            or its samples have changed.
    """
    if split is not None:
        check_choice("split", split, get_dataset(dataset).splits)
    check_positive(target_length=target_length)
    corpus = corpus if corpus is not None else f"{dataset}-{split}" if split else dataset
    if not isinstance(corpus, str):
        raise InputError(f"corpus must be the name or path of a prepared corpus, got {corpus!r}")
    manifest = _manifest(corpus, dataset, split)
    if not _fits(manifest, dataset, split):
        expected = f"{dataset} {split}" if split else dataset
        raise InputError(
            f"corpus {corpus} holds {manifest.dataset} {manifest.split}, not {expected}; "
            f"run: {_prepare_command(dataset, split)}"
        )
    if is_service(corpus) and samples not in manifest.files:
        raise InputError(
            f"the search service {corpus} gives no samples; start it with: arag-inspect corpus serve CORPUS "
            "--with-samples"
        )
    path = Corpus.locate(corpus) / samples
    if not path.is_file() or manifest.files.get(samples) != file_digest(path):
        raise InputError(
            f"{path} is missing or has changed since it was prepared; run: {manifest.command}"
        )
    rows = read_samples(path, manifest.command)
    Corpus.open(corpus)  # a damaged corpus is reported now, not in the first sample
    if not rows and if_empty is not None:
        raise InputError(f"corpus {corpus}: {if_empty}")
    if not rows:
        raise InputError(f"{path} holds no samples; run: {manifest.command}")
    fields = {"corpus": corpus, "target_length": target_length, "style": style}
    metadata = {name: value for name, value in fields.items() if value is not None}
    return MemoryDataset(
        [_with_metadata(sample, metadata) for sample in rows],
        name=f"{manifest.dataset}-{manifest.split}",
        location=str(path),
    )


def corpus_metadata(dataset: Dataset) -> dict[str, Any]:
    """Describe the corpus of a dataset for the log, so that logs can be compared."""
    manifest = read_manifest(Path(str(dataset.location)).parent)
    return {
        "corpus": {
            "dataset": manifest.dataset,
            "split": manifest.split,
            "chunk_tokens": manifest.chunk_tokens,
            "embedding": manifest.embedding.model_dump(exclude={"probes"}),
            "chunks_sha256": manifest.chunks_sha256,
            "facts_sha256": manifest.files.get(FACTS),
            "counts": manifest.counts,
        }
    }


def _prepare_command(dataset: str, split: str | None) -> str:
    options = f" --split {split}" if split else _OPTIONS.get(dataset, "")
    return f"arag-inspect prepare {dataset}{options}"


def _manifest(corpus: str, dataset: str, split: str | None) -> Manifest:
    folder = Corpus.locate(corpus)
    if not (is_service(corpus) or folder.exists()):
        raise InputError(
            f"corpus {corpus} is not prepared in {folder.parent}; name another with -T corpus=NAME, "
            f"or run: {_prepare_command(dataset, split)}"
        )
    return read_manifest(folder)


def _fits(manifest: Manifest, dataset: str, split: str | None) -> bool:
    """Return whether a corpus is of a data set or evaluated by the same task."""
    name = manifest.dataset
    same = name == dataset or (name in dataset_names() and get_dataset(name).task == dataset)
    return same and split in (None, manifest.split)


def _with_metadata(sample: Sample, metadata: dict[str, Any]) -> Sample:
    return sample.model_copy(update={"metadata": {**(sample.metadata or {}), **metadata}})


SystemArgs = dict[str, Any] | None
"""Parameters of the system under test, by name."""

VERSION = 2
"""Of every task; docs/development/task-versions.md says what changed."""

_SHORT = 20
"""Most characters of an argument in a display name."""

_given: ContextVar[tuple[str, Mapping[str, Any]]] = ContextVar("arag_inspect_task")
"""Name and parameters of the task that is being made."""

TaskFunction = TypeVar("TaskFunction", bound=Callable[..., Task])


def known_parameters(make: TaskFunction) -> TaskFunction:
    """Raise on unknown parameters of a task, of which Inspect only warns, and describe the task.

    Its description is the first line of its docstring, its tags are the system that was asked for
    and the corpus, and its headline is the mean of its first scorer's main measure.

    Raises:
        InputError: The task is created with an unknown parameter.
    """
    declared = signature(make)

    @wraps(make)
    def checked(**values: Any) -> Task:
        check_parameters(f"task {make.__name__}", (*declared.parameters, *ARGUMENTS), values)
        own = {name: value for name, value in values.items() if name not in ARGUMENTS}
        token = _given.set((make.__name__, values))
        try:
            with scorer_arguments(values):
                made = make(**own)
        finally:
            _given.reset(token)
        made.description = (make.__doc__ or "").partition("\n")[0]
        names = (values.get("system"), made.dataset.name)
        made.tags = [str(name) for name in names if name]
        made.headline_metric = _headline(made)
        return made

    # Inspect drops parameters missing from the signature, so it has to take everything
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ARGUMENTS]
    unknown = Parameter("unknown", Parameter.VAR_KEYWORD)
    everything = [*declared.parameters.values(), *more, unknown]
    checked.__signature__ = declared.replace(parameters=everything)  # type: ignore[attr-defined]
    return cast(TaskFunction, checked)


def _headline(made: Task) -> HeadlineMetric | None:
    for scorer in made.scorer or ():
        for spec in by_role(measures_of(scorer))[:1]:
            name = registry_info(scorer).name.split("/")[-1]
            key = name if spec.key == spec.scorer else spec.value_key
            return HeadlineMetric(scorer=name, score=key, metric="mean")
    return None


def _display_name() -> str | None:
    """Return the task's name with the system that was asked for, which distinguishes runs."""
    name, values = _given.get(("", {}))
    if "system" not in values:
        return None
    arguments = values.get("system_args")
    arguments = dict(arguments) if isinstance(arguments, dict) else {}
    system = arguments.pop("name", values["system"])
    short = [f"{key}={value}" for key, value in arguments.items() if len(str(value)) <= _SHORT]
    suffix = f" ({', '.join(short)})" if short else ""
    return f"{name} · {system}{suffix}"


def _file_digests() -> dict[str, dict[str, str]]:
    """Return the SHA-256 of each file that a parameter of the task names, e.g. a prompt, by path."""
    _, values = _given.get(("", {}))
    digests: dict[str, str] = {}
    for text in _texts(values):
        with suppress(OSError, ValueError):  # most are no paths
            path = Path(text).expanduser()
            if path.is_file():
                digests[text] = file_digest(path)
    return {"files_sha256": digests} if digests else {}


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a parameter, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def build_task(
    dataset: Dataset,
    solver: Solver,
    scorers: Sequence[Scorer],
    *,
    taxonomy: str = "financial",
    metadata: Mapping[str, Any] | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Task:
    """Build a task on a prepared corpus, at temperature 0.

    Args:
        dataset: Samples made by `prepared_dataset`.
        solver: The system under test.
        scorers: Scorers of its answers.
        taxonomy: Error taxonomy whose labels get columns in the log browser.
        metadata: Metadata of the log besides the corpus.
        seed: Seed of the model under test, if its provider takes one.
        name: Name in the log; None for that of the function that is decorated as the task.
    """
    warn_of_unknown(price_run())
    return Task(
        name=name,
        display_name=_display_name(),
        dataset=dataset,
        solver=solver,
        scorer=list(scorers),
        config=GenerateConfig(temperature=0, seed=seed),
        viewer=task_viewer(scorers, taxonomy),
        metadata={
            "arag_inspect": version("arag_inspect"),
            **corpus_metadata(dataset),
            "prompts_sha256": prompts_digest(),
            **_file_digests(),
            **(metadata or {}),
        },
        version=VERSION,
    )
