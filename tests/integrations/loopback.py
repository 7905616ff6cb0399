"""A chat server on this machine that answers as it is told to, one act a request."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]
"""What the server does with one request: the connection, and the body that was asked."""


def sent(handler: BaseHTTPRequestHandler, data: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def says(text: Any, finish: str = "stop") -> Act:
    """A sound answer with a text."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    body = {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    return lambda handler, _: sent(handler, json.dumps(body).encode())


def status(code: int, **headers: str) -> Act:
    return lambda handler, _: sent(handler, b'{"error": "no"}', code, **headers)


def hangs(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    """Says nothing for longer than anybody waits."""
    time.sleep(1.5)


def half_a_json(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    sent(handler, b'{"choices": [{"message": {"content": "le')


def breaks_off(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    """Promises more than it sends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')


def endless(pause: float) -> Act:
    """Whitespace without end: fast, or slowly enough that no single silence is long."""

    def act(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(10_000):
            try:
                handler.wfile.write(b" " * (10 if pause else 10_000))
                handler.wfile.flush()
            except OSError:
                return
            time.sleep(pause)

    return act


def other_shape(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    sent(handler, b'{"choices": [], "usage": 3}')


def hangs_up(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving(*script: Act, then: Act) -> Iterator[tuple[str, Sequence[dict[str, Any]]]]:
    """Yield the URL of a server that goes through a script and then repeats the last act, and what it was asked."""
    asked: list[dict[str, Any]] = []
    acts, lock = iter(script), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                act = next(acts, then)
                asked.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
            act(self, body)

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:  # clients that hang up are what is tested
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
