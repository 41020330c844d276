"""Scripts that put no spaces between words."""

import re

_LETTER = re.compile(
    r"([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)


def space_letters(text: str) -> str:
    """Put spaces around each letter of scripts without them: Chinese, Japanese, Thai."""
    return _LETTER.sub(r" \1 ", text)
