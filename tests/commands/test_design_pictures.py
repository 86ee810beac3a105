"""Test pictures of designs by an image service.

A stand-in on this machine answers in every way that a service can.
"""

import asyncio
import os
from pathlib import Path

import pytest
from PIL import Image

from gstack_browse.errors import FileFailed, NoService, Refused, ServiceFailed, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, until
from tests.commands.image_stand_in import ServiceAnswer, StandIn, drawn, picture, refused
from tests.each import each
from tests.tls import Authority

pytestmark = pytest.mark.same_session

KEY = "sk-test-0123456789"


@pytest.fixture(autouse=True)
def own(own_design_service: None, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    """Use no proxy, and begin without pictures."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for file in shell.workspace.glob("*.png"):
        if not file.is_dir():
            file.unlink()


def mode_and_key_of_settings() -> tuple[int, bool]:
    path = Path(os.environ["GSTACK_HOME"], "design-service.json")
    return path.stat().st_mode & 0o777, KEY in path.read_text()


async def set_up(run: Run, stand_in: StandIn) -> None:
    await stand_in.set_up(run)
    await run(f"secret-set design --origin {stand_in.url}", stdin=KEY)


async def test_without_a_service(run: Run, fails: Fails, shell: Shell) -> None:
    Image.new("RGB", (8, 8)).save(shell.workspace / "a.png")
    assert (await run("design-service")).startswith("No image service is set\n→ Sketch it in HTML")
    for line in ("design-generate new.png A page", "design-variants new A page", "design-iterate a.png Larger"):
        reply = await fails(line, NoService)
        assert (reply.code, reply.message) == (2, "No image service is set")
        assert "screenshot" in reply.hint
        assert "Usage:" not in reply.hint
    await fails("design-service --model draws", UsageError)
    await fails("design-service http://images.example.com/v1 --model draws", Refused)
    await fails("design-service https://images.example.com/v1?key=1 --model draws", UsageError)
    await fails("design-service https://me:pw@images.example.com --model draws", UsageError)


async def test_key_of_a_service_goes_to_its_origin_only(run: Run, fails: Fails, stand_in: StandIn) -> None:
    set_to = await run("design-service https://images.example.com/v1/ --model draws")
    assert set_to.splitlines()[0] == "Image service: https://images.example.com/v1, model draws"
    reply = await fails("design-generate a.png A page", NoService)
    assert reply.hint.endswith("secret-set design --origin https://images.example.com < key.txt")
    await run("secret-set design --origin https://other.example.com", stdin=KEY)
    await fails("design-generate a.png A page", Refused)
    await run(f"design-service {stand_in.url}")
    await fails("design-generate a.png A page", Refused)
    await run(f"secret-set design --origin {stand_in.url}", stdin=f"{KEY}\nX-Other: 1")
    assert "one line of ASCII" in (await fails("design-generate a.png A page", NoService)).message
    await run("secret-delete design")
    await run("design-generate a.png A page \udcff")
    assert "Authorization" not in stand_in.asked[0].headers
    assert mode_and_key_of_settings() == (0o600, False)
    assert await run("design-service --off") == "No image service is set any more"
    assert "No image service" in await run("design-service")


async def test_picture_is_drawn_from_words_or_pictures(
    run: Run, fails: Fails, shell: Shell, stand_in: StandIn
) -> None:
    await set_up(run, stand_in)
    stand_in.next = [
        drawn(),
        drawn(picture(kind="JPEG")),
        ServiceAnswer(b'{"data": [{"url": "/files/1.png"}]}'),
        ServiceAnswer(picture()),
    ]
    said = await run("design-generate new.png A page --size 96x64 to log in")
    assert said == "Picture saved: new.png (64x48)"
    assert stand_in.asked[0].path == "/v1/images/generations"
    assert stand_in.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert stand_in.asked[0].fields == {"model": "draws", "prompt": "A page to log in", "n": 1, "size": "96x64"}
    new = shell.workspace / "new.png"
    assert (new.stat().st_mode & 0o777, Image.open(new).format) == (0o600, "PNG")
    await run("design-generate other.png -", stdin="From a file\n")
    assert Image.open(shell.workspace / "other.png").format == "PNG", "the service sent a JPEG file"
    await run("design-generate third.png A page")
    assert stand_in.asked[3].path == "/files/1.png"
    assert "Authorization" not in stand_in.asked[3].headers
    assert await run("design-iterate new.png The button larger") == "Picture saved: new-2.png (64x48)"
    said = await run("design-iterate new-2.png --like other.png Its colours")
    assert said == "Picture saved: new-3.png (64x48)"
    edits = stand_in.asked[4:]
    assert [asked.path for asked in edits] == ["/v1/images/edits"] * 2
    assert b'name="image"' in edits[0].body
    assert edits[1].body.count(b'name="image[]"') == 2
    assert b"The button larger" in edits[0].body
    await fails("design-iterate /etc/passwd Larger", Refused)
    (shell.workspace / "notes.png").write_text("private notes")
    await fails("design-iterate notes.png Larger", FileFailed)
    assert len(stand_in.asked) == 6, "nothing but pictures of the workspace is sent"
    for line in ("design-generate new.png A page", "design-iterate new.png --to other.png Larger"):
        assert "is there already" in (await fails(line, FileFailed)).message
    assert len(stand_in.asked) == 6, "nothing is paid for a picture that cannot be saved"
    await run("design-generate new.png --force A page")
    (shell.workspace / "DESIGN.md").write_text("Ink is #123456.")
    assert (await run("design-iterate new.png Larger")).endswith("(64x48)\n→ held to DESIGN.md")
    assert b"Ink is #123456." in stand_in.asked[-1].body
    await run("design-iterate new.png --free Larger")
    assert b"Ink" not in stand_in.asked[-1].body
    for line in ("design-iterate new.png ''", "design-generate empty.png ' '", "design-variants empty ' '"):
        assert (await fails(line, UsageError)).message == "The brief is empty"


async def test_variants_have_a_prompt_each(run: Run, fails: Fails, shell: Shell, stand_in: StandIn) -> None:
    await set_up(run, stand_in)
    told = (await run("design-variants login --count 4 --idea 'one large field' A page to log in")).splitlines()
    assert [line.split(" (")[0] for line in told] == [f"Picture saved: login-{letter}.png" for letter in "abcd"]
    assert told[0].endswith(": one large field")
    prompts = {str(asked.fields["prompt"]) for asked in stand_in.asked}
    assert len(prompts) == 4
    assert all(prompt.startswith("A page to log in\n\n") for prompt in prompts)
    await fails("design-variants login --count 7 A page", UsageError)
    stand_in.asked = []
    (shell.workspace / "DESIGN.md").write_text("Ink is #123456.")
    told = (await run("design-variants wide --viewports desktop,mobile A page")).splitlines()
    saved = [f"Picture saved: wide-a-{name}.png" for name in ("desktop", "mobile")]
    assert [line.split(" (")[0] for line in told] == [*saved, "→ held to DESIGN.md"]
    assert sorted(str(asked.fields["size"]) for asked in stand_in.asked) == ["1024x1536", "1536x1024"]
    assert all("Ink is #123456." in str(asked.fields["prompt"]) for asked in stand_in.asked)
    assert "is there already" in (await fails("design-variants wide --viewports mobile A", FileFailed)).message
    await run("design-variants wide --viewports mobile --force --free A page")
    assert "Ink" not in str(stand_in.asked[-1].fields["prompt"])
    (shell.workspace / "DESIGN.md").unlink()
    for words in ("--viewports watch", "--viewports mobile --size 64x64"):
        await fails(f"design-variants other {words} A page", UsageError)
    stand_in.next = [drawn(), refused(400, "No such thing")]
    reply = await fails("design-variants other --count 2 A page", ServiceFailed)
    assert reply.message == "The image service answers 400: No such thing"
    assert reply.text.startswith("Picture saved: other-")


async def test_pictures_drawn_at_once_do_not_overwrite_another(
    run: Run, shell: Shell, stand_in: StandIn
) -> None:
    await set_up(run, stand_in)

    async def at_once(*lines: str) -> list[tuple[int, str]]:
        """Let the service answer only when all have passed the check of names."""
        stand_in.asked = []
        stand_in.hold.clear()
        sent = [asyncio.ensure_future(shell.send(line)) for line in lines]
        await until(lambda: len(stand_in.asked) == len(lines))
        stand_in.hold.set()
        return sorted([(reply.code, reply.message or reply.text) for reply in await asyncio.gather(*sent)])

    ended = await at_once("design-generate par.png A page", "design-generate par.png A page")
    appeared = "par.png appeared while the picture was drawn, which is saved as par-2.png"
    assert [told for _, told in ended] == ["Picture saved: par.png (64x48)", appeared]
    assert ended[0][0] == 0 != ended[1][0]
    ended = await at_once("design-iterate par.png Larger", "design-iterate par.png Smaller")
    assert ended == [(0, "Picture saved: par-3.png (64x48)"), (0, "Picture saved: par-4.png (64x48)")]
    assert len(list(shell.workspace.glob("par*.png"))) == 4
    assert [code for code, _ in await at_once(*["design-generate par.png --force A page"] * 2)] == [0, 0]


NO_CREDIT = b'{"error": {"message": "Your quota is used up", "type": "insufficient_quota", "code": "insufficient_quota"}}'
BLOCKED = b'{"error": {"message": "Rejected by the safety system", "code": "moderation_blocked"}}'
PACKED = {"Content-Encoding": "gzip"}


@each(
    [
        (ServiceAnswer(b"<html>"), "did not answer in JSON", "design-service"),
        (ServiceAnswer(b"{}"), "without a picture", "Try again"),
        (ServiceAnswer(b'{"data": [{"b64_json": "!"}]}'), "not base64", "Try again"),
        (ServiceAnswer(b'{"data": [{"url": "file:///etc/passwd"}]}'), "no address", "Try again"),
        (drawn(picture()[:60]), "sent no picture", "Try again"),
        (ServiceAnswer(b"x" * 200, is_cut=True), "ended the connection before its answer was whole", "Try again"),
        (ServiceAnswer(b"{}", headers=PACKED), "compressed", "proxy"),
        (refused(401, f"Wrong key {KEY}"), "refuses the key (401): Wrong key [redacted]", "secret-set design"),
        (refused(404, "No model"), "(404): No model", "design-service"),
        (refused(302, "", Location="http://127.0.0.1:9/"), "leads elsewhere (302)", "design-service"),
        (refused(500, "Oops\x1b"), "answers 500: Oops␛", "try later"),
        (ServiceAnswer(NO_CREDIT, 429, {"Retry-After": "0"}), "has no credit left for that key (429): Your quota", "Ask the user"),
        (ServiceAnswer(BLOCKED, 400), "refuses the brief or a picture (400): Rejected by", "Put it otherwise"),
        (refused(403, "Not verified"), "does not let that key use draws (403): Not verified", "Ask the user"),
        (refused(429, "Busy", Retry_After="3600"), "asks to wait 1h", "Try again then"),
    ],
)  # fmt: skip
async def test_bad_answer_says_what_is_wrong_and_saves_nothing(
    case: tuple[ServiceAnswer, str, str], run: Run, fails: Fails, shell: Shell, stand_in: StandIn
) -> None:
    told, message, hint = case
    await set_up(run, stand_in)
    (shell.workspace / "bad.png").unlink(missing_ok=True)
    stand_in.next, stand_in.asked = [told], []
    reply = await fails("design-generate bad.png A page", ServiceFailed)
    assert message in reply.message
    assert hint in reply.hint
    assert KEY not in reply.message + reply.hint
    assert len(stand_in.asked) == 1
    assert not (shell.workspace / "bad.png").exists()


async def test_picture_that_lies_elsewhere_unencrypted_or_never_ends_is_refused(
    run: Run, fails: Fails, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    await set_up(run, stand_in)
    stand_in.next = [ServiceAnswer(b'{"data": [{"url": "http://169.254.169.254/picture.png"}]}')]
    await fails("design-generate bad.png A page", Refused)
    monkeypatch.setattr("gstack_browse.design.image_service.service.MOST_BYTES", 1000)
    stand_in.next = [ServiceAnswer(b" " * 100_000)]
    assert "too long" in (await fails("design-generate bad.png A page", ServiceFailed)).message


async def test_a_busy_service_is_asked_again(run: Run, fails: Fails, stand_in: StandIn) -> None:
    await set_up(run, stand_in)
    stand_in.next = [refused(429, "Busy", Retry_After="0"), refused(503, "Busy", Retry_After="0"), drawn()]
    await run("design-generate again.png A page")
    assert len(stand_in.asked) == 3
    stand_in.next = [refused(429, "Busy", Retry_After="0")] * 4
    assert "answers 429: Busy" in (await fails("design-generate never.png A page", ServiceFailed)).message
    assert len(stand_in.asked) == 7


async def test_service_that_does_not_answer_fails(
    run: Run, fails: Fails, shell: Shell, stand_in: StandIn
) -> None:
    gone = StandIn()
    gone.close()
    await run(f"design-service {gone.url} --model draws")
    reply = await fails("design-generate bad.png A page", ServiceFailed)
    assert reply.message.startswith(f"127.0.0.1:{gone.port} cannot be reached")
    await run(f"design-service {stand_in.url}")
    stand_in.hold.clear()
    await fails("design-generate bad.png A page", TimedOut, timeout=300)
    stand_in.hold.set()
    assert not list(shell.workspace.glob("bad.png*"))


async def test_proxies_and_certificates(
    run: Run, fails: Fails, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask other machines by the proxy of the environment, and this one never by it."""
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{stand_in.port}")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    await set_up(run, stand_in)
    await run("design-generate new.png A page")
    await run("secret-set design --origin https://images.example.com", stdin=KEY)
    await run("design-service https://images.example.com/v1")
    stand_in.next = [ServiceAnswer(b"", 502)]
    await fails("design-generate other.png A page", ServiceFailed)
    assert stand_in.asked[-1].path == "images.example.com:443"
    assert KEY not in str(stand_in.asked[-1].headers)
    monkeypatch.setenv("BROWSE_PROXY", f"http://ann:pw@127.0.0.1:{stand_in.port}")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    stand_in.next = [ServiceAnswer(b"", 502)]
    await fails("design-generate other.png A page", ServiceFailed)
    assert stand_in.asked[-1].headers["Proxy-Authorization"].startswith("Basic ")
    monkeypatch.setenv("BROWSE_PROXY", "socks5://127.0.0.1:9")
    assert "SOCKS" in (await fails("design-generate other.png A page", ServiceFailed)).message


async def test_only_a_trusted_certificate_gets_the_key(
    run: Run, fails: Fails, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    service = StandIn(authority.server())
    await run(f"design-service https://localhost:{service.port} --model draws")
    await run(f"secret-set design --origin https://localhost:{service.port}", stdin=KEY)
    assert "is not trusted" in (await fails("design-generate new.png A page", ServiceFailed)).message
    assert not service.asked
    monkeypatch.setenv("BROWSE_INSECURE", "localhost")
    await fails("design-generate new.png A page", ServiceFailed)
    monkeypatch.setenv("BROWSE_CA_CERT", str(authority.file))
    await run("design-generate new.png A page")
    service.close()
