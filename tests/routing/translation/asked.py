"""The same things asked in four dialects, and what both engines are to be sent for them."""

from typing import Any

PIXEL = "iVBORw0KGgo="
DATA_URL = f"data:image/png;base64,{PIXEL}"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
CHAT, CLAUDE, RESPONSES, OLLAMA = "/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat"

HELLO = {"role": "user", "content": "hello"}
FUNCTION = {"name": "weather", "description": "of a city", "parameters": CITY}
NESTED_TOOL = {"type": "function", "function": FUNCTION}
CLAUDE_TOOL = {"name": "weather", "description": "of a city", "input_schema": CITY}
FLAT_TOOL = {"type": "function", **FUNCTION}


def _openai_call(id: str, city: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "weather", "arguments": f'{{"city":"{city}"}}'}}


def _ollama_call(id: str, index: int, city: str) -> dict[str, Any]:
    return {"id": id, "function": {"index": index, "name": "weather", "arguments": {"city": city}}}


def _tool_use(id: str, city: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "weather", "input": {"city": city}}


def _function_call(id: str, city: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": "weather", "arguments": f'{{"city":"{city}"}}'}


def _output(id: str, text: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": text}


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
OPENAI_PICTURE = {"type": "image_url", "image_url": {"url": DATA_URL}}

# scene → (path → body without its model), as Ollama takes it, as OpenAI takes it
SCENES: dict[str, tuple[dict[str, dict[str, Any]], dict[str, Any], dict[str, Any]]] = {
    "plain": (
        {
            OLLAMA: {"messages": [HELLO]},
            CHAT: {"messages": [HELLO]},
            RESPONSES: {"input": "hello"},
            CLAUDE: {"messages": [HELLO]},
        },
        {"messages": [HELLO]},
        {"messages": [HELLO]},
    ),
    "system": (
        {
            OLLAMA: {"messages": [{"role": "system", "content": "be brief"}, HELLO]},
            CHAT: {"messages": [{"role": "developer", "content": "be brief"}, HELLO]},
            RESPONSES: {"instructions": "be brief", "input": [{"type": "message", **HELLO}]},
            CLAUDE: {"system": [{"type": "text", "text": "be brief", "cache_control": {}}], "messages": [HELLO]},
        },
        {"messages": [{"role": "system", "content": "be brief"}, HELLO]},
        {"messages": [{"role": "system", "content": "be brief"}, HELLO]},
    ),
    "parts and a picture": (
        {
            OLLAMA: {"messages": [{"role": "user", "content": "what\nis it", "images": [PIXEL]}]},
            CHAT: {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "what\nis it"}, OPENAI_PICTURE]},
                ]
            },
            RESPONSES: {
                "input": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "input_text", "text": "what\nis it"},
                            {"type": "input_image", "image_url": DATA_URL},
                        ],
                    }
                ]
            },
            CLAUDE: {"messages": [{"role": "user", "content": [{"type": "text", "text": "what\nis it"}, PICTURE]}]},
        },
        {"messages": [{"role": "user", "content": "what\nis it", "images": [PIXEL]}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "what\nis it"}, OPENAI_PICTURE]}]},
    ),
    "two calls and their results": (
        {
            OLLAMA: {
                "tools": [NESTED_TOOL],
                "messages": [
                    HELLO,
                    {"role": "assistant", "tool_calls": [_ollama_call("a", 0, "Bern"), _ollama_call("b", 1, "Rom")]},
                    {"role": "tool", "content": "rain", "tool_name": "weather", "tool_call_id": "a"},
                    {"role": "tool", "content": "sun", "tool_name": "weather", "tool_call_id": "b"},
                ],
            },
            CHAT: {
                "tools": [NESTED_TOOL],
                "messages": [
                    HELLO,
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [_openai_call("a", "Bern"), _openai_call("b", "Rom")],
                    },
                    {"role": "tool", "tool_call_id": "a", "content": "rain"},
                    {"role": "tool", "tool_call_id": "b", "content": [{"type": "text", "text": "sun"}]},
                ],
            },
            RESPONSES: {
                "tools": [FLAT_TOOL],
                "input": [
                    HELLO,
                    _function_call("a", "Bern"),
                    _function_call("b", "Rom"),
                    _output("a", "rain"),
                    _output("b", "sun"),
                ],
            },
            CLAUDE: {
                "tools": [CLAUDE_TOOL],
                "messages": [
                    HELLO,
                    {"role": "assistant", "content": [_tool_use("a", "Bern"), _tool_use("b", "Rom")]},
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "a", "content": "rain"},
                            {
                                "type": "tool_result",
                                "tool_use_id": "b",
                                "content": [{"type": "text", "text": "sun"}],
                            },
                        ],
                    },
                ],
            },
        },
        {
            "messages": [
                HELLO,
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [_ollama_call("a", 0, "Bern"), _ollama_call("b", 1, "Rom")],
                },
                {"role": "tool", "content": "rain", "tool_call_id": "a", "tool_name": "weather"},
                {"role": "tool", "content": "sun", "tool_call_id": "b", "tool_name": "weather"},
            ],
            "tools": [NESTED_TOOL],
        },
        {
            "messages": [
                HELLO,
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [_openai_call("a", "Bern"), _openai_call("b", "Rom")],
                },
                {"role": "tool", "tool_call_id": "a", "content": "rain"},
                {"role": "tool", "tool_call_id": "b", "content": "sun"},
            ],
            "tools": [NESTED_TOOL],
            "tool_choice": "auto",
        },
    ),
    "earlier thoughts": (
        {
            OLLAMA: {"messages": [HELLO, {"role": "assistant", "content": "hi", "thinking": "greet"}, HELLO]},
            CHAT: {"messages": [HELLO, {"role": "assistant", "content": "hi", "reasoning": "greet"}, HELLO]},
            RESPONSES: {
                "input": [
                    HELLO,
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "greet"}]},
                    {
                        "type": "message",
                        "role": "assistant",
                        "content": [{"type": "output_text", "text": "hi", "annotations": []}],
                    },
                    HELLO,
                ]
            },
            CLAUDE: {
                "messages": [
                    HELLO,
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "thinking", "thinking": "greet", "signature": "s"},
                            {"type": "text", "text": "hi"},
                        ],
                    },
                    HELLO,
                ]
            },
        },
        {"messages": [HELLO, {"role": "assistant", "content": "hi", "thinking": "greet"}, HELLO]},
        {"messages": [HELLO, {"role": "assistant", "content": "hi", "reasoning_content": "greet"}, HELLO]},
    ),
    "thinking asked for": (
        {
            OLLAMA: {"messages": [HELLO], "think": True},
            CLAUDE: {"messages": [HELLO], "thinking": {"type": "adaptive"}},
        },
        {"messages": [HELLO], "think": True},
        {"messages": [HELLO], "chat_template_kwargs": {"enable_thinking": True}},
    ),
    "an effort": (
        {
            OLLAMA: {"messages": [HELLO], "think": "low"},
            CHAT: {"messages": [HELLO], "reasoning_effort": "minimal"},
            RESPONSES: {"input": [HELLO], "reasoning": {"effort": "low", "summary": "auto"}},
            CLAUDE: {"messages": [HELLO], "thinking": {"type": "enabled"}, "output_config": {"effort": "low"}},
        },
        {"messages": [HELLO], "think": "low"},
        {"messages": [HELLO], "chat_template_kwargs": {"enable_thinking": True}, "reasoning_effort": "low"},
    ),
    "no thinking": (
        {
            OLLAMA: {"messages": [HELLO], "think": False},
            CHAT: {"messages": [HELLO], "reasoning_effort": "none"},
            RESPONSES: {"input": [HELLO], "reasoning": {"effort": "none"}},
            CLAUDE: {"messages": [HELLO]},
        },
        {"messages": [HELLO]},
        {"messages": [HELLO], "chat_template_kwargs": {"enable_thinking": False}},
    ),
    "a schema": (
        {
            OLLAMA: {"messages": [HELLO], "format": SCHEMA},
            CHAT: {
                "messages": [HELLO],
                "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
            },
            RESPONSES: {
                "input": [HELLO],
                "text": {"format": {"type": "json_schema", "name": "answer", "schema": SCHEMA}},
            },
            CLAUDE: {"messages": [HELLO], "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        },
        {"messages": [HELLO], "format": SCHEMA},
        {
            "messages": [HELLO],
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
        },
    ),
    "any JSON": (
        {
            OLLAMA: {"messages": [HELLO], "format": "json"},
            CHAT: {"messages": [HELLO], "response_format": {"type": "json_object"}},
            RESPONSES: {"input": [HELLO], "text": {"format": {"type": "json_object"}}},
        },
        {"messages": [HELLO], "format": "json"},
        {"messages": [HELLO], "response_format": {"type": "json_object"}},
    ),
    "a limit": (
        {
            OLLAMA: {"messages": [HELLO], "options": {"num_predict": 7}},
            CHAT: {"messages": [HELLO], "max_completion_tokens": 7},
            RESPONSES: {"input": [HELLO], "max_output_tokens": 7},
            CLAUDE: {"messages": [HELLO], "max_tokens": 7},
        },
        {"messages": [HELLO], "options": {"num_predict": 7}},
        {"messages": [HELLO], "max_tokens": 7},
    ),
    "stop sequences": (
        {
            OLLAMA: {"messages": [HELLO], "options": {"stop": ["a", "b"]}},
            CHAT: {"messages": [HELLO], "stop": ["a", "b"]},
            CLAUDE: {"messages": [HELLO], "stop_sequences": ["a", "b"]},
        },
        {"messages": [HELLO], "options": {"stop": ["a", "b"]}},
        {"messages": [HELLO], "stop": ["a", "b"]},
    ),
    "how to draw": (
        {
            OLLAMA: {"messages": [HELLO], "options": {"temperature": 0, "top_p": 0.5, "seed": 3, "top_k": 4}},
            CHAT: {"messages": [HELLO], "temperature": 0, "top_p": 0.5, "seed": 3, "top_k": 4},
        },
        {"messages": [HELLO], "options": {"temperature": 0, "top_p": 0.5, "seed": 3, "top_k": 4}},
        {"messages": [HELLO], "temperature": 0, "top_p": 0.5, "seed": 3, "top_k": 4},
    ),
    "penalties": (
        {
            OLLAMA: {"messages": [HELLO], "options": {"presence_penalty": 0.1, "frequency_penalty": 0.2}},
            CHAT: {"messages": [HELLO], "presence_penalty": 0.1, "frequency_penalty": 0.2},
        },
        {"messages": [HELLO], "options": {"presence_penalty": 0.1, "frequency_penalty": 0.2}},
        {"messages": [HELLO], "presence_penalty": 0.1, "frequency_penalty": 0.2},
    ),
    "what tokens weigh": (
        {
            OLLAMA: {"messages": [HELLO], "logprobs": True, "top_logprobs": 2},
            CHAT: {"messages": [HELLO], "logprobs": True, "top_logprobs": 2},
            RESPONSES: {"input": [HELLO], "include": ["message.output_text.logprobs"], "top_logprobs": 2},
        },
        {"messages": [HELLO], "logprobs": True, "top_logprobs": 2},
        {"messages": [HELLO], "logprobs": True, "top_logprobs": 2},
    ),
}
CASES = [(scene, path) for scene, (bodies, _, _) in SCENES.items() for path in bodies]
