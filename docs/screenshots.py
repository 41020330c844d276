"""Photograph a report and a log in Inspect's browser: `python docs/screenshots.py report/demo/report.html logs/demo`.

Needs selenium and Chromium (`apt-get install -y chromium chromium-driver`).
"""

import shutil
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspect_ai.log import read_eval_log
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.support.ui import WebDriverWait

IMAGES = Path(__file__).parent / "images"
PICTURES = {
    "report-first-screen": (1280, 800),
    "report-first-screen-phone": (375, 812),
    "report-sample": (1280, 800),
}
"""Width and height of each picture of a report."""

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


def photograph(page: Path, images: Path) -> None:
    """Write pictures of what is seen without scrolling, and one of the first sample."""
    with chromium() as browser:
        for name, (width, height) in PICTURES.items():
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
            )
            browser.get(page.resolve().as_uri())
            WebDriverWait(browser, 60).until(
                lambda found: found.execute_script("return document.documentElement.dataset.ready")
            )
            if name == "report-sample":
                browser.execute_script("document.querySelector('[role=tab][id$=samples]').click()")
            time.sleep(1)  # charts are drawn after the page is ready
            browser.save_screenshot(str(images / f"{name}.png"))


def photograph_log(folder: Path, picture: Path, port: int = 7599) -> None:
    """Write a picture of the list of samples of the A-RAG run in Inspect's log viewer.

    Args:
        folder: Logs of the demo.
        picture: File to write.
        port: Port of the viewer meanwhile.
    """
    logs = {path: read_eval_log(str(path), header_only=True) for path in folder.glob("*.eval")}
    arag = max(path for path, log in logs.items() if log.eval.task_args.get("system") == "arag")
    command = ["inspect", "view", "start", "--log-dir", str(folder), "--port", str(port)]
    viewer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with chromium() as browser:
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": 1720, "height": 720, "deviceScaleFactor": 1, "mobile": False},
            )
            address = f"http://127.0.0.1:{port}/#/logs/{arag.name}/samples/"
            listening = WebDriverWait(browser, 60, ignored_exceptions=[WebDriverException])
            listening.until(lambda page: page.get(address) is None)
            WebDriverWait(browser, 60).until(
                lambda page: "tokens in" in page.find_element("tag name", "body").text.lower()
            )
            time.sleep(2)  # rows come after their headings
            area = {"x": 0, "y": 30, "width": 1720, "height": 645, "scale": 1}  # without the path
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": area})
            picture.write_bytes(b64decode(shot["data"]))
    finally:
        viewer.terminate()
        viewer.wait()


if __name__ == "__main__":
    photograph(Path(sys.argv[1]), IMAGES)
    photograph_log(Path(sys.argv[2]), IMAGES.parent / "inspect-view.png")
