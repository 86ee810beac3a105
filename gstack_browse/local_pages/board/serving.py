"""Serve a picture to a page of the loopback server."""

from aiohttp import web

from gstack_browse.local_pages.board.pictures import SVG

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"
"""An SVG file is a document that may have scripts. In an <img> none runs; this forbids them when it is opened by itself."""


def picture_response(content: bytes, kind: str) -> web.Response:
    """Return a response with a picture of media type `kind`; an SVG gets a policy that forbids scripts."""
    headers = {"Content-Security-Policy": _POLICY} if kind == SVG else {}
    return web.Response(body=content, content_type=kind, headers=headers)
