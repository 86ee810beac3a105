"""Collect the facts that `status` prints: about the daemon, its browser and its settings."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gstack_browse import __version__
from gstack_browse.browser import dialogs
from gstack_browse.browser.cdp.tasks import is_answered_within
from gstack_browse.browser.context.open_context import OpenContext
from gstack_browse.browser.network.har_recording import Purpose
from gstack_browse.browser.tab.tab import PERSON, Tab
from gstack_browse.browser.tab.urls import shown_url
from gstack_browse.commands.daemon_interface import ContextFacts
from gstack_browse.daemon.base import memory as process_memory
from gstack_browse.daemon.contexts.agent_context import AgentContext
from gstack_browse.daemon.service import Service
from gstack_browse.errors import BrowseError, Refused
from gstack_browse.network.logs import format_clock
from gstack_browse.settings import Settings
from gstack_browse.text.sanitise import one_line
from gstack_browse.text.units import format_bytes, format_count, format_duration, format_seconds
from gstack_browse.workspace.directory import printable_path

_ANSWER_SECONDS = 1.0
"""How long `status` waits for the browser: more than a busy machine takes, less than a person minds."""
_MEASURE_SECONDS = 2.0
"""Time limit for measuring memory: for 27 busy processes on two cores that took 17 s."""


async def collect_facts(service: Service, context: AgentContext) -> dict[str, str]:
    """Return what `status` prints: label → text, in order, without empty texts.

    `context`: the caller's. Measures memory in a thread: with many tabs that takes a while.
    """
    others, missing_answer, (memory, outdated) = await asyncio.gather(
        _describe_contexts(service),
        _describe_missing_answer(context.browser or service.browser.default_browser),
        asyncio.to_thread(lambda: (_describe_memory(), _find_outdated_skills(service.workspace))),
    )
    labelled = {
        "Status": "running",
        "Mode": _describe_mode(service, context),
        "Version": __version__,
        "Update": service.lifecycle.upgrade_state,
        "PID": str(os.getpid()),
        "Uptime": format_duration(service.lifecycle.now() - service.lifecycle.started),
        "Workspace": str(service.workspace),
        "Context": context.name,
        **(_browser_facts(context.browser) if context.browser else _no_browser_facts(service)),
        "Film": await _describe_film(context),
        "Contexts": others,
        "Boards": service.boards.describe(context.name),
        "Watch": service.watch.describe(),
        "Attached": service.attachments.describe(),
        **_state_facts(service, context),
        **_settings_facts(service.settings),
        "Memory": memory,
        "Skills": f"out of date: {', '.join(outdated)}; run 'gbrowse skills-install'" if outdated else "",
    }
    labelled["Browser"] += missing_answer
    return {label: text for label, text in labelled.items() if text}


def _describe_mode(service: Service, context: AgentContext) -> str:
    """Return how the browser runs, for `status`: `headless`, `visible`, or as `connect` joined it.

    If it is handed to a person, for how long and why is included.
    """
    browser = context.browser
    if browser and browser.running.is_shared:
        return f"{browser.running.start_description}: its own tabs and logins"
    handoff = browser.handoff if browser else None
    if not handoff:
        return "visible" if service.settings.headed else "headless"
    if browser and not browser.has_window:
        return "visible, but the person has closed the window"
    reason = f": {one_line(handoff.reason, 100)}" if handoff.reason else ""
    return f"visible, with a person for {format_duration(service.lifecycle.now() - handoff.since)}{reason}"


def _no_browser_facts(service: Service) -> dict[str, str]:
    """Return what `status` prints for a context that is not open: whether the browser starts or runs."""
    if service.browser.default_browser:
        return {
            "Browser": f"Chromium {service.browser.default_browser.running.version}; this context is not open"
        }
    return {
        "Browser": service.browser.queue_description
        or ("starting" if service.browser.is_starting else "not started")
    }


async def _describe_missing_answer(browser: OpenContext | None) -> str:
    """Return a warning if the browser does not answer within _ANSWER_SECONDS; "" if it does, or for None."""
    if browser is None:
        return ""
    question = browser.running.connection.ask_browser("Browser.getVersion")
    if await is_answered_within(question, _ANSWER_SECONDS):
        return ""
    return (
        f"; no answer within {format_seconds(_ANSWER_SECONDS)}: if it stays so, {browser.running.replace_hint}"
    )


def _browser_facts(browser: OpenContext) -> dict[str, str]:
    """Return what `status` prints of an open context, label → text."""
    from gstack_browse.browser.auditing.trace_recorder import recorders  # no part of a start

    active = browser.tabs.get()
    trace = recorders.get(browser)
    return {
        "Browser": f"Chromium {browser.running.version}".rstrip(),
        "Start": browser.running.start_description,
        "URL": shown_url(active.url) if active else "",
        "Tabs": _describe_tabs(browser),
        "Running": ", ".join(_describe_running(tab) for tab in browser.tabs if tab.lock.command),
        "Emulated": ", ".join(f"{name} {value}" for name, value in browser.appearance.emulation.facts),
        "Throttled": str(browser.conditions.throttle),
        "Routes": _describe_routes(browser),
        "Recording": f"{format_count(browser.recording.count(Purpose.HAR), 'request')} since {format_clock(began)}; 'har-stop' saves them"
        if (began := browser.recording.start_time(Purpose.HAR))
        else "",
        "Trace": f"{trace.describe_progress()}; 'trace-stop <file.zip>' saves it" if trace else "",
        "Replayed": _describe_replay(browser),
        "Dialogs": _describe_dialogs(browser),
        "Widget rules": ", ".join(f"{name} ({count})" for name, count in browser.widget_rules.most_common()),
        "Scripts": f"{len(scripts)} before each page's own ('init-scripts' lists them)"
        if (scripts := browser.init_scripts.scripts)
        else "",
    }


async def _describe_film(context: AgentContext) -> str:
    """Describe the film being recorded, or a recording from which no film was made; "" for neither."""
    if context.browser and (film := context.browser.film):
        how = f"ended, since {film.problem}" if film.problem else f"{round(film.now())} s"
        return f"{how}; 'film-stop' makes it"
    with suppress(OSError, Refused):
        if await asyncio.to_thread(context.take.exists):
            return "a take waits; 'film-stop' makes the film of it"
    return ""


def _describe_routes(browser: OpenContext) -> str:
    """Return the number of rules for requests (command `route`), and the newest one; "" for none."""
    rules = list(browser.shaping.rules)
    return f"{len(rules)} ('routes' lists them); the last: {rules[-1]}" if rules else ""


async def _describe_contexts(service: Service) -> str:
    """Describe each browser context in use if there are several; "" for one."""
    if not service.contexts.others:
        return ""
    found = [fact for fact in await service.contexts.list_facts() if fact.tabs or fact.last]
    return "; ".join(_describe_context(fact) for fact in found) if len(found) > 1 else ""


def _describe_context(facts: ContextFacts) -> str:
    """Describe a browser context for `status`: `ann (2 tabs, heaps 9 MB, last: goto, 5s ago)`."""
    tabs = f"{format_count(facts.tabs, 'tab')}{f', {facts.state}' if facts.state else ''}"
    memory = f", heaps {format_bytes(facts.memory)}" if facts.memory else ""
    last = f", last: {facts.last}, {format_duration(facts.idle_seconds)} ago" if facts.last else ""
    return f"{facts.name} ({tabs}{memory}{last})"


def _describe_tabs(browser: OpenContext) -> str:
    """Return the number of tabs: `3`, or `3, 1 of them taken` if one was taken over from a user's browser."""
    attached = sum(tab.is_taken for tab in browser.tabs)
    return f"{len(browser.tabs)}{f', {attached} of them taken' if attached else ''}"


