"""Parse untrusted YAML."""

from typing import Any

import yaml


def parse_yaml(text: str) -> Any:
    """Parse a YAML value of plain types.

    Raises:
        yaml.YAMLError: It is not YAML, is nested too deeply, or holds a value that cannot exist.
    """
    try:
        return yaml.safe_load(text)
    except RecursionError:
        raise yaml.YAMLError("lists and mappings are nested too deeply") from None
    except ValueError as error:  # e.g. a date such as 2021-13-01
        raise yaml.YAMLError(str(error)) from None
