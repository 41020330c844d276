"""Silver references as targets of samples."""

from pathlib import Path

from inspect_ai.dataset import Dataset, MemoryDataset, Sample

from .._util.errors import InputError
from ..datasets.sources.financebench.silver_references import (
    Reference,
    read_marks,
    read_references,
    references_folder,
)
from ..datasets.spot_check import REJECT, Mark


def with_references(dataset: Dataset, task: str, folder: str | None) -> Dataset:
    """Give samples their silver references as targets, except rejected ones.

    Args:
        dataset: Samples made by `prepared_dataset`.
        task: Name of the task.
        folder: Folder of the references; None for the default folder beside the corpus.

    Raises:
        InputError: A file cannot be read, or the named folder holds no references.
    """
    if not isinstance(folder, str | Path | None):
        raise InputError(f"references must be the path of a folder, got {folder!r}")
    path = (
        Path(folder).expanduser()
        if folder
        else references_folder(Path(str(dataset.location)).parent, task)
    )
    references = read_references(path)
    marks = read_marks(path, references)
    if folder and not references:
        raise InputError(f"{path} holds no references; run: arag-inspect prepare references {task}")
    samples = [
        _with_reference(
            sample, references.get(str(sample.id)), marks.get(str(sample.id), Mark()).mark
        )
        for sample in dataset
    ]
    return MemoryDataset(samples, name=dataset.name, location=dataset.location)


def _with_reference(sample: Sample, reference: Reference | None, mark: str) -> Sample:
    about = {"origin": "none"}
    target = sample.target
    if reference is not None and mark == REJECT:
        about = {"origin": "none", "rejected": reference.model}
    elif reference is not None:
        target = reference.reference
        about = {
            "origin": "silver",
            "model": reference.model,
            "date": reference.date,
            "prompt_sha256": reference.prompt_sha256,
            "mark": mark or "unchecked",
        }
    metadata = {**(sample.metadata or {}), "reference": about}
    return sample.model_copy(update={"target": target, "metadata": metadata})
