"""Chromium's process for graphics, which all pages share."""

import asyncio
from collections import Counter

from gstack_browse.browser.cdp.connection import Connection
from gstack_browse.browser.cdp.errors import ProtocolError

_LOOK_SECONDS = 0.3
_ANSWER_SECONDS = 1.0
_GRAPHICS = "GPU"


async def are_busy(connection: Connection) -> bool:
    """Return whether graphics use more processor time than all other processes of Chromium together.

    True if Chromium answers, but does not tell: nothing else explains then why pages do not answer.
    """
    try:
        before = await _processor_seconds(connection)
        await asyncio.sleep(_LOOK_SECONDS)
        spent = await _processor_seconds(connection) - before
    except TimeoutError:
        return False
    except ProtocolError:
        return True
    return spent[_GRAPHICS] > spent.total() / 2


async def _processor_seconds(connection: Connection) -> Counter[str]:
    """Return processor seconds by kind of process.

    Raises TimeoutError, and ProtocolError if Chromium does not tell.
    """
    async with asyncio.timeout(_ANSWER_SECONDS):
        told = await connection.ask_browser("SystemInfo.getProcessInfo")
    seconds: Counter[str] = Counter()
    for process in told["processInfo"]:
        seconds[process["type"]] += process["cpuTime"]
    return seconds
