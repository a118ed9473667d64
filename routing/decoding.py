"""Request bodies in gzip or zstd, unpacked no further than a body may be long."""

import sys
import zlib
from collections.abc import Callable, Mapping

from routing.core.problems import Problem

GZIP = 31  # zlib's word for gzip with the largest window
Unpack = Callable[[bytes, int], bytes]  # at most so many bytes and one more, which says that there are too many


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """The body that was packed so; longer than `limit` if it is too long. Problem (415, 400) for what can't be read."""
    unpack = ENCODINGS.get(encoding)
    if unpack is None:
        raise Problem("invalid", 415, f"bodies in {encoding!r} are not read here; send {', '.join(ENCODINGS)} or plain")
    try:
        return unpack(body, limit)
    except (zlib.error, ValueError) as error:
        raise Problem("invalid", 400, f"the body is not what its Content-Encoding says, whole {encoding}") from error


def _gzip(body: bytes, limit: int) -> bytes:
    pieces, size = [], 0
    while body and size <= limit:  # one member after another
        member = zlib.decompressobj(GZIP)
        pieces.append(member.decompress(body, limit + 1 - size))
        size += len(pieces[-1])
        if size <= limit and not member.eof:
            raise ValueError("ends before its end")
        body = member.unused_data
    return b"".join(pieces)


def _zstd(body: bytes, limit: int) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        import backports.zstd as zstd
    pieces, size = [], 0
    while body and size <= limit:  # one frame after another
        frame = zstd.ZstdDecompressor()
        try:
            pieces.append(frame.decompress(body, limit + 1 - size))
        except zstd.ZstdError as error:
            raise ValueError(str(error)) from error
        size += len(pieces[-1])
        if size <= limit and not frame.eof:
            raise ValueError("ends before its end")
        body = frame.unused_data if frame.eof else b""
    return b"".join(pieces)


ENCODINGS: Mapping[str, Unpack] = {"gzip": _gzip, "zstd": _zstd}
