"""Prices: registered where there are none, and never over the user's."""

import subprocess
import sys
from textwrap import dedent

import pytest
import yaml
from inspect_ai.model import ModelUsage, compute_model_cost, get_model_info

from arag_inspect.models.pricing import register_prices


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


def test_the_users_price_wins() -> None:
    program = """
        from inspect_ai.model import ModelCost, get_model_info, set_model_cost
        from inspect_ai.model import ModelInfo, set_model_info
        name = "anthropic/claude-sonnet-4-6"
        set_model_cost(name, ModelCost(input=9, output=9, input_cache_write=9, input_cache_read=9))
        import arag_inspect._registry
        print(get_model_info(name).cost.input)
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "9.0"
