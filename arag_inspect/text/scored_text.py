"""An answer as scorers read it: without thoughts and citation marks, with whole lines."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from .citations import find_marks, without_marks
from .layout import unwrap
from .model_marks import visible_offsets, without_thoughts


@lru_cache(maxsize=64)
def plain(text: str) -> str:
    """Return an answer without citation marks and with whole lines, once for all scorers."""
    return unwrap(without_marks(text))


def scored_offsets(answer: str) -> tuple[str, Sequence[int]]:
    """Return the text that scorers read, with the offset of each character in the answer."""
    visible = without_thoughts(answer)
    scored = plain(visible)
    if scored == answer:
        return answer, range(len(answer))
    mark_spans = (range(mark.start, mark.end) for mark in find_marks(visible))
    marked_positions = {*chain.from_iterable(mark_spans)}
    unmarked = [
        offset
        for position, offset in enumerate(visible_offsets(answer))
        if position not in marked_positions
    ]
    index = 0
    offsets = []
    for character in scored:  # besides marks, only white space and hyphens differ
        while not character.isspace() and answer[unmarked[index]] != character:
            index += 1
        offset = unmarked[min(index, len(unmarked) - 1)]
        offsets.append(offset)
        if answer[offset] == character:
            index += 1
    return scored, offsets
