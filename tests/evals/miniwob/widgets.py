"""Tasks with widgets of jQuery UI and their like: sliders, spinners, calendars, colours, an editor."""

import re

from PIL import ImageColor

from tests.evals.miniwob.general import box, do, field, look_and_submit
from tests.evals.miniwob.sentences import quoted, steps
from tests.evals.miniwob.solvers import found, solves
from tests.evals.tools.browser import Browser

EDITOR_COLOURS = {
    "red": "#e60000", "orange": "#ff9900", "yellow": "#ffff00", "green": "#008a00", "blue": "#0066cc",
    "purple": "#9933ff",
}  # fmt: skip
"""The palette of the editor, as it looks."""
BUTTONS = {"bold": ".ql-bold", "italics": ".ql-italic", "underlined": ".ql-underline"}


@solves("use-slider")
def one_slider(page: Browser, asked: str) -> None:
    wanted = found(r"Select (-?\d+)", asked)
    slide(page, "#slider", "#val", int(wanted[1]))
    look_and_submit(page)


@solves("use-slider-2")
def three_sliders(page: Browser, asked: str) -> None:
    for number, value in enumerate(re.findall(r"\d+", asked.partition("[")[2]), 1):
        slide(page, f"#slider-{number}", f"#val-{number}", int(value))
    look_and_submit(page)


@solves("form-sequence")
def slider_and_box(page: Browser, asked: str) -> None:
    wanted = found(r"Select (-?\d+)", asked)
    slide(page, "#slider", "#val", int(wanted[1]))
    page.look()
    for step in steps(asked.partition("slider, ")[2]):
        do(page, step)


def slide(page: Browser, slider: str, shown: str, wanted: int) -> None:
    """Find the ends by keys, click the track near the place, and go the rest by keys."""
    page.run("focus", f"{slider} .ui-slider-handle")
    page.press("Home")
    low = int(page.text(shown))
    page.press("End")
    high = int(page.text(shown))
    part = (wanted - low) / (high - low)
    _, _, width, height = box(page, slider)
    across = width > height
    at = f"{part * (width - 1):.1f},50%" if across else f"50%,{(1 - part) * (height - 1):.1f}"
    page.run("click", slider, "--at", at)
    while (value := int(page.text(shown))) != wanted:
        page.press("ArrowRight" if value < wanted else "ArrowLeft")


@solves("use-spinner")
def spin(page: Browser, asked: str) -> None:
    """The field takes no keys; its arrows do."""
    wanted = found(r"Select (-?\d+)", asked)
    number = int(wanted[1])
    for _ in range(abs(number)):
        page.run("click", ".ui-spinner-up" if number > 0 else ".ui-spinner-down")
    look_and_submit(page)


@solves("use-colorwheel")
def colour_by_name(page: Browser, asked: str) -> None:
    """Pillow means by a name what CSS does."""
    pick_colour(page, ImageColor.getrgb(asked.partition("Select ")[2].partition(" with")[0]))


@solves("use-colorwheel-2")
def colour_by_example(page: Browser, asked: str) -> None:
    pick_colour(page, ImageColor.getrgb(page.run("css", "#query .cc", "background-color").strip()))


def pick_colour(page: Browser, colour: tuple[int, ...]) -> None:
    """The field takes the colour's code; the wheel is closed by a click elsewhere."""
    page.look()
    page.fill(field(page), "{:02X}{:02X}{:02X}".format(*colour[:3]))
    page.press("Tab")
    look_and_submit(page)


@solves("text-editor")
def style_text(page: Browser, asked: str) -> None:
    words = found(r"(?:give|make) (?:the text )?(.+?) the (style|color) (\w+)", asked)
    if words[1] == "everything":
        page.run("select-text", ".ql-editor")
    else:
        page.run("select-text", ".ql-editor", "--from", words[1], "--to", words[1])
    # This editor reads what is selected a tenth of a second later.
    page.run("wait", "200")
    if words[2] == "style":
        page.run("click", BUTTONS[words[3]])
    else:
        page.run("click", ".ql-picker-label")
        page.run("click", f".ql-picker-item[data-value='{EDITOR_COLOURS[words[3]]}']")
    look_and_submit(page)


@solves("form-sequence-3")
def dropdown(page: Browser, asked: str) -> None:
    wanted = asked.partition("Choose ")[2].partition(" from")[0]
    page.run("click", ".selectric")
    page.run("click", f'.selectric-items li:text-is("{wanted}")')
    page.look()
    page.click_button(quoted(asked)[0])


@solves("button-delay")
def click_wait_click(page: Browser, asked: str) -> None:
    seconds = found(r"wait (\d+)", asked)
    page.look()
    page.click_button("ONE")
    page.run("wait", f"{seconds[1]}000")
    page.click_button("TWO")


@solves("resize-textarea")
def resize(page: Browser, asked: str) -> None:
    way = 25 if "larger" in asked else -25
    handle, by = (".ui-resizable-s", f"0,{way}") if "height" in asked else (".ui-resizable-e", f"{way},0")
    page.run("drag", handle, by)
    look_and_submit(page)
