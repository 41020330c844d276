"""Court opinions with human summaries: pairs of files, the parts of an opinion, and demo data with known errors."""

from .damages import DAMAGES, Damage, read_damages
from .pairs import DEMO, load_pairs
from .sections import Part, split_opinion

__all__ = ["DAMAGES", "DEMO", "Damage", "Part", "load_pairs", "read_damages", "split_opinion"]
