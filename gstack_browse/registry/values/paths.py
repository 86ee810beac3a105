"""Parse paths and URLs as typed, and enforce which may be read, written and opened.

This is the policy of InFile, OutFile and Url.

Pure but for the file system, which the rules have to ask. `tempfile` and `urllib` are imported where they are first used:
local commands wait for this module.
"""

import os
import re
import stat
from pathlib import Path
from typing import NamedTuple

from gstack_browse.errors import FileFailed, Refused, UsageError
from gstack_browse.workspace.directory import SCRATCH_PREFIX

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


class CallerPaths(NamedTuple):
    """The caller's directories, which limit the files that a command may read and write.

    `any_file`: `--any-file` is given. `stdin`: what was piped in, None if nothing was.
    """

    cwd: Path
    workspace: Path
    any_file: bool = False
    stdin: str | None = None

    def roots(self) -> tuple[Path, ...]:
        """Return the directories that command files must be in: the workspace, the temporary directory."""
        return (self.workspace, Path(_temporary_directory()))


_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*:"
_HOST_AND_PORT = r"[A-Za-z0-9._-]+:[0-9]{1,5}(?:[/?#]|\Z)"
_LOOPBACK = (
    r"(?i)(?:localhost|[^/?#@]*\.localhost|127(?:\.[0-9]+){3}|0\.0\.0\.0|\[::1?\])(?::[0-9]+)?(?:[/?#]|\Z)"
)
_PATH = r"\.{1,2}(?:/|\Z)|/(?!/)"
_RELATIVE_FILE_URL = r"(?i)file:(?:(?!/)|//(?=\.{1,2}(?:/|\Z)))"


def parse_openable_url(word: str, paths: CallerPaths) -> str:
    """Parse a URL, host or path, and return the URL to open.

    It is http, https, about:blank, or a file of the workspace. Raises UsageError and Refused.
    """
    url = word.strip()
    if not url:
        raise UsageError("The URL is empty")
    if re.match(_PATH, url):
        url = _url_of_path(url, paths)
    elif relative := re.match(_RELATIVE_FILE_URL, url):
        url = f"{_directory_url(paths)}/{url[relative.end() :]}"
    elif not re.match(_SCHEME, url) or re.match(_HOST_AND_PORT, url):
        url = _add_scheme(url, paths)
    if any(ord(character) < 0x20 or ord(character) == 0x7F for character in url):
        raise UsageError("The URL contains a control character")
    scheme = url.split(":", 1)[0].lower()
    if scheme == "file":
        return _resolve_file_url(url, paths)
    if scheme in ("http", "https"):
        return _check_web_url(scheme + url[len(scheme) :])
    if url.lower() == "about:blank":
        return "about:blank"
    raise Refused(
        f"URLs of the scheme {scheme}: are not opened",
        "Allowed: http, https, about:blank, file: inside the workspace",
    )


def _add_scheme(url: str, paths: CallerPaths) -> str:
    """Add https:// to a host that was typed, http:// for this machine.

    Raises UsageError if it is the name of a file here, too.
    """
    if re.match(_LOOPBACK, url):
        return f"http://{url}"
    if not re.match(_HOST_AND_PORT, url) and _is_file(paths.cwd / url):
        raise UsageError(
            f'"{url}" is a file here, and could be a host',
            f"Type ./{url} for the file, https://{url} for the host",
        )
    return f"https://{url}"


def _is_file(path: Path) -> bool:
    """Return whether the path is that of a file; False also for names that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _url_of_path(word: str, paths: CallerPaths) -> str:
    """Return the `file:` URL of a typed path, relative to the caller's directory.

    `#…` and `?…` stay fragment and query, unless a file is named so.
    """
    from urllib.parse import quote

    end = len(word) if _is_file(paths.cwd / word) else len(re.split("[?#]", word, maxsplit=1)[0])
    path = quote(os.fsencode(word[:end]))
    base = "file://" if word.startswith("/") else f"{_directory_url(paths)}/"
    return f"{base}{path}{word[end:]}"


def _directory_url(paths: CallerPaths) -> str:
    """Return the `file:` URL of the caller's directory, without a slash at the end."""
    return paths.cwd.as_uri().rstrip("/")


def _check_web_url(url: str) -> str:
    """Return the URL as it is. Raises UsageError unless it has a host and a valid port."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"Not a URL: {error}") from None
    if not host:
        raise UsageError(f'"{url}" has no host', "For a server on this machine: localhost:3000")
    return url


def _resolve_file_url(url: str, paths: CallerPaths) -> str:
    """Return a `file:` URL with symbolic links resolved. Raises Refused if policy forbids the file.

    The policy is applied again when the file is loaded, since links can change meanwhile.
    """
    from urllib.parse import unquote_to_bytes, urlsplit

    from gstack_browse.security.policy.files import refuse_url

    if refusal := refuse_url(url, paths.workspace, is_document=True):
        raise Refused(f"{url} {refusal.why}", refusal.hint)
    parts = urlsplit(url)
    path = Path(os.path.realpath(os.fsdecode(unquote_to_bytes(parts.path))))
    suffix = f"#{parts.fragment}" if parts.fragment else ""
    query = f"?{parts.query}" if parts.query else ""
    return path.as_uri() + query + suffix


def _temporary_directory() -> str:
    """Return the system's directory for temporary files. Imports its module late: few commands need it."""
    from tempfile import gettempdir

    return gettempdir()


