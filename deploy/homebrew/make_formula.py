"""Make a Homebrew formula for a tap from a built source distribution: CONTRIBUTING.md, "Release".

    .venv/bin/python deploy/homebrew/make_formula.py dist/gstack_browse-1.0.0.tar.gz --url URL --homepage URL --index URL

pip says which versions the dependencies have; the index says where their sources are, and their SHA-256. Packages that Homebrew has
itself are left to it. Playwright and pypdfium2 contain programs that no source builds: of these the wheels are taken.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FROM_HOMEBREW = frozenset({"cffi", "cryptography", "pillow", "pycparser"})
"""Packages of the formulae that ours depends on."""
FROM_WHEELS = ("playwright", "pypdfium2")
LINUX_ONLY = frozenset({"jeepney", "secretstorage"})
PLATFORMS = {
    ("macos", "arm"): r"macosx_\d+_\d+_(?:arm64|universal2)",
    ("macos", "intel"): r"macosx_\d+_\d+_(?:x86_64|universal2)",
    ("linux", "arm"): r"manylinux\w*_aarch64",
    ("linux", "intel"): r"manylinux\w*_x86_64",
}
"""Homebrew's names of systems and processors → what the name of a wheel for them says."""

Files = list[Mapping[str, Any]]
"""Files of a release as the index's JSON describes them: `url`, `filename`, `hashes`."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a Homebrew formula from a source distribution.")
    parser.add_argument("sdist", type=Path)
    parser.add_argument("--url", required=True, help="where the source distribution is published")
    parser.add_argument("--homepage", required=True)
    parser.add_argument("--index", required=True, help="address of the package index, before /simple")
    words = parser.parse_args()
    releases = {
        name: fetch_files(words.index, name, version)
        for name, version in list_dependencies(words.sdist)
        if name not in FROM_HOMEBREW
    }
    sys.stdout.write(make_formula(words.sdist, words.url, words.homepage, releases))


def list_dependencies(sdist: Path) -> list[tuple[str, str]]:
    """Return names and versions of all packages that pip would install for `sdist`, without itself."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--quiet",
        "--ignore-installed",
        "--report",
        "-",
    ]
    report = json.loads(subprocess.check_output([*command, str(sdist)], text=True))
    found = [one["metadata"] for one in report["install"]]
    packages = [(re.sub(r"[-_.]+", "-", one["name"]).lower(), one["version"]) for one in found]
    return sorted(package for package in packages if package[0] != "gstack-browse")


def fetch_files(index: str, name: str, version: str) -> Files:
    """Fetch the files of a release from the index, in the form that pip reads.

    Raises SystemExit if the index does not answer.
    """
    kind = {"Accept": "application/vnd.pypi.simple.v1+json"}
    request = urllib.request.Request(f"{index}/simple/{name}/", headers=kind)  # noqa: S310 - the address is the caller's
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - as above
            files: Files = json.load(answer)["files"]
    except OSError as error:
        sys.exit(f"{name}: {error} ({request.full_url})")
    return [file for file in files if re.search(rf"-{re.escape(version)}(?:-|\.tar\.gz$)", file["filename"])]


def make_formula(sdist: Path, url: str, homepage: str, releases: Mapping[str, Files]) -> str:
    """Return the formula's text. `releases`: the files of each dependency by its name."""
    about = _read_metadata(sdist)
    blocks = [
        (_wheels_of if name in FROM_WHEELS else _source_of)(name, files)
        for name, files in sorted(releases.items())
    ]
    values = {
        "DESCRIPTION": _capitalise(re.sub(r"^An? ", "", about["Summary"])).replace('"', r"\""),
        "HOMEPAGE": homepage,
        "URL": url,
        "SHA256": hashlib.sha256(sdist.read_bytes()).hexdigest(),
        "LICENSES": ", ".join(f'"{name}"' for name in about["License-Expression"].split(" AND ")),
        "RESOURCES": "\n\n".join(blocks),
        "WHEELS": ", ".join(f'"{name}"' for name in FROM_WHEELS if name in releases),
    }
    text = Path(__file__).with_name("formula.rb").read_text(encoding="utf-8")
    return re.sub(r"@([A-Z0-9]+)@", lambda match: values[match[1]], text)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


def _read_metadata(sdist: Path) -> dict[str, str]:
    """Return the fields of a source distribution's PKG-INFO."""
    with tarfile.open(sdist) as archive:
        name = next(name for name in archive.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", name))
        file = archive.extractfile(name)
        assert file is not None
        head = file.read().decode().partition("\n\n")[0]
    return dict(line.split(": ", 1) for line in head.splitlines() if re.match(r"[A-Z][\w-]+: ", line))


def _source_of(name: str, files: Files) -> str:
    """Return the resource of a package's source. Raises SystemExit if it has none."""
    for file in files:
        if file["filename"].endswith(".tar.gz"):
            block = _block(f'resource "{name}" do', _lines_of(file))
            return _indent(_block("on_linux do", block) if name in LINUX_ONLY else block)
    sys.exit(f"{name} has no source at the index: add it to FROM_WHEELS")


def _wheels_of(name: str, files: Files) -> str:
    """Return the resource of a package of which each system has a wheel of its own.

    Raises SystemExit if one is missing.
    """
    lines: list[str] = []
    for system in ("macos", "linux"):
        inner: list[str] = []
        for processor in ("arm", "intel"):
            wheel = next(_wheels_for(PLATFORMS[system, processor], files), None)
            if wheel is None:
                sys.exit(f"{name} has no wheel for {system} on {processor}")
            inner += _block(f"on_{processor} do", _lines_of(wheel, ", using: :nounzip"))
        lines += _block(f"on_{system} do", inner)
    return _indent(_block(f'resource "{name}" do', lines))


def _wheels_for(platform: str, files: Files) -> Iterator[Mapping[str, Any]]:
    return (file for file in files if re.search(rf"-none-(?:\w+\.)*{platform}[.\w]*\.whl$", file["filename"]))


def _lines_of(file: Mapping[str, Any], option: str = "") -> list[str]:
    return [f'url "{file["url"]}"{option}', f'sha256 "{file["hashes"]["sha256"]}"']


def _block(first: str, lines: list[str]) -> list[str]:
    return [first, *(f"  {line}" for line in lines), "end"]


def _indent(lines: list[str]) -> str:
    return "\n".join(f"  {line}" for line in lines)


if __name__ == "__main__":
    main()
