"""The one body that goes to engines."""

from dataclasses import replace

import orjson
import pytest

from nodes.core.values import DiskModel
from routing.protocols import PROTOCOLS
from routing.upstreams.outgoing import body_for
from tests.routing.factories import MODEL, node, request

# Fields of all dialects, in an order, a spacing and spellings that no JSON library would write again.
EVERYTHING = b"""{ "model" :"acme:7b", "prompt":"h\\u00e9", "input": "x","messages": [{"role":"user","content":"hi"}],
 "temperature": 0.70, "top_p":0.9, "stop":["a"], "seed":7, "max_tokens": 10, "response_format":{"type":"json_object"},
 "tools":[{"type":"function","function":{"name":"f"}}], "options":{"num_predict":1e1}, "keep_alive":"16s",
 "think": false, "logprobs":true, "unheard_of": {"b":1,"a":2} }"""
paths = pytest.mark.parametrize("path", PROTOCOLS)


@paths
def test_a_body_goes_out_as_it_came_in(path: str) -> None:
    assert body_for(request(path, EVERYTHING), node(), MODEL) == EVERYTHING


@paths
def test_a_fallback_is_named_in_the_body_that_goes_out(path: str) -> None:
    sent = orjson.loads(body_for(request(path, EVERYTHING), node(), "other:3b"))
    assert sent == orjson.loads(EVERYTHING) | {"model": "other:3b"}


@paths
def test_a_field_of_ours_reaches_no_engine(path: str) -> None:
    ours = EVERYTHING.replace(b"{", b'{"fallback_models":["other:3b"],', 1)
    assert orjson.loads(body_for(request(path, ours), node(), MODEL)) == orjson.loads(EVERYTHING)


def test_an_engine_that_knows_one_spelling_gets_that_one() -> None:
    known = replace(node(), engine="openai", on_disk={"acme:latest": DiskModel("acme:latest", spelling="Acme-7B.gguf")})
    sent = body_for(request("/v1/chat/completions", model="acme"), known, "acme:latest")
    assert orjson.loads(sent)["model"] == "Acme-7B.gguf"
