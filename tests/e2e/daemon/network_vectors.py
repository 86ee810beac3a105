"""Ways in which a page has Chromium ask a server, and a server that counts them.

Each of `WAYS` is run with `at`, the address to ask, which ends with the way's name, and with `socket`, the same for a web socket.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from tests.e2e.serving import Answering, serving

_WORKER = "new Worker(URL.createObjectURL(new Blob([{code}])))"
_SHARED = "new SharedWorker(URL.createObjectURL(new Blob([{code}])))"


def _tag(markup: str) -> str:
    """Show markup, with AT for the address and SOCKET for that of a web socket."""
    return f"show({json.dumps(markup)}.replaceAll('AT', at).replaceAll('SOCKET', socket))"


def _inside(kind: str, code: str) -> str:
    """Run code in a worker, with AT for the address and SOCKET for that of a web socket."""
    return kind.format(code=f"{json.dumps(code)}.replaceAll('AT', at).replaceAll('SOCKET', socket)")


FETCH = "fetch('AT', {mode: 'no-cors'}).catch(() => {})"
WAYS = {
    "img": _tag("<img src=AT>"),
    "svg-fe-image": _tag("<svg><filter id=f><feImage href=AT /></filter><rect width=9 height=9 filter=url(#f) /></svg>"),
    "css-background": _tag("<p style='background: url(AT)'>x</p>"),
    "css-import": _tag("<style>@import 'AT';</style>"),
    "css-font": _tag("<style>@font-face { font-family: 'AT'; src: url(AT) } </style><p style='font-family: \"AT\"'>x</p>"),
    "font-face": "new FontFace('x' + at, `url(${at})`).load().catch(() => {})",
    "link-style": _tag("<link rel=stylesheet href=AT>"),
    "link-icon": _tag("<link rel=icon href=AT>"),
    "link-manifest": _tag("<link rel=manifest href=AT>"),
    "link-preload": _tag("<link rel=preload as=image href=AT>"),
    "link-prefetch": _tag("<link rel=prefetch href=AT>"),
    "link-modulepreload": _tag("<link rel=modulepreload href=AT>"),
    "link-preconnect": _tag("<link rel=preconnect href=AT>"),
    "link-dns": _tag("<link rel=dns-prefetch href=AT>"),
    "iframe": _tag("<iframe src=AT></iframe>"),
    "iframe-srcdoc": _tag("<iframe srcdoc='<img src=AT>'></iframe>"),
    "iframe-data": _tag("<iframe src='data:text/html,<img src=AT>'></iframe>"),
    "iframe-refresh": _tag("<iframe srcdoc='<meta http-equiv=refresh content=0;url=AT>'></iframe>"),
    "iframe-socket": _tag("<iframe srcdoc='<script>new WebSocket(`SOCKET`)</script>'></iframe>"),
    "object": _tag("<object data=AT></object>"),
    "audio": _tag("<audio src=AT preload=auto></audio>"),
    "track": "const video = document.body.appendChild(document.createElement('video')); video.crossOrigin = 'anonymous'; const track = video.appendChild(document.createElement('track')); track.src = at; track.default = true; track.track.mode = 'showing'",
    "form": _tag("<iframe name=AT></iframe><form action=AT method=post target=AT></form>") + "; [...document.forms].at(-1).submit()",
    "ping": _tag("<a href='#there' ping=AT>x</a>") + "; [...document.links].at(-1).click()",
    "script": "document.body.appendChild(document.createElement('script')).src = at",
    "script-module": "Object.assign(document.body.appendChild(document.createElement('script')), {type: 'module', src: at})",
    "script-import": "import(at).catch(() => {})",
    "fetch": FETCH.replace("'AT'", "at"),
    "fetch-cors": "fetch(at).catch(() => {})",
    "fetch-keepalive": "fetch(at, {keepalive: true, mode: 'no-cors'}).catch(() => {})",
    "fetch-redirected": "fetch('/to?' + at, {mode: 'no-cors'}).catch(() => {})",
    "cache": "caches.open('x').then(cache => cache.add(new Request(at, {mode: 'no-cors'}))).catch(() => {})",
    "event-source": "new EventSource(at)",
    "beacon": "navigator.sendBeacon(at, 'x')",
    "socket": "new WebSocket(socket)",
    "web-transport": "new WebTransport(at.replace('http:', 'https:')).ready.catch(() => {})",
    "stun": "const peer = new RTCPeerConnection({iceServers: [{urls: 'stun:' + new URL(at).host}]}); peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer))",
    "turn-tcp": "const peer = new RTCPeerConnection({iceServers: [{urls: `turn:${new URL(at).host}?transport=tcp`, username: 'x', credential: 'y'}]}); peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer))",
    "worker-fetch": _inside(_WORKER, FETCH),
    "worker-script": _inside(_WORKER, "importScripts('AT')"),
    "worker-event-source": _inside(_WORKER, "new EventSource('AT')"),
    "worker-socket": _inside(_WORKER, "new WebSocket('SOCKET')"),
    "worker-in-worker": _inside(
        _WORKER, "new Worker(URL.createObjectURL(new Blob([`new WebSocket('SOCKET')`])))"
    ),
    "shared-fetch": _inside(_SHARED, FETCH),
    "shared-socket": _inside(_SHARED, "new WebSocket('SOCKET')"),
    "audio-worklet": "new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule(at).catch(() => {})",
    "paint-worklet": "CSS.paintWorklet.addModule(at).catch(() => {})",
    "service-fetch": "ask_service('fetch', at)",
    "service-socket": "ask_service('socket', socket)",
    "service-cache": "ask_service('cache', at)",
    "background-fetch": "navigator.serviceWorker.ready.then(found => found.backgroundFetch.fetch(at, [at])).catch(() => {})",
    "notification": "navigator.serviceWorker.ready.then(found => found.showNotification('x', {icon: at})).catch(() => {})",
    "media-session": "navigator.mediaSession.metadata = new MediaMetadata({artwork: [{src: at}]})",
    "prefetch": "Object.assign(document.head.appendChild(document.createElement('script')), {type: 'speculationrules', text: JSON.stringify({prefetch: [{urls: [at], eagerness: 'immediate'}]})})",
    "prerender": "Object.assign(document.head.appendChild(document.createElement('script')), {type: 'speculationrules', text: JSON.stringify({prerender: [{urls: [at], eagerness: 'immediate'}]})})",
    "fedcm": "navigator.credentials.get({identity: {providers: [{configURL: at, clientId: 'x'}]}}).catch(() => {})",
    "payment": "new PaymentRequest([{supportedMethods: at}], {total: {label: 'x', amount: {currency: 'EUR', value: '1'}}}).canMakePayment().catch(() => {})",
    "attribution": _tag("<img attributionsrc=AT>"),
    "window": "window.open(at, '', 'noopener')",
}  # fmt: skip
"""Each way, as a script."""
REPORTS = ("csp-report",)
"""Ways of the page's headers."""
SILENT = frozenset(
    {
        "link-preconnect", "link-dns", "stun", "turn-tcp", "web-transport",  # they name no path
        "link-manifest", "background-fetch", "notification", "media-session", "attribution",  # what asks is part of a window, or off
        "prefetch", "prerender", "fedcm", "payment",  # Chromium decides whether and when
        "link-icon", "ping", "window",  # only the first of a page, and the forbidden come first
    }
)  # fmt: skip
"""Those of which an allowed server need not hear."""

