"""Variants of one summary to be scored."""

from typing import NamedTuple

from ..text.sentences import sentences
from .cases import Case
from .perturbations import quantities as figures
from .perturbations import text as text
from .perturbations import wording as wording
from .perturbations.text import Perturbation, PerturbationContext

PERTURBATIONS: tuple[Perturbation, ...] = (
    Perturbation("number_changed", "number changed", figures.change_number),
    Perturbation("scale_changed", "scale changed", figures.change_scale),
    Perturbation("direction_flipped", "direction flipped", wording.flip_direction),
    Perturbation("stale_figure", "last year's figure", figures.give_stale_figure),
    Perturbation("guidance_as_result", "outlook as result", figures.give_guidance_as_result),
    Perturbation("entities_swapped", "entities swapped", wording.swap_entities),
    Perturbation("opposite_claimed", "opposite claimed", wording.claim_opposite),
    Perturbation("foreign_sentence", "foreign sentence", text.insert_foreign_sentence),
    Perturbation("sentence_dropped", "sentence dropped", text.drop_sentence),
    Perturbation("shuffled", "shuffled", text.shuffle_sentences),
    Perturbation("doubled", "doubled", text.double),
    Perturbation("instruction", "judge instructed", text.instruct),
)  # fmt: skip
"""Every perturbation, in the order of the tables."""

CLEAN, AGAIN = "clean", "again"
EMPTY, LEAD, REFERENCE, OTHER = "empty", "lead", "reference", "other"
EXTREMES = (REFERENCE, LEAD, OTHER, EMPTY)
OTHER_INSTRUCTED = "other_instructed"
"""Another company's reference with an instruction to the judge: low scores have room to rise."""


class Variant(NamedTuple):
    """One text to be scored."""

    name: str
    text: str


def variants(case: Case, seed: int) -> list[Variant]:
    """Return the clean summary twice, the extremes, and every applicable perturbation."""
    around = PerturbationContext(case.source, case.other, seed)
    result = [
        Variant(CLEAN, case.clean),
        Variant(AGAIN, case.clean),
        Variant(REFERENCE, case.reference),
        Variant(LEAD, _lead(case.source, len(case.clean.split()))),
        Variant(OTHER, case.other_reference),
        Variant(OTHER_INSTRUCTED, text.instruct(case.other_reference, around) or ""),
        Variant(EMPTY, ""),
    ]
    for perturbation in PERTURBATIONS:
        perturbed = perturbation.apply(case.clean, around)
        if perturbed is not None and perturbed != case.clean:
            result.append(Variant(perturbation.name, perturbed))
    return result


def _lead(source: str, words: int) -> str:
    """Return the first sentences of a source, up to the number of words; at least one."""
    lead: list[str] = []
    for sentence in sentences(source):
        if lead and sum(len(part.split()) for part in lead) + len(sentence.split()) > words:
            break
        lead.append(sentence)
    return " ".join(lead)
