"""Make a page with a frame of each kind, a worker and a service worker.

And tell what each of these gets from the network.
"""

from tests.commands.conftest import Run
from tests.commands.web import Web

ASK = "(...asked) => fetch(...asked).then(async (reply) => reply.status + ' ' + await reply.text(), String)"
"""A function that fetches, and tells status and body, or the error."""
TIMED = f"async (...asked) => {{ const began = performance.now(); await ({ASK})(...asked); return performance.now() - began }}"
"""One that tells how long that took, in milliseconds."""
PARTS = ("page", "worker", "service", "near", "far")


def page_of_parts(web: Web, ask: str = ASK) -> str:
    """The address of such a page. Each part asks by `ask`."""
    worker_code = f"onmessage = async (event) => event.ports[0].postMessage(await ({ask})(event.data))"
    service, worker = web.script("service.js", worker_code), web.script("worker.js", worker_code)
    tell = (
        "(to) => (url) => new Promise((done) => { const { port1, port2 } = new MessageChannel();"
        " port1.onmessage = (event) => done(event.data); to.postMessage(url, [port2]) })"
    )
    inner = web.show(f"<script>ask = {ask}</script>")
    return web.show(
        f"<iframe name=near src='{inner}'></iframe>"
        f"<iframe name=far src='{inner.replace(web.url, web.other)}'></iframe>"
        f"<script>ask = {ask}; tell = {tell}; asks = {{ page: ask, worker: tell(new Worker('{worker}')) }};"
        f" ready = navigator.serviceWorker.register('{service}').then((it) => new Promise((done) => {{"
        " const now = () => it.active ? done(asks.service = tell(it.active)) : setTimeout(now, 5); now() }))</script>"
    )


async def told_by_parts(run: Run, url: str) -> dict[str, str]:
    """Return what each part gets for an address."""
    await run("js", "await ready; 0")
    told = {name: await run("js", f"asks.{name}('{url}')") for name in ("page", "worker", "service")}
    for name in ("near", "far"):
        await run(f"frame iframe[name={name}]")
        told[name] = await run("js", f"ask('{url}')")
        await run("frame main")
    return told
