"""Phrases of generated calls, one TOML file per kind."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from .._shared.templates import Bank, parse_bank


@cache
def load_table(name: str) -> dict[str, Any]:
    """Load a TOML file of the `phrases` folder."""
    return tomllib.loads(
        resources.files(__package__).joinpath("phrases", f"{name}.toml").read_text("utf-8")
    )


@cache
def load_bank(name: str) -> Bank:
    """Load a TOML file of the `phrases` folder that holds only lists of phrases."""
    return parse_bank(load_table(name))
