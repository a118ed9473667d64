"""The endpoints that Django does not see, the engines' dialects and the heartbeat, as rows of one table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fleetsite.openapi import examples
from fleetsite.openapi.auth import AGENT, KEYED

Json = dict[str, Any]
MODEL = "qwen2.5:7b"
AT = "2026-11-30T19:43:30.389735Z"
SSE, NDJSON, JSON, TEXT = "text/event-stream", "application/x-ndjson", "application/json", "text/plain"
STRING, OBJECT = {"type": "string"}, {"type": "object", "additionalProperties": True}
OBJECTS = {"type": "array", "items": OBJECT}
TEXTS = {"oneOf": [STRING, {"type": "array", "items": STRING}]}
FALLBACKS = {
    "type": "array",
    "items": STRING,
    "description": "Models to take instead, in this order; the engine does not see this field.",
}
INFERENCE = (400, 401, 403, 404, 413, 415, 429, 502, 503, 504, 508)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One path and method; `answers` are examples by media type, `wants` the fields of the body."""

    path: str
    tag: str
    summary: str
    answers: Mapping[str, object]
    method: str = "post"
    wants: Mapping[str, Json] = field(default_factory=dict)
    request: object = None
    errors: tuple[int, ...] = (401, 403)
    security: list[dict[str, list[str]]] = field(default_factory=lambda: KEYED)
    required: tuple[str, ...] = ("model",)
    inference: bool = False
    query: Mapping[str, str] = field(default_factory=dict)


def inference(
    path: str, tag: str, summary: str, request: Json, answers: Mapping[str, object], **wants: Json
) -> Endpoint:
    """An endpoint that asks a model."""
    common: Json = {"model": STRING, "fallback_models": FALLBACKS}
    return Endpoint(path, tag, summary, answers, "post", common | wants, request, INFERENCE, inference=True)


MESSAGES = [{"role": "user", "content": "hello"}]
SPENT = {"done": True, "done_reason": "stop", "total_duration": 812000000, "prompt_eval_count": 30, "eval_count": 9}
DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "qwen2",
    "families": ["qwen2"],
    "parameter_size": "7.6B",
    "quantization_level": "Q4_K_M",
}
ENTRY = {"name": MODEL, "model": MODEL, "size": 4683087332, "digest": "845dbda0ea48", "details": DETAILS}
USAGE = {"prompt_tokens": 30, "completion_tokens": 9, "total_tokens": 39}
ASSISTANT = {"role": "assistant", "content": "Hello!"}
OPENAI_MODEL = {"id": MODEL, "object": "model", "created": 1732995810, "owned_by": "library"}
BOOLEAN, CONTEXT = {"type": "boolean"}, {"oneOf": [STRING, {"type": "number"}]}

OLLAMA_CHAT = {"model": MODEL, "created_at": AT, "message": ASSISTANT}
OPENAI_CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1732995810,
    "model": MODEL,
    "choices": [{"index": 0, "message": ASSISTANT, "finish_reason": "stop"}],
    "usage": USAGE,
}
OPENAI_TEXT = OPENAI_CHAT | {
    "object": "text_completion",
    "choices": [{"index": 0, "text": " blue.", "finish_reason": "stop"}],
}
CHUNK = (
    'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n'
)
VECTORS = {"model": MODEL, "embeddings": [[0.01, -0.02]], "prompt_eval_count": 2}
OPENAI_VECTORS = {
    "object": "list",
    "model": MODEL,
    "data": [{"object": "embedding", "index": 0, "embedding": [0.01, -0.02]}],
    "usage": {"prompt_tokens": 2, "total_tokens": 2},
}

RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1732995810,
    "status": "completed",
    "model": MODEL,
    "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello!"}]}],
    "usage": {"input_tokens": 30, "output_tokens": 9, "total_tokens": 39},
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": MODEL,
    "content": [{"type": "text", "text": "Hello!"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 30, "output_tokens": 9},
}
MANAGED = (400, 401, 403, 404, 413, 415, 502, 503, 504)
NODE: Json = {"type": "string", "description": "The node to do it on; the engine does not see this."}
PULLING = '{"status":"pulling dde5aa3fc5ff","total":4683087332,"completed":241970}\n'
SUCCESS = {"status": "success"}
DONE = '{"status":"success"}\n'

