"""Check that a new corpus replaces only a folder with fewer contents and without manual edits."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..._util.errors import InputError
from ..._util.files import file_digest
from .indexing import Indexing
from .manifest import EDITED_FACTS, FACTS, GRADER_FACTS, MANIFEST, Manifest, read_manifest
from .provenance import Provenance
from .swap import recover

_COMPARED = ("documents", "samples", "questions")
"""Counts that a new corpus must not lower."""


def check_not_less(
    out: str,
    old: Manifest,
    provenance: Provenance,
    indexing: Indexing,
    counts: Mapping[str, int],
) -> None:
    """Refuse to replace a corpus by another with other settings, or fewer documents or samples.

    Args:
        out: Folder or address of the old corpus.
        old: Manifest of the old corpus.
        provenance: Origin of the new corpus's contents.
        indexing: Settings of the new corpus.
        counts: The known counts of the new corpus.

    Raises:
        InputError: Lists the differences.
    """
    before = _lasting_settings(old.provenance, old.indexing)
    after = _lasting_settings(provenance, indexing)
    changes = [
        f"{name} {value} -> {after[name]}" for name, value in before.items() if value != after[name]
    ]
    changes += [
        f"{name} {old.counts[name]} -> {counts[name]}"
        for name in _COMPARED
        if name in counts and counts[name] < old.counts.get(name, 0)
    ]
    if changes:
        raise InputError(
            f"{out} already contains a different or larger corpus ({', '.join(changes)}). "
            "Use --force to replace it, or choose another --out"
        )


def _lasting_settings(provenance: Provenance, indexing: Indexing) -> dict[str, Any]:
    """Return the settings that a corpus keeps when it is prepared again, by name.

    Excludes the arithmetic: a corpus of an earlier version is rebuilt.
    """
    settings = {"dataset": provenance.dataset, "split": provenance.split, **asdict(indexing)}
    del settings["dtype"]
    return settings


def check_replaceable(out: Path) -> Manifest | None:
    """Refuse to replace anything but a prepared folder, or to write without permission.

    Returns:
        The manifest of the folder; None if missing.
    """
    recover(out)
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} exists and is not a prepared corpus; choose another --out")
    names = {path.name for path in out.iterdir()} if out.is_dir() else set()
    try:
        manifest = read_manifest(out, outdated=True) if names else None
    except InputError:
        raise InputError(
            f"{out} exists and is not a prepared corpus; choose another --out"
        ) from None
    own_names = {MANIFEST, *manifest.files, *manifest.data_folders()} if manifest else set()
    if manifest and _has_work_of_others(out, manifest):
        raise InputError(
            f"{out / FACTS} contains entries edited by hand or listed by a grader, which would be "
            "lost; move it away or choose another --out"
        )
    foreign = names - own_names
    if foreign:
        raise InputError(
            f"{out} contains {min(foreign)}, which is not part of a corpus and would be lost; "
            "move it away or choose another --out"
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent):
            pass
    except OSError as error:
        raise InputError(
            f"cannot write to {out.parent} ({error.strerror}); choose another --out"
        ) from None
    return manifest


def _has_work_of_others(out: Path, manifest: Manifest) -> bool:
    """Return whether the fact bank has entries that preparation cannot reproduce."""
    path = out / FACTS
    if not path.is_file():
        return False
    changed = manifest.files.get(FACTS) != file_digest(path)
    return changed or any(manifest.counts.get(name) for name in (EDITED_FACTS, GRADER_FACTS))
