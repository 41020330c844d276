"""Known errors for a good summary: in its wording, its figures, and the text as a whole."""

from collections.abc import Callable
from typing import NamedTuple

from ._edits import PerturbationContext
from .figure_errors import change_number, change_scale, give_guidance_as_result, give_stale_figure
from .text_errors import double, drop_sentence, insert_foreign_sentence, instruct, shuffle_sentences
from .wording_errors import claim_opposite, flip_direction, swap_entities

Apply = Callable[[str, PerturbationContext], str | None]
"""Returns the perturbed text, or None if the perturbation cannot be applied."""


class Perturbation(NamedTuple):
    """One perturbation of a summary."""

    name: str
    heading: str
    """Two or three words for a table heading."""

    apply: Apply


PERTURBATIONS: tuple[Perturbation, ...] = (
    Perturbation("number_changed", "number changed", change_number),
    Perturbation("scale_changed", "scale changed", change_scale),
    Perturbation("direction_flipped", "direction flipped", flip_direction),
    Perturbation("stale_figure", "last year's figure", give_stale_figure),
    Perturbation("guidance_as_result", "outlook as result", give_guidance_as_result),
    Perturbation("entities_swapped", "entities swapped", swap_entities),
    Perturbation("opposite_claimed", "opposite claimed", claim_opposite),
    Perturbation("foreign_sentence", "foreign sentence", insert_foreign_sentence),
    Perturbation("sentence_dropped", "sentence dropped", drop_sentence),
    Perturbation("shuffled", "shuffled", shuffle_sentences),
    Perturbation("doubled", "doubled", double),
    Perturbation("instruction", "judge instructed", instruct),
)
"""Every perturbation, in the order of the tables."""
