"""What of a request goes on to an engine."""

from routing.intake import forwarded


def test_a_header_that_is_about_this_connection_goes_no_further() -> None:
    sent = {b"connection": b"keep-alive, X-Secret", b"x-secret": b"1", b"x-mine": b"2"}
    assert dict(forwarded(sent)) == {"x-mine": "2"}
