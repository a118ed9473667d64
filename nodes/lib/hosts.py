"""By which names this server may be called: a name that is not ours may be a foreign page's trick (DNS rebinding)."""

import re
import socket
from functools import lru_cache
from ipaddress import ip_address

# No public name ends so: what resolves it is this machine or the local network. Ollama lets them pass, too.
LOCAL_DOMAINS = (".localhost", ".local", ".internal")
ANY_OR_NONE = ("*", "null")  # "null" is what a browser says of a page without an origin
ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@]+")


def is_known_host(host: str, allowed: str = "") -> bool:
    """Is this `Host`, as it came, local, private, this machine's, or in the comma-separated list?"""
    name = bare(host)
    return name in own_names() or name.endswith(LOCAL_DOMAINS) or _is_private(name) or _is_allowed(name, allowed)


def bare(host: str) -> str:
    """The name without port, brackets, trailing dot, in lower case: `[::1]:80` → `::1`."""
    text = host.strip().lower()
    name = text[1:].partition("]")[0] if text.startswith("[") else text.partition(":")[0]
    return name.removesuffix(".")


@lru_cache(maxsize=1)
def own_names() -> frozenset[str]:
    """What this machine calls itself."""
    machine = socket.gethostname().lower()
    return frozenset({"localhost", machine, machine.partition(".")[0]}) - {""}


@lru_cache(maxsize=16)
def origins(listed: str) -> frozenset[str]:
    """The web origins in a comma-separated list, in lower case; raises ValueError for one that is none."""
    found = [part.strip().rstrip("/").lower() for part in listed.split(",") if part.strip()]
    for origin in found:
        if origin not in ANY_OR_NONE and not ORIGIN.fullmatch(origin):
            raise ValueError(f"{origin!r} is no web origin: write http://HOST, https://HOST:PORT or *")
    return frozenset(found)


def _is_private(name: str) -> bool:
    try:
        return not ip_address(name).is_global
    except ValueError:
        return False


def _is_allowed(name: str, allowed: str) -> bool:
    """As Django's ALLOWED_HOSTS: `*` is all, a leading dot takes in subdomains."""
    patterns = (p.strip().lower() for p in allowed.split(","))
    return any(p == "*" or p == name or (p[:1] == "." and f".{name}".endswith(p)) for p in patterns if p)
