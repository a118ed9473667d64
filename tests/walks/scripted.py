"""An engine that says, byte for byte, what a test has written down; and keeps, byte for byte, what it was sent."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHAT, EMBED = "scripted-chat", "scripted-embed"


@dataclass(frozen=True)
class Sent:
    """One request as it came to the engine."""

    headers: Sequence[tuple[str, str]]  # as spelled
    body: bytes

    def named(self, name: str) -> list[str]:
        """The values of this header."""
        return [value for key, value in self.headers if key.lower() == name]


@dataclass
class Script:
    """What is answered next, and what was asked last."""

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_ups: int = 0  # so many of the next questions are not answered: the connection is closed
    sent: list[Sent] = field(default_factory=list)
    url: str = ""

    def says(self, *pieces: bytes, status: int = 200, **headers: str) -> None:
        """From now on every question is answered so, each piece in a chunk of its own."""
        self.pieces, self.status, self.sent, self.hang_ups = pieces, status, [], 0
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


INVENTORY = {
    "/api/version": {"version": "0.34.2"},
    "/api/tags": {
        "models": [
            {"name": name, "model": name, "size": 10**9, "digest": name, "capabilities": [able]}
            for name, able in ((CHAT, "completion"), (EMBED, "embedding"))
        ]
    },
    "/api/ps": {"models": []},
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, script: Script, *given: object) -> None:
        self.script = script
        super().__init__(*given)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """The inventory."""
        self._say(200, {"Content-Type": "application/json"}, [json.dumps(INVENTORY[self.path]).encode()])

    def do_POST(self) -> None:
        """A question."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.script.sent.append(Sent(self.headers.items(), body))
        if self.script.hang_ups:
            self.script.hang_ups -= 1
            self.close_connection = True
        else:
            self._say(self.script.status, self.script.headers, self.script.pieces)

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def _say(self, status: int, headers: Mapping[str, str], pieces: Sequence[bytes]) -> None:
        self.send_response(status)
        for name, value in (*headers.items(), ("Transfer-Encoding", "chunked")):
            self.send_header(name, value)
        self.end_headers()
        for piece in (*pieces, b""):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()


@contextmanager
def scripted() -> Iterator[Script]:
    """Such an engine, listening until the end of the block."""
    script = Script()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, script))
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
