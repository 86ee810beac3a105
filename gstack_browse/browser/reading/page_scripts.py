"""Run page scripts that few commands need, in the isolated world of a document.

Each is a function that a file in `scripts/` exports. It takes one argument, and returns a JSON value.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from gstack_browse.browser.cdp.targets import ExecutionContext
from gstack_browse.browser.engine.messages import JsonValue, call_in, evaluate
from gstack_browse.text.json_bytes import decode

FOLDER = Path(__file__).with_name("libraries")


class Library(NamedTuple):
    """A file of a package on npm. `sha256` is that of the file."""

    package: str
    version: str
    file: str
    sha256: str

    @property
    def path(self) -> Path:
        """Return the path of the library's file in our package."""
        return FOLDER / self.package.rpartition("/")[2] / self.file

    def source(self) -> str:
        """Return the library's source, as a script that ends with a semicolon."""
        return f"{self.path.read_text(encoding='utf-8')}\n;"


AXE = Library(
    "axe-core", "4.14.1", "axe.min.js", "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
)
WEB_VITALS = Library(
    "web-vitals",
    "6.2.3",
    "web-vitals.attribution.iife.js",
    "42d0cfd64b5cf19408e19c0393ce59eef6cc09317e94faaca6d3a032d4112e48",
)
READABILITY = Library(
    "@mozilla/readability",
    "0.6.0",
    "Readability.js",
    "34dcab3d0832d0019f02990eed6b6124e029e8c32b9f0c6f2550544ff8dff174",
)
LIBRARIES = (AXE, WEB_VITALS, READABILITY)


_FOLDER = Path(__file__).with_name("scripts")
_EXPORTED = re.compile(r"^export ((?:async )?function (\w+).*?^\})", re.MULTILINE | re.DOTALL)


async def call_script(context: ExecutionContext, name: str, argument: JsonValue = None) -> Any:
    """Call a function that a file in `scripts/` exports, in a document. Await it, and return its value.

    `name`: the function's. `argument`: its only one, a JSON value. Raises FrameGone if the document is gone, PageScriptError if
    the function throws, ProtocolError if the page is closed.
    """
    if not context.loaded:
        await call_in(context, "completeRoundTrip")
    call = f"({_read_functions()[name]})({orjson.dumps(argument).decode()})"
    expression = f"Promise.resolve({call}).then((answer) => JSON.stringify(answer ?? null).toWellFormed())"
    result = await evaluate(context, expression, by_value=True)
    return decode(result["value"])


async def evaluate_json(context: ExecutionContext, expression: str) -> Any:
    """Evaluate a JavaScript expression of a JSON text in our isolated world. Return the decoded value."""
    return decode((await evaluate(context, expression, by_value=True))["value"])


async def load_library(context: ExecutionContext, library: Library, loaded_expression: str) -> None:
    """Load a JavaScript library into our isolated world of a document, unless it is loaded.

    `loaded_expression`: an expression that is true in a document with the library.
    """
    if not (await evaluate(context, loaded_expression, by_value=True))["value"]:
        await evaluate(context, f"{library.source()}0", by_value=True)


@cache
def _read_functions() -> dict[str, str]:
    """Return the source of each function that the files in `scripts/` export, by its name."""
    texts = [path.read_text(encoding="utf-8") for path in _FOLDER.glob("*.js")]
    return {name: source for text in texts for source, name in _EXPORTED.findall(text)}