ENDPOINTS: tuple[Endpoint, ...] = (
    inference(
        "/api/chat",
        "Ollama",
        "Chat; streamed unless told otherwise",
        {"model": MODEL, "messages": MESSAGES, "stream": False},
        {JSON: OLLAMA_CHAT | SPENT, NDJSON: '{"model":"qwen2.5:7b","message":{"content":"Hel"},"done":false}\n'},
        messages=OBJECTS,
        stream=BOOLEAN,
        tools=OBJECTS,
        options=OBJECT,
        keep_alive=CONTEXT,
    ),
    inference(
        "/api/generate",
        "Ollama",
        "Complete a prompt; without one, load or unload the model",
        {"model": MODEL, "prompt": "The sky is", "stream": False},
        {
            JSON: {"model": MODEL, "created_at": AT, "response": " blue."} | SPENT,
            NDJSON: '{"model":"qwen2.5:7b","response":" blue","done":false}\n',
        },
        prompt=STRING,
        system=STRING,
        stream=BOOLEAN,
        options=OBJECT,
        keep_alive=CONTEXT,
    ),
    inference(
        "/api/embed",
        "Ollama",
        "Embed one text or several",
        {"model": "nomic-embed-text", "input": ["hello"]},
        {JSON: VECTORS},
        input=TEXTS,
    ),
    inference(
        "/api/embeddings",
        "Ollama",
        "Embed one text, the older form",
        {"model": "nomic-embed-text", "prompt": "hello"},
        {JSON: {"embedding": [0.01, -0.02]}},
        prompt=STRING,
    ),
    Endpoint(
        "/", "Ollama", "Is it there? A browser gets the dashboard", {TEXT: "Ollama is running"}, "get", errors=(403,)
    ),
    Endpoint(
        "/api/tags", "Ollama", "Every model on any node, once", {JSON: {"models": [ENTRY | {"modified_at": AT}]}}, "get"
    ),
    Endpoint(
        "/api/ps",
        "Ollama",
        "Every loaded model on every node",
        {JSON: {"models": [ENTRY | {"expires_at": AT, "size_vram": 6e9, "context_length": 4096, "node": "studio"}]}},
        "get",
    ),
    Endpoint("/api/version", "Ollama", "What every Ollama of the fleet can do", {JSON: {"version": "0.32.2"}}, "get"),
    Endpoint(
        "/api/show",
        "Ollama",
        "What is known of a model, from a node that has it",
        {JSON: {"modelfile": "", "template": "", "details": DETAILS, "model_info": {}, "capabilities": ["completion"]}},
        wants={"model": STRING, "verbose": BOOLEAN},
        request={"model": MODEL},
        errors=(400, 401, 403, 404, 413),
    ),
    Endpoint(
        "/api/pull",
        "Models",
        "Pull a model onto a node; who pulls the same shares one pull",
        {NDJSON: PULLING + DONE, JSON: SUCCESS},
        wants={"model": STRING, "stream": BOOLEAN, "insecure": BOOLEAN, "node": NODE},
        request={"model": MODEL},
        errors=MANAGED,
    ),
    Endpoint(
        "/api/delete",
        "Models",
        "Delete a model from every node that has it",
        {TEXT: ""},
        "delete",
        wants={"model": STRING, "node": NODE},
        request={"model": MODEL},
        errors=MANAGED,
    ),
    Endpoint(
        "/api/copy",
        "Models",
        "Copy a model on every node that has it",
        {TEXT: ""},
        wants={"source": STRING, "destination": STRING, "node": NODE},
        request={"source": MODEL, "destination": "mine"},
        errors=MANAGED,
        required=("source", "destination"),
    ),
    Endpoint(
        "/api/create",
        "Models",
        "Create a model where its base or its blobs are",
        {NDJSON: DONE, JSON: SUCCESS},
        wants={"model": STRING, "from": STRING, "files": OBJECT, "adapters": OBJECT, "stream": BOOLEAN, "node": NODE},
        request={"model": "mine", "from": MODEL, "system": "Be brief."},
        errors=MANAGED,
    ),
    Endpoint(
        "/api/push",
        "Models",
        "Push a model from a node that has it",
        {NDJSON: DONE, JSON: SUCCESS},
        wants={"model": STRING, "stream": BOOLEAN, "insecure": BOOLEAN, "node": NODE},
        request={"model": "me/mine"},
        errors=MANAGED,
    ),
    Endpoint(
        "/api/blobs/{digest}",
        "Models",
        "Send a blob, of any size, from which a model is to be created",
        {TEXT: ""},
        errors=MANAGED,
        query={"node": NODE["description"]},
    ),
    inference(
        "/v1/chat/completions",
        "OpenAI",
        "Chat; whole unless told otherwise",
        {"model": MODEL, "messages": MESSAGES},
        {JSON: OPENAI_CHAT, SSE: CHUNK + "data: [DONE]\n\n"},
        messages=OBJECTS,
        stream=BOOLEAN,
        tools=OBJECTS,
        max_tokens={"type": "integer"},
        max_completion_tokens={"type": "integer"},
        prompt_cache_key=STRING,
    ),
    inference(
        "/v1/completions",
        "OpenAI",
        "Complete a prompt",
        {"model": MODEL, "prompt": "The sky is", "max_tokens": 16},
        {JSON: OPENAI_TEXT, SSE: 'data: {"choices":[{"index":0,"text":" blue"}]}\n\ndata: [DONE]\n\n'},
        prompt=TEXTS,
        stream=BOOLEAN,
        max_tokens={"type": "integer"},
    ),
    inference(
        "/v1/embeddings",
        "OpenAI",
        "Embed one text or several",
        {"model": "nomic-embed-text", "input": "hello"},
        {JSON: OPENAI_VECTORS},
        input=TEXTS,
    ),
    inference(
        "/v1/responses",
        "OpenAI",
        "Answer without keeping anything; whole unless told otherwise",
        {"model": MODEL, "input": "hello"},
        {JSON: RESPONSE, SSE: 'event: response.completed\ndata: {"type":"response.completed","response":{}}\n\n'},
        input={"oneOf": [STRING, OBJECTS]},
        instructions=STRING,
        stream=BOOLEAN,
        tools=OBJECTS,
        max_output_tokens={"type": "integer"},
        prompt_cache_key=STRING,
    ),
    inference(
        "/v1/messages",
        "Anthropic",
        "Answer a conversation; whole unless told otherwise",
        {"model": MODEL, "max_tokens": 64, "messages": MESSAGES},
        {JSON: MESSAGE, SSE: 'event: message_stop\ndata: {"type":"message_stop"}\n\n'},
        messages=OBJECTS,
        system={"oneOf": [STRING, OBJECTS]},
        max_tokens={"type": "integer"},
        stream=BOOLEAN,
        tools=OBJECTS,
        metadata=OBJECT,
    ),
    Endpoint(
        "/v1/messages/count_tokens",
        "Anthropic",
        "The tokens of a prompt, estimated here",
        {JSON: {"input_tokens": 30}},
        wants={"model": STRING, "messages": OBJECTS, "system": {"oneOf": [STRING, OBJECTS]}, "tools": OBJECTS},
        request={"model": MODEL, "messages": MESSAGES},
        errors=(400, 401, 403, 413),
        required=("model", "messages"),
    ),
    Endpoint(
        "/v1/models",
        "OpenAI",
        "Every model, once; in Anthropic's form with `anthropic-version`",
        {JSON: {"object": "list", "data": [OPENAI_MODEL]}},
        "get",
    ),
    Endpoint("/v1/models/{model}", "OpenAI", "One model", {JSON: OPENAI_MODEL}, "get", errors=(401, 403, 404)),
    Endpoint(
        "/fleet/api/v1/heartbeat",
        "Agents",
        "What an agent reports of its node, every five seconds",
        {JSON: {"status": "accepted", "node": "studio", "state": "online"}},
        wants={
            "schema": {"const": 1},
            "node": STRING,
            "boot": STRING,
            "sequence": {"type": "integer", "minimum": 0},
            "draining": BOOLEAN,
            "memory": OBJECT,
            "cpu": OBJECT,
            "engine": OBJECT,
            "capacity": OBJECT,
        },
        request=examples.HEARTBEAT,
        errors=(400, 401, 403, 413),
        security=AGENT,
        required=("schema", "node", "boot", "sequence"),
    ),
)
