"""Remove environment variables that would affect tests."""

import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory

_OF_TESTS = (
    "ARAG_CORE ARAG_EXAMPLE ARAG_FAULTS ARAG_TESTS_SYNTHETIC ARAG_MATRIX ARAG_ECTSUM"
).split()
_OF_USERS = re.compile(
    r"(?:ARAG|INSPECT|HF|HUGGING_?FACE(?:HUB)?|TRANSFORMERS|SENTENCE_TRANSFORMERS|AWS|AZURE\w*|GOOGLE"
    r"|LANCE|ANTHROPIC|OPENAI|OPENROUTER)_\w+|\w+_API_KEY|\w+_BASE_URL"
)

for name in list(os.environ):
    if _OF_USERS.fullmatch(name) and name not in _OF_TESTS:
        del os.environ[name]
os.environ["HF_HUB_OFFLINE"] = "1"
_replies = TemporaryDirectory(prefix="replies-")  # not those of earlier sessions
os.environ["INSPECT_CACHE_DIR"] = _replies.name
os.environ["HF_HUB_CACHE"] = str(Path(__file__).with_name("no-models"))
