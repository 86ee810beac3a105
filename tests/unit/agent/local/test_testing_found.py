import json
import os

from tests.unit.agent.local.conftest import Place


def bootstrap_facts(place: Place) -> dict[str, list[str]]:
    facts: dict[str, list[str]] = {}
    for line in place("test-bootstrap").splitlines():
        label, _, fact = line.partition(": ")
        facts.setdefault(label, []).append(fact)
    return facts


def test_a_project_without_dependencies_has_no_framework(place: Place) -> None:
    assert bootstrap_facts(place) == {
        name: ["none"] for name in ("language", "framework", "runner", "command", "tests", "ci")
    }
    (place.workspace / "package.json").write_text(
        '{"dependencies": {"react-dom-next-thing": "1", "@x/vue": "1"}}'
    )
    assert bootstrap_facts(place)["framework"] == ["none"]


def test_a_javascript_project(place: Place) -> None:
    package = {
        "dependencies": {"next": "15", "react": "19", "react-dom": "19"},
        "devDependencies": {"vitest": "3"},
        "scripts": {"test": "vitest run", "test:e2e": "playwright test", "dev": "next dev"},
    }
    (place.workspace / "package.json").write_text(json.dumps(package, indent=1))
    (place.workspace / "playwright.config.ts").touch()
    for path in ("src/a.test.ts", "e2e/b.spec.ts", "node_modules/x/c.test.js", ".github/workflows/ci.yml"):
        (place.workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (place.workspace / path).touch()
    assert bootstrap_facts(place) == {
        "language": ["JavaScript (package.json)"],
        "framework": ["Next.js", "React"],
        "runner": ["vitest", "playwright test"],
        "command": ["npm run test (vitest run)", "npm run test:e2e (playwright test)"],
        "tests": ["1 in e2e/", "1 in src/"],
        "ci": ["GitHub Actions (.github/workflows/ci.yml)"],
    }


def test_a_python_project_below_the_top(place: Place) -> None:
    (place.workspace / "server/tests").mkdir(parents=True)
    (place.workspace / "server/pyproject.toml").write_text('dependencies = ["Django>=5", "pytest-django"]\n')
    (place.workspace / "server/requirements-dev.txt").write_text("django==5.1\npytest==9\n")
    (place.workspace / "server/tests/test_a.py").touch()
    (place.workspace / "Makefile").touch()
    facts = bootstrap_facts(place)
    assert facts["language"] == ["Python (server/pyproject.toml)"]
    assert facts["framework"] == ["Django"]
    assert facts["runner"] == ["pytest"]
    assert facts["command"] == ["Makefile"]
    assert facts["tests"] == ["1 in server/"]


def test_a_hostile_project_is_only_read(place: Place) -> None:
    (place.workspace / "package.json").write_text("[" * 100_000)
    (place.workspace / "loop").symlink_to(place.workspace)
    os.mkfifo(place.workspace / "pyproject.toml")
    (place.workspace / "Gemfile").symlink_to("/etc/passwd")
    (place.workspace / "go.mod\x1b[31m").touch()
    assert bootstrap_facts(place)["language"] == ["JavaScript (package.json)"]
