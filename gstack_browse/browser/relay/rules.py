"""Decide which requests of an attached client reach Chromium, and which targets the client sees. Pure.

A client sees one browser context of ours as the browser's default one, and those that the client has created.
"""

from collections.abc import Collection
from typing import Any

CONTEXT = "browserContextId"
_TAKES_CONTEXT = frozenset(
    {
        "Target.createTarget",
        "Browser.setDownloadBehavior",
        "Browser.cancelDownload",
        "Browser.setPermission",
        "Browser.grantPermissions",
        "Browser.resetPermissions",
        "Storage.getCookies",
        "Storage.setCookies",
        "Storage.clearCookies",
    }
)
"""Methods that act on the browser's default context without a `browserContextId`: they get the client's."""
DOWNLOADS = "Browser.setDownloadBehavior"
DISPOSE = "Target.disposeBrowserContext"
MAKE_CONTEXT = "Target.createBrowserContext"
NAMES_TARGET = frozenset(
    {
        "Target.activateTarget",
        "Target.attachToTarget",
        "Target.autoAttachRelated",
        "Target.closeTarget",
        "Target.getTargetInfo",
        "Target.getDevToolsTarget",
        "Target.openDevTools",
        "Browser.getWindowForTarget",
    }
)
"""Methods whose parameter `targetId` may name any target of the browser."""
_REFUSED = {
    "Browser.close": "gbrowse keeps the browser: disconnect instead, or run 'gbrowse stop'",
    "Browser.crash": "gbrowse keeps the browser",
    "Browser.crashGpuProcess": "gbrowse keeps the browser",
    "Target.exposeDevToolsProtocol": "a page would get the protocol of all browser contexts",
    "Target.sendMessageToTarget": "only flat sessions are supported: attach with flatten",
    "Target.setRemoteLocations": "gbrowse has one browser",
    "Tethering.bind": "gbrowse opens no ports for others",
}
_OPENS_SESSIONS = frozenset({"Target.attachToTarget", "Target.setAutoAttach", "Target.autoAttachRelated"})


class RequestRefused(Exception):
    """A request that is not forwarded. The message is for the client."""


def adapt_request(
    method: str, params: dict[str, Any], *, context: str, own: Collection[str], is_browser_session: bool
) -> dict[str, Any]:
    """Return the parameters with which a request is forwarded to Chromium.

    Args:
        context: id of the browser context that the client is attached to
        own: ids of the browser contexts that the client has created
        is_browser_session: the request's session is with the browser; in one with a target, the target determines the context

    Raises RequestRefused.
    """
    if why := _REFUSED.get(method):
        raise RequestRefused(f"{method} is refused: {why}")
    context_id = params.get(CONTEXT)
    if method == DISPOSE and (context_id is None or context_id == context):
        raise RequestRefused(f"{method} is refused: the browser context is gbrowse's, with its tabs and logins")
    if context_id is not None and not (
        isinstance(context_id, str) and (context_id == context or context_id in own)
    ):
        raise RequestRefused(f"Failed to find browser context with id {context_id!s:.60}")
    if method in _OPENS_SESSIONS:
        return {**params, "flatten": True}
    if method == MAKE_CONTEXT:
        return {**params, "disposeOnDetach": True}
    if is_browser_session and context_id is None and method in _TAKES_CONTEXT and context:
        return {**params, CONTEXT: context}
    return params


def is_visible(info: dict[str, Any], *, context: str, own: Collection[str]) -> bool:
    """Return whether a client may see a target. `info`: the protocol's `TargetInfo`."""
    context_id = info.get(CONTEXT)
    return context_id is None or context_id == context or context_id in own


def select_targets(result: dict[str, Any], *, context: str, own: Collection[str]) -> dict[str, Any]:
    """Return a result of `Target.getTargets` with the visible targets only."""
    infos = result.get("targetInfos", [])
    return {**result, "targetInfos": [info for info in infos if is_visible(info, context=context, own=own)]}


def select_contexts(result: dict[str, Any], *, context: str, own: Collection[str]) -> dict[str, Any]:
    """Return a result of `Target.getBrowserContexts` with the client's contexts, and ours as the default."""
    visible = [each for each in result.get("browserContextIds", []) if each in own]
    default = {"defaultBrowserContextId": context} if "defaultBrowserContextId" in result else {}
    return {**result, "browserContextIds": visible, **default}
