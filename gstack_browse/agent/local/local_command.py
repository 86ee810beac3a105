"""Run one local command from its request to its reply, as the daemon does for all others.

No deadline is enforced here: a handler passes the caller's to the programs that it starts.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from gstack_browse.agent.local.caller import Caller, no_daemon
from gstack_browse.errors import BrowseError, UsageError
from gstack_browse.protocol import Reply, Request, encode_reply, failure, reply_fields
from gstack_browse.registry import REGISTRY, BoundCall, bind, find, with_usage
from gstack_browse.registry.truncation import truncate_page_text
from gstack_browse.registry.usage import command_help
from gstack_browse.registry.values.paths import CallerPaths
from gstack_browse.text.redact import redact
from gstack_browse.text.sanitise import one_line, sanitise


def run_local_command(
    request: Request,
    module: str,
    workspace: str,
    environment: Mapping[str, str],
    ask_daemon: Callable[..., str] = no_daemon,
) -> Reply:
    """Run a command that needs no daemon, in this process, and return its reply.

    Raises nothing: errors become replies. `module` declares the command. `ask_daemon` runs another command on the
    daemon.
    """
    paths = CallerPaths(cwd=Path(request.cwd or workspace), workspace=Path(workspace), stdin=request.stdin)
    import_module(module)
    command = find(REGISTRY, request.cmd)
    seconds = request.timeout / 1000 if request.timeout else command.timeout
    caller = Caller(
        paths,
        environment,
        stdin=request.stdin,
        deadline_seconds=seconds,
        ask_daemon=ask_daemon,
        streams=request.reply != "json",
        fence=request.fence,
    )
    bound = BoundCall(command)
    try:
        bound = bind(command, request.args, paths)
        if bound.timeout and not request.timeout:
            caller.deadline_seconds = bound.timeout
        if bound.wants_help:
            text = command_help(command)
        else:
            text = truncate_page_text(command.handler(caller, *bound.positional, **bound.options), bound)
        reply = Reply(redact(sanitise(text), bound.secrets))
    except BrowseError as error:
        reply = _failure_reply(with_usage(error, command) if isinstance(error, UsageError) else error, bound)
    except Exception as error:  # noqa: BLE001 - as in dispatch: every error becomes a reply
        reply = _failure_reply(_internal_error(error), bound)
    reply.notes = [one_line(redact(note, bound.secrets), 500) for note in caller.notes]
    return reply


def encode_local_reply(request: Request, reply: Reply) -> bytes:
    """Encode a reply as its request asks for, as text or JSON; without orjson, which takes long to import."""
    if request.reply != "json":
        return encode_reply(request, reply)
    from json import dumps

    return dumps(reply_fields(request, reply), separators=(",", ":")).encode() + b"\n"


def _failure_reply(error: BrowseError, bound: BoundCall) -> Reply:
    """Turn an error into a reply: texts shortened, sanitised, without secrets from the arguments."""
    reply = failure(error)
    reply.message = redact(one_line(reply.message, 1000), bound.secrets)
    reply.hint = redact(sanitise(reply.hint)[:4000], bound.secrets)
    reply.text = redact(sanitise(reply.text), bound.secrets)
    return reply


def _internal_error(error: Exception) -> BrowseError:
    """Turn an unexpected exception into an error with file and line, since local commands have no log."""
    at = error.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    where = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at else "?"
    return BrowseError(
        f"Internal error: {type(error).__name__} at {where}: {one_line(str(error), 200)}",
        "This is a bug in gbrowse",
    )
