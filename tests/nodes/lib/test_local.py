import pytest

from nodes.lib.local import caller, is_local, networks


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_a_loopback_peer_is_local(peer: str) -> None:
    assert is_local(peer, [], "")


@pytest.mark.parametrize("peer", [None, "", "192.168.1.2", "::ffff:192.168.1.2", "fe80::1", "localhost"])
def test_any_other_peer_is_not(peer: str | None) -> None:
    assert not is_local(peer, [], "")


@pytest.mark.parametrize("header", ["Forwarded", "x-forwarded-for", "X-Forwarded-Host", "X-FORWARDED-PROTO"])
def test_a_forwarding_header_makes_it_foreign(header: str) -> None:
    assert not is_local("127.0.0.1", [("Accept", "*/*"), (header, "127.0.0.1")], "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Forwarded-For", "::1"),
        ("X-Forwarded-For", "127.0.0.1, 127.0.0.2:4711"),
        ("Forwarded", 'for="[::1]:4711";proto=https'),
        ("Forwarded", "by=10.0.0.1;For=127.0.0.1"),
    ],
)
def test_a_trusted_proxy_may_speak_for_this_machine(name: str, value: str) -> None:
    assert is_local("127.0.0.1", [(name, value)], "10.0.0.0/8, 127.0.0.0/8")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Forwarded-For", "203.0.113.7"),
        ("X-Forwarded-For", "127.0.0.1, 203.0.113.7"),
        ("X-Forwarded-For", "127.0.0.1, 10.0.0.5"),
        ("X-Forwarded-For", "127.0.0.1, unknown"),
        ("X-Forwarded-For", ""),
        ("X-Forwarded-Proto", "https"),
        ("Forwarded", "for=203.0.113.7"),
        ("Forwarded", "for=_hidden"),
        ("Forwarded", "proto=https;by=127.0.0.1"),
    ],
)
def test_whom_a_trusted_proxy_forwards_from_elsewhere_is_foreign(name: str, value: str) -> None:
    assert not is_local("127.0.0.1", [(name, value)], "10.0.0.0/8, 127.0.0.0/8")


def test_two_headers_that_disagree_are_foreign() -> None:
    assert not is_local("127.0.0.1", [("X-Forwarded-For", "203.0.113.7"), ("Forwarded", "for=127.0.0.1")], "127.0.0.1")


def test_a_trusted_proxy_that_forwards_nobody_is_local_itself() -> None:
    assert is_local("127.0.0.1", [("Accept", "*/*")], "127.0.0.1")


def test_a_trusted_proxy_elsewhere_is_still_elsewhere() -> None:
    assert not is_local("10.0.0.5", [("X-Forwarded-For", "127.0.0.1")], "10.0.0.0/8")


def test_a_proxy_that_is_not_trusted_asks_itself() -> None:
    assert caller("192.168.1.2", [("X-Forwarded-For", "203.0.113.7")], "10.0.0.0/8").address == "192.168.1.2"


def test_behind_trusted_proxies_the_nearest_stranger_asks() -> None:
    forwarded = [("X-Forwarded-For", "198.51.100.1, 203.0.113.7, 10.0.0.9")]
    assert caller("127.0.0.1", forwarded, "127.0.0.1, 10.0.0.0/8").address == "203.0.113.7"


def test_headers_that_merely_look_alike_change_nothing() -> None:
    assert is_local("127.0.0.1", [("X-Forwarder", "1.2.3.4"), ("Forwarded-By", "1.2.3.4")], "")


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        networks("127.0.0.1, nonsense")
