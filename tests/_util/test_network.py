"""Tests behind a proxy: local addresses bypass it, and errors name it."""

import gzip
import ipaddress
import os
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import anyio
import httpx
import pytest
from inspect_ai.model import Model

from arag_inspect._util.errors import InputError
from arag_inspect._util.network import is_loopback, prepare_clients, proxy_for
from arag_inspect.benchmarks._shared.download import fetch
from arag_inspect.corpus import Corpus
from arag_inspect.corpus.mirror import forget_mirrors
from arag_inspect.models import run_watch
from arag_inspect.models.spending import Call
from arag_inspect.run.serve_corpus import search_app
from arag_inspect.systems.live.endpoint import Endpoint
from tests.serving import Request, Response, running, serving
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

DEAD = "http://user:PASSWORD@127.0.0.1:9"
"""A proxy address at which nothing listens."""


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Remove all proxy settings but the test's own, and use a separate cache."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ARAG_CACHE", str(tmp_path / "cache"))
    yield
    forget_mirrors()


def ask(url: str) -> object:
    endpoint = Endpoint(url, timeout=10, retries=0)
    return anyio.run(endpoint.ask, {"question": "?"})


def download(url: str) -> object:
    return fetch(f"{url}/file", "file").read_bytes()


CLIENTS: list[Callable[[str], object]] = [ask, download, Corpus.open]


def failure(client: Callable[[str], object], url: str) -> str:
    with pytest.raises((InputError, RuntimeError)) as raised:
        client(url)
    message = str(raised.value)
    assert "\n" not in message and "PASSWORD" not in message
    return message


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("proxy", [DEAD, "socks5://127.0.0.1:9", "127.0.0.1:9"])
def test_loopback_is_reached_without_proxy(
    monkeypatch: pytest.MonkeyPatch, name: str, proxy: str
) -> None:
    if name == "HTTP_PROXY":
        monkeypatch.setenv("http_proxy", "")
    monkeypatch.setenv(name, proxy)
    with serving(lambda _: Response(200, b'"Fine."')) as url:
        assert ask(url) == "Fine." and download(url) == b'"Fine."'
        assert ask(url.replace("127.0.0.1", "localhost")) == "Fine."
        if not proxy.startswith("socks"):
            prepare_clients()
            assert httpx.get(url).text == '"Fine."'  # like a model's client


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("encoding", ["gzip, gzip", "deflate,gzip", "zstd", "br", "GZIP, identity"])
def test_reply_in_unsupported_content_encoding_is_rejected(
    client: Callable[[str], object], encoding: str
) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Response:
        requests.append(request)
        return Response(200, b"x", {"Content-Encoding": encoding})

    with serving(answer) as url:
        assert f"compressed as {encoding.lower()}, not as gzip" in failure(client, url)
    assert requests[0].headers["accept-encoding"] == "gzip, deflate"


def test_gzip_reply_is_decoded() -> None:
    packed = Response(200, gzip.compress(b'"Fine."'), {"Content-Encoding": "gzip"})
    with serving(lambda _: packed) as url:
        assert ask(url) == "Fine." and download(url) == b'"Fine."'


SOCKS = "needs a package: pip install 'httpx[socks]'"


@pytest.mark.parametrize("client", CLIENTS)
def test_proxy_or_certificate_failure_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, client: Callable[[str], object]
) -> None:
    """Proxies that are down, refuse or lack a package; certificates missing, empty or invalid."""
    monkeypatch.setattr("arag_inspect._util.network.find_spec", lambda _: None)
    certificates = [tmp_path / name for name in ("missing.pem", "empty.pem", "none.pem")]
    certificates[1].write_bytes(b"")
    certificates[2].write_bytes(b"no certificate")
    with serving(lambda _: Response(407)) as refusing:
        for name, value, scheme, expected in (
            ("HTTP_PROXY", DEAD, "http", "through the proxy http://***@127.0.0.1:9"),
            ("HTTPS_PROXY", refusing, "https", f"through the proxy {refusing}"),
            ("ALL_PROXY", "socks5://127.0.0.1:9", "http", SOCKS),
            ("ALL_PROXY", "socks5h://u:PASSWORD@127.0.0.1:9", "http", SOCKS),
            *(
                ("SSL_CERT_FILE", str(path), "https", f"certificates in {path} cannot be read")
                for path in certificates
            ),
        ):
            with monkeypatch.context() as patch:
                patch.setenv(name, value)
                assert expected in failure(client, f"{scheme}://rag.bank.example")


