"""Folder of downloads and other reproducible files."""

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Return the folder for downloads and generated criteria: `$ARAG_CACHE`, else the user's cache
    folder.
    """
    chosen = os.environ.get("ARAG_CACHE")
    return Path(chosen).expanduser() if chosen else user_cache_path("arag-inspect")