def _describe_replay(browser: OpenContext) -> str:
    """Describe the HAR recording that answers all requests in place of servers; "" for none."""
    replay = browser.shaping.replay
    return f"{replay.name}: {replay.summary()}" if replay else ""


def _describe_running(tab: Tab) -> str:
    """Describe the command that runs in a tab, and how many others wait for their turn there."""
    waiting = f" ({tab.lock.waiting} more wait for their turn)" if tab.lock.waiting else ""
    what = (
        f"a person acts in tab {tab.id} (watch)"
        if tab.lock.command == PERSON
        else f"{tab.lock.command} on tab {tab.id}"
    )
    return f"{what}{waiting}"


def _describe_dialogs(browser: OpenContext) -> str:
    """Describe the open dialogs, and how dialogs are answered if a command has set that; "" for neither."""
    open_dialogs = [
        f"{question.name} is open in tab {question.tab}" for question in dialogs.list_open_dialogs(browser.tabs)
    ]
    policy = browser.dialogs.policy
    return "; ".join([policy.description, *open_dialogs]) if open_dialogs or policy.is_chosen else ""


def _state_facts(service: Service, context: AgentContext) -> dict[str, str]:
    """Return what `status` prints on lost tabs, saved state, and unwritable log files; "" for none."""
    browser, trouble = context.browser, service.contexts.log_problem
    return {
        "Lost": service.record.describe_loss(context.name)
        or (browser.tabs.describe_departure() if browser else ""),
        "Kept": service.autosaver.describe() if service.autosaver else "",
        "Logs": f"{trouble} (console, network and dialog still have all)" if trouble else "",
    }


