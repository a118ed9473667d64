import pytest

from nodes.lib.local import is_local, networks


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_a_loopback_peer_is_local(peer: str) -> None:
    assert is_local(peer, [], "")


@pytest.mark.parametrize("peer", [None, "", "192.168.1.2", "::ffff:192.168.1.2", "fe80::1", "localhost"])
def test_any_other_peer_is_not(peer: str | None) -> None:
    assert not is_local(peer, [], "")


@pytest.mark.parametrize("header", ["Forwarded", "x-forwarded-for", "X-Forwarded-Host", "X-FORWARDED-PROTO"])
def test_a_forwarding_header_makes_it_foreign(header: str) -> None:
    assert not is_local("127.0.0.1", ["Accept", header], "")


def test_a_trusted_proxy_on_this_machine_is_believed() -> None:
    assert is_local("127.0.0.1", ["X-Forwarded-For"], "10.0.0.0/8, 127.0.0.1")


def test_a_trusted_proxy_elsewhere_is_still_elsewhere() -> None:
    assert not is_local("10.0.0.5", ["X-Forwarded-For"], "10.0.0.0/8")


def test_headers_that_merely_look_alike_change_nothing() -> None:
    assert is_local("127.0.0.1", ["X-Forwarder", "Forwarded-By"], "")


def test_a_network_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        networks("127.0.0.1, nonsense")
