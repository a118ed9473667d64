"""The socket that the server listens on, opened before anything else: a port in use is known at once."""

import os
import socket
from ipaddress import ip_address

BACKLOG = 2048


class CantListen(Exception):
    """The address can't be had; the message says why and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises CantListen."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return _listening(family, kind, address)
    except socket.gaierror as error:
        raise CantListen(f"{host!r} is no address of this machine: {error.strerror}.") from error
    except OSError as error:
        raise CantListen(
            f"Can't listen on {host}, port {port}: {error.strerror}. Stop what uses it, or choose another with --port."
        ) from error


def url_of(host: str, port: int) -> str:
    """Where clients find it, with the host as it was given."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def local_url(host: str, port: int) -> str:
    """Where this machine's own commands find it: an address that stands for all of them is no destination."""
    loopback = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
    return url_of(loopback.get(host, host), port)


def is_loopback(host: str) -> bool:
    """Can only this machine reach a server that listens there?"""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _listening(family: int, kind: int, address: object) -> socket.socket:
    opened = socket.socket(family, kind)
    try:
        if os.name == "posix":  # elsewhere the option means: share the port with others
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)  # type: ignore[arg-type]
        opened.listen(BACKLOG)
        opened.setblocking(False)
    except OSError:
        opened.close()
        raise
    return opened
