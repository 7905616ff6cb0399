"""One JSON body posted to a server that may be slow, busy, broken or endless: back come bounded bytes, or a `Fault`.

Departures: the standard library alone. Redirects are not followed, as they would carry the key to another host.
"""

import time
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

_CHUNK = 1 << 16
_BUSY = (408, 425, 429)


class Fault(Exception):
    """What went wrong with one request: its `kind`, whether asking again can help, and how long to wait [s]."""

    def __init__(self, kind: str, detail: str = "", *, again: bool = True, wait: float = 0.0, status: int = 0) -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind, self.again, self.wait, self.status = kind, again, wait, status


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = build_opener(_Stay)


def post(url: str, body: bytes, headers: dict[str, str], *, timeout: float, largest: int) -> bytes:
    """Return the answer to one POST.

    Args:
        timeout: for the whole answer, and for each silence within it [s].
        largest: how many bytes are read at most.

    Raises:
        Fault: there is none, or none that could be used.
    """
    deadline = time.monotonic() + timeout
    try:
        with _OPENER.open(Request(url, body, headers, method="POST"), timeout=timeout) as reply:
            return _bounded(reply, deadline, largest)
    except HTTPError as error:
        raise _refused(error, deadline) from error
    except ValueError:  # its text may hold the key
        raise Fault("unreachable", "address or key has a character that cannot be sent", again=False) from None
    except (URLError, OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        kind = "timeout" if isinstance(reason, TimeoutError) else "unreachable"
        raise Fault(kind, str(reason) or type(reason).__name__) from error


def _bounded(reply: Any, deadline: float, largest: int) -> bytes:
    """Read an answer that may never end."""
    data = bytearray()
    while chunk := reply.read1(_CHUNK):
        data += chunk
        if len(data) > largest:
            raise Fault("too long", f"over {largest} bytes")
        if time.monotonic() > deadline:
            raise Fault("timeout", "the answer does not end")
    return bytes(data)


def _refused(error: HTTPError, deadline: float) -> Fault:
    """Return the fault behind a status: busy and broken servers may mend, a request that is refused will not."""
    with error:
        try:
            said = _bounded(error, deadline, _CHUNK).decode("utf-8", "replace")[:300]
        except (Fault, OSError, HTTPException):
            said = ""
    again = error.code in _BUSY or error.code >= 500
    return Fault(f"http {error.code}", said, again=again, wait=_retry_after(error.headers), status=error.code)


def _retry_after(headers: Message) -> float:
    """Return how long a server asks to be left alone [s], which it says in seconds or as a date; 0 for nonsense."""
    said = headers.get("Retry-After", "")
    try:
        return max(0.0, float(said))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
