"""Batches of texts with the same number of tokens, in which a model needs no padding."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import ceil
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

BATCH = 32
"""Maximum texts in a batch."""

ALONE = 1
"""Batch size when concurrent samples or searches decide which texts share a batch.

On a GPU the last bits of a text's float32 results depend on the size of its batch.
"""

FEWEST_TOKENS = 16
"""Minimum tokens for which a text's float32 results on a CPU do not depend on its batch.

Smaller matrices are multiplied by other kernels: measured with AVX2, from 4 tokens on one thread,
12 on two.
"""

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")


def compute_in_equal_lengths(
    compute: Callable[[list[Item]], Iterable[Result]],
    items: Sequence[Item],
    lengths: Sequence[int],
    *,
    at_most: int = BATCH,
) -> list[Result]:
    """Compute a result for each distinct item, in batches of items of the same length.

    A batch of fewer than `FEWEST_TOKENS` tokens is filled up with copies of its last item.

    Args:
        compute: Returns one result per item of a batch, in order.
        items: Inputs of the model.
        lengths: Number of tokens of each, as the model reads it.
        at_most: Maximum items in a batch.

    Returns:
        Results in the order of the items.
    """
    length_of_item = dict(zip(items, lengths, strict=True))
    items_by_length: defaultdict[int, list[Item]] = defaultdict(list)
    for item, length in length_of_item.items():
        items_by_length[length].append(item)
    results: dict[Item, Result] = {}
    for length, same_length in items_by_length.items():
        fewest = ceil(FEWEST_TOKENS / max(length, 1))
        for start in range(0, len(same_length), at_most):
            batch = same_length[start : start + at_most]
            copies = [batch[-1]] * (fewest - len(batch))
            results.update(zip(batch, compute(batch + copies), strict=False))
    return [results[item] for item in items]


def predict_pairs(
    model: Any, pairs: Sequence[tuple[str, str]], **options: Any
) -> npt.NDArray[np.float32]:
    """Apply a cross-encoder of sentence-transformers to pairs of texts, one pair at a time.

    Args:
        model: The cross-encoder.
        pairs: Texts, truncated to the model's window.
        options: Further arguments of its `predict`.

    Returns:
        Scores, shape (pairs,) or (pairs, labels).
    """

    if not pairs:
        return np.empty(0, np.float32)

    def predict(batch: list[tuple[str, str]]) -> Any:
        return model.predict(batch, batch_size=len(batch), show_progress_bar=False, **options)

    first, second = zip(*pairs, strict=True)
    encoded = model.tokenizer(list(first), list(second), truncation="longest_first")
    lengths = [len(ids) for ids in encoded["input_ids"]]
    return np.array(compute_in_equal_lengths(predict, pairs, lengths, at_most=ALONE))
