"""Tests that logs that would exhaust memory are rejected with a one-line error."""

import json
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, BadZipFile, ZipFile

import pytest
from click.testing import CliRunner
from inspect_ai.log import read_eval_log, write_eval_log

from arag_inspect._util import log_files
from arag_inspect._util.log_files import read_log
from arag_inspect.cli.main import main
from tests import frozen
from tests.logs import samples_of
from tests.report import material as m

SAMPLE = "samples/s000_epoch_1.json"
DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the parts of a valid log."""
    path = tmp_path_factory.mktemp("sound") / "log.eval"
    write_eval_log(m.log([m.sample(0, {"rouge": m.scored({"rouge1": 0.5})})]), str(path))
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _with(content: bytes, added: bytes) -> bytes:
    """Add a field at the end of an object."""
    return content.rstrip()[:-1] + b', "added": ' + added + b"}"


def _archive(path: Path, parts: dict[str, bytes]) -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


BOMBS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "spaces in the header": ("header.json", lambda _: b" " * 300_000, "the log, unpacked, has"),
    "spaces in a sample": (SAMPLE, lambda _: b" " * 300_000, "the log, unpacked, has"),
    "a long answer": (
        SAMPLE,
        lambda content: _with(content, b'"' + bytes(range(48, 58)) * 20_000 + b'"'),
        "the log, unpacked, has",
    ),
    "a large part": (
        SAMPLE,
        lambda content: _with(
            content, json.dumps([zlib.crc32(b"%d" % n) for n in range(9_000)]).encode()
        ),
        f"{SAMPLE} has 0.1 MB; the limit is 0.0 MB",
    ),
    "many values": (
        SAMPLE,
        lambda content: _with(content, b"[" + b"1," * 9_000 + b"1]"),
        f"{SAMPLE} has more than 8,000 values",
    ),
    "brackets": (SAMPLE, lambda content: _with(content, DEEP), "nested too deeply"),
    "objects": (
        SAMPLE,
        lambda content: _with(content, b'{"a":' * 2_000 + b"1" + b"}" * 2_000),
        "nested too deeply",
    ),
    "brackets after half a character": (
        "header.json",
        lambda content: _with(content, b'["\\ud800", ' + DEEP + b"]"),
        "nested too deeply",
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_decompression_bomb_is_rejected_in_one_line_before_parsing(
    tmp_path: Path, parts: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, bomb: str
) -> None:
    part, spoil, why = BOMBS[bomb]
    if "deeply" not in why:
        monkeypatch.setattr(log_files, "HIGHEST_RATIO", 20)
        monkeypatch.setattr(log_files, "LARGEST_PART", 50_000)
        monkeypatch.setattr(log_files, "MOST_VALUES", 8_000)
    path = _archive(tmp_path / "bomb.eval", {**parts, part: spoil(parts[part])})
    result = CliRunner().invoke(main, ["report", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1 and why in result.output, result.output
    assert len(result.output.splitlines()) == 1 and not (tmp_path / "out").exists()


def test_json_log_is_held_to_same_bounds(
    tmp_path: Path, parts: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.json"
    write_eval_log(m.log([m.sample(0)]), str(path))
    sound = path.read_bytes()
    read_log(str(path))
    path.write_bytes(_with(sound, DEEP))
    with pytest.raises(ValueError, match="nested too deeply"):
        read_log(str(path), header_only=True)
    monkeypatch.setattr(log_files, "LARGEST_JSON", len(sound) - 1)
    path.write_bytes(sound)
    with pytest.raises(ValueError, match=r"the limit is 0.0 MB"):
        read_log(str(path))


@pytest.mark.parametrize("beyond", [b"", b" "])
def test_zip_directory_that_understates_member_size_is_rejected(
    tmp_path: Path, parts: dict[str, bytes], beyond: bytes
) -> None:
    """Inspect's reader would decompress the whole member."""
    path = _archive(tmp_path / "log.eval", {**parts, SAMPLE: parts[SAMPLE] + b" " * 2**20})
    content = bytearray(path.read_bytes())
    member = parts[SAMPLE]
    entry = content.rindex(SAMPLE.encode()) - 46
    struct.pack_into("<I", content, entry + 16, zlib.crc32(member + beyond))
    struct.pack_into("<I", content, entry + 24, len(member))
    path.write_bytes(content)
    assert len(read_log(str(path), header_only=True).eval.task) > 0
    with pytest.raises((ValueError, BadZipFile), match="differs in length|Bad CRC-32"):
        read_log(str(path))


def test_oversized_log_is_rejected_without_being_held_in_memory(
    tmp_path: Path, parts: dict[str, bytes]
) -> None:
    path = tmp_path / "log.eval"
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("header.json", "w") as file:
            for _ in range(300):
                file.write(b" " * 2**20)
        archive.writestr(SAMPLE, parts[SAMPLE])
    tracemalloc.start()
    with pytest.raises(ValueError, match="the log, unpacked, has 300.0 MB; the limit is 1"):
        read_log(str(path))
    assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("method", [ZIP_BZIP2, ZIP_LZMA])
@pytest.mark.parametrize("name", ["header.json", SAMPLE])
def test_log_member_with_non_streaming_compression_is_rejected(
    tmp_path: Path, parts: dict[str, bytes], method: int, name: str
) -> None:
    path = tmp_path / "log.eval"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for part, content in parts.items():
            archive.writestr(part, content, method if part == name else None)
    with pytest.raises(ValueError, match=f"{name} is compressed in a way that logs are not"):
        read_log(str(path))


@pytest.mark.parametrize("name", ["arag", "naive_rag", "stuffing"])
def test_intact_log_is_read_as_by_inspect(name: str) -> None:
    path = str(Path(frozen.__file__).parent / "logs" / f"{name}.eval")
    left_out = {"events", "events_data", "messages", "attachments"}
    for excluded in (set[str](), left_out):
        streamed, reference = read_log(path, exclude_fields=excluded), read_eval_log(path)
        assert streamed.samples
        for own, other in zip(streamed.samples, samples_of(reference), strict=True):
            fields = set(type(own).model_fields) - excluded
            assert repr(own.model_dump(include=fields)) == repr(other.model_dump(include=fields))
