"""Decode files as a browser does, and see whether they are text, and in English."""

import codecs
import re
from collections import Counter
from operator import itemgetter
from unicodedata import category
from unicodedata import name as sign_name

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})"""
    rb"""|<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})""",
    re.IGNORECASE,
)
_READ_AS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
}
"""Encodings that browsers read as a larger one, by Python's names (WHATWG Encoding Standard)."""

_KNOWN = re.compile(r"cp\d+|iso8859-\d+|koi8-\w|mac-\w+|euc_\w+|gb18030|big5\w*|iso2022_jp")


def decode(content: bytes, *, markup: bool = False, otherwise: str = "utf-8") -> str:
    """Decode a file: by its byte-order mark, its zero bytes (UTF-16), or its declaration.

    Args:
        content: The file.
        markup: Whether a `<meta>` element or an XML declaration counts.
        otherwise: Encoding of a file that is not UTF-8 and has no sign of another.

    Raises:
        UnicodeDecodeError: It is not in its encoding.
    """
    for mark, name in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, errors="replace")
    sample = content[:2000]
    zeros = sample[::2].count(0), sample[1::2].count(0)
    if max(zeros) > len(sample) / 5 > 5 * min(zeros):
        return content.decode("utf-16-be" if zeros[0] > zeros[1] else "utf-16-le", errors="replace")
    declared = _DECLARED.search(content[:4096]) if markup else None
    label = (declared[1] or declared[2]).decode().lower().removeprefix("x-") if declared else ""
    try:
        name = codecs.lookup(label).name if label else "utf-8"
    except LookupError:
        name = "utf-8"
    name = _READ_AS.get(name, name)
    if _KNOWN.fullmatch(name):
        return content.decode(name, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode(otherwise)


_SAMPLE = 20_000
"""Signs of a document that show what it is."""

_ENGLISH = frozenset(("the", "of", "and", "to", "with", "that", "by", "from", "this", "are"))
"""Frequent words that other languages in Latin letters hardly have."""

_LEAST_WORDS = 20
"""Words in small letters that show the language."""


def is_binary(text: str) -> bool:
    """Return whether a decoded file is no text: one sign in twenty is a control or unassigned."""
    counts = Counter(text[:_SAMPLE])
    odd = (sign for sign in counts if sign not in "\t\n\r\f" and category(sign) in ("Cc", "Cn"))
    return 20 * sum(map(counts.__getitem__, odd)) > counts.total()


def other_language(text: str) -> str:
    """Return the script of a text that is not in Latin letters, or `not in English`; else empty."""
    sample = text[:_SAMPLE]
    letters: Counter[str] = Counter()
    for sign, count in Counter(sample).items() if not sample.isascii() else ():
        if sign.isalpha():
            letters[sign_name(sign, "Latin").split()[0].capitalize()] += count
    script, count = max(letters.items(), key=itemgetter(1), default=("Latin", 0))
    if script != "Latin" and 2 * count > letters.total():
        return f"in {script} letters"
    words = [word for word in re.findall(r"[^\W\d_]{2,}", sample) if word.islower()]
    english = sum(word in _ENGLISH for word in words)
    is_foreign = len(words) >= _LEAST_WORDS and english < len(words) / 25
    return "not in English" if is_foreign else ""
