"""Rows of cases, in YAML files beside the tests that read them."""

from pathlib import Path
from typing import Any

import yaml


def tables_beside(module: str) -> dict[str, Any]:
    """Return the tables of the YAML file that is named like a test module, by name."""
    path = Path(module)
    name = path.stem.removeprefix("test_") + ".yaml"
    return yaml.safe_load(path.with_name(name).read_text(encoding="utf-8"))
