"""Bodies that come packed."""

import gzip
import zlib

import pytest

from routing.core.problems import Problem
from routing.decoding import unpacked

PLAIN = b'{"model": "acme:7b"}' * 100
LIMIT = 100_000


def zstd(content: bytes) -> bytes:
    """Packed in zstd."""
    packed: bytes = pytest.importorskip("backports.zstd").compress(content)
    return packed


PACK = {"gzip": gzip.compress, "zstd": zstd}
encodings = pytest.mark.parametrize("encoding", PACK)


@encodings
def test_a_packed_body_is_read(encoding: str) -> None:
    assert unpacked(PACK[encoding](PLAIN), encoding, LIMIT) == PLAIN


@encodings
def test_a_body_packed_in_two_parts_is_read_whole(encoding: str) -> None:
    assert unpacked(PACK[encoding](PLAIN) + PACK[encoding](PLAIN), encoding, LIMIT) == PLAIN * 2


@encodings
def test_a_body_of_the_largest_length_is_read(encoding: str) -> None:
    assert len(unpacked(PACK[encoding](bytes(LIMIT)), encoding, LIMIT)) == LIMIT


@encodings
def test_a_bomb_is_unpacked_no_further_than_one_byte_too_many(encoding: str) -> None:
    assert len(unpacked(PACK[encoding](bytes(LIMIT * 50)), encoding, LIMIT)) == LIMIT + 1


@encodings
@pytest.mark.parametrize("length", [1, 12, -1])
def test_a_packed_body_that_is_not_whole_is_refused(encoding: str, length: int) -> None:
    with pytest.raises(Problem, match=f"whole {encoding}") as refused:
        unpacked(PACK[encoding](PLAIN)[:length], encoding, LIMIT)
    assert refused.value.status == 400


@encodings
def test_a_plain_body_that_claims_to_be_packed_is_refused(encoding: str) -> None:
    PACK[encoding](PLAIN)
    with pytest.raises(Problem, match=f"whole {encoding}"):
        unpacked(PLAIN, encoding, LIMIT)


@pytest.mark.parametrize("encoding", ["deflate", "br", "gzip, gzip"])
def test_an_unknown_encoding_is_refused_with_those_that_are_known(encoding: str) -> None:
    with pytest.raises(Problem, match="send gzip, zstd or plain") as refused:
        unpacked(zlib.compress(PLAIN), encoding, LIMIT)
    assert refused.value.status == 415
