"""Draw what `gbrowse demo` prints as a picture of a terminal: the README's.

gbrowse film-start && gbrowse demo | .venv/bin/python -m tests.terminal_picture >docs/images/session.svg; gbrowse film-stop

Demo takes no film while one is taken, and then prints no path of a file.
"""

import html
import sys

LINE = 21
"""From one line to the next, in pixels."""
WIDTH = 680
TITLE = "A terminal: gbrowse lists what a page has, fills in a form, expects a text, and refuses a ref that is stale"

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title">
  <title id="title">{title}</title>
  <style>
    text {{ font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
    .typed {{ fill: #f0f6fc; font-weight: 600 }}
    .printed {{ fill: #b8c2cc }}
    .caused {{ fill: #7ee787 }}
    .failed {{ fill: #ffa198 }}
    .remark {{ fill: #9198a1 }}
    .prompt {{ fill: #79c0ff }}
  </style>
  <rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>
  <path d="M0 34V10A10 10 0 0 1 10 0H{before_corner}A10 10 0 0 1 {width} 10V34Z" fill="#21262d"/>
  <circle cx="20" cy="17" r="6" fill="#ff5f57"/>
  <circle cx="40" cy="17" r="6" fill="#febc2e"/>
  <circle cx="60" cy="17" r="6" fill="#28c840"/>
"""
CLASSES = {"# ": "remark", "$ ": "typed", "→ ": "caused", "Error: ": "failed"}


def draw_terminal(text: str) -> str:
    """Return the SVG of a terminal that shows this text."""
    lines = text.splitlines()
    height = 64 + len(lines) * LINE
    head = HEAD.format(width=WIDTH, height=height, before_corner=WIDTH - 10, title=TITLE)
    drawn = [_draw_line(line, 64 + index * LINE) for index, line in enumerate(lines) if line]
    return head + "".join(drawn) + "</svg>\n"


def _draw_line(line: str, y: int) -> str:
    kind = next((name for prefix, name in CLASSES.items() if line.startswith(prefix)), "printed")
    shown = html.escape(line.removeprefix("$ ") if kind == "typed" else line)
    prompt = '<tspan class="prompt">$ </tspan>' if kind == "typed" else ""
    return f'  <text x="18" y="{y}" class="{kind}">{prompt}{shown}</text>\n'


if __name__ == "__main__":
    sys.stdout.write(draw_terminal(sys.stdin.read()))
