"""Share of the gold facts that a summary states, by program."""

from typing import Any

from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.figures import Statement, check_numbers, match_fact, read_statement
from arag_inspect.figures.answers.gold import Gold, read_gold
from arag_inspect.figures.answers.match import match_answer
from arag_inspect.figures.checks.entities import Entities
from arag_inspect.figures.checks.statements import MatchVerdict, entities_of
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures._question import question_of
from arag_inspect.measures.fact_lists import GoldSource, NamedFact, facts_to_find
from arag_inspect.measures.keyed_score import NoValue, keyed_score
from arag_inspect.measures.scorer import PlainScorer, scorer
from arag_inspect.text.content_words import content_stems, content_words
from arag_inspect.text.sentences import sentences

_RULES_VERSION = 13
"""Signed with every score: those of other rules are another measure."""

_MOST = 10_000
"""Maximum numbers in the gold facts."""

_QUESTION = 100
"""Longest input, in words, that counts as a question; a longer one contains a document."""


@scorer(
    MeasureSpec(
        "facts",
        "Facts stated",
        "Facts",
        "Share of gold facts stated; a fact partly stated counts in part.",
        verb="states more of the facts",
        role="secondary",
        decides=("summary", "section"),
        stands_in_for=("geval_coverage", "geval_coverage.stated"),
        aspect="facts stated",
    ),
    MeasureSpec(
        "quantities", "Figures stated", "Stated", "Share of the gold facts' figures stated."
    ),
    MeasureSpec(
        "words", "Words of facts stated", "Fact words", "Share of gold facts' content words used."
    ),
    family="facts",
    signature=("gold", "rules"),
    sets={"summary": "default"},
)
def fact_coverage(*, gold: GoldSource = "auto") -> PlainScorer:
    """Share of the gold facts that the summary states, by program.

    1. `facts`: facts stated / facts. A fact with figures is stated if the summary gives all of
       them for the same metric: rounded as in the summary, with no conflict (sign, direction,
       period, basis, result or outlook). If the summary gives only some of them, the fact counts as
       the share of its figures that are given: "revenue rose 7% to $4.2 billion" is half stated by
       "revenue was $4.2 billion". A fact that is a figure alone is stated with any metric. A fact
       without figures is stated if one sentence of the summary has half of its content words, is
       not of another time (year, quarter or half, month or day) and does not negate what the fact
       affirms, or the reverse; paraphrases are missed. If the sentence disagrees so and has nearly
       all words of the fact, it contradicts it. A fact that is a date, yes or no alone is
       stated if the answer gives it, as in `answer_match`; so is a number alone, e.g. a cost that
       the answer has in brackets.
    2. `quantities`: share of figures stated, averaged over the facts with figures; NaN without any.
    3. `words`: recall of each fact's content words, compared by stem, averaged over the facts: the
       mean of the shares found in the best sentence and in the whole summary; NaN without any, as
       for "No". Words of the question do not count (unless the fact has no others), because every
       answer repeats them. An input of more than 100 words is not taken for a question. This key is
       a degree where the others are yes or no, and agrees better with human labels on facts without
       figures (see docs/human-agreement.md).
    4. An empty summary scores 0. Without facts, and with facts of more than 10,000 numbers, the
       sample is unscored; so is an unanswerable question whose reference is a note that there is no
       answer.

    It does not judge meaning. In ECTSum's human references (val split), it finds 26 % of the 877
    key sentences with figures in full and 59 % in part (on average 52 % of their figures), and 15 %
    of the 123 key sentences without figures.

    Metadata: `facts`, each with its verdict (`stated`; `partly`; `contradicted`: no figure is right
    and at least one is wrong, or a fact without figures is given another time or negated;
    `missing`), the share of its figures that is stated (without figures: of its words), and the
    deciding sentence.

    Args:
        gold: `bank`, `reference` (its sentences), `metadata:KEY`, or `auto`: the bank if the sample
            has one, else the reference.

    Raises:
        InputError: `gold` is unknown.
    """

    def score(state: TaskState, target: Target) -> Score:
        facts, origin = facts_to_find(state, target, gold)
        answer = state.output.completion
        results = _find_facts(facts, answer, question_of(state))
        shares = [result["share"] for result in results if result["figures"]]
        question = state.input_text
        question_stems = (
            content_stems(question) if len(question.split()) <= _QUESTION else frozenset[str]()
        )
        stated_count = sum(map(_stated_part, results))
        return keyed_score(
            {
                "facts": stated_count / len(results),
                "quantities": sum(shares) / len(shares) if shares else NoValue("no_figure"),
                "words": _word_recall(facts, answer, question_stems),
            },
            explanation="\n".join(f"{result['verdict']}: {result['text']}" for result in results),
            metadata={
                "signature": {"gold": origin, "rules": _RULES_VERSION},
                "facts": results,
            },
        )

    return score


