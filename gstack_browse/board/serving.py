"""How a picture is sent to a page of ours."""

from aiohttp import web

from gstack_browse.board.pictures import SVG

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"
"""An SVG file is a document that may have scripts: in an <img> none runs, and opened by itself this forbids them."""


def picture_response(content: bytes, kind: str) -> web.Response:
    """A picture of that media type, as an answer."""
    headers = {"Content-Security-Policy": _POLICY} if kind == SVG else {}
    return web.Response(body=content, content_type=kind, headers=headers)
