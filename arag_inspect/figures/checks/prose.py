"""Check a figure of a summary against the sentences of the passages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...text.content_words import content_stems
from ..comparison.compare import Verdict, compare
from ..comparison.distinctions import Property
from ..quantity import Quantity
from ..tables.column_heads import statement_words
from ..wording.labels import names_of
from .antecedents import Antecedent
from .passage_index import PassageIndex
from .stated_figures import CheckedClaim, ClaimOutcome, PassageFigure
from .subjects import is_exact, same_subject

_LEAST_NAMES = 2
"""Fewest names that identify the subject of a figure; one may be the company's name."""

_ROW = 3
"""Figures without a word between them that make a row of a table."""


@dataclass(frozen=True, slots=True)
class ProseCheck:
    """A figure of a summary with its sentence, and the passages to check it against."""

    claim: Quantity
    sentence: str
    antecedent: Antecedent
    index: PassageIndex

    @property
    def _claimed(self) -> PassageFigure:
        return PassageFigure(self.claim, self.sentence, self.antecedent)

    def run(self) -> CheckedClaim:
        """Check the claim against figures of its quantity, then against figures of its subject."""
        matches = self.index.same_quantity(self.claim)
        decided = (
            self._check_same_quantity(matches)
            or self._check_same_subject()
            or self._check_other_scales()
        )
        if decided:
            return decided
        if not matches:
            return CheckedClaim(self.claim, self.sentence, "not_found")
        return self._decide("unsettled", min(matches, key=self._distance))

    def _decide(
        self, verdict: ClaimOutcome, source: PassageFigure, differs: tuple[Property, ...] = ()
    ) -> CheckedClaim:
        return CheckedClaim(self.claim, self.sentence, verdict, source.sentence, differs)

    def _check_same_quantity(self, matches: Sequence[PassageFigure]) -> CheckedClaim | None:
        """Check the claim against the figure of its quantity that differs least.

        If several differ equally, the one in the nearest sentence decides.
        """
        verdicts: list[tuple[PassageFigure, Verdict]] = []
        for match in matches:
            verdict = self._compare(match)
            is_same = verdict.outcome == "supported" and is_exact(self.claim, match.figure)
            if is_same or same_subject(self.claim, match.figure) or self._repeats(match):
                verdicts.append((match, verdict))
        if not verdicts:
            return None

        def difference(pair: tuple[PassageFigure, Verdict]) -> tuple[int, float]:
            match, verdict = pair
            return len(verdict.differs), self._distance(match)

        match, verdict = min(verdicts, key=difference)
        if self.claim.status == "estimate" and verdict.outcome != "supported":
            return None
        if verdict.outcome == "supported" and self._is_of_other_names(match):
            return self._decide("unsettled", match, ("subject",))
        period_is_unknown = verdict.differs == ("period",) and _is_row_of_figures(match.sentence)
        outcome: ClaimOutcome = "unsettled"
        if verdict.outcome != "unrelated" and not period_is_unknown:
            outcome = verdict.outcome
        return self._decide(outcome, match, verdict.differs)

    def _check_same_subject(self) -> CheckedClaim | None:
        """Check the claim against figures of its subject: a rounder one, or one in its place."""
        verdicts = [
            (other, compare(self.claim, other.figure))
            for other in self.index.comparable(self.claim)
            if not self.index.entities.differ(self._claimed, other)
        ]
        for other, verdict in verdicts:
            if "precision" in verdict.differs:
                return self._decide("unsettled", other, verdict.differs)
        if self.claim.status == "estimate":
            return None
        for other, verdict in verdicts:
            if verdict.outcome == "contradicted":
                return self._decide("contradicted", other, verdict.differs)
        return None

    def _check_other_scales(self) -> CheckedClaim | None:
        """Check whether the claim is right in another scale: in millions instead of billions."""
        for rescaled, match in self.index.in_other_scales(self.claim):
            if replace(self, claim=rescaled)._compare(match).outcome == "supported":
                return self._decide("contradicted", match, ("value",))
        return None

    def _compare(self, match: PassageFigure) -> Verdict:
        """Compare the claim with a figure, its names, and the figures that fit the claim better."""
        verdict = compare(self.claim, match.figure)
        if verdict.outcome != "supported":
            return verdict
        names_differ = self.index.entities.differ(self._claimed, match)
        names_differ |= self.index.company_parts.are_mistaken(self._claimed, match)
        is_of_another = self.index.companies.differ(self.claim.wording.about, self.sentence, match)
        if names_differ or is_of_another or self.index.rivals.fit_better(self.claim, match):
            return Verdict("unrelated", ("subject",))
        if self.index.rivals.differ_in_basis(self.claim, match):
            return Verdict("unrelated", ("basis",))
        return verdict

    def _is_of_other_names(self, match: PassageFigure) -> bool:
        """Return whether a change has other names, and another of its sentence the claim's."""
        names = names_of(match.figure)
        is_of_another = len(names) >= _LEAST_NAMES and names_of(self.claim).isdisjoint(names)
        if not (self.claim.change and is_of_another):
            return False
        other = self._check_same_subject()
        return (
            other is not None and other.verdict == "contradicted" and other.source == match.sentence
        )

    def _repeats(self, match: PassageFigure) -> bool:
        """Return whether the claim's sentence has all words of another, e.g. "90 days or more"."""
        words = statement_words(match.sentence)
        return bool(words) and words <= statement_words(self.sentence)

    def _distance(self, match: PassageFigure) -> float:
        """Return the share of the words and numbers of two sentences that are not in both."""
        of_claim = content_stems(self.sentence)
        of_match = content_stems(match.sentence)
        return len(of_claim ^ of_match) / max(len(of_claim | of_match), 1)


def _is_row_of_figures(sentence: str) -> bool:
    """Return whether a sentence is a row of a table: several figures with no word between them."""
    figures_in_a_row = 0
    for word in sentence.split():
        if any(map(str.isdigit, word)):
            figures_in_a_row += 1
        elif any(map(str.isalpha, word)):
            figures_in_a_row = 0
        if figures_in_a_row == _ROW:
            return True
    return False
