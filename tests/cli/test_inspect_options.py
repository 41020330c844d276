"""Options after `--`: the arguments of Inspect's `eval_set` that they become."""

from typing import Any

import pytest

from arag_inspect._util.errors import InputError
from arag_inspect.cli._inspect_options import parse_inspect_options


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("", {}),
        ("--max-connections 20 --max-tasks=4", {"max_connections": 20, "max_tasks": 4}),
        ("--batch -M timeout=60 -M region=eu", {"batch": True, "model_args": {"timeout": 60, "region": "eu"}}),
        ("-M api_key=sk-1a2b3c4d5 -M max_tokens=9", {"model_args": {"api_key": "sk-1a2b3c4d5", "max_tokens": 9}}),
        ("--cost-limit 2.5 --no-log-images", {"cost_limit": 2.5, "log_images": False}),
        ("--log-dir s3://bucket/x --tags a,b", {"log_dir": "s3://bucket/x", "tags": ["a", "b"]}),
        ("--model-role summarizer=m/x --seed -1", {"model_roles": {"summarizer": "m/x"}, "seed": -1}),
        ("--model-cost-config prices.yaml --retry-on-error 2", {"model_cost_config": "prices.yaml", "retry_on_error": 2}),
    ],
)  # fmt: skip
def test_options_become_arguments(line: str, arguments: dict[str, Any]) -> None:
    assert parse_inspect_options(line.split()) == arguments


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--nonsense 3", "--nonsense after -- is not an option of Inspect's eval_set"),
        ("extra", "'extra' is unexpected; options of Inspect begin with -"),
        ("--model m/x", "--model is set by this command; leave it out after --"),
        ("--max-samples many", "--max-samples: Input should be a valid integer"),
        ("-M timeout", "-M 'timeout' is not NAME=VALUE"),
        ("-M client_secret=x1y2z3w4", "the value of client_secret in -M would be written to the log"),
        ('-M default_headers={"x-api-key":"x1y2z3w4"}', "the value of x-api-key in -M would be"),
        ("--metadata access_token=x1y2z3w4", "the value of access_token in --metadata would be"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(line: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_inspect_options(line.split())
    assert message in raised.value.message and "\n" not in raised.value.message
