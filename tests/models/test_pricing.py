"""Prices: registered where there are none, and never over the user's."""

import pytest
import yaml
from inspect_ai.model import ModelUsage, compute_model_cost, get_model, get_model_info

from arag_inspect.judge.signature import signature
from arag_inspect.models.pricing import register_prices, same_model


def test_prices_are_registered() -> None:
    register_prices()
    info = get_model_info("anthropic/claude-sonnet-4-6")
    assert info is not None and info.cost is not None
    usage = ModelUsage(
        input_tokens=1_000_000,
        output_tokens=100_000,
        input_tokens_cache_write=1_000_000,
        input_tokens_cache_read=1_000_000,
    )
    assert compute_model_cost(info.cost, usage) == pytest.approx(3.00 + 1.50 + 3.75 + 0.30)


def test_file_is_in_the_format_of_the_cost_config() -> None:
    from importlib.resources import files

    prices = yaml.safe_load(files("arag_inspect.models").joinpath("prices.yaml").read_text())
    fields = {"input", "output", "input_cache_write", "input_cache_read"}
    assert prices and all(set(price) == fields for price in prices.values())


@pytest.mark.parametrize(
    ("dated", "undated"),
    [
        ("anthropic/claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"),
        ("anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
        ("openai/gpt-5-2025-08-07", "openai/gpt-5"),
    ],
)
def test_dated_and_undated_names_have_one_price_and_one_signature(dated: str, undated: str) -> None:
    register_prices()
    infos = [get_model_info(name) for name in (dated, undated)]
    assert infos[0] and infos[1] and infos[0].cost and infos[0].cost == infos[1].cost
    assert same_model(undated) == same_model(dated) == dated
    assert signature("m", judge=f"{undated}#2+a/b") == signature("m", judge=f"{dated}#2+a/b")


def test_snapshots_of_one_price_are_not_one_model() -> None:
    names = ["openai/gpt-4o", "openai/gpt-4o-2024-08-06", "openai/gpt-4o-2024-11-20"]
    assert [same_model(name) for name in names] == [names[1], names[1], names[2]]
    assert same_model("anthropic/claude-opus-4-8") != same_model("anthropic/claude-opus-4-7")
    assert same_model("some/model-20250101") == "some/model-20250101"


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("anthropic/claude-opus-4-6", (5.00, 25.00, 6.25, 0.50)),
        ("anthropic/claude-opus-4-1", (15.00, 75.00, 18.75, 1.50)),
        ("openai/gpt-4o-mini", (0.15, 0.60, 0.15, 0.075)),
        ("openai/gpt-5.2", (1.75, 14.00, 1.75, 0.175)),
        ("google/gemini-2.5-flash", (0.30, 2.50, 0.30, 0.03)),
        ("openrouter/meta-llama/llama-3.3-70b-instruct", (0.10, 0.32, 0.10, 0.10)),
        ("openrouter/google/gemini-2.5-flash", (0.30, 2.50, 0.30, 0.03)),
        ("openrouter/anthropic/claude-haiku-4.5", (1.00, 5.00, 1.25, 0.10)),
        ("openrouter/anthropic/claude-opus-4.1", (15.00, 75.00, 18.75, 1.50)),
    ],
)
def test_judges_in_use_have_prices(name: str, price: tuple[float, ...]) -> None:
    register_prices()
    model = get_model(name, api_key="none") if name.startswith("openrouter/") else name
    info = get_model_info(model)
    assert info and info.cost
    found = info.cost
    assert (found.input, found.output, found.input_cache_write, found.input_cache_read) == price
