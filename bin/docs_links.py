"""Adapt the documentation to the site: hooks that mkdocs.yml names.

On a repository's pages a link such as `../tests/test_docs.py` leads to the file. The site has pages only, so such a
link leads to the repository, where DOCS_REPOSITORY names its address, or becomes the name alone. `CHANGELOG.md`
stands at the top, where its readers look for it, and is a page of the site, too.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File, Files

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#\s]+)(?:#[^)\s]*)?\)")


def on_files(files: Files, *, config: Any, **_: Any) -> Files:
    """Add the changelog to the pages."""
    text = (Path(config.config_file_path).parent / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Return the page's text without links that leave `docs/`."""
    folder = PurePosixPath("docs", page.file.src_uri).parent

    def replace(link: re.Match[str]) -> str:
        path = normpath(str(folder / link[2]))
        if path.startswith("docs/"):
            return link[0]
        if config.repo_url:
            return f"[{link[1]}]({config.repo_url.rstrip('/')}/blob/main/{path})"
        return link[1] if "`" in link[1] else f"`{link[1]}`"

    return _LINK.sub(replace, markdown)
