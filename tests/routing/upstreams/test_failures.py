"""What an engine's failure means, and how it is told."""

import errno
import socket
import ssl

import aiohttp
import pytest

from routing.upstreams.failures import refusal, told
from tests.routing.factories import node

STUDIO = node()
WORDLESS = [TimeoutError(), ConnectionResetError(), aiohttp.ServerDisconnectedError()]


@pytest.mark.parametrize("error", WORDLESS, ids=lambda e: type(e).__name__)
def test_an_exception_without_words_is_told_by_its_kind(error: Exception) -> None:
    assert told(error) == type(error).__name__


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_an_engine_that_is_full_or_away_may_be_helped_by_another(status: int) -> None:
    failure = refusal(STUDIO, status, b"later")
    assert failure is not None and failure.retryable


@pytest.mark.parametrize("status", [429, 503])
def test_to_be_full_speaks_not_against_an_engine(status: int) -> None:
    failure = refusal(STUDIO, status, b"server busy, please try again. maximum pending requests exceeded")
    assert failure is not None and not failure.against


@pytest.mark.parametrize(("status", "words"), [(400, b"bad"), (401, b"no"), (413, b"long"), (500, b"template error")])
def test_what_another_engine_would_say_as_well_goes_to_the_client(status: int, words: bytes) -> None:
    assert refusal(STUDIO, status, words) is None


@pytest.mark.parametrize(
    "words",
    [
        b'{"error":"model \'acme:7b\' not found"}',
        b'{"error":"model \\"acme:7b\\" not found, try pulling it first"}',
        b'{"object":"error","message":"The model `acme:7b` does not exist.","type":"NotFoundError","code":404}',
    ],
)
def test_an_engine_that_lost_the_model_may_be_helped_by_another(words: bytes) -> None:
    failure = refusal(STUDIO, 404, words)
    assert failure is not None and failure.stale and not failure.against


@pytest.mark.parametrize(
    "words",
    [
        b"404 page not found",
        b'{"detail":"Not Found"}',
        b'{"error":{"message":"File Not Found","type":"not_found_error","code":404}}',
    ],
)
def test_an_engine_that_lacks_the_route_says_nothing_of_the_model(words: bytes) -> None:
    assert refusal(STUDIO, 404, words) is None


def test_a_runner_that_died_speaks_against_its_engine() -> None:
    failure = refusal(STUDIO, 500, b'{"error":"llama runner process has terminated: exit status 2"}')
    assert failure is not None and failure.against


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ECONNREFUSED, "Connect call failed ('10.0.0.7', 11434)"), "Connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "Name or service not known"),
        (ssl.SSLCertVerificationError(1, "[SSL: X] certificate is not valid for '10.0.0.7'"), "SSLCertVerification"),
    ],
    ids=["refused", "no such name", "not trusted"],
)
def test_no_address_is_told(error: Exception, words: str) -> None:
    assert words in told(error) and "10.0.0.7" not in told(error)
