from gstack_browse.security.policy import metadata
from tests.each import each


@each([
        "169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192", "168.63.129.16",
        "[fd00:ec2::254]", "[fd00:ec2::23]", "[fd20:ce::254]", "[::ffff:a9fe:a9fe]", "[64:ff9b::a9fe:a9fe]", "[::a9fe:a9fe]",
        "[2002:a9fe:a9fe::]", "[::ffff:6464:64c8]", "[::ffff:c000:c0]", "metadata.google.internal", "METADATA.google.internal.",
        "169.254.169.254:8080", "user@169.254.169.254", "[::ffff:169.254.169.254]", "[::ffff:169.254.169.254%251]", "169.254.0.23",
        "169.254.42.42", "[fd00:42::42]", "[fd00:a9fe:a9fe::1]", "metadata.tencentyun.com",
    ])  # fmt: skip
def test_metadata_services_are_known(host: str) -> None:
    found = metadata.refuse_host(f"http://{host}/latest/meta-data/")
    assert found == metadata.create_refusal("is")
    assert "BROWSE_ALLOW_METADATA=1" in found.hint


@each(["169.254.169.253", "169.254.1.1", "127.0.0.1", "localhost", "[::1]", "x.metadata.google.internal", "example.com",
       "169.254.169.254.example.com", ""])  # fmt: skip
def test_other_hosts_are_not(host: str) -> None:
    assert metadata.refuse_host(f"http://{host}/169.254.169.254") is None
    assert metadata.refuse_host("") is None


def test_metadata_service_is_recognised_by_its_address() -> None:
    for address in ("169.254.169.254", "[fd00:ec2::254]", "::ffff:169.254.169.254", "fe80::a9fe:a9fe%eth0"):
        assert metadata.is_metadata_address(address)
    assert not any(map(metadata.is_metadata_address, ("127.0.0.1", "[::1]", "", "fe80::1%eth0")))
