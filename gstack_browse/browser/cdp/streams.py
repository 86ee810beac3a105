"""Reads streams of the protocol: Chromium hands large results over by them, such as PDF files and traces."""

import base64
from collections.abc import AsyncIterator

from gstack_browse.browser.cdp.session import Session

PIECE = 1 << 20
"""Bytes that are asked for at once."""


async def read_stream(session: Session, handle: str) -> AsyncIterator[bytes]:
    """Yield the content of a stream in pieces, and close it at its end. Raises ProtocolError."""
    while True:
        piece = await session.send("IO.read", {"handle": handle, "size": PIECE})
        data: str = piece["data"]
        yield base64.b64decode(data) if piece.get("base64Encoded") else data.encode("utf-8", "replace")
        if piece["eof"]:
            session.notify("IO.close", {"handle": handle})
            return
