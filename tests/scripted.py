"""A model server that speaks the OpenAI chat protocol, keeps what it was asked, and answers what a test tells it to."""

from __future__ import annotations

import base64
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from workbench import stored

from isovist.data.dataset.rows import ItemRow
from isovist.data.prompts import IMAGE


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    path: str
    key: str
    raw: bytes
    body: dict[str, Any]

    @property
    def content(self) -> list[str | bytes]:
        """The words (str) and pictures (bytes) of the only message, in order."""
        (message,) = self.body["messages"]
        assert message["role"] == "user"
        parts = message["content"]
        if isinstance(parts, str):
            return [parts]
        return [part["text"] if part["type"] == "text" else _picture(part["image_url"]["url"]) for part in parts]

    @property
    def words(self) -> str:
        return "\n".join(part for part in self.content if isinstance(part, str))


@dataclass(frozen=True)
class Said:
    """What the server answers: a message, or with `raw` whatever stands there."""

    content: str | None = ""
    finish: str = "stop"
    more: dict[str, Any] = field(default_factory=dict)
    status: int = 200
    raw: str | None = None
    kind: str = "application/json"
    wait_s: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    tokens: int = 70
    """Of the prompt."""
    sent: float = 1.0
    """The share of the body that is sent before the connection is reset; 0 resets it before the first byte."""

    def bytes(self, model: str) -> bytes:
        if self.raw is not None:
            return self.raw.encode()
        message = {"role": "assistant", "content": self.content, **self.more}
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": f"{model}-as-served",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
            "usage": {"prompt_tokens": self.tokens, "completion_tokens": 5, "total_tokens": self.tokens + 5},
        }
        return json.dumps(completion).encode()


def fault(status: int, words: str = "something broke", **headers: str) -> Said:
    """An error as OpenAI's own server words it; `retry_after="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Said(status=status, raw=json.dumps({"error": {"message": words, "type": "fault", "code": None}}), headers=named)


Script = Callable[[Asked], Said]


class Server:
    """The server at work. `script` may be changed between two runs."""

    def __init__(self, script: Script, port: int) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.models: object = None
        """What its list of models tells, as JSON or as a text; without it, it has no such list."""
        self.url = f"http://127.0.0.1:{port}/v1"


@contextmanager
def serving(script: Script, port: int = 0) -> Generator[Server]:
    """A server on this machine, on a free port unless one is named."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            known = server.models is not None and self.path == "/v1/models"
            body = (server.models if isinstance(server.models, str) else json.dumps(server.models)).encode() if known else b"not here"
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            asked = Asked(self.path, self.headers.get("Authorization", ""), raw, json.loads(raw))
            server.asked.append(asked)
            reply = server.script(asked)
            time.sleep(reply.wait_s)
            body = reply.bytes(str(asked.body.get("model")))
            try:
                if reply.sent == 0:
                    self._reset()
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", reply.kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: round(reply.sent * len(body))])
                if reply.sent < 1:
                    self.wfile.flush()
                    self._reset()
            except ConnectionError:  # the other side was killed, as some tests want it
                self.close_connection = True

        def _reset(self) -> None:
            """Drops the connection without a farewell."""
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Keeps quiet."""

    class Listener(ThreadingHTTPServer):
        request_queue_size = 64  # with the five of the base class, eight connections at once wait for a second

        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """Says nothing of clients that went away."""

    with Listener(("127.0.0.1", port), Handler) as listener:
        server = Server(script, listener.server_port)
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown()
            thread.join()


class Book:
    """The rows of a data folder, to be found by what a request shows."""

    def __init__(self, data: Path) -> None:
        self._rows = {(row.images, _words(row.prompt)): row for row in stored(data)}

    def row(self, asked: Asked) -> ItemRow:
        """The row that a request asks about. Fails if it shows no row's very pictures and words."""
        return self._rows[tuple(part for part in asked.content if isinstance(part, bytes)), asked.words]


def _words(prompt: str) -> str:
    return "\n".join(words.strip("\n") for words in prompt.split(IMAGE) if words.strip())


def _picture(url: str) -> bytes:
    head, _, data = url.partition(",")
    assert head == "data:image/png;base64", head
    return base64.b64decode(data, validate=True)
