"""Read the text of an HTML page; runs in the subprocess of `_worker.py`."""

import re
from collections.abc import Iterator
from pathlib import Path

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset=["']?([\w-]{1,40})""", re.IGNORECASE)


def read(path: str) -> Iterator[str]:
    from inscriptis.html_engine import Inscriptis
    from inscriptis.model.config import ParserConfig
    from lxml.etree import LxmlError
    from lxml.html import HTMLParser, document_fromstring

    content = Path(path).read_bytes()
    charset = _CHARSET.search(content[:4096])
    try:
        html = content.decode(charset[1].decode() if charset else "utf-8-sig")
    except (UnicodeError, LookupError):
        raise ValueError("is not UTF-8 text; save it as UTF-8") from None
    html = re.sub(r"^\s*<\?xml[^>]*\?>", "", html)
    if not html.strip():
        return
    try:
        # without huge_tree, lxml drops whatever is nested deeper than 256 or longer than 10 MB
        tree = document_fromstring(html, parser=HTMLParser(huge_tree=True))
        text = Inscriptis(tree, ParserConfig(table_cell_separator=" | ")).get_text()
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except (LxmlError, ValueError) as error:
        raise ValueError(f"is not readable HTML ({error})") from None
    yield "\n".join(re.sub(r"[ \t\xa0]+", " ", line).strip() for line in text.splitlines())
