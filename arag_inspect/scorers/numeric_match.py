"""Does the answer give the expected number?"""

import math
from typing import Any

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.quantities.answers import Gold, match_answer, read_gold
from arag_inspect.scorers._metrics import by_question
from arag_inspect.scorers._scorer import PlainScorer, Positive, Share, scorer
from arag_inspect.types.measures import MeasureSpec, measures

VERSION = 5

MEASURES = measures(
    MeasureSpec("numeric_match", "Right number", "Number", noun="right numbers", role="primary"),
    family="facts",
    signature=("rules", "tolerance", "among"),
)


@scorer(MEASURES, more=by_question())
def numeric_match(*, tolerance: Share = 0.01, among: Positive = 4) -> PlainScorer:
    """1 if the answer gives the expected value, else 0; by program.

    1. The expected value is the sample's `exe_ans` (FinQA: the result of the gold program), else
       (or if that is not a finite number) what the gold answer says. A gold answer in words expects
       its yes or no, else every figure of its first sentence with figures, those in parentheses
       apart; any other sentence of the answer that repeats one of the gold answer with other
       numbers is wrong. A sample with neither figure, yes nor no is unscored; years count only
       where one is asked for, or the gold answer has nothing else.
    2. The result of an answer is the part marked as such ("Answer: ...", `\\boxed{...}`, its last
       figure in bold). Otherwise two places are searched: the last sentence that concludes
       ("Therefore ...") or, without one, the last with a figure; and the first with a figure. In a
       calculation, the text after the last "=" counts.
    3. The place may have up to `among` figures ("rose from 100 to 113, or 13%"), any of which may
       be the result; with more, none is, so that listing numbers does not pay. Dates, ranges, years
       if no year is expected, and negated figures ("it is not 5%") are not results.
    4. A figure matches an executed value if it differs by at most `tolerance` of it, and a gold
       answer if it is the same, rounded to three significant digits or more ("$34.2 billion" for
       $34,229 million), or rounds to it. Ranges match ranges, basis points percentage points.
       Where a year is asked for, it must match exactly.
    5. A share may be a percentage or a fraction: 13.2%, 0.132 and, if the question or the gold
       answer mentions percent, 13.2. The gold answer shows which of the two the expected value is;
       "0.132%" for 13.2% is wrong. A gold answer of a hundred times the executed value is a
       percentage.
    6. A scale word counts: "$3.8 million" is 3.8 or 3,800 if the table is in millions or thousands
       and the scale is not stated. If the question or the gold answer states it, only that scale is
       right, in words or written out. Without a scale word the number is compared unchanged.
    7. Signs count. "A decrease of 5%" is -5%, and so are "(5%)" and "–5%"; if the question asks for
       a decrease, 5% is too. "An increase" never is.
    8. For a yes-no question, the first "yes" or "no" of the answer counts ("no doubt" is neither);
       "yes and no" does not count. An answer without a figure, such as a refusal, scores 0.

    Metadata: `expected`, `given` (the figure that decided) and `reason`.

    Args:
        tolerance: Largest difference from an executed value, as a share of it.
        among: Most figures allowed where the result is given.

    Raises:
        InputError: `tolerance` is not a share, or `among` is not positive.
    """

    def score(state: TaskState, target: Target) -> Score:
        expected = _expected(state.metadata.get("exe_ans"), list(target), state.input_text)
        if not expected:
            why = "Neither `exe_ans` nor the gold answer is a number, yes or no."
            raise UnscoredError("no_reference", why)
        answer = state.output.completion
        matches = [match_answer(answer, gold, tolerance, among) for gold in expected]
        match = next((match for match in matches if match.matched), matches[0])
        return Score(
            value=float(match.matched),
            explanation=f"{match.reason[:1].upper()}{match.reason[1:]}.",
            metadata={
                "signature": {"rules": VERSION, "tolerance": tolerance, "among": among},
                "expected": [gold.shown for gold in expected],
                "given": match.given,
                "reason": match.reason,
            },
        )

    return score


def _expected(executed: Any, golds: list[str], question: str) -> list[Gold]:
    """Return the expected values: the executed value, else each gold answer."""
    if isinstance(executed, str) and executed.strip().lower() in ("yes", "no"):
        golds = [executed.strip().lower()]
    value = float(executed) if _is_number(executed) else None
    golds = golds[:1] or [""] if value is not None else golds
    return [read for gold in golds if (read := read_gold(gold, question, value))]


def _is_number(value: Any) -> bool:
    try:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and math.isfinite(value)
    except OverflowError:
        return False
