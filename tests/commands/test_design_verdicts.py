"""Test judging pictures, and pages by their mockups: measured, and by a stand-in for a vision model."""

import json

import pytest
from PIL import Image

from gstack_browse.errors import PicturesDiffer, ProblemsFound, ServiceFailed, TimedOut, UsageError
from tests.commands.conftest import Fails, Run, Shell, Show
from tests.commands.image_stand_in import ServiceAnswer, StandIn, answer_with_words, picture, refused
from tests.each import each

pytestmark = [pytest.mark.same_session, pytest.mark.usefixtures("own_design_service")]

PAGE = """<style>* {{ margin: 0 }} body {{ font: 16px sans-serif; background: #fff }} header {{ background: {0}; height: 120px }}
    main {{ display: {1}; padding: 40px }} section {{ width: 300px; height: 200px; background: #eeeeee; border: 1px solid #888 }}
    button {{ background: #c2185b; color: #fff; width: 200px; height: 60px }}</style>
    <header></header><main><section>{2}</section><section></section></main><button>{2}</button>"""
AGREED = PAGE.format("#2457d6", "flex", "Order tea")


def verdict(score: object, *severities: str) -> ServiceAnswer:
    findings = [{"severity": severity, "where": "top", "what": "cut\x1b[31m"} for severity in severities]
    judged = json.dumps({"score": score, "verdict": "Nearly", "findings": findings})
    return answer_with_words(f"```json\n{judged}\n```")


async def test_a_page_is_measured_by_its_mockup(run: Run, fails: Fails, show: Show, shell: Shell) -> None:
    await show(AGREED)
    await run("screenshot --viewport mockup.png")
    measured = "Score: 100 of 100, measured: no model looked at it"
    assert await run("design-verify mockup.png") == f"{measured}\n→ layout 100, colours 100, areas 100"
    await show(PAGE.format("#2457d6", "flex", "Drink it"))
    assert int((await run("design-verify mockup.png")).split()[1]) >= 95, "other words are the same design"
    shrunk = Image.open(shell.workspace / "mockup.png").convert("RGB").resize((640, 360))
    shrunk.save(shell.workspace / "small.jpg", quality=70)
    assert int((await run("design-verify small.jpg")).split()[1]) >= 85, "a mockup in another size, compressed"
    await show(PAGE.format("#2e7d32", "block", "Order tea"))
    reply = await fails("design-verify mockup.png --output differs.png", PicturesDiffer)
    for words in ("#2457d6", "of the mockup is not on the page", "Saved: "):
        assert words in reply.text
    assert Image.open(shell.workspace / "differs.png").size == (1280, 720)
    await show("<body style='background: #222'>")
    blank = await fails("design-verify mockup.png", PicturesDiffer)
    assert int(blank.text.split()[1]) < 20
    assert "high" in blank.text
    await fails("design-verify mockup.png --output differs.jpg", UsageError)


async def test_a_model_compares_the_page_with_its_mockup(
    run: Run, show: Show, shell: Shell, stand_in: StandIn
) -> None:
    await stand_in.set_up(run)
    await show(AGREED)
    (shell.workspace / "any.png").write_bytes(picture())
    for *answer, code in ((70, 0), (69, 1), (95, "high", 1), (95, "medium", "low", 0)):
        stand_in.next, stand_in.asked = [verdict(*answer)], []
        reply = await shell.send("design-verify any.png Leave the words out")
        assert reply.code == code, reply.text
        assert " of 100, judged by looks" in reply.text
        assert "\x1b" not in reply.text
        assert stand_in.asked[0].body.count(b"data:image/png;base64,") == 2
        assert b"Leave the words out" in stand_in.asked[0].body


@each([answer_with_words("Looks fine to me."), ServiceAnswer(b"x" * 200, is_cut=True), refused(500, "Oops")])
async def test_an_answer_that_cannot_be_understood_passes_nothing(
    case: ServiceAnswer, run: Run, fails: Fails, shell: Shell, stand_in: StandIn
) -> None:
    """Which answers are no verdict: tests/unit/design/test_image_service.py."""
    await stand_in.set_up(run)
    (shell.workspace / "a.png").write_bytes(picture())
    for line in ("design-check a.png", "design-verify a.png"):
        stand_in.next = [case]
        await fails(line, ServiceFailed)
    before = len(stand_in.asked)
    await shell.send("design-verify a.png --measure")
    assert len(stand_in.asked) == before, "measured: nothing is sent"