def _find_facts(facts: list[NamedFact], summary: str, question: str) -> list[dict[str, Any]]:
    check_numbers((fact.text for fact in facts), _MOST)
    statements = [read_statement(sentence) for sentence in sentences(summary)]
    fact_statements = [read_statement(fact.text) for fact in facts]
    entities = entities_of(fact_statements)
    results = []
    for fact, statement in zip(facts, fact_statements, strict=True):
        gold = _without_words(statement, question)
        if gold is not None:
            result = _find_without_words(gold, statements, summary, is_only_fact=len(facts) == 1)
        else:
            result = _find_statement(statement, statements, entities)
            if result["verdict"] != "stated":
                result |= _find_number(statement, question, statements, summary)
        results.append({**fact._asdict(), **result})
    return results


def _find_statement(
    fact: Statement, statements: list[Statement], entities: Entities
) -> dict[str, Any]:
    """Look for a fact by its figures or words."""
    match = match_fact(fact, statements, entities)
    is_partly_stated = bool(fact.figures) and 0 < match.share < 1
    return {
        "verdict": "partly" if is_partly_stated else match.verdict,
        "figures": len(fact.figures),
        "share": match.share,
        "said": None if match.position is None else statements[match.position].text,
    }


def _without_words(fact: Statement, question: str) -> Gold | None:
    """Return what an answer must give if a fact is a date, a year, yes or no; None for others."""
    gold = None if fact.figures else read_gold(fact.text, question)
    if gold is None or gold.dates or gold.number:
        return gold
    has_other_words = fact.words - content_words(gold.word or "")
    return None if has_other_words else gold


def _find_number(
    fact: Statement, question: str, statements: list[Statement], summary: str
) -> dict[str, Any]:
    """Look for a fact that is one number alone as the answer to a question; empty if not given."""
    gold = read_gold(fact.text, question)
    if gold is None or not gold.number:
        return {}
    result = _find_without_words(gold, statements, summary, is_only_fact=False)
    return {**result, "figures": len(fact.figures)} if result["verdict"] == "stated" else {}


def _find_without_words(
    gold: Gold, statements: list[Statement], summary: str, *, is_only_fact: bool
) -> dict[str, Any]:
    """Look for a fact that is a value alone; another date, yes or no contradicts an only fact."""
    match = match_answer(summary, gold, 0.0)
    verdict: MatchVerdict = "stated" if match.matched else "missing"
    if is_only_fact and not match.matched and match.given:
        verdict = "contradicted"
    decisive = (match.given or "").split(", ")[0].lower()
    deciding_texts = (
        statement.text
        for statement in statements
        if decisive and decisive in statement.text.lower()
    )
    return {
        "verdict": verdict,
        "figures": 0,
        "share": float(match.matched),
        "said": None if verdict == "missing" else next(deciding_texts, None),
    }


def _stated_part(result: dict[str, Any]) -> float:
    """Return the stated part of a fact: 1, 0, or the share of its figures."""
    if result["verdict"] == "partly":
        return float(result["share"])
    return float(result["verdict"] == "stated")


def _word_recall(
    facts: list[NamedFact], summary: str, question_stems: frozenset[str]
) -> float | NoValue:
    stems = [content_stems(sentence) for sentence in sentences(summary)]
    summary_stems = frozenset[str]().union(*stems)
    recalls = []
    for fact in facts:
        all_words = content_stems(fact.text)
        words = all_words - question_stems or all_words
        if words:
            best = max((len(words & sentence) for sentence in stems), default=0)
            recalls.append((best + len(words & summary_stems)) / (2 * len(words)))
    return sum(recalls) / len(recalls) if recalls else NoValue("no_words")
