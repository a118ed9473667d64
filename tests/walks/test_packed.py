"""Requests whose bodies come packed."""

import gzip
import zlib

import pytest

from tests.walks.calls import CHATS, JSON, Answer, asking, post
from tests.walks.scenes import Fleet


def packed(fleet: Fleet, path: str, body: bytes, encoding: str) -> Answer:
    """The answer to a body in this encoding."""
    return post(fleet.router.url, path, body, JSON | {"Content-Encoding": encoding})


@pytest.mark.parametrize("path", CHATS)
def test_a_packed_request_is_answered_and_reaches_the_engine_plain(fleet: Fleet, model: str, path: str) -> None:
    plain = asking(path, model)
    answer = packed(fleet, path, gzip.compress(plain), "gzip")
    assert answer.status == 200
    received = [r for r in fleet[answer.node].node.seen.received if r.path == path][-1]
    assert (received.body, "content-encoding" in received.headers) == (plain, False)


def test_a_request_in_zstd_is_answered(fleet: Fleet, model: str) -> None:
    zstd = pytest.importorskip("backports.zstd")
    assert packed(fleet, "/api/chat", zstd.compress(asking("/api/chat", model)), "zstd").status == 200


def test_a_bomb_is_refused(fleet: Fleet) -> None:
    answer = packed(fleet, "/api/chat", gzip.compress(bytes(100_000_000)), "gzip")
    assert (answer.status, answer.error) == (413, "the body is larger than 64 MB (FLEET_MAX_BODY_MB)")


@pytest.mark.parametrize("path", CHATS)
def test_an_encoding_that_is_not_known_is_refused(fleet: Fleet, path: str) -> None:
    answer = packed(fleet, path, zlib.compress(b"{}"), "deflate")
    assert (answer.status, "send gzip, zstd or plain" in answer.error) == (415, True)
    assert fleet.decision(answer)["outcome"] == "invalid"