@pytest.mark.parametrize(
    ("url", "setting", "expected"),
    [
        ("https://api.anthropic.com", DEAD, "through the proxy http://***@127.0.0.1:9)"),
        ("", "socks5://127.0.0.1:9", "through the proxy socks5://127.0.0.1:9)"),
        ("https://api.example/v1", "ftp://127.0.0.1:9", "ftp://127.0.0.1:9 cannot be used"),
        ("http://127.0.0.1:8000/v1", DEAD, "(refused);"),
    ],
)
def test_unresponsive_model_is_reported_with_proxy(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    url: str,
    setting: str,
    expected: str,
) -> None:
    monkeypatch.setenv("ALL_PROXY", setting)
    monkeypatch.setattr("arag_inspect._util.network.find_spec", lambda _: True)
    monkeypatch.setattr(run_watch, "FAILING", 0.0)
    watch = run_watch.Watch()
    model = SimpleNamespace(api=SimpleNamespace(base_url=url))

    async def wait() -> None:
        with watch.watch(Call(cast(Model, model), judge=False)):
            watch.note_failure(str(model), "refused", None)
            watch.name_absent()

    anyio.run(wait)
    (line,) = caplog.messages
    assert expected in line and "PASSWORD" not in line


def test_unsupported_proxy_scheme_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "ftp://127.0.0.1:9")
    assert "ftp://127.0.0.1:9 cannot be used" in failure(ask, "http://rag.bank.example")


def test_requests_go_through_configured_proxy(
    monkeypatch: pytest.MonkeyPatch, synthetic_folder: Path
) -> None:
    with running(search_app(str(synthetic_folder))) as service:
        monkeypatch.setenv("ALL_PROXY", DEAD)
        assert len(Corpus.open(service))  # bypasses the proxy

        def relay(request: Request) -> Response:
            name = "http://corpus.bank.example"
            if not request.path.startswith(name):
                return Response(200, f'"{request.path}"'.encode())
            reply = httpx.request(
                request.method,
                request.path.replace(name, service),
                content=request.body,
                headers={"content-type": "application/json"},
                trust_env=False,
            )
            digest = {"arag-corpus": reply.headers["arag-corpus"]}
            return Response(reply.status_code, reply.content, digest)

        with serving(relay) as proxy:
            monkeypatch.setenv("ALL_PROXY", proxy)
            corpus = Corpus.open("http://corpus.bank.example")
            assert anyio.run(corpus.keyword_search, ["revenue"], 3)
            assert ask("http://rag.bank.example/ask") == "http://rag.bank.example/ask"
            assert (
                b"http://files.bank.example/file"
                in str(download("http://files.bank.example")).encode()
            )


@pytest.mark.parametrize(("host", "no_proxy", "is_direct"), TABLES["no proxy"])
def test_no_proxy_entry_bypasses_proxy_for_matching_hosts(
    monkeypatch: pytest.MonkeyPatch, host: str, no_proxy: str, is_direct: bool
) -> None:
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    monkeypatch.setenv("NO_PROXY", no_proxy)
    assert proxy_for(f"http://{host}/a") == (None if is_direct else DEAD)


@pytest.mark.parametrize("entry", ["10.0.0.0/99", "10.0.0/8", "bank.example/8"])
def test_invalid_no_proxy_range_is_rejected(monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", DEAD)
    monkeypatch.setenv("NO_PROXY", f"a.example,{entry}")
    message = failure(ask, "http://rag.bank.example")
    assert f"NO_PROXY: '{entry}' is not a range of addresses" in message


@pytest.mark.parametrize(
    ("expected", "hosts"),
    [
        (True, ["localhost", "a.localhost", "127.9.9.9", "::1", "::ffff:127.0.0.1"]),
        (False, ["0.0.0.0", "localhost.bank.example", "128.0.0.1"]),
    ],
)
def test_is_loopback_recognizes_loopback_hosts(expected: bool, hosts: list[str]) -> None:
    assert [is_loopback(host) for host in hosts] == [expected] * len(hosts)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a key and a self-signed certificate for the local machine."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "bench")])
    now, day = datetime.now(UTC), timedelta(days=1)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    builder = x509.CertificateBuilder(
        name, name, key.public_key(), x509.random_serial_number(), now - day, now + day
    )
    builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(True, None), critical=True)
    signed = builder.sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("tls") / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def served_by_tls(folder: Path, certificate: Path) -> Iterator[str]:
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_ca_bundle_from_environment_applies_to_every_client(
    monkeypatch: pytest.MonkeyPatch, synthetic_folder: Path, certificate: Path, name: str
) -> None:
    with served_by_tls(synthetic_folder, certificate) as url:
        for client in CLIENTS:
            assert "CERTIFICATE_VERIFY_FAILED" in failure(client, url)
        monkeypatch.setenv(name, str(certificate))
        assert len(Corpus.open(url)) == len(Corpus.open(synthetic_folder))
        assert fetch(f"{url}/manifest.json", "file").read_bytes().startswith(b"{")
        assert "HTTP 501" in failure(ask, url)  # the server answers but rejects POST
