"""Adapt the documentation to the site: hooks that mkdocs.yml names.

On a repository's pages a link such as `../tests/test_docs.py` leads to the file. The site has pages only, so such a
link leads to the repository, where DOCS_REPOSITORY names its address, or becomes the name alone. `CHANGELOG.md` and
`CONTRIBUTING.md` stand at the top, where their readers look for them, and are pages of the site, too.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File, Files

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#\s]+)(?:#[^)\s]*)?\)")


TOP = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
"""Files at the top → pages of the site."""


def on_files(files: Files, *, config: Any, **_: Any) -> Files:
    """Add the files at the top to the pages."""
    for name, page in TOP.items():
        text = (Path(config.config_file_path).parent / name).read_text(encoding="utf-8")
        text = re.sub(r"\]\((?=[\w.])(?!\w+:)", "](../", text).replace("](../docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Return the page's text without links that leave `docs/`."""
    folder = PurePosixPath("docs", page.file.src_uri).parent

    def replace(link: re.Match[str]) -> str:
        path = normpath(str(folder / link[2]))
        if path.startswith("docs/"):
            return link[0]
        if path in TOP:
            return f"[{link[1]}]({'../' * (len(folder.parts) - 1)}{TOP[path]})"
        if config.repo_url:
            return f"[{link[1]}]({config.repo_url.rstrip('/')}/blob/main/{path})"
        return link[1] if "`" in link[1] else f"`{link[1]}`"

    return _LINK.sub(replace, markdown)
