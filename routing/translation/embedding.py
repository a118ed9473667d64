"""Embeddings of three dialects, on either engine: texts in, vectors out, always whole."""

import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from routing.core.problems import UpstreamFailed
from routing.protocols.fields import strings, take
from routing.translation.engines.outgoing import Outgoing, outgoing
from routing.translation.engines.reader import error_words
from routing.translation.sifting import Fields, refused, words

NATIVE = Fields(words("model input dimensions options keep_alive"), words("metadata fallback_models"))
LEGACY = Fields(words("model prompt options keep_alive"), words("metadata fallback_models"))
OPENAI = Fields(words("model input dimensions encoding_format"), words("user metadata fallback_models"))


@dataclass(frozen=True, slots=True)
class Embedding:
    """One request: texts of which the vectors are wanted."""

    model: str
    texts: tuple[str, ...]
    dimensions: int | None = None
    base64: bool = False
    native: Mapping[str, Any] = field(default_factory=dict)  # Ollama's own options
    keep_alive: Any = None
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector a text, in their order; tokens as far as the engine counted them."""

    rows: tuple[tuple[float, ...], ...]
    tokens: int | None = None


def decode_native(content: Mapping[str, Any]) -> Embedding:
    """The request in a body of `/api/embed`."""
    return Embedding(
        take(content, "model", str, ""),
        _texts(content),
        take(content, "dimensions", int, None),
        native=take(content, "options", dict, {}),
        keep_alive=content.get("keep_alive"),
        dropped=NATIVE.sift(content),
    )


def decode_legacy(content: Mapping[str, Any]) -> Embedding:
    """The request in a body of `/api/embeddings`: one text."""
    prompt = take(content, "prompt", str, "")
    return Embedding(
        take(content, "model", str, ""),
        (prompt,) if prompt else (),
        native=take(content, "options", dict, {}),
        keep_alive=content.get("keep_alive"),
        dropped=LEGACY.sift(content),
    )


def decode_openai(content: Mapping[str, Any]) -> Embedding:
    """The request in a body of `/v1/embeddings`."""
    form = take(content, "encoding_format", str, "float")
    if form not in ("float", "base64"):
        raise refused("encoding_format", "it is float or base64")
    dimensions = take(content, "dimensions", int, None)
    model = take(content, "model", str, "")
    return Embedding(model, _texts(content), dimensions, form == "base64", dropped=OPENAI.sift(content))


def to_ollama(asked: Embedding) -> Outgoing:
    """The body of `/api/embed`; with no text it loads the model."""
    content = {
        "model": asked.model,
        "input": list(asked.texts),
        "dimensions": asked.dimensions,
        "options": asked.native or None,
        "keep_alive": asked.keep_alive,
    }
    return outgoing("/api/embed", content, asked.dropped)


def to_openai(asked: Embedding) -> Outgoing:
    """The body of `/v1/embeddings`; raises Problem where there is no text."""
    if not asked.texts:
        raise refused("input", "it is empty; this engine keeps its models loaded, so there is nothing to load")
    content = {"model": asked.model, "input": list(asked.texts), "dimensions": asked.dimensions}
    native = tuple(f"options.{name}" for name in asked.native)
    kept = ("keep_alive",) if asked.keep_alive is not None else ()
    return outgoing("/v1/embeddings", content, (*asked.dropped, *native, *kept))


def of_ollama(asked: Embedding, body: bytes) -> Vectors:
    """The vectors in Ollama's answer; raises UpstreamFailed for one that is none."""
    said = _said(body)
    return _checked(asked, said.get("embeddings"), said.get("prompt_eval_count"))


def of_openai(asked: Embedding, body: bytes) -> Vectors:
    """The vectors in an OpenAI engine's answer; raises UpstreamFailed for one that is none."""
    said = _said(body)
    rows = said.get("data")
    listed = rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else []
    ordered = sorted(enumerate(listed), key=_place)
    usage = said.get("usage")
    tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return _checked(asked, [_plain(row.get("embedding")) for _, row in ordered], tokens)


def native(asked: Embedding, vectors: Vectors) -> bytes:
    """The answer of `/api/embed`."""
    counted = {} if vectors.tokens is None else {"prompt_eval_count": vectors.tokens}
    return orjson.dumps({"model": asked.model, "embeddings": vectors.rows, **counted})


def legacy(asked: Embedding, vectors: Vectors) -> bytes:
    """The answer of `/api/embeddings`."""
    return orjson.dumps({"embedding": next(iter(vectors.rows), ())})


def openai(asked: Embedding, vectors: Vectors) -> bytes:
    """The answer of `/v1/embeddings`."""
    told = map(_packed, vectors.rows) if asked.base64 else iter(vectors.rows)
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(told)]
    tokens = vectors.tokens or 0
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return orjson.dumps({"object": "list", "data": data, "model": asked.model, "usage": usage})


def _texts(content: Mapping[str, Any]) -> tuple[str, ...]:
    given = take(content, "input", (str, list), ())
    if isinstance(given, str):
        return (given,) if given else ()
    if any(isinstance(text, int | list) for text in given):
        raise refused("input", "tokens mean something to one tokenizer only; send text")
    return strings(content, "input")


def _said(body: bytes) -> Mapping[str, Any]:
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UpstreamFailed("the engine answered what is no JSON") from error
    if not isinstance(said, dict) or said.get("error"):
        raise UpstreamFailed(error_words(said.get("error") if isinstance(said, dict) else said))
    return said


def _checked(asked: Embedding, rows: Any, tokens: Any) -> Vectors:
    whole = isinstance(rows, list) and len(rows) == len(asked.texts) and all(map(_is_vector, rows))
    if not whole:
        raise UpstreamFailed(f"the engine did not give a vector for each of {len(asked.texts)} texts")
    return Vectors(tuple(map(tuple, rows)), tokens if isinstance(tokens, int) else None)


def _is_vector(row: Any) -> bool:
    return isinstance(row, list) and all(isinstance(number, int | float) for number in row)


def _place(row: tuple[int, Mapping[str, Any]]) -> int:
    index = row[1].get("index")
    return index if isinstance(index, int) else row[0]


def _plain(vector: Any) -> Any:
    """Numbers, where an engine gives base64 unasked; None for text that is neither."""
    if not isinstance(vector, str):
        return vector
    try:
        return [number for (number,) in struct.iter_unpack("<f", b64decode(vector))]
    except (ValueError, struct.error):
        return None


def _packed(vector: tuple[float, ...]) -> str:
    """Little-endian 32-bit numbers in base64, as OpenAI's clients unpack them."""
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


@dataclass(frozen=True, slots=True)
class EmbeddingDialect:
    """What a client speaks on one path."""

    decode: Callable[[Mapping[str, Any]], Embedding]
    encode: Callable[[Embedding, Vectors], bytes]


@dataclass(frozen=True, slots=True)
class EmbeddingTarget:
    """What an engine speaks."""

    render: Callable[[Embedding], Outgoing]
    vectors: Callable[[Embedding, bytes], Vectors]


DIALECTS: Mapping[str, EmbeddingDialect] = {
    "/api/embed": EmbeddingDialect(decode_native, native),
    "/api/embeddings": EmbeddingDialect(decode_legacy, legacy),
    "/v1/embeddings": EmbeddingDialect(decode_openai, openai),
}
TARGETS: Mapping[str, EmbeddingTarget] = {
    "ollama": EmbeddingTarget(to_ollama, of_ollama),
    "openai": EmbeddingTarget(to_openai, of_openai),
}
