import pytest

from gstack_browse.errors import UsageError
from gstack_browse.security.vault.totp import parse_totp_key
from tests.each import each, each_row

RFC = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
RFC_256 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA===="


@each_row(
    (59, "94287082", "46119246"),
    (1111111109, "07081804", "68084774"),
    (1234567890, "89005924", "91819424"),
    (20000000000, "65353130", "77737706"),
)
def test_the_codes_of_rfc_6238(at: int, sha1: str, sha256: str) -> None:
    assert parse_totp_key(f"otpauth://totp/a?secret={RFC}&digits=8").code(at) == sha1
    assert parse_totp_key(f"otpauth://totp/a?secret={RFC_256}&digits=8&algorithm=SHA256").code(at) == sha256
    assert parse_totp_key(RFC).code(at) == sha1[2:]


def test_a_key_may_be_written_as_websites_write_it() -> None:
    spaced = "gezd gnbv gy3t qojq gezd-gnbv-gy3t-qojq \n"
    assert (
        parse_totp_key(spaced)
        == parse_totp_key(RFC)
        == parse_totp_key(f"OTPAUTH://TOTP/x:y?secret={RFC}&issuer=x")
    )
    assert parse_totp_key(f"otpauth://totp/a?secret={RFC}&period=60").seconds_left(70) == 50


@each(["", "not base32!", "ABC", "otpauth://hotp/a?secret=" + RFC, "otpauth://totp/a", "otpauth://totp/a?secret=1",
     f"otpauth://totp/a?secret={RFC}&digits=99", f"otpauth://totp/a?secret={RFC}&algorithm=MD5",
     f"otpauth://totp/a?secret={RFC}&period=0", "otpauth://[x?secret=" + RFC])  # fmt: skip
def test_malformed_totp_key_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(UsageError) as failure:
        parse_totp_key(text)
    assert RFC not in failure.value.message + failure.value.hint
