"""The address of an engine, as an operator may type it."""

import re
from urllib.parse import SplitResult, urlsplit

OLLAMA_PORT = 11434
DEFAULT_PORTS = {"http": 80, "https": 443}
HOST = re.compile(r"[\w.-]+|.*:.*")  # a name or an IPv4 address; an IPv6 address has been read already


class BadUrl(ValueError):
    """An address that is none; the message says why and what to write instead."""


def engine_url(text: str) -> str:
    """The address in one form, without a trailing slash; raises BadUrl.

    Without a scheme it is read as Ollama reads OLLAMA_HOST: http, and port 11434 if none is given.
    """
    given = text.strip()
    bare = "://" not in given
    parts = _split(f"http://{given}" if bare else given, text)
    for wrong, message in _objections(parts):
        if wrong:
            raise BadUrl(f"{text!r} {message}")
    return f"{parts.scheme}://{_host(parts)}{_port(parts, OLLAMA_PORT if bare else None)}"


def _split(url: str, text: str) -> SplitResult:
    """The parts of a URL; raises BadUrl where the text can't be one."""
    if not url.isprintable() or " " in url or "\\" in url:
        raise BadUrl(f"{text!r} is no address: it has blanks or signs that no address has")
    try:
        parts = urlsplit(url)
        zero = parts.port == 0
    except ValueError as error:
        raise BadUrl(f"{text!r} is no address: {str(error)[:1].lower()}{str(error)[1:]}") from error
    if zero:
        raise BadUrl(f"{text!r} has port 0: give the port on which the engine listens")
    return parts


def _objections(parts: SplitResult) -> tuple[tuple[bool, str], ...]:
    """What can be wrong with well-formed parts, and how to mend it."""
    plain = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return (
        (parts.scheme not in DEFAULT_PORTS, "has a scheme that is neither http nor https"),
        (not parts.hostname, "has no host: write http://HOST:PORT"),
        (not HOST.fullmatch(parts.hostname or ""), "has a host with signs that no host name has"),
        ("@" in parts.netloc, f"has a user or password in it: write {plain}"),
        (bool(parts.query or parts.fragment), f"has a query or fragment: write {plain}"),
        (parts.path not in ("", "/"), f"has a path, {parts.path}: write the engine's root, {plain}"),
    )


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _port(parts: SplitResult, default: int | None) -> str:
    """`:PORT`, or nothing where the scheme's own port is meant."""
    port = parts.port or default
    return "" if port in (None, DEFAULT_PORTS[parts.scheme]) else f":{port}"
