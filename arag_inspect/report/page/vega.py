"""The charting library embedded in a page."""

from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from ..._util.files import cache_folder

_VERSION = 2
"""Version of the bundle's build steps."""


def vega_bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script.

    It is built once and cached in `$ARAG_CACHE`.

    Built from the `vl-convert-python` package; nothing is
    downloaded.
    """
    name = f"vega-{version('vl-convert-python')}-{_VERSION}.js"
    path = cache_folder() / "report" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        if not path.is_file():
            _write(path)
        return path.read_text(encoding="utf-8")


def _write(path: Path) -> None:
    import vl_convert

    # The stub demands a snippet; without one the bundle sets `window.vegaEmbed`.
    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    unfinished = path.with_suffix(".tmp")
    unfinished.write_text(bundle, encoding="utf-8")
    unfinished.replace(path)
