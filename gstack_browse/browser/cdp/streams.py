"""Read streams of Chromium's protocol (`IO.read`): large results such as PDFs, traces and blobs."""

import base64
from collections.abc import AsyncIterator

from gstack_browse.browser.cdp.session import Session

PIECE = 1 << 20
"""Most bytes for one `IO.read`."""


async def read_stream(session: Session, handle: str) -> AsyncIterator[bytes]:
    """Yield the content of a stream in pieces, and close it at its end. Raises ProtocolError."""
    while True:
        piece = await session.send("IO.read", {"handle": handle, "size": PIECE})
        data: str = piece["data"]
        yield base64.b64decode(data) if piece.get("base64Encoded") else data.encode("utf-8", "replace")
        if piece["eof"]:
            session.notify("IO.close", {"handle": handle})
            return
