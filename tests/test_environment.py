"""Tests that test results do not depend on the shell's environment variables."""

import json
import os
import subprocess
import sys
from pathlib import Path

_SHELL = {
    "ARAG_DATASETS": "/none",
    "ARAG_CACHE": "/none",
    "HF_TOKEN": "hf_of_a_user",
    "HF_HUB_OFFLINE": "0",
    "INSPECT_LOG_DIR": "/none",
    "INSPECT_EVAL_MODEL": "openai/none",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "MISTRAL_API_KEY": "of-a-user",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
}


def test_test_environment_ignores_shell_settings() -> None:
    code = "import tests.environment, os, json; print(json.dumps(dict(os.environ)))"
    process = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **_SHELL, "ARAG_FAULTS": "quick"},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        check=True,
    )
    settings = json.loads(process.stdout)
    assert {name: settings[name] for name in _SHELL if name in settings} == {"HF_HUB_OFFLINE": "1"}
    assert settings["ARAG_FAULTS"] == "quick"
