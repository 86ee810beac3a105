"""Imports what the first command did not need, behind its answer."""

import asyncio
import gc

from gstack_browse.daemon import error_log
from gstack_browse.daemon.boot_image import IMAGE
from gstack_browse.daemon.service import Service
from gstack_browse.registry import REGISTRY


async def load(service: Service) -> None:
    """Import the rest in a thread: behind the first answer, or while the driver loads.

    It is not left until it is needed: by then an upgrade may have replaced the code on disk.
    """
    await service.respite.over()
    try:
        await asyncio.to_thread(_complete)
    except Exception as error:  # noqa: BLE001 - a command that needs what cannot be imported fails with it, too
        error_log.report(error)
    await service.until_started()
    await asyncio.to_thread(IMAGE.leave)
    gc.freeze()  # as `main` does with what it has loaded


def _complete() -> None:
    """Import what no start needs: every command, the way to a browser without a pipe, and certificates to trust."""
    REGISTRY.complete()
    import gstack_browse.browser.cdp.tunnel
    import gstack_browse.browser.launch.certificates  # noqa: F401
