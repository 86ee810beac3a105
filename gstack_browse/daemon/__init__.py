"""The daemon: a socket, a dispatcher, and a browser that stays open between commands.

The flow: `server` accepts connections and reads their lines → `dispatch` makes a reply of a request → `command_run` binds and runs it,
once it has a browser → `replies` makes the text safe. `service` holds the parts: the browser
(`browser_manager`), the `contexts` and their `opener`, the record, and the `lifecycle`. A start: `starter` → `main` →
`browser_start`. An end: `watch` or a command → `handover` → `successor`, if another daemon takes over.
"""
