"""Tokens and cost in services' answers."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_COST_NAMES = ("cost_usd", "cost", "total_cost_usd")
_CURRENCY_NAMES = ("currency", "currency_code", "currencyCode", "cost_currency", "price_currency")
_DOLLARS = ("", "$", "usd", "us$", "us dollar", "us dollars", "dollar", "dollars")
_FOREIGN = re.compile(r"[€£¥₹₩]|(?<![A-Za-z])(?!USD?(?![A-Za-z]))[A-Z]{3}(?![A-Za-z])")
"""A sign or code of a currency other than the dollar."""

_USAGE = ("usage", "usage_metadata", "usageMetadata", "tokens")
_INPUT = (
    "input_tokens",
    "prompt_tokens",
    "inputTokens",
    "promptTokens",
    "promptTokenCount",
    "prompt_eval_count",
)
_OUTPUT = (
    "output_tokens",
    "completion_tokens",
    "outputTokens",
    "completionTokens",
    "candidatesTokenCount",
    "eval_count",
)
_BESIDE_INPUT = ("cache_creation_input_tokens", "cache_read_input_tokens")
"""Anthropic's fields of input tokens that its `input_tokens` excludes."""

_BESIDE_OUTPUT = ("thoughtsTokenCount",)
"""Gemini's field of output tokens that its output count excludes."""


class ForeignCost(str):
    """The currency of a cost that is not in dollars."""


def cost_of(fields: Mapping[Any, Any]) -> Any:
    """Return the cost in a response; a `ForeignCost` if it is not in dollars."""
    for name in _COST_NAMES:
        cost = fields.get(name)
        if cost is not None:
            return cost if name.endswith("usd") else check_currency(cost, fields)
    return None


def check_currency(cost: Any, surroundings: Any) -> Any:
    """Return a cost; a `ForeignCost` if its text, or the mapping around it, states a currency."""
    mappings = [mapping for mapping in (surroundings, cost) if isinstance(mapping, Mapping)]
    for currency in _values(mappings, _CURRENCY_NAMES):
        if isinstance(currency, str) and currency.strip().lower() not in _DOLLARS:
            return ForeignCost(currency.strip()[:20])
    foreign = _FOREIGN.search(cost) if isinstance(cost, str) else None
    return ForeignCost(foreign[0]) if foreign else cost


def total(values: list[Any]) -> Any:
    """Return the sum of numbers, which may be texts, or the first value that is not a number."""
    numbers: list[float] = []
    for value in values:
        if value is None:
            continue
        number = amount(value)
        if isinstance(number, str):
            try:
                number = float(number) if "." in number else int(number)
            except ValueError:
                return value
        if not isinstance(number, int | float):
            return value
        numbers.append(number)
    return sum(numbers) if numbers else None


def amount(value: object) -> object:
    """Return the digits of a number in a text, without `$` and separators of thousands."""
    if not isinstance(value, str):
        return value
    return value.upper().replace("USD", "").replace("$", "").replace(",", "").strip()


def tokens_of(fields: Mapping[Any, Any]) -> tuple[Any, Any]:
    """Return the input and output tokens in a response of any service."""
    usages = [fields[name] for name in _USAGE if isinstance(fields.get(name), Mapping)]
    mappings = [fields, *usages]
    tokens = fields.get("tokens")
    if isinstance(tokens, Mapping):
        mappings.append({f"{name}_tokens": tokens.get(name) for name in ("input", "output")})
    counts = [_first_count(mappings, names) for names in (_INPUT, _OUTPUT)]
    for index, extra_names in enumerate((_BESIDE_INPUT, _BESIDE_OUTPUT)):
        extra_counts = _values(mappings, extra_names)
        if isinstance(counts[index], int):
            counts[index] += sum(number for number in extra_counts if isinstance(number, int))
    return counts[0], counts[1]


def _first_count(mappings: list[Any], names: tuple[str, ...]) -> Any:
    """Return the first count under one of the names, ignoring lists and mappings."""
    values = _values(mappings, names)
    counts = (value for value in values if not isinstance(value, list | Mapping | None))
    return next(counts, None)


def _values(mappings: Iterable[Mapping[Any, Any]], names: tuple[str, ...]) -> Iterator[Any]:
    """Yield the value of each mapping under each of the names."""
    for mapping in mappings:
        for name in names:
            yield mapping.get(name)
