"""Names by which the server may be called."""

import socket

import pytest

from nodes.lib.hosts import bare, is_known_host, origins


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:11435",
        "localhost.",
        "app.localhost:80",
        "studio.local",
        "host.docker.internal:11435",
        "127.0.0.1:11435",
        "[::1]:11435",
        "192.168.1.20",
        "10.0.0.5:80",
        "100.100.1.2",  # a tailnet
        "169.254.1.1",
        "[fe80::1]",
        socket.gethostname(),
    ],
)
def test_local_private_and_own_names_are_known(host: str) -> None:
    assert is_known_host(host)


@pytest.mark.parametrize(
    "host",
    ["", "evil.com", "8.8.8.8", "localhost.evil.com", "local", "notinternal", "[2606:4700::1111]", "127.0.0.1.nip.io"],
)
def test_foreign_names_are_not_known(host: str) -> None:
    assert not is_known_host(host)


def test_a_listed_name_is_known() -> None:
    assert is_known_host("fleet.example.com:443", "other.org, Fleet.Example.com")


def test_a_leading_dot_takes_in_subdomains_and_the_domain() -> None:
    assert is_known_host("a.example.com", ".example.com") and is_known_host("example.com", ".example.com")


def test_a_leading_dot_does_not_take_in_a_name_that_only_ends_alike() -> None:
    assert not is_known_host("badexample.com", ".example.com")


def test_a_star_takes_in_everything() -> None:
    assert is_known_host("evil.com", "*")


def test_a_bare_name_has_neither_port_nor_brackets() -> None:
    assert (bare("[::1]:80"), bare("Host:1"), bare("host.")) == ("::1", "host", "host")


def test_listed_origins_are_read_in_one_form() -> None:
    listed = "https://Chat.example.com/, http://10.0.0.7:3000,, *, null, app://obsidian.md"
    expected = {"https://chat.example.com", "http://10.0.0.7:3000", "*", "null", "app://obsidian.md"}
    assert origins(listed) == expected


@pytest.mark.parametrize("text", ["foo", "example.com", "http://", "http://a/path", "http://a b", "https://me@a"])
def test_what_is_no_origin_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no web origin"):
        origins(text)