PAGE = "<!doctype html><title>Ways</title><body><script src=/ways.js></script>"
SCRIPT = """
const show = markup => document.body.appendChild(document.createElement('div')).innerHTML = markup
const ask_service = (way, at) => navigator.serviceWorker.ready.then(found => found.active.postMessage([way, at]))
const ways = WAYS
window.ask = bases => {
    for (const base of bases) for (const [name, way] of Object.entries(ways)) {
        const at = `${base}/way/${name}`, socket = at.replace('http', 'ws')
        try { way(at, socket) } catch (error) { console.log(name, String(error)) }
    }
}
navigator.serviceWorker.register('/service.js')
"""
SERVICE = """
oninstall = () => skipWaiting()
onmessage = event => {
    const [way, at] = event.data
    if (way == 'fetch') fetch(at, {mode: 'no-cors'}).catch(() => {})
    if (way == 'socket') new WebSocket(at)
    if (way == 'cache') caches.open('y').then(cache => cache.add(new Request(at, {mode: 'no-cors'}))).catch(() => {})
}
"""


class CountingServer:
    """Serve the page, and note connections and the ways that were asked for."""

    def __init__(self) -> None:
        self.server_port = 0
        self.connections = 0
        self.ways: set[str] = set()
        self.reports = ""
        """Where the page's header sends reports."""


class _Counting(Answering):
    def __init__(self, *args: Any, counted: CountingServer) -> None:
        self.counted = counted
        counted.connections += 1
        super().__init__(*args)

    def get(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/way/"):
            self.counted.ways.add(parts.path.removeprefix("/way/"))
        kind = "text/javascript" if parts.path.endswith(".js") else "text/html"
        headers = {"Access_Control_Allow_Origin": "*"}
        if parts.path == "/":
            headers["Content_Security_Policy_Report_Only"] = f"object-src 'none'; {self.counted.reports}"
        if parts.path == "/to":
            headers["Location"] = parts.query
        self.answer(_FILES.get(parts.path, "").encode(), 302 if parts.path == "/to" else 200, kind, **headers)

    post = do_HEAD = get  # noqa: N815 - the name http.server looks for


_WRITTEN = ",".join(f"{json.dumps(name)}: (at, socket) => {{ {way} }}" for name, way in WAYS.items())
_FILES = {"/": PAGE, "/ways.js": SCRIPT.replace("WAYS", f"{{{_WRITTEN}}}"), "/service.js": SERVICE}


@contextmanager
def counting() -> Iterator[CountingServer]:
    """Run a server at a port of its own."""
    counted = CountingServer()
    with serving(partial(_Counting, counted=counted)) as counted.server_port:
        yield counted
