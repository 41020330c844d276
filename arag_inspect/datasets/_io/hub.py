"""Files of data sets on the Hugging Face hub."""

from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import constants, hf_hub_url
from huggingface_hub.utils import build_hf_headers

from ..._util.errors import InputError
from ...corpus import Source
from ...corpus.embeddings import file_digest
from .download import fetch


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a data set at a pinned revision."""

    repository: str
    """E.g. `kensho/DocFinQA`."""

    revision: str
    """Commit."""

    name: str
    """Path in the repository."""

    sha256: str

    def get(self, source: Path | None = None, endpoint: str | None = None) -> Path:
        """Download the file, or find it in a local copy.

        Args:
            source: Root of a local copy of the repository, or the file itself, of any revision; None downloads.
            endpoint: Address of the hub. Default `$HF_ENDPOINT`, else huggingface.co.

        Raises:
            InputError: The local copy has no such file, the download fails, or the file has another digest.
        """
        if source is not None:
            return self._local(source)
        url = hf_hub_url(
            self.repository,
            self.name,
            repo_type="dataset",
            revision=self.revision,
            endpoint=endpoint or constants.ENDPOINT,
        )
        name = "-".join((*self.repository.split("/"), self.revision[:12], Path(self.name).name))
        return fetch(url, name, self.sha256, headers=build_hf_headers())

    def source_of(self, path: Path) -> Source:
        """What the manifest says of where the file came from: the revision only where it is the pinned file."""
        digest = file_digest(path)
        return Source(
            url=f"https://huggingface.co/datasets/{self.repository}",
            commit=self.revision if digest == self.sha256 else None,
            inputs={self.name: digest},
        )

    def _local(self, source: Path) -> Path:
        if source.is_file():
            return source
        for path in (source / self.name, source / Path(self.name).name):
            if path.is_file():
                return path
        raise InputError(
            f"{source / self.name} is missing; --source is that file or the root of a copy of "
            f"https://huggingface.co/datasets/{self.repository}"
        )
