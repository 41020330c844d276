"""Figures of PDFs' text layers that the cleaned pages lack.

`python -m measurements.page_figures FOLDER`

Prints for each file the dropped page numbers, and each page that lacks another figure, with its
lines at the edges that hold it. A recurring line that is kept once, such as `Item 8` at the head
of each page, is not counted.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from arag_inspect.corpus.documents.isolated import BrokenFileError, parse_isolated
from arag_inspect.corpus.documents.pdf import read_pdf

_FIGURE = re.compile(r"(?<![\w.,])\d(?:[\d,]*\d)?(?:\.\d+)?(?!\w)")
_PAGE_NUMBER = re.compile(r"(?:page )?-?(?:[A-Z]-)?\d{1,4}-?", re.IGNORECASE)


def main(folder: str) -> None:
    """Print what the pages of each PDF lack."""
    for path in sorted(Path(folder).glob("*.pdf")):
        try:
            drawn, cleaned = parse_isolated("pdf", path), read_pdf(path).pages
        except BrokenFileError as error:
            print(error)
            continue
        once = {line for page in cleaned for line in page.split("\n")}
        numbers, lacking = 0, 0
        for page, (before, after) in enumerate(zip(drawn, cleaned, strict=True)):
            lines = [" ".join(line.split()) for line in re.split(r"\ufffe?\r?\n", before)]
            kept = [line for line in lines if line not in once]
            missing = _figures(kept) - _figures([after])
            alone = _figures([line for line in lines if _PAGE_NUMBER.fullmatch(line)])
            numbers += (missing & alone).total()
            if missing - alone:
                lacking += 1
                print(f"{path.stem}, page {page}: {', '.join(missing - alone)}")
        print(f"{path.stem}: {numbers} page numbers gone, {lacking} pages lack another figure")


def _figures(lines: list[str]) -> Counter[str]:
    return Counter(figure for line in lines for figure in _FIGURE.findall(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
