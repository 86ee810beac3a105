import http.client
import io
import ssl
import urllib.error
from email.message import Message

import aiohttp
from aiohttp.client_reqrep import ConnectionKey

from gstack_browse.browser.launch.grid import explain_no_connection
from tests.each import each_row
from tests.faults import fault


def certificate_error(code: int, message: str) -> urllib.error.URLError:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code, error.verify_message = code, message
    return urllib.error.URLError(error)


def http_error(status: int, body: bytes) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("http://b/secret", status, "Reason", Message(), io.BytesIO(body))


def no_connection(error: OSError) -> aiohttp.ClientConnectorError:
    key = ConnectionKey("b", 1, is_ssl=False, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None)
    return aiohttp.ClientConnectorError(key, error)


@fault(
    "Connections",
    "a remote browser refuses the connection: 401, 403, another status, or speaks no TLS",
    "the status is said, and where it wants a login, BROWSE_REMOTE_HEADERS",
)
@each_row(
(certificate_error(18, "self-signed certificate"), "The certificate of b:1 is not trusted: self-signed certificate", "BROWSE_CA_CERT"),
        (certificate_error(10, "certificate has expired"), "not trusted: certificate has expired", "needs a new certificate"),
        (certificate_error(62, "Hostname mismatch, certificate is not valid for 'b'."), "not valid for 'b'", "Use a name that"),
        (urllib.error.URLError(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong")), "TLS with b:1 fails: ", "servers that speak TLS"),
        (http_error(401, b""), "b:1 refuses the connection: 401 Reason", "BROWSE_REMOTE_HEADERS"),
        (http_error(500, b"Host header is specified\nsecret"), "b:1 answers with an error: 500 Reason (Host header is specified)", "/json/version"),
        (urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")), "No browser answers at b:1: Connection refused", "/json/version"),
        (no_connection(ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 1)")), "No browser answers at b:1: Connection refused", "/json/version"),
        (http.client.BadStatusLine("\x15\x03"), "No browser answers at b:1: ", "/json/version"),
        (TimeoutError(), "No browser answers at b:1: TimeoutError", "/json/version"),
)  # fmt: skip
def test_failure_has_its_reason_and_its_hint(error: Exception, message: str, hint: str) -> None:
    failure = explain_no_connection("b:1", error, is_on_this_machine=False)
    assert message in failure.message
    assert hint in failure.hint
    assert "secret" not in failure.message + failure.hint
    assert "\x15" not in failure.message


def test_browser_of_this_machine_may_have_to_allow_debugging() -> None:
    assert (
        "chrome://inspect"
        in explain_no_connection("b:1", ConnectionRefusedError(), is_on_this_machine=True).hint
    )
    assert (
        "chrome://inspect"
        not in explain_no_connection("b:1", http_error(401, b""), is_on_this_machine=True).hint
    )
