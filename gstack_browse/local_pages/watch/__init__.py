"""The page on which a person follows what agents do, and may take over.

`server` serves it and sends pictures, commands and tabs;
`person_control` holds the commands of a tab back while the person acts, and passes on what they do.
"""
