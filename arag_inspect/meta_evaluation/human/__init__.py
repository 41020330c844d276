"""Agreement of scorers with public sets of human labels."""

from .agreement import Agreement, measure_agreement
from .evaluate import HumanEvaluation, evaluate_human
from .labelled import HumanSet, LabelledAnswer
from .render import as_markdown, print_evaluation
from .sets import SETS

__all__ = [
    "SETS",
    "Agreement",
    "HumanEvaluation",
    "HumanSet",
    "LabelledAnswer",
    "as_markdown",
    "evaluate_human",
    "measure_agreement",
    "print_evaluation",
]
