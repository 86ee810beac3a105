"""Run a Playwright script in the live browser.

The script has `page`, `context`, `browser` and `playwright` as global variables: Playwright's async objects if the script awaits at its
top level or calls `asyncio.run` there, otherwise the sync ones.
"""

import ast
import asyncio
import inspect
import sys
import traceback
from collections.abc import Mapping
from types import CodeType
from typing import Any, NamedTuple

from gstack_browse.client.attached.page import attach, attach_async

MOST_LINES = 10


class ScriptError(NamedTuple):
    """The failure of a script.

    `place`: script, line and exception class. `text`: the exception's message. `frames`: the script's lines in the traceback.
    """

    place: str
    text: str
    frames: list[str]


class _AsyncioRunReplacer(ast.NodeTransformer):
    """Replaces `asyncio.run(x)` at the top level by `await x`, under whatever name it was imported there.

    Playwright's objects belong to our event loop, which runs already.
    """

    def __init__(self) -> None:
        self._modules = {"asyncio"}
        self._functions: set[str] = set()

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """Note the names under which asyncio is imported. Return the syntax tree unchanged."""
        self._modules |= {name.asname or name.name for name in node.names if name.name == "asyncio"}
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """Note the names under which `asyncio.run` is imported. Return the syntax tree unchanged."""
        if node.module == "asyncio":
            self._functions |= {name.asname or name.name for name in node.names if name.name == "run"}
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return the syntax tree of a call; `await work` in place of `asyncio.run(work)`."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="run"), args=[work, *_]):
                is_run = name in self._modules
            case ast.Call(func=ast.Name(id=name), args=[work, *_]):
                is_run = name in self._functions
            case _:
                return node
        return ast.copy_location(ast.Await(work), node) if is_run else node

    def _keep(self, node: ast.AST) -> ast.AST:
        """Return a function or class unchanged: a call inside it is not at the top level of the script."""
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _keep  # noqa: N815


def compile_script(source: str, name: str) -> CodeType:
    """Compile a script in which `await` may be at the top level. Raises SyntaxError.

    `asyncio.run(x)` at its top level is replaced by `await x`, since a loop already runs. `name`: its file name.
    """
    tree = ast.fix_missing_locations(_AsyncioRunReplacer().visit(ast.parse(source, name)))
    code: CodeType = compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return code


def run_script(source: str, name: str, opened: Mapping[str, Any]) -> ScriptError | None:
    """Run a Playwright script in the live browser. Return its failure; None if it succeeded.

    `source`: its text. `name`: its file name. `opened`: the decoded output of `attach --json`.
    """
    try:
        code = compile_script(source, name)
    except SyntaxError as error:
        return ScriptError(f"{name}, line {error.lineno}: SyntaxError", error.msg, [])
    is_async = bool(code.co_flags & inspect.CO_COROUTINE)
    try:
        if is_async:
            asyncio.run(_run_async(code, name, opened))
        else:
            with attach(opened) as attached:
                exec(code, _make_globals(name, attached))  # noqa: S102 - what the user asks for
    except SystemExit as error:
        return None if error.code in (None, 0) else ScriptError(f"{name} ended with", str(error.code), [])
    except BaseException as error:  # noqa: BLE001 - whatever the script raises, KeyboardInterrupt too
        return _describe_error(error, name)
    return None


async def _run_async(code: CodeType, name: str, opened: Mapping[str, Any]) -> None:
    """Attach Playwright's async API, and run compiled code that has `await` at its top level.

    `name`: the file name of the script. `opened`: the decoded output of `attach --json`.
    """
    async with attach_async(opened) as attached:
        await eval(code, _make_globals(name, attached))  # noqa: S307 - what the user asks for


def _make_globals(name: str, attached: Any) -> dict[str, Any]:
    """Return the global variables with which a script runs: those of `__main__`, and Playwright's objects.

    `name`: the file name of the script. `attached`: an Attached or AsyncAttached.
    """
    module = sys.modules["__main__"]
    variables = {"__name__": "__main__", "__file__": name, "__builtins__": __builtins__, **attached._asdict()}
    module.__dict__.update(variables)  # pickle looks for a script's classes in `__main__`
    return module.__dict__


def _describe_error(error: BaseException, name: str) -> ScriptError:
    """Describe a script's exception, with the lines of its traceback that are in the script `name` itself."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == name]
    lines = [f"{name}, line {each.lineno}: {each.line or ''}".rstrip(": ") for each in frames]
    at = f"{name}, line {frames[-1].lineno}: " if frames else ""
    return ScriptError(f"{at}{type(error).__name__}", str(error).strip(), lines[-MOST_LINES:])
