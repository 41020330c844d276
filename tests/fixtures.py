"""Shared fixtures: a small real prepared corpus and a log folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import certifi
import hypothesis
import pytest
from filelock import FileLock

import arag_inspect._registry  # noqa: F401  # benchmarks add their scorers and tasks
from arag_inspect.benchmarks import Options, prepare_dataset
from arag_inspect.corpus import Corpus
from tests.cheaper import hashed_vectors, painted, real_vectors, unpainted  # noqa: F401
from tests.conftest import SHARED_DATA

hypothesis.settings.register_profile(  # without time limits
    "deterministic",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("deterministic")


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep logs and cached replies out of the working directory and the user's cache.

    A single CA certificate is enough, as each model client reads all of them.
    """
    first, end, _ = certifi.contents().partition("-----END CERTIFICATE-----\n")
    certificate = tmp_path_factory.mktemp("certificates") / "one.pem"
    certificate.write_text(first + end, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INSPECT_LOG_DIR", str(tmp_path_factory.mktemp("logs")))
        patch.setenv("INSPECT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("ARAG_CACHE", str(tmp_path_factory.mktemp("kept")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("SSL_CERT_FILE", str(certificate))
        yield


@pytest.fixture(scope="session")
def ectsum_copy() -> Path:
    """A local copy of the ECTSum repository with the val split."""
    folder = SHARED_DATA / "ectsum"
    if not folder.is_dir():
        pytest.skip("no copy of ECTSum beside the repository (../shared/data/ectsum)")
    return folder


@pytest.fixture(scope="session")
def recorded_calls() -> Path:
    """Three calls written for the tests, in the layout of the ECTSum repository (val split)."""
    return Path(__file__).parent / "recorded" / "calls"


@pytest.fixture(scope="session")
def synthetic_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls of two companies, prepared once for all workers."""
    if prepared := os.environ.get("ARAG_TESTS_SYNTHETIC"):
        return Path(prepared)
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    out = shared / "datasets" / "synthetic"
    with FileLock(shared / "synthetic.lock"):
        if not out.is_dir():
            prepare_dataset("synthetic", documents=10, options=Options(out=out, chunk_tokens=500))
    return out


@pytest.fixture(scope="session")
def corpus(synthetic_folder: Path) -> Corpus:
    return Corpus.open(synthetic_folder)


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The log folder, not yet created, below the temporary working directory."""
    folder = tmp_path / "logs"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_LOG_DIR", str(folder))
    yield folder


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """Address of a local object store."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of that store, which this process can access under `s3://`."""
    import boto3
    import s3fs

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server)
    s3fs.S3FileSystem.clear_instance_cache()
    return boto3.client("s3")
