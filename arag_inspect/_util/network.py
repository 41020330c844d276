"""HTTP connections with the environment's proxies and certificates, except to loopback."""

import logging
import os
import ssl
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from .addresses import hide
from .errors import InputError, one_line

if TYPE_CHECKING:
    import httpx

_ENCODINGS = ("gzip", "deflate")
"""Accepted encodings of replies; each expands 64 KB, decoded at a time, to at most 66 MB."""

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def prepare_clients() -> None:
    """Prepare this process for clients of any library.

    The loopback addresses join `$NO_PROXY`, and httpx logs addresses without credentials.
    """
    entries = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    names = dict.fromkeys((*filter(None, entries.split(",")), *_LOOPBACK))
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(names)
    logging.getLogger("httpx").addFilter(_hide_addresses)


def _hide_addresses(record: logging.LogRecord) -> bool:
    record.msg = hide(record.getMessage())
    record.args = ()
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine by its name or address."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def proxy_for(url: str) -> str | None:
    """Return the address of the environment's proxy for a request.

    `$NO_PROXY` contains names, `.domain`, `*.domain`, addresses and ranges such as `10.0.0.0/8`.

    Raises:
        InputError: A setting cannot be used.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or is_loopback(host) or host in ("0.0.0.0", "::"):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if not proxy or _is_exempt(host, proxies.get("no", "")) or proxy_bypass(f"{host}:{port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.lower().startswith(("http://", "https://", "socks5://", "socks5h://")):
        raise InputError(
            f"the proxy {proxy} cannot be used; its address must start with http://, https:// or socks5://"
        )
    if proxy.lower().startswith("socks") and find_spec("socksio") is None:
        raise InputError(f"the proxy {proxy} needs a package: pip install 'httpx[socks]'")
    return proxy


def _is_exempt(host: str, no_proxy: str) -> bool:
    """Return whether a pattern or range of `$NO_PROXY` contains a host."""
    for entry in map(str.strip, no_proxy.lower().split(",")):
        if "/" not in entry:
            if "*" in entry and fnmatchcase(host, entry):
                return True
            continue
        try:
            network = ip_network(entry, strict=False)
        except ValueError as error:
            raise InputError(
                f"NO_PROXY: {entry!r} is not a range of addresses ({error}); write 10.0.0.0/8"
            ) from None
        with suppress(ValueError):
            if ip_address(host) in network:
                return True
    return False


def check_encoding(response: "httpx.Response") -> None:
    """Raise if a piece of a reply could expand far beyond its bound before it is counted.

    Raises:
        httpx.DecodingError: It is compressed twice, or in a way that `client_options` does not
            accept.
    """
    import httpx

    encoding = response.headers.get("content-encoding", "").lower()
    if encoding not in ("", "identity", *_ENCODINGS):
        raise httpx.DecodingError(f"the reply is compressed as {encoding}, not as {_ENCODINGS[0]}")


def client_options(url: str) -> dict[str, Any]:
    """Return arguments of an httpx client for requests to one address.

    Raises:
        InputError: The environment's proxy or certificates cannot be used.
    """
    environment = os.environ
    authorities = environment.get("SSL_CERT_FILE") or environment.get("REQUESTS_CA_BUNDLE")
    certificates = _certificates(authorities, environment.get("SSL_CERT_DIR"))
    headers = {"accept-encoding": ", ".join(_ENCODINGS)}
    return {
        "proxy": proxy_for(url),
        "verify": certificates,
        "trust_env": False,
        "headers": headers,
    }


@lru_cache(maxsize=8)
def _certificates(file: str | None, folder: str | None) -> ssl.SSLContext:
    import httpx

    try:
        if file or folder:
            return ssl.create_default_context(cafile=file or None, capath=folder or None)
        return httpx.create_ssl_context(trust_env=False)
    except OSError as error:
        raise InputError(
            f"the certificates in {file or folder} cannot be read ({one_line(error)}); check "
            "SSL_CERT_FILE, SSL_CERT_DIR and REQUESTS_CA_BUNDLE"
        ) from None


def failure(error: BaseException, url: str) -> str:
    """Describe a failed request in one line, with the proxy that it went through."""
    return f"{type(error).__name__}: {one_line(error) or 'the connection failed'}{through(url)}"


def through(url: str) -> str:
    """Return `; through the proxy ...` for a message about an address, or the setting's error."""
    try:
        proxy = proxy_for(url)
    except InputError as error:
        return f"; {error.message}"
    return f"; through the proxy {hide(proxy)}" if proxy else ""
