"""Detect a project's languages, frameworks, test runners, tests and CI from file names and manifests."""

import fnmatch
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

MAX_FILES = 20_000
MAX_BYTES = 1_000_000
_SKIPPED = frozenset((
    "node_modules", "vendor", "dist", "build", "target", "venv", "env", "__pycache__", "site-packages", "coverage",
))  # fmt: skip
_HIDDEN_OF_CI = (".github", ".circleci", ".buildkite")
_LANGUAGES = (
    ("package.json", "JavaScript"), ("tsconfig.json", "TypeScript"), ("deno.json", "TypeScript (Deno)"),
    ("pyproject.toml", "Python"), ("setup.py", "Python"), ("requirements.txt", "Python"), ("Pipfile", "Python"),
    ("Gemfile", "Ruby"), ("go.mod", "Go"), ("Cargo.toml", "Rust"), ("composer.json", "PHP"), ("mix.exs", "Elixir"),
    ("pom.xml", "Java"), ("build.gradle", "Java or Kotlin"), ("build.gradle.kts", "Kotlin"), ("*.csproj", "C#"),
    ("Package.swift", "Swift"), ("pubspec.yaml", "Dart"), ("CMakeLists.txt", "C or C++"),
)  # fmt: skip
_FRAMEWORKS = {
    "package.json": {
        "next": "Next.js", "nuxt": "Nuxt", "@remix-run/react": "Remix", "astro": "Astro", "@sveltejs/kit": "SvelteKit",
        "svelte": "Svelte", "vue": "Vue", "react": "React", "@angular/core": "Angular", "solid-js": "Solid",
        "express": "Express", "fastify": "Fastify", "@nestjs/core": "NestJS", "hono": "Hono", "vite": "Vite", "electron": "Electron",
    },
    "python": {"django": "Django", "flask": "Flask", "fastapi": "FastAPI", "starlette": "Starlette", "streamlit": "Streamlit", "aiohttp": "aiohttp"},
    "Gemfile": {"rails": "Rails", "sinatra": "Sinatra", "hanami": "Hanami"},
    "composer.json": {"laravel/framework": "Laravel", "symfony/framework-bundle": "Symfony"},
    "go.mod": {"gin-gonic/gin": "Gin", "labstack/echo": "Echo", "gofiber/fiber": "Fiber"},
    "Cargo.toml": {"axum": "Axum", "actix-web": "Actix", "rocket": "Rocket", "leptos": "Leptos"},
    "mix.exs": {"phoenix": "Phoenix"},
}  # fmt: skip
_RUNNERS = {
    "package.json": {
        "vitest": "vitest", "jest": "jest", "mocha": "mocha", "ava": "ava", "@playwright/test": "playwright test",
        "cypress": "cypress", "jasmine": "jasmine", "@web/test-runner": "web-test-runner",
    },
    "python": {"pytest": "pytest", "nose2": "nose2", "tox": "tox", "behave": "behave"},
    "Gemfile": {"rspec": "rspec", "rspec-rails": "rspec", "minitest": "minitest", "capybara": "capybara"},
    "composer.json": {"phpunit/phpunit": "phpunit", "pestphp/pest": "pest"},
}  # fmt: skip
_RUNNER_FILES = (
    ("vitest.config.*", "vitest"), ("jest.config.*", "jest"), ("playwright.config.*", "playwright test"),
    ("cypress.config.*", "cypress"), (".mocharc.*", "mocha"), ("karma.conf.*", "karma"), ("pytest.ini", "pytest"),
    ("conftest.py", "pytest"), ("tox.ini", "tox"), ("noxfile.py", "nox"), (".rspec", "rspec"), ("phpunit.xml*", "phpunit"),
    ("go.mod", "go test"), ("Cargo.toml", "cargo test"), ("mix.exs", "mix test"),
)  # fmt: skip
_TESTS = (
    "test_*.py", "*_test.py", "*.test.[jt]s*", "*.spec.[jt]s*", "*.test.mjs", "*_test.go", "*_spec.rb", "*_test.rb",
    "*Test.java", "*Test.kt", "*Test.php", "*_test.exs", "*Tests.cs",
)  # fmt: skip
_CI = (
    (".github/workflows/*.y*ml", "GitHub Actions"), (".gitlab-ci.yml", "GitLab CI"), (".circleci/config.yml", "CircleCI"),
    ("Jenkinsfile", "Jenkins"), ("azure-pipelines.yml", "Azure Pipelines"), ("bitbucket-pipelines.yml", "Bitbucket Pipelines"),
    (".travis.yml", "Travis CI"), (".buildkite/*.y*ml", "Buildkite"), (".woodpecker.y*ml", "Woodpecker"), (".drone.yml", "Drone"),
)  # fmt: skip


