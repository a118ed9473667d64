"""The socket and how it is named."""

import socket

import pytest

from fleetsite.binding import CantListen, is_loopback, listen, local_url, url_of


def test_port_0_is_a_real_port_at_once() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        assert listening.getsockname()[1] > 0


def test_a_port_in_use_is_named_with_a_remedy() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CantListen, match=rf"127\.0\.0\.1, port {port}: .* --port"):
            listen("127.0.0.1", port)


def test_a_host_that_is_none_is_named() -> None:
    with pytest.raises(CantListen, match="no address of this machine"):
        listen("no such host", 0)


@pytest.mark.parametrize("host, url", [("127.0.0.1", "http://127.0.0.1:1"), ("::1", "http://[::1]:1")])
def test_the_url_names_host_and_port(host: str, url: str) -> None:
    assert url_of(host, 1) == url


@pytest.mark.parametrize(
    "host, url", [("0.0.0.0", "http://127.0.0.1:1"), ("::", "http://[::1]:1"), ("h", "http://h:1")]
)
def test_commands_find_a_server_that_listens_everywhere_on_loopback(host: str, url: str) -> None:
    assert local_url(host, 1) == url


@pytest.mark.parametrize(
    "host, answer", [("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_loopback_is_what_only_this_machine_reaches(host: str, answer: bool) -> None:
    assert is_loopback(host) is answer
