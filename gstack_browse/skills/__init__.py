"""Skills: what a coding agent reads to use gbrowse, and how a skill reaches the folders where agents look.

A folder here that holds `SKILL.md.tmpl` is a skill; `shared/` holds text that several skills contain. The modules beside them run
in the client's process and import little: `docgen` makes the skills, these modules read and install what it made.
"""

MANIFEST = ".gbrowse-skills.json"
"""What `skills-install` has written in a folder of skills; see `manifest`."""
