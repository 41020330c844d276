"""Tests that JSON and YAML that would crash the process are rejected with a one-line error."""

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest

from arag_inspect._util import json_values
from arag_inspect._util.errors import InputError
from arag_inspect._util.files import replace_file
from arag_inspect._util.json_values import read_items
from arag_inspect._util.yaml_text import parse_frontmatter
from arag_inspect.benchmark.rows import read_rows
from arag_inspect.cli._command import parse_value
from arag_inspect.run.gate.rules import read_rules

_DEEP = "[" * 500


@pytest.mark.parametrize("before", [0, 2**20 - 20, 2**20 - 1])
def test_json_number_with_too_many_digits_is_rejected_at_any_offset(
    tmp_path: Path, before: int
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(f'[{" " * before}{{"id": {"9" * 1_000_000}}}]')
    with pytest.raises(InputError, match="Exceeds the limit"):
        list(read_rows(path))
    path.write_text(f'[{" " * before}{{"id": {"9" * 4_000}}}]')
    [row] = read_rows(path)
    assert str(row.values["id"]) == "9" * 4_000


@pytest.mark.parametrize(
    "text",
    ["[1 2]", "[1,]", "[1", "[", '["a', "[1]]", "[tru]", "[1, 2", "[{]}", "[1}", "[,1]", "[1],"],
)
def test_damaged_json_list_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        list(read_items(io.BytesIO(text.encode())))


@pytest.mark.parametrize("text", ["[1, Infinity]", '[{"a": [-Infinity]}]', "[Infinity"])
def test_json_list_with_infinite_number_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"^-?Infinity is not JSON$"):
        list(read_items(io.BytesIO(text.encode())))


def test_nan_of_other_tools_in_json_list_is_missing() -> None:
    assert list(read_items(io.BytesIO(b'[NaN, {"a": [NaN, 1]}]'))) == [None, {"a": [None, 1]}]


@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
def test_json_list_is_read_in_pieces_of_any_size(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(json_values, "_PIECE", size)
    items = [1, 23.5, "é€𝛼", [], {"a": [None, True]}, -7, "", [[4567]], 890]
    for indent in (None, 3):
        text = json.dumps(items, ensure_ascii=False, indent=indent)
        assert list(read_items(io.BytesIO(text.encode()))) == items
    assert list(read_items(io.BytesIO(b"[ \n ] \n"))) == []


BOMB = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefgh"))


@pytest.mark.parametrize(
    "text",
    [
        *(_DEEP, "- 2021-13-01", BOMB, "- &a [*a]", "- &x {k: 1}\n- <<: *x", "[&n 1, *n]"),
        *(f"- 0x{'f' * 6000}", f"a: 1{':1' * 3000}", f"{'9' * 400}: a", f"a: 0b{'1' * 20_000}"),
    ],
)
def test_unsafe_yaml_is_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match="file.yaml"):
        read_rules([], path)
    assert parse_value(text) == text
    with pytest.raises(InputError, match="front matter of it cannot be read"):
        parse_frontmatter(f"---\n{text}\n---\n", "it")


@pytest.mark.parametrize("rows", ["a", "a\na\na", ""])
def test_csv_with_too_many_columns_is_rejected(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{','.join(f'c{number}' for number in range(100_000))}\n{rows}")
    with pytest.raises(InputError, match=r"rows.csv: there are more than 1,000 columns"):
        list(read_rows(path))


@pytest.mark.parametrize("content", ["text", b"bytes", ["a", "list"]])
def test_replace_file_does_not_follow_symlinks(tmp_path: Path, content: str | bytes) -> None:
    other = tmp_path / "other"
    other.write_text("precious")
    for name in ("report.md", ".report.md.partial"):
        (tmp_path / name).symlink_to(other)
    replace_file(tmp_path / "report.md", content)
    assert other.read_text() == "precious" and not (tmp_path / "report.md").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "report.md"]
