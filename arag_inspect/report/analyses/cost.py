"""Cost and latency of each system."""

from collections.abc import Iterator

import pandas as pd

from ..analysis import RowCells, Words, analysis
from ..cells import Share, Usd, mean_over
from ..comparison.effort import TIME, cost_by_coverage, judge_cost, percentile
from ..study import Study

_TIMES = (
    f"{TIME} p50, p90 and p99 ms are its percentiles; wall ms is the median from the first call to "
    "the answer, waits included."
)


def _words(study: Study) -> Words:
    coverage = study.catalogue.spec(study.catalogue.key_of("coverage")).label.lower()
    has_times = study.finished["latency_ms"].notna().any()
    coverage_point = (
        f"Cost per coverage point is mean cost / mean {coverage} above the lowest value of its "
        "scale."
    )
    return {
        "coverage_point": coverage_point if any(cost_by_coverage(study).values()) else "",
        "times": _TIMES if has_times else "",
    }


@analysis(
    "Cost and latency",
    text="""
    Cost of the system under test per question; the judges' cost is separate. Means cover the n
    answers with a known figure. Skipped and failed samples count only in the total. {times} A dash:
    unknown, e.g. a model without a known price. {coverage_point} Stopped: share of answers at the
    loop or token limit.
    """,
    words=_words,
    meanings={
        "cost per coverage point": (
            "Mean dollars divided by mean coverage above the lowest of its scale"
        ),
        "judge cost per question": "Mean dollars of the judges per question",
        "total USD": "Sum of all known dollars of the system under test",
        "p90 ms": "Working time in milliseconds within which 90 % of the answers finish",
        "p99 ms": "Working time in milliseconds within which 99 % of the answers finish",
        "wall ms": "Median time in milliseconds from the first call to the answer, waits included",
        "tokens in": "Mean tokens sent per question, including cached tokens",
        "tokens out": "Mean tokens received per question",
        "stopped": "Share of answers at the limit of loops or tokens",
    },
    section="cost",
    order=10,
)
def cost(study: Study) -> Iterator[RowCells]:
    """Yield the dollars, time, tokens and loops of each system."""
    judging = judge_cost(study)
    skipped = study.answers["outcome"] == "skipped"
    for system, answers in study.by_system(study.finished):
        limited = answers["stopped_by"].isin(("max_loops", "token_budget"))
        limited |= (answers["outcome"] == "truncated") & answers["error"].notna()
        yield {
            "system": system,
            "skipped": int(skipped[study.answers["system"] == system].sum()),
            "cost per question (USD)": mean_over(answers["cost_usd"], Usd),
            "total USD": _dollars_in_all(study, system, answers),
            "cost per coverage point (USD)": cost_by_coverage(study)[system],
            "p50 ms": percentile(answers["latency_ms"], 0.5),
            "p90 ms": percentile(answers["latency_ms"], 0.9),
            "p99 ms": percentile(answers["latency_ms"], 0.99),
            "wall ms": percentile(answers["wall_ms"], 0.5),
            "tokens in": mean_over(answers["input_tokens"]),
            "tokens out": mean_over(answers["output_tokens"]),
            "loops": mean_over(answers["loops"]),
            "words": mean_over(answers["words"]),
            "stopped": mean_over(limited, Share),
            "judge cost per question (USD)": mean_over(judging.reindex(answers.index), Usd),
        }


def _dollars_in_all(study: Study, system: str, finished: pd.DataFrame) -> Usd | None:
    """Return the sum of all known dollars; None if no finished answer has a known cost.

    A sample that was skipped before any call cost nothing, which says nothing of the answers.
    """
    dollars = study.answers.loc[study.answers["system"] == system, "cost_usd"].dropna()
    is_unpriced = len(finished) > 0 and finished["cost_usd"].isna().all()
    return None if is_unpriced or dollars.empty else Usd(float(dollars.sum()))