def _settings_facts(settings: Settings) -> dict[str, str]:
    """Return what `status` prints of settings that are not the default, label → text; "" for a default."""
    return {
        "Profile": printable_path(str(settings.profile)) if settings.profile else "",
        "Allowed": str(settings.hosts) if settings.hosts else "",
        "Certificates": f"presented to {', '.join(one.origin for one in settings.client_certs)}"
        if settings.client_certs and not settings.remote
        else "",
        "Confirmed": f"by a person: {', '.join(settings.confirm)}" if settings.confirm else "",
        "Rules left out": ", ".join(settings.widget_rules_off),
        "Ignored": f"{settings.ignored}: set, but without meaning here" if settings.ignored else "",
    }


def _find_outdated_skills(workspace: Path) -> list[str]:
    """Find skills that an older gbrowse has installed in the project or the home directory."""
    from gstack_browse.agent.skills.destinations import (  # not when the daemon starts
        find_everywhere,
        find_outdated,
    )

    try:
        return find_outdated(find_everywhere(str(workspace), os.environ.get("HOME", "")))
    except (OSError, BrowseError):  # a directory that cannot be read is no reason to say nothing else
        return []


def _describe_memory() -> str:
    """Describe the memory of the daemon and of its browser: `60 MB, browser 400 MB (PSS)`.

    Stops after _MEASURE_SECONDS and says how many processes are missing: the kernel takes long to tell the memory of a busy one.
    """
    if process_memory.is_proc_foreign():
        return "unknown: /proc is of another PID namespace"
    import psutil  # takes 10 ms, which no first command is to wait for

    give_up = time.monotonic() + _MEASURE_SECONDS
    own = psutil.Process()
    daemon = process_memory.measure([own])
    unmeasured = own.children(recursive=True)

    def take_in_time() -> Iterator[psutil.Process]:
        yield own
        while unmeasured and time.monotonic() < give_up:
            yield unmeasured.pop()

    family = process_memory.measure(take_in_time())
    others = f", browser {format_bytes(family.size - daemon.size)}" if family.processes > 1 else ""
    late = f"; {format_count(len(unmeasured), 'process', 'processes')} not measured: the machine is busy"
    return f"{format_bytes(daemon.size)}{others} ({family.measure_name}{late if unmeasured else ''})"
