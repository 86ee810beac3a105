"""Flows: commands of a session, kept in a file and run again without a model.

    log        what the session did: steps, without secrets       (daemon ──► log ──► flow-save)
    file       the text of a flow: parse, render                  words: one line of it; identity: the note below a step
    matching   is this the element of then, has it moved, are there several, has it changed
    playwright_test_writer, selenium_ide, …    other tools' formats
    report     HTML and JUnit

Pure: no page, no daemon, no files. `commands/flow/flows.py` and `commands/flow/flow_run.py` use it.
"""
