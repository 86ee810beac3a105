import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gstack_browse.agent.local import package_index
from gstack_browse.agent.local.package_index import PipConfiguration, list_versions, read_pip_configuration
from tests.e2e.serving import Answering, serving
from tests.each import each, each_row

pytestmark = pytest.mark.programs

HTML = """<a href="/files/gstack_browse-0.2.0.tar.gz#sha256=1">x</a>
<a href="gstack_browse-0.3.1-py3-none-manylinux_2_34_x86_64.whl">x</a>
<a href="gstack_browse-0.4.0-py3-none-any.whl" data-yanked="broken">x</a>
<a href="gstack_browse-0.5.0-py3-none-any.whl" data-requires-python="&gt;=3.99">x</a>
<a href="gstack_browse_extra-9.0-py3-none-any.whl">x</a><a href="other-9.0.tar.gz">x</a><a>x</a>"""
FILES = [
    {"filename": "gstack_browse-0.2.0.tar.gz", "yanked": False, "requires-python": ">=3.11"},
    {"filename": "gstack-browse-0.3.1.tar.gz"},
    {"filename": "gstack_browse-0.4.0-py3-none-any.whl", "yanked": "broken"},
    {"filename": "gstack_browse-0.5.0-py3-none-any.whl", "requires-python": ">=3.99"},
    "nonsense",
]
JSON = json.dumps({"files": FILES})


class Index(NamedTuple):
    """A package index on this machine: where it is, what it answers, and what it was asked."""

    url: str
    answers: dict[str, tuple[int, str, str]]
    asked: list[tuple[str, str | None]]


@pytest.fixture
def index() -> Iterator[Index]:
    class Handler(Answering):
        def get(self) -> None:
            index.asked.append((self.path, self.headers.get("Authorization")))
            code, kind, body = index.answers.get(self.path, (404, "text/html", "no"))
            self.answer(body.encode(), code, kind, **({"Location": body} if code == 302 else {}))

    with serving(Handler) as port:
        index = Index(f"http://127.0.0.1:{port}/simple", {}, [])
        yield index


@each_row(
    ("text/html", HTML),
    ("application/vnd.pypi.simple.v1+json", JSON),
)
def test_versions_that_can_be_installed(kind: str, page: str, index: Index) -> None:
    index.answers["/simple/gstack-browse/"] = (200, kind, page)
    assert list_versions(index.url, read_pip_configuration({})) == ["0.2.0", "0.3.1"]


def test_a_password_goes_to_the_index_and_not_where_it_redirects(index: Index) -> None:
    index.answers["/simple/gstack-browse/"] = (302, "text/html", "/moved/")
    index.answers["/moved/"] = (200, "text/html", HTML)
    url = index.url.replace("//", "//me:s%3Acret@")
    assert list_versions(url, read_pip_configuration({})) == ["0.2.0", "0.3.1"]
    sent = "Basic " + base64.b64encode(b"me:s:cret").decode()
    assert index.asked == [("/simple/gstack-browse/", sent), ("/moved/", None)]


@pytest.fixture
def check_for_update(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that checks a version, with a package index at a URL and no other setting of pip."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)

    def check_for_update(url: str, version: str = "0.2.0") -> str:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        return package_index.check_for_update(version)

    return check_for_update


FAILED = "CHECK_FAILED the package index cannot be asked: "


@each(["{", "[" * 100_000, "[]", '{"files": 3}', '{"files": [{"filename": 1}]}'])
def test_a_page_that_makes_no_sense_is_a_failure_or_nothing(
    body: str, index: Index, check_for_update: Callable[..., str]
) -> None:
    index.answers["/simple/gstack-browse/"] = (200, "application/json", body)
    said = check_for_update(index.url)
    assert said == "UP_TO_DATE 0.2.0" or said.startswith(FAILED)


def test_a_check_says_what_the_index_has_and_no_address_where_it_fails(
    index: Index, check_for_update: Callable[..., str]
) -> None:
    assert check_for_update(index.url) == f"{FAILED}it has no gstack-browse"
    index.answers["/simple/gstack-browse/"] = (200, "text/html", HTML)
    assert check_for_update(index.url) == "UPGRADE_AVAILABLE 0.2.0 0.3.1"
    assert check_for_update(index.url, "0.3.1") == "UP_TO_DATE 0.3.1"
    said = check_for_update("http://me:secret@127.0.0.1:9/simple")
    assert said.startswith(FAILED)
    assert ("secret" in said, "127.0.0.1" in said) == (False, False)


def test_the_index_is_the_one_that_pip_is_configured_with(tmp_path: Path) -> None:
    user = tmp_path / ".config/pip"
    user.mkdir(parents=True)
    trusted = "[install]\ntrusted-host = a.test b.test:8443\n"
    (user / "pip.conf").write_text(
        f"[global]\nindex_url = https://user.test/simple/\ncert = ~/ca.pem\n{trusted}"
    )
    (venv := tmp_path / "venv").mkdir()
    env = {"HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path / "none")}

    assert read_pip_configuration(env, str(venv))[0][0] == "https://user.test/simple"
    assert read_pip_configuration(env, str(venv)).trusted == ("a.test", "b.test:8443")
    (venv / "pip.conf").write_text("[global]\nindex-url = https://venv.test/simple\n")
    assert read_pip_configuration(env, str(venv)).indexes[0] == "https://venv.test/simple"
    one, other = "https://env.test/simple", "https://more.test/simple"
    for name, value, indexes in (
        ("PIP_INDEX_URL", one, (one,)),
        ("PIP_EXTRA_INDEX_URL", f"{other} file:///wheels", (one, other)),
        ("PIP_NO_INDEX", "1", ()),
    ):
        env[name] = value
        assert read_pip_configuration(env, str(venv)).indexes == indexes
    named = tmp_path / "named.conf"
    named.write_text("[global]\nindex-url = https://named.test/simple\n")
    env = {"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(named), "XDG_CONFIG_DIRS": str(tmp_path)}
    assert read_pip_configuration(env, str(tmp_path)).indexes[0] == "https://named.test/simple"
    env["PIP_CONFIG_FILE"] = "/dev/null"
    assert read_pip_configuration(env, str(tmp_path)) == PipConfiguration((package_index.DEFAULT,))


@each(["index-url = no section", "[global]\n[global]\n", "\xff\xfe"])
def test_a_broken_file_of_pip_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_bytes(text.encode("latin-1"))
    env = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "XDG_CONFIG_DIRS": str(tmp_path)}
    assert read_pip_configuration(env, str(tmp_path / "none")).indexes[0]
