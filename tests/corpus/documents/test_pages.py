"""What is read of HTML pages, by kind; the cases are in `pages.yaml`."""

from pathlib import Path

import pytest
import yaml

from arag_inspect.corpus.documents._html import change_each
from arag_inspect.corpus.documents.text import read_text

KINDS = yaml.safe_load(Path(__file__).with_name("pages.yaml").read_text())
CASES = [
    pytest.param(case["page"], case["lines"], id=f"{kind}-{number}")
    for kind, cases in KINDS.items()
    for number, case in enumerate(cases, start=1)
]


@pytest.mark.parametrize(("page", "lines"), CASES)
def test_page_is_read_as_lines(tmp_path: Path, page: str, lines: list[str]) -> None:
    path = tmp_path / "a.html"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{page}</body>")
    text, left_out = read_text(path)
    assert [line for line in text.split("\n") if line] == lines
    assert not left_out


def test_change_that_fails_on_an_element_leaves_the_others() -> None:
    element = [1]
    assert change_each([element, None, element], lambda part: part.append(2)) == 1
    assert element == [1, 2, 2]


def test_element_that_cannot_be_laid_out_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    margin = f"margin-top:{'9' * 400}em"
    path.write_text(f"<p>Sales rose.</p><p style='{margin}'>Costs <b>fell</b>.</p><p>Tax fell.</p>")
    assert read_text(path)[0].split() == ["Sales", "rose.", "Costs", "fell.", "Tax", "fell."]
