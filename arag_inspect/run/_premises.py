"""Questions whose premise no document of a corpus supports."""

import re
from collections import defaultdict
from collections.abc import Iterable
from random import Random

from ..corpus import Chunk
from ..text.noise import Noisy
from ..types.sample import SampleMetadata

_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?!\d)")
_SHORT_YEAR = re.compile(r"(?:\bFY ?|['’])(\d\d)(?!\d)")


class Premises:
    """The years that the documents of each company mention.

    Args:
        chunks: All chunks of the corpus.
    """

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._years: dict[str, set[int]] = defaultdict(set)
        """Years mentioned, by company and by document."""

        self._companies: set[str] = set()

        for chunk in chunks:
            text = f"{chunk.period} {chunk.prefix} {chunk.text}"
            mentioned = {2000 + int(digits) for digits in _SHORT_YEAR.findall(text)}
            mentioned |= {int(year) for year in _YEAR.findall(text)}
            self._years[chunk.doc_id] |= mentioned
            if chunk.company:
                self._years[chunk.company] |= mentioned
                self._companies.add(chunk.company)

    def contradict(self, question: str, about: SampleMetadata, chance: Random) -> Noisy:
        """Swap the last year of a question, or its company.

        The new year is the nearest that the corpus mentions, but not of this company. The new
        company is one whose documents mention no year of the question.

        Args:
            question: A question; it stays as it is if it names no year.
            about: Metadata of its sample.
            chance: Chooses among the possible swaps.
        """
        words = len(question.split())
        years_asked = sorted(int(year) for year in _YEAR.findall(question))
        if not years_asked:
            return Noisy(question, words, 0)
        swaps = [(str(years_asked[-1]), str(self._other_year(about, years_asked)))]
        if about.company and about.company in question:
            swaps += [
                (about.company, company)
                for company in sorted(self._companies - {about.company})
                if self._years[company].isdisjoint(years_asked)
            ]
        old, new = chance.choice(swaps)
        return Noisy(question.replace(old, new), words, question.count(old))

    def _other_year(self, about: SampleMetadata, years_asked: list[int]) -> int:
        """Return the unmentioned year nearest to the last one asked for, and after the others."""
        subjects = [name for name in (about.company, *about.doc_ids) if name in self._years]
        mentioned = set(years_asked)
        for subject in subjects or self._years:
            mentioned |= self._years[subject]
        other_years = set().union(*self._years.values()) - mentioned
        *first_years, last_year = years_asked
        in_order = [year for year in other_years if all(year > first for first in first_years)]
        if not in_order:
            return max(mentioned) + 1
        return min(in_order, key=lambda year: (abs(year - last_year), year))
