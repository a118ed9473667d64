"""A server on this machine that answers as it was told."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

PREFIX = "/fleet/api/v1/"


class Answering(ThreadingHTTPServer):
    """Answers each path with its answers in turn, the last one for ever; remembers the tokens it was shown."""

    def __init__(self, answers: Mapping[str, list[object]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {path: list(each) for path, each in answers.items()}
        self.tokens: list[str] = []

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str) -> object:
        """The next answer of this path, None if it has none."""
        left = self.answers.get(path.removeprefix(PREFIX), [None])
        return left.pop(0) if len(left) > 1 else left[0]


class Handler(BaseHTTPRequestHandler):
    """One request to it."""

    server: Answering

    def do_GET(self) -> None:
        """The next answer, or 404."""
        self.server.tokens.append(self.headers.get("Authorization", ""))
        answer = self.server.answer(self.path)
        self.send_response(200 if answer is not None else 404)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def answering(answers: Mapping[str, list[object]]) -> Iterator[Answering]:
    """A server at work."""
    with Answering(answers) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