def describe_project(root: Path) -> str:
    """Return a project's languages, frameworks, test runners, tests and CI by its files, one fact a line.

    A kind without any has the line `none`. `root`: the project's directory.
    """
    paths = list(_walk_files(root))
    manifests = {
        name: "\n".join(_read_matching(root, paths, name)) for name in {*_FRAMEWORKS, *_RUNNERS} - {"python"}
    }
    manifests["python"] = "\n".join(
        text
        for pattern in ("pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "Pipfile")
        for text in _read_matching(root, paths, pattern)
    )
    tests = [
        path
        for path in paths
        if any(fnmatch.fnmatchcase(os.path.basename(path), pattern) for pattern in _TESTS)
    ]
    folders = Counter(path.partition("/")[0] if "/" in path else "." for path in tests)
    runners = _find_dependencies(manifests, _RUNNERS)
    runners += [name for pattern, name in _RUNNER_FILES if _find_first(paths, pattern)]
    lines = [
        *_section_lines("language", _find_languages(paths)),
        *_section_lines("framework", _find_dependencies(manifests, _FRAMEWORKS)),
        *_section_lines("runner", runners),
        *_section_lines("command", _find_test_commands(manifests["package.json"], paths)),
        *_section_lines("tests", [f"{count} in {folder}/" for folder, count in folders.most_common(8)]),
        *_section_lines(
            "ci", [f"{name} ({found})" for pattern, name in _CI if (found := _find_first(paths, pattern))]
        ),
    ]
    if len(paths) >= MAX_FILES:
        lines.append(f"note: only the first {MAX_FILES} files were looked at")
    return "\n".join(lines)


def _section_lines(label: str, found: Sequence[str]) -> list[str]:
    """Return a line `label: fact` for each different fact in `found`, or one line `label: none`."""
    return [f"{label}: {one}" for one in dict.fromkeys(found)] or [f"{label}: none"]


def _walk_files(root: Path) -> Iterator[str]:
    """Yield at most MAX_FILES file paths, relative to the root, breadth first, without following links."""
    pending, count = [""], 0
    while pending:
        folder = pending.pop(0)
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                is_hidden = entry.name.startswith(".") and entry.name not in _HIDDEN_OF_CI
                if entry.name not in _SKIPPED and not is_hidden:
                    pending.append(path)
            elif entry.is_file(follow_symlinks=False):
                yield path
                count += 1
                if count >= MAX_FILES:
                    return


def _find_first(paths: Sequence[str], pattern: str) -> str:
    """Return the first path that matches a glob pattern; "" for none.

    A pattern with a slash is compared with the whole path, another one with the file's name.
    """
    name_of = str if "/" in pattern else os.path.basename
    return next((path for path in paths if fnmatch.fnmatchcase(name_of(path), pattern)), "")


def _read_matching(root: Path, paths: Sequence[str], pattern: str) -> Iterator[str]:
    """Yield the texts of the first 20 of `paths` (relative to `root`) whose name matches the glob pattern."""
    for path in [path for path in paths if fnmatch.fnmatchcase(os.path.basename(path), pattern)][:20]:
        try:
            with open(root / path, encoding="utf-8", errors="replace") as file:
                yield file.read(MAX_BYTES)
        except OSError:
            continue


def _find_languages(paths: Sequence[str]) -> list[str]:
    """Return each language with the file that shows it, as `Python (pyproject.toml)`."""
    found: dict[str, str] = {}
    for pattern, language in _LANGUAGES:
        if path := _find_first(paths, pattern):
            found.setdefault(language, path)
    return [f"{language} ({path})" for language, path in found.items()]


def _find_dependencies(manifests: dict[str, str], known: dict[str, dict[str, str]]) -> list[str]:
    """Return the titles of those `known` dependencies that a project's manifests name.

    `manifests`: file's name → text. `known`: manifest → name of a dependency → title.
    """
    return [
        title
        for manifest, dependencies in known.items()
        for name, title in dependencies.items()
        if re.search(
            rf"(?<![\w@/.-]){re.escape(name)}(?![\w/-])" if "/" not in name else re.escape(name),
            manifests[manifest],
        )
    ]


def _find_test_commands(package: str, paths: Sequence[str]) -> list[str]:
    """Return the project's test commands: npm scripts in `package` (package.json), `bin/test`, Makefile …"""
    found = []
    try:
        fields: Any = json.loads(package) if package else {}
    except (ValueError, RecursionError):
        fields = {}
    scripts = fields.get("scripts") if isinstance(fields, dict) else None
    if isinstance(scripts, dict):
        found += [f"npm run {name} ({str(scripts[name])[:100]})" for name in scripts if "test" in str(name)][:5]
    found += [path for path in ("bin/test", "script/test", "Makefile", "justfile") if path in paths]
    return found
