"""Questions about the figures that companies tag in inline XBRL, written without a model."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import digest
from arag_inspect._util.wording import format_count
from arag_inspect.corpus.documents.isolated import read_in_parallel
from arag_inspect.corpus.documents.tagged import TaggedFigure, evidence_at, read_tagged
from arag_inspect.corpus.documents.text import Skipped

from .._shared.question_set import Question

MOST = 40
"""Maximum number of questions per filing."""

_NAMES = {
    "NetIncomeLoss": "net income (loss) attributable to the company",
    "ProfitLoss": "net income (loss), noncontrolling interests included",
    "RevenueFromContractWithCustomerExcludingAssessedTax": "revenue",
    "Revenues": "revenue",
}
"""Usual terms for tags; other tags use their names."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORDINGS = (
    (
        (
            r"\b(increase|income|gains?|profit|earnings|provided by) (decrease|loss(?:es)?"
            r"|accumulated deficit|used in)\b"
        ),
        r"\1 (\2)",
    ),
    (r"\b(income|expense) (expense|benefit)\b", r"\1 (\2)"),
    (r"^(.+) (current|noncurrent|basic|diluted)$", r"\2 \1"),
    (r" (net|gross)(?=$| of )", r", \1"),
    (r"\b(long|short) term\b", r"\1-term"),
    (r"(?<! from) (continuing|discontinued) operations$", r" from \1 operations"),
)
"""Rewordings of tag names."""

_AFTER_HEAD = re.compile(r",| (?:\(|(?:at|by|for|from|in|of|on|per|provided|to|with)\b)")
_SCALES = {0: "", 3: "thousands of ", 6: "millions of ", 9: "billions of "}
_CURRENCIES = {"USD": "US dollars", "EUR": "euros", "GBP": "pounds sterling", "JPY": "yen"}
_MONTHS = {1: "month", 3: "three months", 6: "six months", 9: "nine months", 12: "year"}


def tagged_questions(paths: Mapping[str, Path]) -> tuple[list[Question], list[Skipped]]:
    """Make at most 40 questions about each filing from its tagged figures, chosen at random.

    The tag determines metric, period and unit; the answer is the figure as printed, with its sign.
    Figures with dimensions, and questions with different answers, are omitted.

    Args:
        paths: Files of the documents, by id.

    Returns:
        The questions, and a line with the numbers of figures and, by reason, of omitted ones.

    Raises:
        InputError: No question can be made.
    """
    filings = dict(zip(paths, read_in_parallel(read_tagged, paths.values()), strict=True))
    left_out: Counter[str] = Counter()
    figures_by_subject: dict[str, list[tuple[str, TaggedFigure]]] = defaultdict(list)
    for doc_id, filing in filings.items():
        for figure in filing.figures:
            reason = _reason_left_out(figure)
            if reason:
                left_out[reason] += 1
            else:
                figures_by_subject[_subject(filing.company, figure)].append((doc_id, figure))
    questions: list[Question] = []
    questions_by_document: Counter[str] = Counter()
    for subject in sorted(figures_by_subject, key=digest):
        figures = figures_by_subject[subject]
        doc_id, figure = figures[0]
        evidence = evidence_at(filings[doc_id].text, figure.offset or 0)
        if len({other.value for _, other in figures}) > 1:
            left_out["whose question has several answers"] += len(figures)
        elif not evidence:
            left_out["in lines that recur"] += len(figures)
        elif questions_by_document[doc_id] == MOST:
            left_out[f"beyond {MOST} of a filing"] += len(figures)
        else:
            left_out["that repeat another"] += len(figures) - 1
            questions_by_document[doc_id] += 1
            questions.append(_question(subject, doc_id, figure, evidence))
    total = sum(len(filing.figures) for filing in filings.values())
    reasons = [f"{count:,} {reason}" for reason, count in left_out.items() if count]
    note = (
        f"{format_count(len(questions), 'question')} about "
        f"{format_count(total, 'tagged figure')}; left out: "
    )
    note += ", ".join(reasons) or "none"
    if not questions:
        raise InputError(f"no figure tagged in inline XBRL can be asked for: {note}")
    return questions, [Skipped("inline XBRL", note, partly=True)]


def _reason_left_out(figure: TaggedFigure) -> str:
    """Return why a figure is omitted; empty if it yields a question."""
    if figure.value is None:
        return "in words, dashes or blank"
    if figure.offset is None:
        return "not found in the text"
    if figure.has_dimensions:
        return "with dimensions, such as segments"
    return "" if _unit(figure) and figure.dates else "of other units or without a period"


def _question(subject: str, doc_id: str, figure: TaggedFigure, evidence: str) -> Question:
    unit = _unit(figure)
    return Question(
        question_id=f"xbrl-{digest(subject)}",
        text=f"{subject}, in {unit}?",
        answers=(f"{figure.printed:,}{'%' if unit == 'percent' else ''}",),
        doc_ids=(doc_id,),
        evidence=(evidence,),
        question_type="tagged_figure",
        extra_metadata={"tag": figure.tag},
    )


def _subject(company: str, figure: TaggedFigure) -> str:
    """Return a question without its unit: `What was Acme's revenue for the year ended ...`."""
    name = figure.tag.rpartition(":")[2]
    words = [
        word if word.isupper() and len(word) > 1 else word.lower() for word in _WORD.findall(name)
    ]
    metric = " ".join(words)
    for pattern, wording in _WORDINGS:
        metric = re.sub(pattern, wording, metric)
    metric = _NAMES.get(name, metric)
    verb = "were" if re.search("[^siu]s$", _AFTER_HEAD.split(metric)[0]) else "was"
    genitive = "'" if company.endswith("s") else "'s"
    return f"What {verb} {company or 'the company'}{genitive} {metric} {_period(figure.dates)}"


def _unit(figure: TaggedFigure) -> str:
    """Return a figure's unit, as `millions of US dollars`; empty for unusual units."""
    measure, _, denominator = figure.unit.partition("/")
    if (measure, denominator, figure.scale) == ("pure", "", -2):
        return "percent"
    is_money = re.fullmatch("[A-Z]{3}", measure) is not None and denominator in ("", "shares")
    if figure.scale not in _SCALES or not (is_money or figure.unit == "shares"):
        return ""
    share_suffix = " per share" if denominator else ""
    return f"{_SCALES[figure.scale]}{_CURRENCIES.get(measure, measure)}{share_suffix}"


def _period(dates: Sequence[date]) -> str:
    """Return `as of June 30, 2025`, `for the six months ended ...` or `for the 13 weeks ...`."""
    start = dates[0]
    end = dates[-1]
    day = f"{end:%B} {end.day}, {end.year}"
    if len(dates) == 1:
        return f"as of {day}"
    day_after = end + timedelta(days=1)
    months = 12 * (day_after.year - start.year) + day_after.month - start.month
    if day_after.day == start.day and months > 0:
        return f"for the {_MONTHS.get(months, f'{months} months')} ended {day}"
    weeks, days = divmod((day_after - start).days, 7)
    length = f"{weeks} weeks" if days == 0 else f"{7 * weeks + days} days"
    return f"for the {length} ended {day}"
