"""Marks that name the passages a sentence rests on: `[12]`, `[3, 4]`, `[chunk 7]`."""

import re

CITATION = re.compile(
    r"(?<![$€£¥])\[(?:chunk[ _]?(?:id)?[ :#]*)?\d+(?:(?:\s*;\s*|,\s+|,(?!\d{3}\b)|\s*[-–]\s*)\d+)*\](?!\s?(?:%|percent|thousand|million|billion))",
    re.IGNORECASE,
)
"""A mark; its numbers are ids of passages and no figures of what is stated."""
