"""Photograph the first screen of a report, and a sample in it: `python docs/screenshots.py report/demo/report.html`.

Needs selenium and Chromium (`apt-get install -y chromium chromium-driver`).
"""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

IMAGES = Path(__file__).parent / "images"
SIZES = {"report-first-screen": (1280, 800), "report-first-screen-phone": (390, 844)}
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """Run Chromium without a window."""
    options = webdriver.ChromeOptions()
    for flag in _FLAGS:
        options.add_argument(flag)
    driver = webdriver.ChromeService(shutil.which("chromedriver"))
    with webdriver.Chrome(options=options, service=driver) as browser:
        yield browser


def photograph(page: Path, images: Path, *, dark: bool = False) -> None:
    """Write a picture of what is seen without scrolling, by size of the window, and one of the
    first sample.

    Args:
        page: A report.
        images: Folder of the pictures.
        dark: Whether the reader prefers a dark page.
    """
    images.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name, (width, height) in SIZES.items():
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
            )
            scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
            browser.get(page.resolve().as_uri())
            WebDriverWait(browser, 60).until(
                lambda found: found.execute_script("return document.documentElement.dataset.ready")
            )
            time.sleep(1)  # charts are drawn after the page is ready
            browser.save_screenshot(str(images / f"{name}{'-dark' if dark else ''}.png"))
            if width > 500:
                browser.execute_script("document.querySelector('.filters').scrollIntoView()")
                browser.save_screenshot(str(images / f"report-sample{'-dark' if dark else ''}.png"))


if __name__ == "__main__":
    photograph(Path(sys.argv[1]), IMAGES)
