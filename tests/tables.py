"""Rows of cases, in YAML files beside the tests that read them."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml


def tables_beside(module: str, name: str = "") -> Any:
    """Return the tables of a YAML file beside a test module, by name.

    Args:
        module: Path of the test module.
        name: Name of the file; by default that of the module.
    """
    path = Path(module)
    return _tables(path.parent / (name or path.stem.removeprefix("test_") + ".yaml"))


@cache
def _tables(path: Path) -> Any:
    """Read a file in a tenth of the time of `yaml.safe_load`, which parses in Python."""
    return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
