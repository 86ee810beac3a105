"""Commands that run in the client's process: no daemon, no browser, any directory.

`local_command` runs them; `config` and others declare them, one module per family, and import their code only when it runs: a
local command should answer within 50 ms, most of which Python and the declarations take.
"""
