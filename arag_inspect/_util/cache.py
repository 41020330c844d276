"""Folder of downloads and other reproducible files."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Return the folder for downloads and generated criteria.

    It is `$ARAG_CACHE`, else the cache folder of the user.
    """
    folder = os.environ.get("ARAG_CACHE")
    return Path(folder).expanduser() if folder else user_cache_path("arag-inspect")
