"""Digests of texts and files, and the folder of reproducible files."""

import hashlib
import os
from pathlib import Path

from platformdirs import user_cache_path


def digest(*texts: str, length: int = 12) -> str:
    """Return the first hexadecimal digits of the SHA-256 of some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:length]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cache_folder() -> Path:
    """Return the folder for downloads and generated criteria.

    It is `$ARAG_CACHE`, else the cache folder of the user.
    """
    folder = os.environ.get("ARAG_CACHE")
    return Path(folder).expanduser() if folder else user_cache_path("arag-inspect")
