"""Questions whose premise no document of a corpus supports."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from ...corpus import Chunk
from ...text.noise import Noisy
from ...types.sample import SampleMetadata

_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?!\d)")
_SHORT_YEAR = re.compile(r"(?:\bFY ?|['’])(\d\d)(?!\d)")


def mentioned_years(chunks: Iterable[Chunk]) -> dict[str, set[int]]:
    """Return the years that chunks mention, by document and by company."""
    years: dict[str, set[int]] = defaultdict(set)
    for chunk in chunks:
        text = f"{chunk.period} {chunk.prefix} {chunk.text}"
        mentioned = {2000 + int(digits) for digits in _SHORT_YEAR.findall(text)}
        mentioned |= {int(year) for year in _YEAR.findall(text)}
        for subject in {chunk.doc_id, chunk.company or chunk.doc_id}:
            years[subject] |= mentioned
    return years


def change_year(question: str, metadata: SampleMetadata, years: Mapping[str, set[int]]) -> Noisy:
    """Replace a question's last year by the nearest year missing from the company's documents.

    The corpus mentions the new year, which comes after the other years of the question.

    Args:
        question: A question; it stays unchanged if it mentions no year.
        metadata: Metadata of its sample.
        years: Result of `mentioned_years`.
    """
    words = len(question.split())
    years_asked = sorted(int(year) for year in _YEAR.findall(question))
    if not years_asked:
        return Noisy(question, words, 0)
    *first_years, last_year = years_asked
    subjects = [name for name in (metadata.company, *metadata.doc_ids) if name in years]
    mentioned = set(years_asked).union(*(years[subject] for subject in subjects or years))
    others = set().union(*years.values()) - mentioned
    later_years = [year for year in others if all(year > first for first in first_years)]
    nearest = min(later_years, key=lambda year: (abs(year - last_year), year), default=None)
    new_year = nearest or max(mentioned) + 1
    changed = question.replace(str(last_year), str(new_year))
    return Noisy(changed, words, question.count(str(last_year)))
