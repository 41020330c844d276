"""Parse untrusted YAML."""

from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """A loader of plain types that refuses aliases, by which a few lines can stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("*NAME is an alias; write out the value that it stands for")
        return super().compose_node(parent, index)


def parse_yaml(text: str) -> Any:
    """Parse a YAML value of plain types.

    Raises:
        yaml.YAMLError: It is not YAML, holds an alias, is nested too deeply, or holds a value that
            cannot exist.
    """
    try:
        return yaml.load(text, _Loader)
    except RecursionError:
        raise yaml.YAMLError("lists and mappings are nested too deeply") from None
    except ValueError as error:  # e.g. a date such as 2021-13-01
        raise yaml.YAMLError(str(error)) from None