async def test_design_check_is_a_gate(run: Run, fails: Fails, shell: Shell, stand_in: StandIn) -> None:
    await stand_in.set_up(run)
    (shell.workspace / "a.png").write_bytes(picture())
    (shell.workspace / "DESIGN.md").write_text("Ink is #123456.")
    stand_in.next = [verdict(0, "low", "medium"), verdict(0, "low", "HIGH"), answer_with_words("Fine.")]
    stand_in.next += [verdict(0, *["low"] * 60, " high\n")]
    assert (await run("design-check a.png A page")).splitlines() == [
        "Looked at by looks: a.png, 2 findings", "medium  top  cut␛[31m", "low     top  cut␛[31m", "→ Nearly", "→ held to DESIGN.md",
    ]  # fmt: skip
    assert b"A page\\n\\nKeep to this design system" in stand_in.asked[0].body
    assert (await fails("design-check a.png", ProblemsFound)).text.startswith("Looked at by looks")
    await fails("design-check a.png", ServiceFailed)
    assert "high " in (await fails("design-check a.png", ProblemsFound)).text, "the severe one comes last"
    stand_in.hold.clear()
    await fails("design-check a.png", TimedOut, timeout=300)
    stand_in.hold.set()


async def test_design_check_measures_without_a_model(run: Run, fails: Fails, shell: Shell) -> None:
    pale = Image.new("RGB", (400, 300), "#ffffff")
    pale.paste("#eeeeee", (50, 50, 350, 100))
    good = pale.copy()
    good.paste("#123456", (50, 150, 350, 200))
    words = Image.new("RGB", (1280, 1500), "#ffffff")
    words.paste("#767676", (8, 16, 24, 28))
    drawn = {"blank": Image.new("RGB", (400, 300)), "pale": pale, "good": good, "words": words}
    for name, image in drawn.items():
        image.save(shell.workspace / f"{name}.png")
    assert "nothing is drawn on #000000" in (await fails("design-check blank.png", ProblemsFound)).text
    assert "no colour reaches 4.5:1 on #ffffff" in (await fails("design-check pale.png", ProblemsFound)).text
    assert await run("design-check good.png") == "Measured: no model looked at it: good.png, 0 findings"
    assert (await run("design-check words.png")).endswith(": words.png, 0 findings"), (
        "a short word on a long page"
    )
    (shell.workspace / "DESIGN.md").write_text("Ground #ffffff and #EEEEEE, ink #654321.")
    told = await run("design-check good.png")
    assert "medium  colours  #123456 12% is not in DESIGN.md" in told
    assert told.endswith("→ held to DESIGN.md")


async def test_prompt_to_build_a_picture(
    run: Run, fails: Fails, show: Show, shell: Shell, stand_in: StandIn
) -> None:
    await show(AGREED)
    await run("screenshot --viewport mockup.png")
    (shell.workspace / "DESIGN.md").write_text("Ink is #123456.")
    told = await run("design-prompt --image mockup.png The form works by keyboard")
    for words in (
        "Measured: no model", "- page: #ffffff", "- action: #2457d6 ", "#c2185b 1%", "- 0,0,1280,", "The form works by keyboard", "Ink is #123456.",
        "design-verify mockup.png exits with 0",
    ):  # fmt: skip
        assert words in told
    extracted = await run("design-extract --image mockup.png")
    assert "- action: #2457d6 " in extracted
    tokens = json.loads(await run("design-extract --image mockup.png --tokens"))
    assert tokens["color"]["page"]["$value"]["hex"] == "#ffffff"
    await stand_in.set_up(run)
    assert await run("design-extract --image mockup.png") == extracted, "it measures, whatever is set"
    assert not stand_in.asked
    assert "design-extract" not in await run("help design-service")
    described = {"layout": ["A bar\x1b on top", 3], "type": "one family", "orders": ["rm -r /"]}
    stand_in.next = [answer_with_words(json.dumps(described)), answer_with_words("A page.")]
    told = await run("design-prompt --image mockup.png")
    assert "Described by looks" in told
    assert "## Layout\n- A bar␛ on top\n## Type\n- one family\n## Colours" in told
    assert "rm -r" not in told
    await fails("design-prompt --image mockup.png", ServiceFailed)
    await fails("design-prompt", UsageError)
    await fails("design-extract main --image mockup.png", UsageError)
