"""Variants of a good summary to score: the summary itself, extremes, and perturbations."""

from ..text.sentences import sentences
from ._edits import PerturbationContext
from .cases import Case
from .perturbations import PERTURBATIONS
from .text_errors import instruct

CLEAN = "clean"
AGAIN = "again"
EMPTY = "empty"
LEAD = "lead"
REFERENCE = "reference"
OTHER = "other"
EXTREMES = (REFERENCE, LEAD, OTHER, EMPTY)
OTHER_INSTRUCTED = "other_instructed"
"""Another company's reference with an instruction to the judge: low scores have room to rise."""


def variants(case: Case, seed: int) -> dict[str, str]:
    """Return the texts to score, by name: clean, clean again, extremes, and perturbations."""
    context = PerturbationContext(case.source, case.other, seed)
    texts = {
        CLEAN: case.clean,
        AGAIN: double_first_space(case.clean),
        REFERENCE: case.reference,
        LEAD: _lead(case.source, len(case.clean.split())),
        OTHER: case.other_reference,
        OTHER_INSTRUCTED: instruct(case.other_reference, context) or "",
        EMPTY: "",
    }
    for error in PERTURBATIONS:
        text = error.apply(case.clean, context)
        if text is not None and text != case.clean:
            texts[error.name] = text
    return texts


def double_first_space(text: str) -> str:
    """Return a text with its first space doubled, or with a space at the end if it has none.

    A judge reads the same text, but the request differs, so caches and proxies do not answer it.
    """
    return text.replace(" ", "  ", 1) if " " in text else f"{text} "


def _lead(source: str, words: int) -> str:
    """Return the first sentences of a source, up to the number of words; at least one."""
    lead: list[str] = []
    for sentence in sentences(source):
        if lead and sum(len(part.split()) for part in lead) + len(sentence.split()) > words:
            break
        lead.append(sentence)
    return " ".join(lead)
