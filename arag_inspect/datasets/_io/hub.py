"""Files of data sets on the Hugging Face hub."""

from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import hf_hub_download
from huggingface_hub.errors import EntryNotFoundError, GatedRepoError, HfHubHTTPError

from ..._util.errors import InputError, one_line
from ...corpus import Source
from ...corpus.embeddings import file_digest
from .download import Upstream


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a data set at a pinned revision."""

    repository: str
    """For example `kensho/DocFinQA`."""

    revision: str
    """Commit."""

    name: str
    """Path in the repository."""

    sha256: str

    def get(self, source: Path | None = None) -> Path:
        """Download the file into the hub's cache, or find it in a local copy.

        Args:
            source: Root of a local copy of the repository, or the file itself, of any revision;
                None downloads from `$HF_ENDPOINT`, with `$HF_TOKEN` if it is set.

        Raises:
            InputError: The local copy lacks the file, the download fails, or its digest differs.
        """
        if source is not None:
            return self._local(source)
        address = f"{self.repository}/{self.name}"
        try:
            downloaded = hf_hub_download(
                self.repository, self.name, repo_type="dataset", revision=self.revision
            )
        except GatedRepoError as error:
            raise InputError(
                f"download of {address} failed: accept its terms on the hub and set HF_TOKEN, "
                "or give a local copy with --source"
            ) from error
        except (HfHubHTTPError, EntryNotFoundError, ImportError, OSError, ValueError) as error:
            raise InputError(
                f"download of {address} failed ({one_line(error)[:200]}); run the command again, "
                "or give a local copy with --source"
            ) from error
        path = Path(downloaded)
        if file_digest(path) != self.sha256:
            path.resolve().unlink()
            path.unlink(missing_ok=True)
            raise InputError(f"{address} does not have the expected SHA-256; nothing was kept")
        return path

    def source_of(self, path: Path) -> Source:
        """Return the origin for the manifest; the revision only if it is the pinned file."""
        digest = file_digest(path)
        upstream = Upstream(f"https://huggingface.co/datasets/{self.repository}", self.revision, "")
        return upstream.source(None, {self.name: digest}, is_pinned=digest == self.sha256)

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
