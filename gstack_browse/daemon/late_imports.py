"""Import what the first command did not need, after its reply."""

import asyncio
import gc

from gstack_browse.daemon import error_log
from gstack_browse.daemon.boot_image import IMAGE
from gstack_browse.daemon.service import Service
from gstack_browse.registry import REGISTRY


async def import_late(service: Service) -> None:
    """Import the rest in a thread: after the first reply, or while the driver loads.

    It is not left until it is needed: by then an upgrade may have replaced the code on disk.
    """
    await service.idle_scheduler.wait_until_idle()
    try:
        await asyncio.to_thread(_import_rest)
    except Exception as error:  # noqa: BLE001 - a command that needs what cannot be imported fails with it, too
        error_log.log_exception(error)
    await service.wait_until_started()
    await asyncio.to_thread(IMAGE.uninstall)
    gc.freeze()  # as `main` does with what it has loaded


def _import_rest() -> None:
    """Import all commands, the way to a browser without a pipe, and certificates to trust."""
    REGISTRY.complete()
    import gstack_browse.browser.cdp.tunnel
    import gstack_browse.browser.launch.certificates  # noqa: F401
