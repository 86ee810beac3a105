"""Import the rest of the daemon after the first reply, and remove what killed daemons have left."""

import asyncio
import gc

from gstack_browse.browser.launch.scratch import remove_abandoned
from gstack_browse.daemon import error_log
from gstack_browse.daemon.boot_image import IMAGE
from gstack_browse.daemon.service import Service
from gstack_browse.registry import REGISTRY

QUIET_SECONDS = 0.03
"""How long no command may have run: an agent that sends several at once gets their replies first."""
MOST_SECONDS = 1.0
"""How long commands in succession may delay this."""


async def import_late(service: Service) -> None:
    """Import the rest in a thread, after the first reply.

    It is not left until it is needed: by then an upgrade may have replaced the code on disk.
    """
    await service.wait_until_started()
    await _wait_until_idle(service)
    try:
        await asyncio.to_thread(_import_rest)
        await asyncio.to_thread(remove_abandoned)
    except Exception as error:  # noqa: BLE001 - a command that needs what cannot be imported fails with it, too
        error_log.log_exception(error)
    await asyncio.to_thread(IMAGE.uninstall)
    gc.freeze()  # as `main` does with what it has loaded


async def _wait_until_idle(service: Service) -> None:
    """Wait until a command was answered and none runs, at most MOST_SECONDS."""
    now = asyncio.get_running_loop().time
    give_up = now() + MOST_SECONDS
    while (service.running_commands or not service.recent_commands) and now() < give_up:  # noqa: ASYNC110 - nobody tells of a pause
        await asyncio.sleep(QUIET_SECONDS)


def _import_rest() -> None:
    """Import all commands, and certificates to trust."""
    REGISTRY.complete()
    import gstack_browse.browser.launch.certificates  # noqa: F401
