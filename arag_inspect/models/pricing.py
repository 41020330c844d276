"""Prices of models, and aliases of model names."""

import logging
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import fsspec
import yaml
from inspect_ai.model import (
    Model,
    ModelCost,
    ModelInfo,
    ModelUsage,
    get_model,
    get_model_info,
    model_roles,
    set_model_info,
)
from inspect_ai.util import warn_once
from pydantic import TypeAdapter

from .._util.errors import InputError, one_line
from .._util.files import packaged_yaml
from .recorded import is_recorded

_CATALOGUES = {"grok": "x-ai", "moonshot": "moonshotai"}
"""Inspect's providers that have another name in `genai-prices`."""

_LONGEST = 150_000
"""Prompt tokens up to which a model must have one price, as in Inspect's tables."""

_BATCH = {"anthropic": 0.5, "openai": 0.5, "google": 0.5}
"""Share of the list price that providers charge in batch mode."""

_HELP = "Prices in docs/costs.md"
"""Documentation of prices for names that Inspect does not know."""

_log = logging.getLogger(__name__)


def known_price(model: Model | str) -> ModelCost | None:
    """Give Inspect the price of a model that has none, and return the price that applies.

    In order of precedence: the price of the user (`--model-cost-config`), of `prices.yaml`, and of
    `genai-prices` for exactly this name, or for a name that either declares to be the same model.
    Nothing is downloaded.
    """
    info = get_model_info(model)
    if info is not None and info.cost is not None:
        return info.cost
    names = [model] if isinstance(model, str) else [str(model), model.canonical_name()]
    price = next(filter(None, map(_list_price, names)), None)
    if price is not None:
        set_model_info(names[0], (info or ModelInfo()).model_copy(update={"cost": price}))
    return price


def price_run() -> list[Model]:
    """Give Inspect the prices of the current run's models, and return these."""
    try:
        models = [get_model()]
    except Exception:  # no model, or an invalid one: Inspect reports both
        return []
    for bound in model_roles().values():
        models += bound if isinstance(bound, list) else [bound]
    for model in models:
        known_price(model)
    return models


def set_prices(config: str | Mapping[str, ModelCost] | None) -> None:
    """Give Inspect the user's prices, which override all others, before a run begins.

    Args:
        config: Value of `--model-cost-config`: a YAML or JSON file, or prices by model.

    Raises:
        InputError: The file is unreadable, or has another format.
    """
    if isinstance(config, str):
        try:
            with fsspec.open(config, encoding="utf-8", mode="r") as file:
                config = TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(file))
        except (OSError, ValueError, ImportError, yaml.YAMLError) as error:
            raise InputError(
                f"prices {config} cannot be read: {one_line(error)}; give USD per million tokens: "
                "MODEL: {input: 3, output: 15, input_cache_write: 3.75, input_cache_read: 0.3}"
            ) from None
    for name, price in (config or {}).items():
        info = get_model_info(name) or ModelInfo()
        set_model_info(name, info.model_copy(update={"cost": price}))


def same_model(name: str) -> str:
    """Return one canonical name for a model's aliases, the dated one if it exists."""
    return str(_file()["aliases"].get(name, name))


def dollars(model: str, usage: ModelUsage, *, batch: bool) -> float | None:
    """Price a call; None if the model has no known price.

    Args:
        model: Name, with the provider.
        usage: Usage with Inspect's list price.
        batch: Whether the call was made in batch mode, at a discount.
    """
    if usage.total_cost is None or not batch:
        return usage.total_cost
    return usage.total_cost * _BATCH.get(model.split("/")[0], 1.0)


def total_input_tokens(usage: ModelUsage) -> int:
    """Return the tokens of the input, including tokens read from and written to a cache."""
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return usage.input_tokens + cached


def warn_of_unknown(models: Iterable[Model | str]) -> None:
    """Warn once about each model without a known price."""
    for model in models:
        name = str(model)
        is_free = name == "none/none" or is_recorded(name)
        if not is_free and known_price(model) is None:
            advice = "Give prices with --model-cost-config FILE (of arag-inspect run: after --)."
            if get_model_info(model) is None:
                advice += f" `inspect eval` and `score` need `set_model_info` instead: see {_HELP}."
            warn_once(_log, f"{name} has no known price: dollars will be missing. {advice}")


@cache
def _file() -> dict[str, Any]:
    content: dict[str, Any] = packaged_yaml(__package__, "prices.yaml")
    return content


@cache
def _list_price(name: str) -> ModelCost | None:
    """Return the provider's price for a model, or for an alias of it."""
    first = same_model(name)
    aliases = [alias for alias, target in _file()["aliases"].items() if target == first]
    for candidate_name in dict.fromkeys((name, first, *aliases)):
        if candidate_name in _file()["prices"]:
            return ModelCost(**_file()["prices"][candidate_name])
        price = _catalogue_price(candidate_name)
        if price:
            return price
    return None


def _catalogue_price(name: str) -> ModelCost | None:
    """Look up a price in `genai-prices`; None if one table cannot contain it.

    The name must be the model's, or a dated or latest version in a rule of the catalogue; other
    names that its rules match can be other models (`minimax-m2.1` for `MiniMax-M2`).
    """
    provider, _, own_name = name.lower().partition("/")
    entry = _catalogue_entry(_CATALOGUES.get(provider, provider), own_name)
    if entry is None or _depends_on_time_of_day(entry):
        return None
    price = entry.get_prices(datetime.now(UTC))
    amounts = (price.input_mtok, price.output_mtok, price.cache_write_mtok, price.cache_read_mtok)
    if any(map(_has_early_tier, amounts)):
        return None
    input_price, output, cache_write, cache_read = map(_base_price, amounts)
    if input_price is None or output is None:
        return None
    return ModelCost(
        input=input_price,
        output=output,
        # a lower price of writing is a surcharge for storage
        input_cache_write=max(cache_write or input_price, input_price),
        input_cache_read=input_price if cache_read is None else cache_read,
    )


def _catalogue_entry(catalogue: str, name: str) -> Any:
    """Return the entry of a model, else of the model that it is a version of; None if missing."""
    from genai_prices.data_snapshot import get_snapshot  # takes 0.3 s

    providers = [provider for provider in get_snapshot().providers if provider.id == catalogue]
    entries: list[Any] = providers[0].models if providers else []
    for entry in entries:
        if entry.id.lower() == name:
            return entry
    for entry in entries:
        if _is_version(name, entry.id) and _matches_clause(entry.match, name):
            return entry
    return None


def _depends_on_time_of_day(entry: Any) -> bool:
    from genai_prices.types import StartDateConstraint

    conditions = entry.prices if isinstance(entry.prices, list) else []
    return not all(
        isinstance(condition.constraint, StartDateConstraint | None) for condition in conditions
    )


def _has_early_tier(amount: Any) -> bool:
    """Return whether another price applies to prompts that Inspect's table must price, too."""
    return any(tier.start < _LONGEST for tier in getattr(amount, "tiers", ()))


def _base_price(amount: Any) -> float | None:
    base = getattr(amount, "base", amount)
    return None if base is None else float(base)


def _is_version(name: str, model: str) -> bool:
    return bool(re.fullmatch(re.escape(model.lower()) + r"-(latest|\d{8}|\d{4}-\d\d-\d\d)", name))


def _matches_clause(clause: Any, name: str) -> bool:
    """Return whether a rule of `genai-prices` has exactly this name."""
    return any(getattr(c, "equals", "").lower() == name for c in getattr(clause, "or_", [clause]))
