"""Decode files as a browser does, and recognise binary files and other languages."""

import codecs
import re
from collections import Counter
from operator import itemgetter
from unicodedata import category
from unicodedata import name as sign_name

import webencodings

from ...text.tables import is_row

_BOMS = codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE

_DECLARED = re.compile(
    rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})"""
    rb"""|<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""",
    re.IGNORECASE,
)

_NOT_DECLARED = "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined"
"""Encodings that are wrong if the declaration itself is readable as ASCII."""


def decode(content: bytes, *, markup: bool = False, otherwise: str = "utf-8") -> str:
    """Decode a file: by its byte-order mark, its zero bytes (UTF-16), or its declaration.

    Args:
        content: The file.
        markup: Whether a `<meta>` element or an XML declaration counts.
        otherwise: Encoding of a file that is not UTF-8 and declares no encoding.

    Raises:
        UnicodeDecodeError: The file is invalid in its encoding.
    """
    if content.startswith(_BOMS):
        return str(webencodings.decode(content, "utf-8")[0])
    sample = content[:2000]
    zeros = sample[::2].count(0), sample[1::2].count(0)
    if max(zeros) > len(sample) / 5 > 5 * min(zeros):
        return content.decode("utf-16-be" if zeros[0] > zeros[1] else "utf-16-le", errors="replace")
    declaration = _DECLARED.search(content[:4096]) if markup else None
    encoding = (
        webencodings.lookup((declaration[1] or declaration[2]).decode()) if declaration else None
    )
    if encoding is not None and encoding.name not in _NOT_DECLARED:
        name = encoding.codec_info.name.replace("gbk", "gb18030")  # gb18030 is a superset of gbk
        return content.decode(name, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode(otherwise)


_SAMPLE = 20_000
"""Characters at the start of a document that determine its kind and language."""

_ENGLISH = frozenset(("the", "of", "and", "to", "with", "that", "by", "from", "this", "are"))
"""Frequent words that are rare in other languages with Latin letters."""

_LEAST_WORDS = 20
"""Fewest words in lower case by which the language is determined."""


def is_binary(text: str) -> bool:
    """Return whether 5 % of the first characters of a decoded file are controls or unassigned."""
    counts = Counter(text[:_SAMPLE])
    control_characters = (
        sign for sign in counts if sign not in "\t\n\r\f" and category(sign) in ("Cc", "Cn")
    )
    return 20 * sum(map(counts.__getitem__, control_characters)) > counts.total()


def other_language(text: str) -> str:
    """Return the script of a text in non-Latin letters, or `not in English`; else empty.

    Tables are ignored, because their labels lack the frequent words of a language.
    """
    sample = text[:_SAMPLE]
    lines = sample.split("\n")
    prose = "\n".join(line for line in lines if "|" not in line and not is_row(line))
    letters: Counter[str] = Counter()
    sign_counts = Counter("" if sample.isascii() else sample)
    for sign, count in sign_counts.items():
        if sign.isalpha():
            letters[sign_name(sign, "Latin").split()[0].capitalize()] += count
    script, count = max(letters.items(), key=itemgetter(1), default=("Latin", 0))
    if script != "Latin" and 2 * count > letters.total():
        return f"in {script} letters"
    words = [word for word in re.findall(r"[^\W\d_]{2,}", prose) if word.islower()]
    english = sum(word in _ENGLISH for word in words)
    is_foreign = len(words) >= _LEAST_WORDS and english < len(words) / 25
    return "not in English" if is_foreign else ""
