"""Inspect: debug and verify."""

import json
from typing import Literal

from gstack_browse.browser import evaluate, read
from gstack_browse.browser.page import PageSession
from gstack_browse.registry import READ, WRITE, command
from gstack_browse.registry.arguments import Expression, Property, Target


@command(
    WRITE,
    examples=["js document.title", "js 'await fetch(\"/api\").then(r => r.status)'"],
    page_text=True,
    waits=True,
)
async def js(page: PageSession, expression: Expression) -> str:
    """Run JavaScript in the page and print its value.

    Objects and arrays are printed as JSON, strings bare, undefined as nothing. `await` works, several
    statements too, and @e3 in the code stands for that element. A thrown error is an error, exit 1.
    """
    return await evaluate.run(page, expression)


@command(READ, examples=["css h1 color"], page_text=True)
async def css(page: PageSession, target: Target, property: Property) -> str:
    """Print the computed value of a CSS property."""
    return await read.css(page, target, property)


@command(READ, examples=["attrs @e3"], page_text=True)
async def attrs(page: PageSession, target: Target) -> str:
    """Print an element's attributes as JSON. Values of password fields are masked."""
    return json.dumps(await read.attributes(page, target), ensure_ascii=False, indent=2)


@command(READ, name="is", examples=["is visible '#result'", "is checked @e7"])
async def is_(
    page: PageSession,
    state: Literal["visible", "hidden", "enabled", "disabled", "checked", "editable", "focused"],
    target: Target,
) -> str:
    """Print true or false: the element's state now, without waiting.

    A missing element is not visible and is hidden; for the other states it is an error.
    """
    return "true" if await read.state(page, state, target) else "false"
