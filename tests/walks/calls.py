"""One request from outside: its bytes, its answer as it came, and the moment it is given up."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 60.0  # seconds
JSON = {"Content-Type": "application/json"}

# The paths that generate, and how each is asked.
GENERATING: dict[str, dict[str, Any]] = {
    "/api/chat": {"messages": [{"role": "user", "content": "Why is the sky blue?"}]},
    "/api/generate": {"prompt": "Why is the sky blue?"},
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "Why is the sky blue?"}]},
    "/v1/completions": {"prompt": "Why is the sky blue?"},
    "/v1/messages": {"messages": [{"role": "user", "content": "Why is the sky blue?"}], "max_tokens": 12},
    "/v1/responses": {"input": "Why is the sky blue?"},
}
EMBEDDING: dict[str, dict[str, Any]] = {
    "/api/embed": {"input": "Why is the sky blue?"},
    "/api/embeddings": {"prompt": "Why is the sky blue?"},
    "/v1/embeddings": {"input": "Why is the sky blue?"},
}
PATHS = GENERATING | EMBEDDING
CHATS = ("/api/chat", "/v1/chat/completions")
DIALECTS = (*CHATS, "/v1/messages", "/v1/responses")  # one path of each


@dataclass(frozen=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def node(self) -> str:
        """Who served it."""
        return self.headers["x-fleet-node"]

    @property
    def decision(self) -> str:
        """Its audit's id."""
        return self.headers["x-fleet-decision"]

    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The message of an error, in either dialect."""
        told = self.json()["error"]
        return str(told if isinstance(told, str) else told["message"])


def asking(path: str, model: str, *, stream: bool = False, tokens: int | None = None, **more: Any) -> bytes:
    """A body for this path; `tokens` limits the answer as its dialect says it."""
    limit: dict[str, Any] = {} if tokens is None else dict.fromkeys(("max_tokens", "max_output_tokens"), tokens)
    options: dict[str, Any] = {} if tokens is None else {"options": {"num_predict": tokens}}
    return json.dumps({"model": model, "stream": stream, **PATHS[path], **limit, **options, **more}).encode()


class Call:
    """One request that was sent; the answer is read when it is wanted, or never."""

    def __init__(self, url: str, path: str, body: bytes, headers: Mapping[str, str] = JSON, how: str = "POST") -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
        self._response: http.client.HTTPResponse | None = None
        self._connection.request(how, path, body, dict(headers))

    @property
    def response(self) -> http.client.HTTPResponse:
        """The answer, its head read."""
        if self._response is None:
            self._response = self._connection.getresponse()
        return self._response

    def line(self) -> bytes:
        """The next line of the answer."""
        return self.response.readline()

    def answer(self) -> Answer:
        """The whole answer."""
        headers = {name.lower(): value for name, value in self.response.getheaders()}
        answer = Answer(self.response.status, headers, self.response.read())
        self.leave()
        return answer

    def leave(self) -> None:
        """Close the connection, whatever was or was not read."""
        if self._response is not None:
            self._response.close()
        self._connection.close()


def post(url: str, path: str, body: bytes, headers: Mapping[str, str] = JSON) -> Answer:
    """One POST, answered."""
    return Call(url, path, body, headers).answer()