def _require_path(word: str) -> str:
    """Return `word`. Raises UsageError for an empty one: that of a variable which is not set."""
    if not word:
        raise UsageError("The path is empty")
    return word


def parse_input_file(word: str, paths: CallerPaths) -> Path:
    """Parse the path of an existing regular file to read.

    Raises FileFailed, and UsageError for an empty path.
    """
    path = paths.cwd / os.path.expanduser(_require_path(word))
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise FileFailed(f"Cannot read {word}: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise FileFailed(f"Cannot read {word}: not a regular file")
    return path


def parse_file_for_page(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a file that a page may get, as by an upload. Return it with links resolved.

    It must lie below the workspace or the temporary directory, unless `paths.any_file`. Raises Refused, FileFailed.
    """
    return _resolve_for_page(word, parse_input_file(word, paths), paths)


def parse_path_for_page(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a file or directory that a page may get, as `parse_file_for_page` does.

    Of a directory, only its own path is checked, not the files in it.
    """
    path = paths.cwd / os.path.expanduser(word)
    if not word or not path.is_dir():  # "": of a variable that is not set; not the whole working directory
        return parse_file_for_page(word, paths)
    return _resolve_for_page(word, path, paths)


def _resolve_for_page(word: str, path: Path, paths: CallerPaths) -> Path:
    """Return `path` with links resolved, for a page to get; raise Refused outside permitted directories.

    `word`: the path as typed, for messages.
    """
    try:
        real = Path(os.path.realpath(path))
    except OSError as error:  # of a link that another program takes away while it is followed
        raise FileFailed(f"Cannot read {word}: {error.strerror}") from None
    roots = [Path(os.path.realpath(root)) for root in paths.roots()]
    if not (paths.any_file or any(real.is_relative_to(root) for root in roots)):
        raise Refused(
            f"{word} is outside the workspace and the temporary directory",
            "Copy it into the workspace. If the user means this very file: the same command with --any-file",
        )
    if any(name.startswith(SCRATCH_PREFIX) for name in real.parts):
        raise Refused(f"{word} belongs to a running browser", "Its cookies are not for pages")
    return real


def parse_output_file(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a file to write, below the workspace or the temporary directory.

    Return it with the links of its directory resolved; the file itself is no link.

    Raises Refused for a path elsewhere or a link, FileFailed when its directory does not exist, and UsageError for an empty path.
    """
    typed = Path(os.path.abspath(paths.cwd / os.path.expanduser(_require_path(word))))
    try:
        parent = Path(os.path.realpath(typed.parent))
    except OSError as error:  # of a link that another program takes away while it is followed
        raise FileFailed(f"Cannot write {word}: {error.strerror}") from None
    path = parent / typed.name
    if not any(path.is_relative_to(os.path.realpath(root)) for root in paths.roots()):
        raise Refused(
            f"{word} is outside the workspace and the temporary directory",
            f"Write under {paths.workspace} or {_temporary_directory()}",
        )
    if path.is_symlink():
        raise Refused(f"{word} is a symbolic link", "Name the file itself")
    if path.is_dir():
        raise FileFailed(f"Cannot write {word}: it is a directory")
    if not parent.is_dir():
        raise FileFailed(f"Cannot write {word}: there is no directory {typed.parent}")
    return path


def parse_image_output(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a picture to be written. Raises UsageError for a suffix not in IMAGE_SUFFIXES."""
    if not word.lower().endswith(IMAGE_SUFFIXES):
        raise UsageError(f'"{word}" does not end in {", ".join(IMAGE_SUFFIXES)}')
    return parse_output_file(word, paths)


def parse_pdf_output(word: str, paths: CallerPaths) -> Path:
    """Parse the path of a PDF to be written. Raises UsageError unless it ends in `.pdf`."""
    if not word.lower().endswith(".pdf"):
        raise UsageError(f'"{word}" does not end in .pdf')
    return parse_output_file(word, paths)


def parse_picture_prefix(word: str, paths: CallerPaths) -> Path:
    """Parse the common beginning of paths for several pictures: `shots/a.png` → `shots/a`.

    The pictures are called `shots/a-NAME.png`. Raises UsageError for a path without a name, such as `shots/`.
    """
    if word.lower().endswith(IMAGE_SUFFIXES):
        word = word[: word.rindex(".")]
    name = os.path.basename(word)
    if name in ("", ".", ".."):
        raise UsageError(f'"{word}" does not say how the names of the pictures begin', "For example shots/home")
    return parse_output_file(f"{word}-", paths).with_name(name)
