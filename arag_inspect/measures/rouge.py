"""ROUGE against the reference summary."""

import unicodedata
from functools import cache
from typing import Any

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.errors import TextTooLongError
from arag_inspect._util.extras import LOADING
from arag_inspect.judge.unscored import no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.scorer import PlainScorer, scorer
from arag_inspect.text.folding import space_letters
from arag_inspect.text.sentences import sentences

_MOST_CELLS = 25_000_000
"""Maximum word pairs of an answer and a reference: half a gigabyte, and seconds."""

KEYS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
RECALL_KEYS = ("rouge1_recall", "rouge2_recall", "rougeL_recall")


@scorer(
    MeasureSpec("rouge1", "ROUGE-1", "R-1", "F1 of shared words."),
    MeasureSpec(
        "rouge2",
        "ROUGE-2",
        "R-2",
        "F1 of shared word pairs.",
        role="secondary",
        aspect="overlap",
        exported="rouge2_f1",
    ),
    MeasureSpec("rougeL", "ROUGE-L", "R-L", "F1 of the longest common subsequence."),
    MeasureSpec(
        "rougeLsum", "ROUGE-Lsum", "R-Lsum", "F1 of the longest common subsequences by line."
    ),
    MeasureSpec("rouge1_recall", "ROUGE-1 recall", "R-1 rec", "Recall of shared words."),
    MeasureSpec("rouge2_recall", "ROUGE-2 recall", "R-2 rec", "Recall of shared word pairs."),
    MeasureSpec("rougeL_recall", "ROUGE-L recall", "R-L rec", "Recall of the longest subsequence."),
    family="overlap",
    signature=("stemmer", "words", "rouge-score"),
    sets={"summary": "default", "answer": "all"},
)
def rouge() -> PlainScorer:
    """Overlap of n-grams with the reference (Lin, 2004), by `rouge-score`.

    1. The value contains the F1 of ROUGE-1, ROUGE-2, ROUGE-L and summary-level ROUGE-L, and the
       recall of the first three (how much of the reference is covered); precision, and the recall
       of each F1, are in the metadata.
    2. Words of plain letters and digits (a to z, 0 to 9) are split as in `rouge-score`, so that
       values for English are comparable with published ones. `rouge-score` drops all other words;
       here words in any script count, unstemmed, and each letter of scripts without spaces
       (Chinese, Japanese, Thai) is a word.
    3. With several references, each key uses the best match.
    4. An empty answer scores 0. A missing reference, or a reference without a word, leaves the
       sample unscored. So do an answer and a reference of thousands of words each (a product above
       25 million), because their subsequences would not fit into memory.
    """

    def score(state: TaskState, target: Target) -> Score:
        references = [reference for reference in target if _words().tokenize(reference)]
        if not references:
            raise no_reference(state)
        best, recalls = _best(state.output.completion, references)
        return Score(
            value={key: best[key].fmeasure for key in best}
            | {key: recalls[key.removesuffix("_recall")] for key in RECALL_KEYS},
            metadata={
                "signature": {"libraries": ("rouge-score",), "stemmer": True, "words": "unicode"},
                "precision": {key: best[key].precision for key in KEYS},
                "recall": {key: best[key].recall for key in KEYS},
            },
        )

    return score


def _best(answer: str, references: list[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """Return each key's scores for the reference with the best F1, and its best recall.

    Raises:
        TextTooLongError: The table of ROUGE-L would be too large.
    """
    size = len(_words().tokenize(answer)) * max(
        len(_words().tokenize(reference)) for reference in references
    )
    if size > _MOST_CELLS:
        raise TextTooLongError(
            f"ROUGE-L would compare {size:,} pairs of words; the limit is {_MOST_CELLS:,}."
        )
    lines = _lines(answer)
    scores = [_rouge_scorer().score(_lines(reference), lines) for reference in references]
    best = {}
    best_recalls = {}
    for key in KEYS:
        scores_of_key = [score[key] for score in scores]
        best[key] = max(scores_of_key, key=lambda score: score.fmeasure)
        best_recalls[key] = max(score.recall for score in scores_of_key)
    return best, best_recalls


def _lines(text: str) -> str:
    """Return one sentence per line, as summary-level ROUGE-L needs it."""
    return "\n".join(sentences(text))


@cache
def _rouge_scorer() -> Any:
    with LOADING:
        from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(list(KEYS), tokenizer=_words())


@cache
def _words() -> Any:
    with LOADING:
        from rouge_score.tokenizers import DefaultTokenizer, Tokenizer

    class PlainWords(Tokenizer):  # type: ignore[misc]
        """Tokenizes as the library does, but keeps words of other scripts."""

        _plain = DefaultTokenizer(use_stemmer=True)

        def tokenize(self, text: str) -> list[str]:
            if text.isascii():
                return list(self._plain.tokenize(text))
            folded_text = unicodedata.normalize("NFC", text.casefold())
            masked = "".join(
                letter if _is_word_character(letter) else " " for letter in folded_text
            )
            stems: list[str] = []
            for word in space_letters(masked).split():
                if word.isascii():
                    stems += self._plain.tokenize(word)
                else:
                    stems.append(word)
            return stems

    return PlainWords()


def _is_word_character(letter: str) -> bool:
    """Return whether a character is a letter, a mark on one, or a digit."""
    return unicodedata.category(letter)[0] in "LM" or letter.isdecimal()
