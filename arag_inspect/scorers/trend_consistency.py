"""Check stated changes between two years against the financial statements."""

from typing import Any

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.judge.unscored import UnscoredError
from arag_inspect.quantities.line_items import LineItem, line_item
from arag_inspect.quantities.trends import CheckedDirection, check_directions
from arag_inspect.scorers._scorer import PlainScorer, scorer
from arag_inspect.types.measures import MeasureSpec, measures
from arag_inspect.types.sample import sample_metadata_or_default

MEASURES = measures(
    MeasureSpec(
        "supported",
        "Trends supported",
        "Supported",
        "Share that both years support.",
        role="primary",
    ),
    MeasureSpec("contradicted", "Trends contradicted", "Contradicted", higher_is_better=False),
    scorer="trend_consistency",
    family="facts",
)


@scorer(MEASURES)
def trend_consistency() -> PlainScorer:
    """Check every stated direction of change against the statements of both years.

    1. A claim is a metric with a word of change in one clause ("operating income fell", "higher
       revenue"). Outlooks and possibilities ("could decline") are not claims.
    2. It is checked against the statement line of the same metric that shares most words with it,
       segment and basis included: up and down by any amount, flat by no more than 2 percent. Lines
       with values of both years are taken from the later filing, which restates the year before, or
       else from both.
    3. `supported`: claims that their line supports / all claims. `contradicted`: claims whose line
       moved differently / all claims. If no line is clearly about the same (net sales in one
       region, in one quarter), if the direction is negated ("did not fall") or if the sentence
       names an earlier year, the claim is neither (`unsettled`).
    4. The size of a change is not checked here but by `factual_consistency`.
    5. Unscored if the answer names no direction, and if the sample has no lines of both years.

    The sample's metadata hold the lines: `line_items`, a list of `label`, `context` (titles above
    it), `earlier`, `later` and `percent`; and `years`, the two.

    Metadata: `claims`, one entry per claim, with verdict and line.
    """

    def score(state: TaskState, target: Target) -> Score:
        items = _items(state)
        if not items:
            why = "The sample has no figures of both years to check directions against."
            raise UnscoredError("no_line_items", why)
        years = state.metadata.get("years")
        first_year = years[0] if isinstance(years, list) and years else None
        company = sample_metadata_or_default(state).company
        answer = state.output.completion
        directions = check_directions(answer, items, company, first_year)
        if not directions:
            raise UnscoredError("no_claims", "The answer names no direction.")
        verdicts: list[str] = [direction.verdict for direction in directions]
        return Score(
            value={
                spec.value_key: verdicts.count(spec.value_key) / len(verdicts) for spec in MEASURES
            },
            explanation="\n".join(_line(direction) for direction in directions),
            metadata={"claims": [direction.as_dict() for direction in directions]},
        )

    return score


def _items(state: TaskState) -> list[LineItem]:
    """Return the lines in the sample's metadata; empty if they are in another format."""
    rows: Any = state.metadata.get("line_items") or []
    try:
        return [line_item(**row) for row in rows]
    except (TypeError, ValueError, AttributeError):
        return []


def _line(direction: CheckedDirection) -> str:
    item = direction.item
    line = f"\n    {item.label}: {item.earlier:,g} -> {item.later:,g}" if item else ""
    return f"{direction.verdict.replace('_', ' ')}: {direction.claim.clause}{line}"
