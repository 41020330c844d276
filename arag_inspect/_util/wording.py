"""Wording for messages: counts, plurals, times, lists of names."""

from collections.abc import Iterable

_PLURALS = {"company": "companies", "person": "people", "reply": "replies", "summary": "summaries"}


def format_count(number: int, noun: str) -> str:
    """Count things, e.g. `1 company`, `12 companies`, `4 groups by topic`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun, which may be followed by a phrase with `by` or `of`."""
    head, preposition, phrase = noun.partition(" of " if " of " in noun else " by ")
    return _PLURALS.get(head, f"{head}s") + preposition + phrase


def as_sentence(clause: str) -> str:
    """Begin a clause with a capital letter and end it with a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


def join_names(names: Iterable[str]) -> str:
    """Join names as in `a, b and c`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def join_or_count(names: Iterable[str], noun: str, most: int = 4) -> str:
    """Join distinct names, or count them if there are more than `most`."""
    distinct = list(dict.fromkeys(names))
    return join_names(distinct) if len(distinct) <= most else format_count(len(distinct), noun)


def milliseconds(amount: float) -> str:
    """Format a time: `1.5 s`, or below a second `120 ms`."""
    if amount >= 999.5:
        return f"{amount / 1000:,.1f} s"
    return f"{amount:.0f} ms" if amount >= 1 else "< 1 ms"
