"""Read and write traces in Playwright's format.

A trace is a ZIP file of events as JSON lines, with pictures and bodies beside them.

`trace_writer` makes one, `trace_reader` reads one within limits, `rendering` prints it.

The format is documented by Playwright's source alone (packages/isomorphic/trace). Version 8 is written, which Playwright 1.53 and
later open. Versions 3 to 10 are read, those of Playwright 1.14 to 1.65.
"""
