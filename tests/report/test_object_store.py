"""Tests of logs and reports in an object store, against a local S3 server."""

import csv
import io
from pathlib import Path
from typing import Any

import boto3
import fsspec
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from arag_inspect._util.errors import InputError
from arag_inspect.report import frames, make_report
from arag_inspect.report.output.write import upload_report
from tests.commands import call
from tests.logs import samples_of
from tests.report import material as m


@pytest.fixture
def bucket(s3: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    s3.create_bucket(Bucket="evals")
    return "s3://evals"


@pytest.fixture(scope="module")
def recorded_log(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("logs")
    return str(m.write(folder, m.log([m.sample(0, {"rouge": m.scored({"rouge2": 0.5})})])))


def _keys(prefix: str) -> set[str]:
    listed = boto3.client("s3").list_objects_v2(Bucket="evals", Prefix=prefix).get("Contents", [])
    return {item["Key"].removeprefix(prefix) for item in listed}


def _text(key: str) -> str:
    body: bytes = boto3.client("s3").get_object(Bucket="evals", Key=key)["Body"].read()
    return body.decode()


def test_run_and_report_write_to_bucket(
    bucket: str, synthetic_folder: Path, recorded_log: str, logs: Path
) -> None:
    """A report appends to the log of runs."""
    result = call(
        *("run", "earnings_synthetic", "--model", "offline/extractive", "--limit", "1"),
        *("--systems", "closed_book", "-T", f"corpus={synthetic_folder}", "-T", "scorers=rouge"),
        *("--log-dir", f"{bucket}/logs"),
    )
    assert f"Next: arag-inspect report {bucket}/logs" in result.output
    (info,) = list_eval_logs(f"{bucket}/logs")
    log = read_eval_log(info.name)
    assert (log.status, len(samples_of(log))) == ("success", 1)
    assert not any(logs.rglob("*.eval"))

    def reported(logs: str) -> list[str]:
        result = call("report", logs, "-o", f"{bucket}/out/report/")
        assert f"Page:     {bucket}/out/report/report.html" in result.output
        rows = csv.DictReader(io.StringIO(_text("out/report/evaluation_log.csv")))
        return [row["system"] for row in rows]

    assert reported(f"{bucket}/logs") == ["Closed book"]
    keys = _keys("out/report/")
    assert {"report.html", "summarization_report.md", "scores.parquet"} <= keys
    assert any(key.endswith("/closed_book/predictions.jsonl") for key in keys)
    assert not any(".lock" in key or "partial" in key for key in keys)
    assert reported(recorded_log) == ["Closed book", "A-RAG"]


def test_report_leaves_files_that_no_report_wrote(bucket: str, recorded_log: str) -> None:
    name = "scores.csv"
    boto3.client("s3").put_object(Bucket="evals", Key=f"{name}/{name}", Body=b"mine")
    refused = call("report", recorded_log, "-o", f"{bucket}/{name}", code=1).output
    assert f"evals/{name}/{name} was not written by a report; move or rename it" in refused
    assert _keys(f"{name}/") == {name} and _text(f"{name}/{name}") == "mine"


@pytest.mark.parametrize("address", ["s3://evals/again", "memory://evals/again"])
def test_report_replaces_only_files_of_earlier_report_in_store(
    bucket: str, recorded_log: str, tmp_path: Path, address: str
) -> None:
    store, root = fsspec.core.url_to_fs(address)
    other = m.sample(0, {"rouge": m.scored({"rouge2": 0.5})}, system="stuffing")
    other_log = m.write(tmp_path, m.log([other], system="stuffing"))
    upload_report(make_report(frames(recorded_log)), address)
    (answers,) = [path for path in store.find(root) if path.endswith("/arag/predictions.jsonl")]
    other_answers = answers.replace("/arag/", "/stuffing/")
    store.pipe_file(f"{root}/notes.txt", b"mine")
    store.pipe_file(other_answers, b"mine")
    before = {path: store.cat_file(path) for path in store.find(root)}
    with pytest.raises(InputError, match=rf"{other_answers} was not written by a report"):
        upload_report(make_report(frames(other_log)), address)
    assert {path: store.cat_file(path) for path in store.find(root)} == before
    store.rm_file(other_answers)
    upload_report(make_report(frames(other_log)), address)
    assert store.exists(other_answers) and not store.exists(answers)
    assert store.cat_file(f"{root}/notes.txt") == b"mine"


@pytest.mark.parametrize("address", ["s3://nowhere/report", "gopher://host/report"])
def test_unwritable_report_address_is_reported_in_one_line(
    bucket: str, address: str, recorded_log: str
) -> None:
    result = call("report", recorded_log, "-o", address, code=1)
    assert f"Error: the report cannot be written to {address}: " in result.output
    assert "Traceback" not in result.output and result.output.strip().count("\n") <= 1
