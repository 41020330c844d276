"""Run each setting in a separate process, and keep the results in a folder."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock

from .compare import Comparison, Result, compare
from .settings import BASE, REFERENCE, SETTINGS, UNSET, Setting, describe_processor

_ROOT = Path(__file__).resolve().parents[2]
_CHANGED = {name for setting in SETTINGS for name in setting.environment} | BASE.keys()
_REMOVED = {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONDONTWRITEBYTECODE"}
"""Further variables that change threads, or make every process compile all modules."""

_SECONDS = 1800
_SOURCES = {".py", ".md", ".yaml"}


class RunError(Exception):
    """A setting's process failed, or the folder has results of other sources."""


@dataclass(frozen=True)
class Matrix:
    """The figures of every setting, computed where the folder lacks them."""

    folder: Path
    ectsum: Path | None
    """Copy of the ECTSum repository; None for synthetic calls."""

    calls: int
    searches: int

    def path(self, setting: Setting, repeat: int) -> Path:
        """Return the file of a result."""
        return self.folder / f"{setting.name}-{repeat}.json"

    def result(self, setting: Setting, repeat: int = 1) -> Result:
        """Return a result, which is computed only if its file is missing.

        Raises:
            RunError: The process failed, or the file is of other sources, calls or another
                processor.
        """
        path = self.path(setting, repeat)
        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                computed = self._compute(setting, path.with_suffix(".part"))
                path.with_suffix(".part").write_text(json.dumps(computed), encoding="utf-8")
                path.with_suffix(".part").rename(path)
        result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if result["made_with"] != self._made_with():
            raise RunError(
                f"{path} was computed by other code, on other calls or another processor; give "
                "another folder"
            )
        return result

    def compare(self, setting: Setting, repeat: int = 1) -> Comparison:
        """Compare a result with the reference, a repetition with its setting's first run."""
        if repeat == 1:
            return compare(
                self.result(REFERENCE), self.result(setting), same_bits=setting.same_bits
            )
        return compare(self.result(setting), self.result(setting, repeat), same_bits=True)

    def _compute(self, setting: Setting, out: Path) -> dict[str, Any]:
        words = [sys.executable, "-m", "measurements.matrix.work", str(out.absolute())]
        words += ["--calls", str(self.calls), "--searches", str(self.searches)]
        words += ["--connections", str(setting.connections)]
        words += ["--ectsum", str(self.ectsum.absolute())] if self.ectsum else []
        done = subprocess.run(
            [*words, f"--options={shlex.join(setting.run)}"],
            cwd=_ROOT,
            env=_environment(setting),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        if done.returncode:
            raise RunError(f"{setting.name}: {done.stderr[-2000:]}")
        return {**json.loads(out.read_text(encoding="utf-8")), "made_with": self._made_with()}

    def _made_with(self) -> dict[str, Any]:
        return {
            "processor": describe_processor(),
            "package": _package_digest(),
            "calls": f"{self.calls} {'ECTSum' if self.ectsum else 'synthetic'} calls",
            "searches": self.searches,
        }


def _environment(setting: Setting) -> dict[str, str]:
    """Return the environment of a setting, without what others and the shell set."""
    removed = _CHANGED | _REMOVED
    ours = {name: value for name, value in os.environ.items() if name not in removed}
    given = {**ours, "HF_HUB_OFFLINE": "1", **BASE, **setting.environment}
    return {name: value for name, value in given.items() if value != UNSET}


@cache
def _package_digest() -> str:
    """Return a digest of the code that computes the figures."""
    digest = hashlib.sha256()
    files = [path for path in (_ROOT / "arag_inspect").rglob("*") if path.suffix in _SOURCES]
    files += [_ROOT / "measurements" / "matrix" / name for name in ("work.py", "observe.py")]
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
