"""The daemon: a socket, a dispatcher, and a browser that stays open between commands.

A request: `server` reads its line → `dispatch` finds the context → `command_run` binds and runs the command → `dispatch` makes
its text or failure a safe reply. A start: `starter` → `main` → `BrowserStart`. An end: `BackgroundChecks` or a command →
`handover` → `successor`, if another daemon takes over. `Service` holds the parts: the `BrowserManager`, the `contexts` and
their `opener`, the record, and the `Lifecycle`.
"""
