import pytest

from gstack_browse.errors import UsageError
from gstack_browse.security.policy.proxies import Proxy, read_proxy
from tests.each import each, each_row


@each_row(
    ({"BROWSE_PROXY": "proxy.corp:3128"}, ["--proxy-server=http://proxy.corp:3128"]),
    ({"BROWSE_PROXY": "socks5h://[::1]"}, ["--proxy-server=socks5://[::1]:1080"]),
    ({"BROWSE_PROXY": "direct", "https_proxy": "http://other:1"}, ["--proxy-server=direct://"]),
    ({"https_proxy": "http://a:1", "HTTP_PROXY": "b:2"}, ["--proxy-server=http=http://b:2;https=http://a:1"]),
    ({"all_proxy": "socks5://a", "https_proxy": "b:2"}, ["--proxy-server=http=socks5://a:1080;https=http://b:2"]),
    ({"http_proxy": "a:1", "https_proxy": "::"}, ["--proxy-server=http=http://a:1"]),
    (
        {"BROWSE_PROXY": "a:1", "no_proxy": "localhost, .corp,*.test;10.0.0.0/8 ::1"},
        [
            "--proxy-server=http://a:1",
            "--proxy-bypass-list=localhost;*.localhost;corp;*.corp;test;*.test;10.0.0.0/8;::1",
        ],
    ),
    ({"BROWSE_PROXY": "a:1", "no_proxy": "b", "BROWSE_NO_PROXY": "*"}, ["--proxy-server=http://a:1", "--proxy-bypass-list=*"]),
)  # fmt: skip
def test_proxy_variables_become_chromium_flags(variables: dict[str, str], flags: list[str]) -> None:
    proxy = read_proxy(variables)
    assert proxy
    assert proxy.flags() == flags


@each_row(
    ({"BROWSE_PROXY": "a:1"}, "https://site.test/", "http://a:1"),
    ({"https_proxy": "b:2"}, "http://site.test/", None),
    ({"all_proxy": "socks5h://b", "http_proxy": "c:3"}, "https://site.test/", "socks5://b:1080"),
    ({"BROWSE_PROXY": "a:1"}, "http://127.8.8.8/", None),
    ({"BROWSE_PROXY": "a:1"}, "http://[::1]:80/", None),
    ({"BROWSE_PROXY": "a:1", "no_proxy": ".corp"}, "http://wiki.corp/", None),
    ({"BROWSE_PROXY": "a:1", "no_proxy": "corp"}, "http://mycorp/", "http://a:1"),
    ({"BROWSE_PROXY": "a:1", "no_proxy": "10.0.0.0/8"}, "http://10.1.2.3/", None),
    ({"BROWSE_PROXY": "a:1", "no_proxy": "10.0.0.0/8"}, "http://11.1.2.3/", "http://a:1"),
    ({"BROWSE_PROXY": "a:1", "no_proxy": "corp:8080"}, "http://corp:8080/", None),
    ({"BROWSE_PROXY": "a:1", "no_proxy": "corp:8080"}, "http://corp/", "http://a:1"),
    ({"BROWSE_PROXY": "a:1", "BROWSE_NO_PROXY": "*"}, "http://site.test/", None),
    ({"BROWSE_PROXY": "a:1"}, "http://site.test:port/", None),
)
def test_proxy_server_for_a_url_is_chosen_from_variables(
    variables: dict[str, str], url: str, server: str | None
) -> None:
    proxy = read_proxy(variables)
    assert proxy
    found = proxy.server_for(url)
    assert (str(found) if found else None) == server


def test_user_and_password_are_for_the_proxy_alone() -> None:
    proxy = read_proxy({"https_proxy": "http://ann:pw@a:1", "http_proxy": "b:2"})
    assert proxy
    found = [proxy.server_for(f"{scheme}://site.test/") for scheme in ("https", "http")]
    assert [(server.user, server.password) for server in found if server] == [("ann", "pw"), ("", "")]
    proxy = read_proxy({"BROWSE_PROXY": "http://ann%40corp:s%2Fcret@proxy:3128"})
    assert proxy
    assert (proxy.user, proxy.password, proxy.origin) == ("ann@corp", "s/cret", "http://proxy:3128")
    assert "cret" not in repr(proxy)
    assert not any("ann" in flag or "cret" in flag for flag in proxy.flags())
    usual = read_proxy({"https_proxy": "http://ann:pw@proxy:1"})
    assert usual == Proxy("https=http://proxy:1", "", "http://proxy:1", "ann", "pw")
    assert read_proxy({"http_proxy": "http://x:y", "NO_PROXY": "a"}) is None
    assert read_proxy({}) is None
    with pytest.raises(UsageError, match="SOCKS"):
        read_proxy({"BROWSE_PROXY": "socks5://ann:pw@proxy"})


@each(["http://", "ftp://x", "http://ann:secret@x:99999", "a b", "http://x;--no-sandbox"])
def test_malformed_proxy_is_refused_without_its_password(word: str) -> None:
    with pytest.raises(UsageError) as told:
        read_proxy({"BROWSE_PROXY": word})
    assert "secret" not in str(told.value)
