"""Enable the events of a new target before it runs."""

from typing import TYPE_CHECKING, Any

from gstack_browse.browser.cdp.world_name import WORLD

if TYPE_CHECKING:
    from gstack_browse.browser.cdp.targets import Target

AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
"""Parameters of `Target.setAutoAttach`, for the browser and for each target: new targets wait for RESUME."""
RESUME = "Runtime.runIfWaitingForDebugger"
_NETWORK: tuple[str, dict[str, Any]] = ("Network.enable", {})
"""Asked once of each target: asked again, Chromium drops the bodies of all responses so far."""
_OWN_WORLD = ("Page.addScriptToEvaluateOnNewDocument", {"source": "", "worldName": WORLD})
_DOCUMENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Page.enable", {}),
    ("Log.enable", {}),
    ("Runtime.enable", {}),
    _OWN_WORLD,
    _NETWORK,
    ("Target.setAutoAttach", AUTO_ATTACH),
)
_WORKER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Runtime.enable", {}),
    _NETWORK,
    ("Target.setAutoAttach", AUTO_ATTACH),
)
_SHARED_WORKER: tuple[tuple[str, dict[str, Any]], ...] = (_NETWORK, ("Runtime.enable", {}))
SETUP_REQUESTS = {
    "page": _DOCUMENTS,
    "iframe": _DOCUMENTS,
    "worker": _WORKER,
    "service_worker": _SHARED_WORKER,
    "shared_worker": _SHARED_WORKER,
}
"""Kind of target (`targetInfo.type`) → methods and parameters. We attach to no other kinds."""


def enable_events(target: "Target") -> None:
    """Send the requests that enable a target's events. Does not wait: Chromium handles requests in order."""
    for method, parameters in SETUP_REQUESTS.get(target.kind, ()):
        target.session.notify(method, parameters)
