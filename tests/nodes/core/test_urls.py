import pytest

from nodes.core.urls import BadUrl, engine_url


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("http://studio:11434", "http://studio:11434"),
        ("http://studio:11434/", "http://studio:11434"),
        (" HTTP://Studio.Local:11434 ", "http://studio.local:11434"),
        ("localhost:11434", "http://localhost:11434"),
        ("localhost", "http://localhost:11434"),
        ("192.168.1.20:8080", "http://192.168.1.20:8080"),
        ("http://studio", "http://studio"),
        ("http://studio:80", "http://studio"),
        ("https://studio:443/", "https://studio"),
        ("https://studio:8443", "https://studio:8443"),
        ("http://[::1]:11434", "http://[::1]:11434"),
        ("[fd00::2]", "http://[fd00::2]:11434"),
    ],
)
def test_an_address_has_one_form(typed: str, address: str) -> None:
    assert engine_url(typed) == address


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "has no host"),
        ("http://", "has no host"),
        ("not a url", "is no address"),
        ("http://a\tb", "is no address"),
        ("http://studio:port", "is no address"),
        ("http://studio:70000", "is no address"),
        ("http://studio:0", "has port 0"),
        ("http://[::1", "is no address"),
        ("javascript:alert(1)", "is no address"),
        ("http://<script>", "has a host with signs"),
        ("ftp://studio", "neither http nor https"),
        ("http://me:secret@studio:1", "has a user or password in it: write http://studio:1"),
        ("http://studio:1/v1", "has a path, /v1: write the engine's root, http://studio:1"),
        ("http://studio:1?x=1", "has a query or fragment: write http://studio:1"),
        ("http://studio:1#x", "has a query or fragment: write http://studio:1"),
    ],
)
def test_what_is_no_address_is_refused_with_the_reason(typed: str, reason: str) -> None:
    with pytest.raises(BadUrl, match="(?s)" + reason.replace("?", r"\?")):
        engine_url(typed)


def test_an_address_in_its_form_keeps_it() -> None:
    assert engine_url(engine_url("studio")) == engine_url("studio")
