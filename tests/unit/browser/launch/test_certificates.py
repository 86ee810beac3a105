"""Test what keeps certificates from being trusted, as it is told before Chromium starts."""

from pathlib import Path

import pytest

from gstack_browse.browser.launch import certificates
from gstack_browse.errors import SetupFailed

PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


def test_untrusted_certificates_are_refused_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SetupFailed, match="cannot be read: No such file"):
        certificates.make_trust_store(tmp_path / "none.pem", tmp_path)
    (tmp_path / "ca.der").write_bytes(b"\x30\x82")
    with pytest.raises(SetupFailed, match="holds no certificate in PEM") as told:
        certificates.make_trust_store(tmp_path / "ca.der", tmp_path)
    assert told.value.hint.startswith("openssl x509 -inform der")
    (tmp_path / "ca.pem").write_text(PEM)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupFailed, match="needs certutil") as told:
        certificates.make_trust_store(tmp_path / "ca.pem", tmp_path)
    assert told.value.hint == "apt-get install libnss3-tools; gbrowse stop"


@pytest.mark.programs
def test_failure_of_certutil_is_repeated_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ca.pem").write_text(PEM)
    (tmp_path / "certutil").write_text('#!/bin/sh\n[ "$3" = -N ] || { echo "odd bytes" >&2; exit 255; }\n')
    (tmp_path / "certutil").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(SetupFailed, match="does not take it: odd bytes"):
        certificates.make_trust_store(tmp_path / "ca.pem", tmp_path)


def test_fonts_of_the_person_stay_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "share/fonts").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    certificates._link_fonts(tmp_path / "data")
    assert (tmp_path / "data/fonts").resolve() == (tmp_path / "share/fonts").resolve()
