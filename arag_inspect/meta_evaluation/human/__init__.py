"""Agreement of scorers with public sets of human labels."""

from .agreement import Agreement, measure_agreement
from .evaluate import HumanEvaluation, evaluate_human
from .labelled import LabelledAnswer
from .sets import SETS, HumanSet

__all__ = [
    "SETS",
    "Agreement",
    "HumanEvaluation",
    "HumanSet",
    "LabelledAnswer",
    "evaluate_human",
    "measure_agreement",
]
