"""Digests of texts and files, atomic writes, the cache folder, and YAML files of this package."""

import hashlib
import os
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C where PyYAML has it: imports take 0.1 seconds less."""


def digest(*texts: str, length: int = 12) -> str:
    """Return the first hexadecimal digits of the SHA-256 of some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:length]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def slug(name: str) -> str:
    """Return a name suitable for a file, of at most 60 characters."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60].rstrip("-.") or "unnamed"


def packaged_yaml(package: str, name: str) -> Any:
    """Return the contents of a YAML file of this package.

    Args:
        package: `__package__` of the module next to it.
        name: Name of the file.
    """
    return yaml.load(files(package).joinpath(name).read_text(encoding="utf-8"), _LOADER)


def cache_folder() -> Path:
    """Return the folder for downloads and generated criteria.

    It is `$ARAG_CACHE`, else the cache folder of the user.
    """
    from platformdirs import user_cache_path

    folder = os.environ.get("ARAG_CACHE")
    return Path(folder).expanduser() if folder else user_cache_path("arag-inspect")


def replace_file(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Write to a temporary name and rename, so that a file is never incomplete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial_path = path.with_name(f".{path.name}.partial")
    parts = [content] if isinstance(content, str | bytes) else content
    try:
        partial_path.unlink(missing_ok=True)  # it may be a link to another file
        with partial_path.open("xb") as file:
            file.writelines(part if isinstance(part, bytes) else part.encode() for part in parts)
        partial_path.replace(path)
    finally:
        partial_path.unlink(missing_ok=True)
