"""Skills: texts from which a coding agent learns to use gbrowse, and their installation.

A folder here that has `SKILL.md.tmpl` is a skill; `shared/` has text for several skills. The modules beside them run in
the client's process and import little: `docgen` generates the skills, these modules read and install them.
"""

MANIFEST = ".gbrowse-skills.json"
"""The file in a folder of skills that records what `skills-install` wrote there; see `manifest`."""
