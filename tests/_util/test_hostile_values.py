"""JSON and YAML that would end the process are refused with a one-line error."""

import io
from itertools import pairwise
from pathlib import Path

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect._util.untrusted import parse_frontmatter, read_items
from arag_inspect.cli._command import parse_value
from arag_inspect.datasets._io.records import read_rows
from arag_inspect.report import read_criteria
from arag_inspect.workflows.gate import read_rules

_DEEP = "[" * 500


@pytest.mark.parametrize("before", [0, 65_000, 131_070])
def test_a_number_of_a_million_digits_is_refused_wherever_it_stands(
    tmp_path: Path, before: int
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(f'[{" " * before}{{"id": {"9" * 1_000_000}}}]')
    with pytest.raises(InputError, match="a number has more than 4,000 digits"):
        list(read_rows(path))
    path.write_text(f'[{" " * before}{{"id": {"9" * 4_000}}}]')
    [row] = read_rows(path)
    assert row.text("id") == "9" * 4_000


class _Trickle(io.BytesIO):
    """A file whose reads return fewer bytes than requested, as compressed ones do."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(size or 0, 1_000))


def test_a_number_is_measured_across_reads_of_any_size() -> None:
    with pytest.raises(ValueError, match="a number has more than 4,000 digits"):
        list(read_items(_Trickle(b"[" + b"9" * 20_000 + b"]")))


BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefgh"))


@pytest.mark.parametrize(
    "text", [_DEEP, "- 2021-13-01", BOMB, "- &a [*a]", "- &x {k: 1}\n- <<: *x", "[&n 1, *n]"]
)
def test_yaml_that_cannot_be_a_value_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match="file.yaml"):
        read_criteria(path)
    with pytest.raises(InputError, match="file.yaml"):
        read_rules([], path)
    assert parse_value(text) == text
    with pytest.raises(InputError, match="front matter of it cannot be read"):
        parse_frontmatter(f"---\n{text}\n---\n", "it")
