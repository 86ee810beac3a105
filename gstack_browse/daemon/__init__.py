"""The daemon: a socket, a dispatcher, and a browser that stays open between commands.

The flow: `server` accepts connections and reads their lines → `dispatch` finds the context → `command_run` binds and runs the command,
once it has a browser → `dispatch` makes its text or failure a safe reply. `Service` holds the parts: the `BrowserManager`,
the `contexts` and their `opener`, the record, and the `Lifecycle`. A start: `starter` → `main` → `BrowserStart`. An end:
`BackgroundChecks` or a command → `handover` → `successor`, if another daemon takes over.
"""
