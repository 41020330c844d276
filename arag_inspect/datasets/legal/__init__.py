"""Court opinions with human summaries: pairs of files, the parts of an opinion, and demo data with known errors."""

from .opinion_parts import Part, split_opinion
from .perturbations import DAMAGES, Perturbation, read_damages
from .source import DEMO, load_pairs

__all__ = ["DAMAGES", "DEMO", "Part", "Perturbation", "load_pairs", "read_damages", "split_opinion"]
