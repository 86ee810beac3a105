import os
import re
from datetime import timedelta
from pathlib import Path

import pytest

from gstack_browse.errors import SetupFailed, UsageError
from gstack_browse.security.client_certs import (
    ClientCert,
    find_wildcard_conflict,
    load_identity,
    parse_client_certs,
    utc_now,
)
from gstack_browse.security.policy.hosts import AllowedHost, HostRules
from tests.each import each
from tests.tls import Authority


def test_entries_name_servers_and_files_which_a_pattern_may_hide() -> None:
    home = os.path.expanduser("~")
    found = parse_client_certs(
        " https://Intranet.corp=/a b/ann,1.p12, https://x.corp:8443/=~/cert.pem+/keys/key+1.pem\n https://[::1]=/c "
    )
    assert found == (
        ClientCert("https://intranet.corp", Path("/a b/ann,1.p12")),
        ClientCert("https://x.corp:8443", Path(home, "cert.pem"), Path("/keys/key+1.pem")),
        ClientCert("https://[::1]", Path("/c")),
    )
    assert [one.endpoint for one in found] == ["intranet.corp:443", "x.corp:8443", "[::1]:443"]
    assert found[0].secret_names == ("client-cert-intranet.corp", "client-cert")
    servers = "https://intranet.corp/a?b wss://x.corp:8443/ https://[::1]:443/"
    assert [next(one for one in found if one.covers(url)) for url in servers.split()] == [*found]
    others = "http://intranet.corp:443/ https://intranet.corp:444/ https://a.intranet.corp/ https://x.corp:x/"
    assert not any(one.covers(url) for one in found for url in others.split())
    known = parse_client_certs("https://a.corp=/b")
    assert find_wildcard_conflict(HostRules(None, (AllowedHost("a.corp"),)), known) is None
    pattern = AllowedHost("*.corp")
    assert find_wildcard_conflict(HostRules((pattern,), ()), known) == (known[0], pattern)


@each([
    "ann.p12", "https://a", "http://a=/b", "https://a/b=/c", "https://*.a=/b", "https://a=b.p12", "https://a=/b https://a:443=/c",
    "https://a=/b+/c+/d", "https://=/b", "https://a?b=/c",
])  # fmt: skip
def test_malformed_entry_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        parse_client_certs(word)


def entry(certificate: Path, key: Path | None = None, passphrase: str = "") -> ClientCert:
    return ClientCert("https://a.corp", certificate, key, passphrase)


def test_files_in_all_forms_are_read_but_by_their_owner_alone(tmp_path: Path) -> None:
    corp = Authority(tmp_path)
    certificate, key = corp.client("ann")
    locked, its_key = corp.client("eve", passphrase="open")
    both = tmp_path / "both.pem"
    both.write_bytes(key.read_bytes() + certificate.read_bytes() + corp.file.read_bytes())
    both.chmod(0o600)
    found = [
        load_identity(entry(certificate, key)),
        load_identity(entry(locked, its_key, "open")),
        load_identity(entry(both)),
        load_identity(entry(corp.client_p12("bob"))),
        load_identity(entry(corp.client_p12("joe", "open"), passphrase="open")),
    ]
    assert [len(one.chain) for one in found] == [1, 1, 2, 1, 1]
    assert {one.describe_invalidity(utc_now()) for one in found} == {""}
    assert found[0].days_left(utc_now()) in (29, 30)
    late, early = utc_now() + timedelta(days=40), utc_now() - timedelta(days=100)
    assert found[0].describe_invalidity(late).startswith("expired on 20")
    assert found[0].describe_invalidity(early).startswith("does not hold before 20")
    assert "PRIVATE" not in repr(found)
    for mode in (0o640, 0o604, 0o620):
        key.chmod(mode)
        if mode == 0o640 and os.geteuid() == 0:
            load_identity(entry(certificate, key))  # a mounted secret of root's
            continue
        with pytest.raises(SetupFailed, match="may be read by others"):
            load_identity(entry(certificate, key))
    key.chmod(0o600)
    certificate.chmod(0o644)
    load_identity(entry(certificate, key))


def test_unusable_certificate_file_is_refused_with_its_reason(tmp_path: Path) -> None:
    corp = Authority(tmp_path)
    certificate, key = corp.client("ann")
    other, other_key = corp.client("eve", passphrase="sesame")
    locked, text, folder = corp.client_p12("bob", "sesame"), tmp_path / "text", tmp_path / "folder"
    text.write_text("nothing")
    text.chmod(0o600)
    folder.mkdir()
    said = {
        entry(tmp_path / "none.p12"): "none.p12 cannot be read: No such file",
        entry(folder): "folder is no file",
        entry(text): "text is neither PEM nor PKCS #12",
        entry(certificate): "ann.pem holds no private key",
        entry(key): "ann-key.pem holds no certificate",
        entry(text, key): "text is no certificate in PEM",
        entry(certificate, text): "text is no key in PEM",
        entry(other, key): "is not that of the first certificate",
        entry(other, other_key): "eve-key.pem has a passphrase, and none is kept",
        entry(other, other_key, "shut"): "eve-key.pem has another passphrase",
        entry(locked): "bob.p12 has a passphrase, and none is kept",
        entry(locked, passphrase="shut"): "bob.p12 has another passphrase",
    }
    for one, words in said.items():
        with pytest.raises(SetupFailed, match=re.escape(words)) as failure:
            load_identity(one)
        assert "sesame" not in failure.value.message
